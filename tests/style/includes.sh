#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Includes follow the flow of data and never turn back. A rule: files, then what they must not include.
cd "$(dirname "$0")/../.." || exit 1
bad=0

forbid() { # WHY REGEX-OF-INCLUDES FILE...
	local why=$1 re=$2 f
	shift 2
	for f in "$@"; do
		[ -e "$f" ] || continue
		if grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($re)[>\"]" "$f" |
			sed "s|^|$f:|; s|\$|  -- $why|" | grep .; then
			bad=1
		fi
	done
}

except() { # GLOB-FILES... -- NAMES...: the first without the second
	local files=() f skip
	while [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	shift
	for f in "${files[@]}"; do
		for skip in "$@"; do
			[ "$f" = "$skip" ] && continue 2
		done
		echo "$f"
	done
}

mapfile -t f < <(except kmod/*.[ch] kmod/loop/*.[ch] kmod/port/*.h -- kmod/genl.[ch] kmod/netlink*.[ch] kmod/main.c)
forbid "only genl and netlink know netlink" 'net/.*|linux/(genetlink|netlink)\.h|(genl|netlink)\.h' "${f[@]}"
mapfile -t f < <(except kmod/main.c -- )
forbid "main knows init and exit order only" 'net/.*|linux/(genetlink|netlink)\.h' "${f[@]}"
forbid "range knows neither jobs nor workers" '(job|worker|sample)\.h' kmod/range*.[ch]
forbid "samples know nothing above them" '(job|worker|range)\.h' kmod/sample.[ch]
forbid "workers know no ranges' table and no netlink" '(genl|netlink)\.h' kmod/worker*.[ch]

# A loop: its contract, the port, its architecture; nothing of the kernel or of the C library.
for file in kmod/loop/*.[chS]; do
	[ -e "$file" ] || continue
	grep -nE '^[[:space:]]*#[[:space:]]*include' "$file" |
		grep -vE '[<"](mprobe/[a-z_]+\.h|port\.h|linux/mprobe\.h|[a-z0-9_]+\.h|(x86|generic)/[a-z0-9_]+\.h|arch/[a-z0-9_/]+\.h)[>"]' |
		sed "s|^|$file:|; s|\$|  -- loops know loop.h, the port and their architecture|" | grep . && bad=1
	grep -nE '__KERNEL__|<(stdio|stdlib|string|unistd)\.h>' "$file" |
		sed "s|^|$file:|; s|\$|  -- a loop does not know where it runs|" | grep . && bad=1
done

mapfile -t f < <(except user/*.[ch] user/cmd/*.c -- user/nl.c user/nl.h user/proto.c user/proto_parse.c user/proto.h user/engine_kmod.c)
forbid "only proto knows attributes, only nl knows sockets" 'libmnl/.*|linux/(genetlink|netlink|rtnetlink)\.h' "${f[@]}"
for file in "${f[@]}"; do
	[ -e "$file" ] || continue
	grep -nE 'MPROBE_A_[A-Z]|MPROBE_CMD_[A-Z]{2}|mnl_' "$file" |
		sed "s|^|$file:|; s|\$|  -- attributes belong to proto.c, sockets to nl.c|" | grep . && bad=1
done
for file in user/nl.c user/nl.h user/engine_kmod.c; do
	[ -e "$file" ] || continue
	grep -nE 'MPROBE_A_[A-Z]' "$file" |
		grep -vE 'CTRL_ATTR|NLMSGERR' |
		sed "s|^|$file:|; s|\$|  -- nl.c and the engine know no attribute|" | grep . && bad=1
done
for file in user/proto.c user/proto_parse.c user/proto.h; do
	[ -e "$file" ] || continue
	grep -nE 'mnl_socket|[^a-z_](socket|sendmsg|recvmsg|sendto|recv)\(' "$file" |
		sed "s|^|$file:|; s|\$|  -- proto.c knows no socket|" | grep . && bad=1
done
forbid "renderers know neither plan execution nor engine" '(engine|plan|nl|proto|cmd|options|execute|measure)\.h' user/render_*.c
for file in user/render_*.c; do
	[ -e "$file" ] || continue
	grep -nE '(ops|engine)->|plan_[a-z]+\(' "$file" |
		sed "s|^|$file:|; s|\$|  -- a renderer runs nothing|" | grep . && bad=1
done
forbid "statistics know numbers only" '(engine|plan|nl|proto|cmd|options|result|machine|target)\.h' user/stats.[ch]
forbid "the tool crosses into the module only by compiling kmod/loop" '(\.\./)*kmod/.*' user/*.[ch] user/cmd/*.c user/port/*
forbid "the module crosses nowhere" '(\.\./)*user/.*' kmod/*.[ch] kmod/*/*.[ch]

# a command file never calls another command's
for file in user/cmd/*.c; do
	[ -e "$file" ] || continue
	own=$(basename "$file" .c)
	grep -nE '[^a-z_]cmd_(info|list|lat|bw|run|status|cancel|compare|doctor)\(' "$file" |
		grep -vE "int cmd_$own\(" |
		sed "s|^|$file:|; s|\$|  -- a command calls no other|" | grep . && bad=1
done
exit $bad
