# SPDX-License-Identifier: GPL-2.0
# The demo's part in the guest: prints, asserts nothing. Stops at the first command that fails.
set -e
show() {
	echo
	echo "# $*"
	"$@"
}
modprobe nfit
show insmod /mprobe.ko
show mprobectl list
echo
echo "An emulated machine (QEMU without hardware help): these figures prove the plumbing, not the memory."
show mprobectl lat dram0 pmem0 --sizes 16K,256K,4M,32M --time 400ms --precision 2% --overwrite
echo
echo "An emulated machine: the shape of the letter's Table 2, not its figures."
show mprobectl bw dram0 pmem0 --size 32M --workers 1,2 --time 1s --precision 2% --overwrite
show rmmod mprobe
