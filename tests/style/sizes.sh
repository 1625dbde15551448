#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A file owns one thing: sources stay under 500 lines, headers under 200.
bad=0
while read -r f; do
	[ -e "$f" ] || continue
	n=$(wc -l < "$f")
	case $f in
	include/uapi/*) max=400 ;; # the protocol, most of it documentation
	kmod/loop/*/*.h) max=300 ;; # code of one architecture
	*.h) max=200 ;;
	*) max=500 ;;
	esac
	[ "$n" -le "$max" ] || { echo "$f: $n lines, $max are allowed"; bad=1; }
done < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.sh' '*.py' Makefile)
exit $bad
