#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# style.sh: every style check, each "ok WHAT" or "not ok WHAT" with the complaints. Last line
# "style: N passed, M failed". Sources are those in the tree, tracked or not, minus what git ignores.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

sources() { # git ls-files pathspecs
	git ls-files -co --exclude-standard -- "$@" | while read -r f; do
		[ -e "$f" ] && echo "$f"
	done
}

part() { # WHAT COMMAND...: passes when the command succeeds
	local what=$1
	shift
	if "$@" > "$log" 2>&1; then
		passed=$((passed + 1))
		echo "ok $what"
	else
		failed=$((failed + 1))
		echo "not ok $what"
		head -60 "$log" | sed 's/^/    /'
	fi
}

format() { sources '*.c' '*.h' | xargs clang-format --dry-run --Werror; }

spdx() {
	local f bad=0
	for f in $(sources '*.c' '*.h' '*.sh' '*.py' Makefile Kbuild '.ci/*'); do
		head -2 "$f" | grep -q 'SPDX-License-Identifier: ' || { echo "$f: no SPDX line"; bad=1; }
	done
	return $bad
}

whitespace() {
	! sources | grep -v '^COPYING$' | xargs grep -nIE '[[:space:]]+$'
}

scripts() {
	local f list=
	for f in $(sources | grep -v '\.[ch]$'); do
		head -1 "$f" | grep -qE '^#!.*\b(ba)?sh$' && list="$list $f"
	done
	# shellcheck disable=SC2086
	shellcheck -x -P SCRIPTDIR --exclude=SC2016,SC2034 $list && shellcheck --shell=dash --exclude=SC1083,SC2017,SC2034,SC2086,SC2154 tests/guest/*.sh
}

manual() { # -W style would complain of wording; STYLE and up is what mandoc calls -W base
	local f
	for f in $(sources '*.8'); do
		mandoc -T lint -W warning "$f" || return 1
	done
	[ -n "$f" ]
}

no_host_names() { # the hosts of this machine's own package sources, and its paths
	local hosts
	hosts=$(apt-get indextargets --format '$(SITE)' | sed -E 's#^[a-z]+://([^/]+).*#\1#' | sort -u | paste -sd'|')
	! sources | grep -v '^COPYING$' | xargs grep -nIE "$PWD/${hosts:+|${hosts//./[.]}}"
}

part "clang-format" format
part "SPDX lines" spdx
part "no white space at line ends" whitespace
part "file sizes" tests/style/sizes.sh
part "include directions" tests/style/includes.sh
part "top level" tests/style/toplevel.sh
part "no host names, no paths of one machine" no_host_names
part "shellcheck" scripts
part "manual page" manual
part "tool: -Werror" tests/style/tool.sh werror
part "tool: clang-tidy" tests/style/tool.sh tidy
part "tool: cppcheck" tests/style/tool.sh cppcheck
part "module: W=1 and sparse" tests/style/module.sh
echo "style: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
