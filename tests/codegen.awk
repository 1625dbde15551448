# SPDX-License-Identifier: GPL-2.0
# Reads objdump -d -w of the tool's (side=tool) and the module's (side=module) loops. A loop is what lies between
# a conditional jump backwards and its target. Prints a line a failure, then `N passed, N failed`.

function hex(s,    i, n) {
	for (n = i = 0; i++ < length(s);)
		n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}

# "0x40" or ""
function displacement(s) {
	return s == "" ? 0 : hex(substr(s, 3))
}

function check(ok, what) {
	if (ok) {
		passed++
	} else {
		failed++
		print "codegen: " what
	}
}

/^[0-9a-f]+ <.*>:$/ {
	fn = substr($2, 2, length($2) - 3)
	n = 0
	next
}

/^ +[0-9a-f]+:\t/ {
	split($0, col, "\t")
	gsub(/[ :]/, "", col[1])
	at = hex(col[1])
	gsub(/ +$/, "", col[2])
	text = col[3]
	sub(/ +#.*$/, "", text)
	address[++n] = at
	bytes[n] = col[2]
	insn[n] = text
	split(text, word, " ")
	if (word[1] ~ /^j/ && word[1] != "jmp" && word[2] ~ /^[0-9a-f]+$/ && hex(word[2]) <= at)
		loop(hex(word[2]), n)
}

# [target, last] of function fn: remember it; an inner one is complete before the outer one that holds it
function loop(target, last,    i, k, key, t) {
	for (i = last; i && address[i] != target; i--)
		;
	if (!i)
		return
	k = ++loops[side, fn]
	key = side SUBSEP fn SUBSEP k
	first[key] = target
	inner[key] = 1
	for (t = 1; t < k; t++)
		if (first[side, fn, t] >= target)
			inner[key] = 0
	for (; i <= last; i++) {
		if (insn[i] ~ /^(data16|cs|nop|xchg +%ax,%ax)/)
			continue
		t = insn[i]
		if (t ~ /^j/)
			sub(/ .*/, "", t)
		code[key] = code[key] (inner[key] ? bytes[i] : t) "\n"
		body[key] = body[key] t "\n"
	}
}

# What is held for every loop of fn; want: how many loops
function hold(fn, want,    s, k, sides, key) {
	sides[1] = "tool"
	sides[2] = "module"
	for (s = 1; s <= 2; s++) {
		check(loops[sides[s], fn] == want, fn ": " loops[sides[s], fn] + 0 " loops in the " sides[s] ", not " want)
		for (k = 1; k <= loops[sides[s], fn]; k++) {
			key = sides[s] SUBSEP fn SUBSEP k
			check(body[key] !~ /%[re]?[sb]p|push|pop|call|%rip/, fn " loop " k ": stack, call or global in the " sides[s])
			check(body[key] !~ /prefetch/, fn " loop " k ": prefetch in the " sides[s])
			if (inner[key] && fn !~ /^order/)
				check(first[key] % 64 == 0, fn " loop " k ": not at a multiple of 64 in the " sides[s])
		}
	}
	for (k = 1; k <= want; k++)
		check(code["tool", fn, k] == code["module", fn, k], fn " loop " k ": not the same instructions in tool and module")
}

# Lines of a body that match; the rest is in `others`
function count(key, re,    i, n, line, hits) {
	n = split(body[key], line, "\n") - 1
	others = 0
	for (i = 1; i <= n; i++) {
		if (line[i] ~ re)
			hits++
		else
			others++
	}
	return hits + 0
}

function chase(fn, stores,    k, hops, key) {
	hold(fn, 2)
	for (k = 1; k <= 2; k++) {
		key = "module" SUBSEP fn SUBSEP k
		hops = k == 1 ? 64 : 1
		check(count(key, "^mov +\\(%rdi\\),%rdi$") == hops, fn " loop " k ": not one load a hop")
		check(count(key, "\\(") == hops * (1 + stores), fn " loop " k ": touches memory besides")
		check(count(key, "^mov +%rax,0x8\\(%rdi\\)$") == hops * stores, fn " loop " k ": not one store a hop")
		# the rest: counter and jump, and in wb the value's increment
		check(count(key, "\\(") + others == hops * (1 + stores) + 2 + hops * stores, fn " loop " k ": more than that")
	}
}

# Each byte of the lines exactly once, by loads and stores of that width
function scan(fn, loads, stores, nt, width,    k, i, n, key, line, part, from, to, step, got, reads, writes, wrong, ok) {
	hold(fn, 3)
	for (k = 1; k <= 2; k++) {
		key = "module" SUBSEP fn SUBSEP k
		n = split(body[key], line, "\n") - 1
		step = 0
		wrong = ""
		split("", got)
		for (i = 1; i <= n; i++) {
			if (line[i] ~ /^add +\$0x[0-9a-f]+,%rdi$/ || line[i] ~ /^sub +\$0xf+[0-9a-f]+,%rdi$/) {
				part = line[i]
				sub(/^[a-z]+ +\$/, "", part)
				sub(/,.*/, "", part)
				step += displacement(part)
			}
			if (line[i] !~ /\(/)
				continue
			part = line[i]
			sub(/^[a-z0-9]+ +/, "", part)
			from = part
			sub(/\(%rdi\).*/, "", from)
			sub(/.*,/, "", from)
			reads = part !~ /\(%rdi\)$/ || line[i] ~ /^add /
			writes = part ~ /\(%rdi\)$/
			if (part !~ (width == 64 ? "%zmm" : width == 32 ? "%ymm" : "%r(ax|10)") ||
			    (writes && (line[i] ~ /^v?movnt/) != nt))
				wrong = wrong " " line[i] ";"
			from = displacement(from)
			for (to = from + width; from < to; from += 8) {
				got[from, "r"] += reads
				got[from, "w"] += writes
			}
		}
		check(wrong == "", fn " loop " k ": wrong width or kind of store:" wrong)
		ok = step == (k == 1 ? unroll : 1) * 64
		check(ok, fn " loop " k ": steps by " step)
		for (from = 0; from < step; from += 8) {
			ok = ok && got[from, "r"] == loads && got[from, "w"] == stores
			delete got[from, "r"]
			delete got[from, "w"]
		}
		for (part in got)
			ok = 0
		check(ok, fn " loop " k ": not every byte once by " loads " loads and " stores " stores")
	}
}

END {
	unroll = 32
	chase("mprobe_chase_ro", 0)
	chase("mprobe_chase_wb", 1)
	n = split("scalar avx2 avx512", isa, " ")
	for (i = 1; i <= n; i++) {
		width = i == 1 ? 8 : i == 2 ? 32 : 64
		scan("scan_ro_" isa[i], 1, 0, 0, width)
		scan("scan_wb_" isa[i], 1, 1, 0, width)
		scan("scan_store_" isa[i], 0, 1, 0, width)
		scan("scan_nt_" isa[i], 0, 1, 1, width)
	}
	hold("order_avx512", 3)
	key = "module" SUBSEP "order_avx512" SUBSEP 3
	check(count(key, "^vmovntdq +%zmm7,\\(%rdi\\)$") == 16, "order_avx512: not one store a line")
	check(count(key, "\\(") == 16 + count(key, "^vpgatherqq "), "order_avx512: touches memory besides")
	printf "%d passed, %d failed\n", passed, failed
	exit failed > 0 || passed == 0
}
