# SPDX-License-Identifier: GPL-2.0
# For the test files about /dev/mprobe: usermap is the process with the mapping, poke the client that holds the range.
K=4096
M=1048576
G=$((1024 * M))
TWO=$((2 * M))

says() { # WHAT REGEX: in what the last run printed
	if grep -qE -- "$2" /tmp/out; then ok "$1"; else
		not_ok "$1: wanted '$2'"
		tail_of /tmp/out
	fi
}
# for poke's sh=; hold: usermap in the background, until letgo
cat > /tmp/hold <<'END'
rm -f /tmp/up /tmp/go
usermap "$@" sh='touch /tmp/up; until [ -e /tmp/go ]; do usleep 20000; done' > /tmp/held 2>&1 &
echo $! > /tmp/pid
until [ -e /tmp/up ] || [ ! -d /proc/$! ]; do usleep 20000; done
END
cat > /tmp/letgo <<'END'
touch /tmp/go
while [ -d "/proc/$(cat /tmp/pid)" ]; do usleep 20000; done
END
first() { # physical address of the last claim
	sed -n 's/^claim.* first=\(0x[0-9a-f]*\) .*/\1/p' /tmp/out
}
killed() {
	kill -9 "$(cat /tmp/pid)"
	touch /tmp/go
	while [ -d "/proc/$(cat /tmp/pid)" ]; do usleep 20000; done
}
