#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tool.sh werror|tidy|cppcheck: one check over the tool's sources and the unit tests'.
cd "$(dirname "$0")/../.." || exit 1
mapfile -t libs < <(pkg-config --cflags libmnl hwloc libndctl libdaxctl jansson check | tr ' ' '\n' | grep '^-[ID]')
inc=(-Iinclude -Iinclude/uapi -Iuser -Iuser/port -Itests/unit -D_GNU_SOURCE "${libs[@]}")
shopt -s nullglob
files=(user/*.c user/cmd/*.c user/port/*.c kmod/loop/*.c tests/unit/*.c tests/guest/*.c)
tool=(user/*.c user/cmd/*.c user/port/*.c kmod/loop/*.c)
[ ${#tool[@]} -gt 0 ] || { echo "no sources"; exit 1; }

case $1 in
werror)
	rc=0
	for f in "${files[@]}"; do
		# the units' suites are declared by the generated main only
		case $f in tests/*) proto=() ;; *) proto=(-Wmissing-prototypes) ;; esac
		gcc -std=gnu11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes "${proto[@]}" -Werror \
			"${inc[@]}" -fsyntax-only "$f" || rc=1
	done
	exit $rc
	;;
tidy)
	clang-tidy --quiet --warnings-as-errors='*' \
		--checks='-*,bugprone-*,clang-analyzer-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result,-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses,-bugprone-suspicious-string-compare,-clang-analyzer-valist.Uninitialized,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling' \
		"${tool[@]}" -- -std=gnu11 "${inc[@]}"
	;;
cppcheck)
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --enable=warning,portability,performance \
		--suppress=missingIncludeSystem --suppress=unknownMacro "${inc[@]}" "${tool[@]}"
	;;
esac
