# SPDX-License-Identifier: GPL-2.0
# Included by Kbuild. The loops must be the same instructions as in the tool
# (tests/codegen.sh): no ftrace call.
mprobe-loops := $(addprefix kmod/loop/, chase.o clock.o gate.o order.o pass.o stream.o table.o window.o)
$(foreach o,$(mprobe-loops),$(eval CFLAGS_REMOVE_$(o) := $$(CC_FLAGS_FTRACE)))
$(foreach o,$(mprobe-loops),$(eval CFLAGS_$(o) := -falign-functions=64 -falign-loops=32 -fno-tree-vectorize))
