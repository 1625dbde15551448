#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What may stand at the top level, and nothing else; no build product anywhere but in .build/.
bad=0
for f in $(git ls-files -co --exclude-standard | sed 's|/.*||' | sort -u); do
	case $f in
	kmod | user | include | tests | Makefile | Kbuild | README | COPYING | .[a-z]*) ;;
	*)
		echo "$f: stray at the top level"
		bad=1
		;;
	esac
done
for f in $(git ls-files -o -i --exclude-standard | grep -v '^\.build/'); do
	echo "$f: a build product outside .build/"
	bad=1
done
exit $bad
