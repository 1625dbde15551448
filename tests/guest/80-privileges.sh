# SPDX-License-Identifier: GPL-2.0
# Who may do what, and which module the tool talks to.
load
# util-linux' setpriv; the shell would take busybox' own
without() { # CAPABILITY COMMAND...
	cap=$1
	shift
	/bin/setpriv --bounding-set "-$cap" --inh-caps "-$cap" "$@"
}
M=1048576

runs "all capabilities" mprobectl run dram0 --size 1M --time 100ms
refused "no CAP_SYS_ADMIN" 'EPERM|root|CAP_SYS_ADMIN' without sys_admin mprobectl run dram0 --size 1M --time 100ms
refused "no CAP_SYS_RAWIO for a physical range" 'EPERM|CAP_SYS_RAWIO' \
	without sys_rawio mprobectl run phys:$LEGACY+16M --size 1M --time 100ms --overwrite
runs "no CAP_SYS_RAWIO is no matter for DRAM" without sys_rawio mprobectl run dram0 --size 1M --time 100ms
refused "an ordinary user" 'EPERM|root|CAP_SYS_ADMIN' \
	/bin/setpriv --reuid 1000 --regid 1000 --clear-groups mprobectl run dram0 --size 1M --time 100ms
runs "an ordinary user may ask" /bin/setpriv --reuid 1000 --regid 1000 --clear-groups mprobectl info
nobody="/bin/setpriv --reuid 1000 --regid 1000 --clear-groups"
for words in "claim kind=1 node=0 bytes=$M" "claim kind=2 base=$LEGACY bytes=$M" "release range=1" \
	"start workers{ worker{ cpu=0 loop=3 variant=1 range=1 offset=0 bytes=$M } }" "cancel job=1"; do
	run $nobody poke $words
	check "module: an ordinary user: ${words%% *}: EPERM" grep -qE ' EPERM .{10}' /tmp/out
done
run without sys_rawio poke claim kind=2 base=$LEGACY bytes=$M
check "module: no CAP_SYS_RAWIO: claim by address: EPERM" grep -qE ' EPERM .{10}' /tmp/out
run without sys_admin poke claim kind=1 node=0 bytes=$M
check "module: no CAP_SYS_ADMIN: claim of a node: EPERM" grep -qE ' EPERM .{10}' /tmp/out
unload

refused "module absent" 'insmod|not loaded' mprobectl run dram0 --size 1M
insmod /other-protocol.ko
refused "module of another protocol" 'protocol' mprobectl run dram0 --size 1M
check "module of another protocol: both numbers are named" grep -q 9999 /tmp/err
rmmod mprobe
