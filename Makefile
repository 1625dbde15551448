# SPDX-License-Identifier: GPL-2.0
# mprobe. Everything that is built lies under .build/; `make help` lists the targets.

B := .build
PREFIX ?= /usr/local
DESTDIR ?=
KDIR ?= /lib/modules/$(shell uname -r)/build
GUEST_RELEASE ?= $(shell tests/qemu/guest-kernel.sh release)
GUEST_KDIR = /lib/modules/$(GUEST_RELEASE)/build

LIBS := libmnl hwloc libndctl libdaxctl jansson
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra
CPPFLAGS += -Iinclude -Iinclude/uapi -Iuser -Iuser/port -D_GNU_SOURCE
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARN) -pthread $(shell pkg-config --cflags $(LIBS))
LDLIBS = $(shell pkg-config --libs $(LIBS)) -lm -pthread
# the loops must come out as the same instructions as in the module (tests/codegen.sh)
LOOP_CFLAGS := -O2 -fno-pie -fcf-protection=none -fno-tree-vectorize -falign-loops=32 -falign-functions=64

USER_SRC := $(wildcard user/*.c user/cmd/*.c user/port/*.c)
LOOP_SRC := $(wildcard kmod/loop/*.c)
UNIT_SRC := $(wildcard tests/unit/check_*.c)
UNIT_LIB := $(filter-out $(wildcard tests/unit/check_*.c) tests/unit/main.c,$(wildcard tests/unit/*.c))
USER_OBJ := $(USER_SRC:%.c=$(B)/obj/%.o)
LOOP_OBJ := $(LOOP_SRC:%.c=$(B)/obj/%.o)
UNIT_OBJ := $(UNIT_SRC:%.c=$(B)/obj/%.o) $(UNIT_LIB:%.c=$(B)/obj/%.o)

.PHONY: all tool module guest-module unit guest guest-image codegen check check-native \
	truth check-truth check-truth-faults style format demo demo-host setup \
	install uninstall clean help
.DELETE_ON_ERROR:

all: tool ## the tool: .build/mprobectl
tool: $(B)/mprobectl

$(B)/mprobectl: $(USER_OBJ) $(LOOP_OBJ)
	$(CC) -no-pie $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/obj/kmod/loop/%.o: kmod/loop/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=gnu11 -g $(WARN) $(LOOP_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/tests/unit/%.o: tests/unit/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/unit $(ALL_CFLAGS) $(shell pkg-config --cflags check) -MMD -MP -c -o $@ $<

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# The kernel's build writes beside the sources it is given, so it is given a copy.
module: ## the module for KDIR (default: the running kernel): .build/mprobe.ko
	@test -e $(KDIR)/Makefile || { echo "no kernel headers in $(KDIR): install linux-headers-$$(uname -r)," \
		"or name a kernel's build directory, e.g. make module KDIR=/lib/modules/RELEASE/build" >&2; exit 1; }
	@tests/qemu/build-module.sh $(KDIR) $(B)
	cp $(B)/kmod-$$(tests/qemu/build-module.sh --release $(KDIR))/mprobe.ko $(B)/mprobe.ko

guest-module: ## the module for the guest tests' kernel: .build/kmod-<release>/mprobe.ko
	@tests/qemu/build-module.sh $(GUEST_KDIR) $(B)

$(B)/unit/main.c: $(UNIT_SRC) tests/unit Makefile
	@mkdir -p $(@D)
	@{ echo '#include <check.h>'; echo '#include <stdlib.h>'; \
	  for s in $(UNIT_SRC:tests/unit/check_%.c=%); do echo "Suite *$${s}_suite(void);"; done; \
	  echo 'int main(void)'; echo '{'; echo '	SRunner *r = srunner_create(NULL);'; \
	  for s in $(UNIT_SRC:tests/unit/check_%.c=%); do echo "	srunner_add_suite(r, $${s}_suite());"; done; \
	  echo '	srunner_run_all(r, CK_ENV);'; \
	  echo '	return srunner_ntests_failed(r) || !srunner_ntests_run(r);'; echo '}'; } > $@

$(B)/unit/units: $(B)/unit/main.c $(UNIT_OBJ) $(filter-out $(B)/obj/user/main.o,$(USER_OBJ)) $(LOOP_OBJ)
	$(CC) -no-pie $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ \
		$(shell pkg-config --libs check) $(LDLIBS)

unit: $(B)/unit/units ## the unit tests
	$(B)/unit/units

# The guest's kernel, the module for it, one that claims another protocol, two that take for the prefetchers' switch
# what an emulated CPU has: an unused memory type register (MTRRphysBase4), and one that keeps nothing; the raw client.
GUEST := $(B)/guest
GUEST_FILES = $(B)/mprobectl $(GUEST)/poke $(GUEST)/canary $(GUEST)/usermap

$(GUEST)/poke $(GUEST)/canary $(GUEST)/usermap: $(GUEST)/%: tests/guest/%.c include/uapi/linux/mprobe.h Makefile
	@mkdir -p $(@D)
	$(CC) -Iinclude/uapi -D_GNU_SOURCE -std=gnu11 -O2 $(WARN) $(shell pkg-config --cflags libmnl) \
		-o $@ $< $(shell pkg-config --libs libmnl)

guest-image: guest-module $(GUEST_FILES)
	@tests/qemu/build-module.sh --protocol 9999 $(GUEST_KDIR) $(GUEST)/other > $(GUEST)/other.log 2>&1 || \
		{ cat $(GUEST)/other.log; exit 1; }
	@tests/qemu/build-module.sh $(GUEST_KDIR) $(GUEST)/switch KCFLAGS=-DMPROBE_TEST_SWITCH_MSR=0x208 > $(GUEST)/switch.log 2>&1 || \
		{ cat $(GUEST)/switch.log; exit 1; }
	@tests/qemu/build-module.sh $(GUEST_KDIR) $(GUEST)/deaf KCFLAGS=-DMPROBE_TEST_SWITCH_MSR=0x1a4 > $(GUEST)/deaf.log 2>&1 || \
		{ cat $(GUEST)/deaf.log; exit 1; }
	@mkdir -p $(GUEST)/storm && cp tests/guest/storm/* $(GUEST)/storm/
	@$(MAKE) -C $(GUEST_KDIR) M=$(abspath $(GUEST)/storm) modules > $(GUEST)/storm.log 2>&1 || { cat $(GUEST)/storm.log; exit 1; }
	@tests/qemu/initramfs.sh $(GUEST)/initramfs.gz $(B)/mprobectl $(B)/kmod-$(GUEST_RELEASE)/mprobe.ko \
		$(GUEST)/poke $(GUEST)/canary $(GUEST)/usermap $(GUEST)/storm/storm.ko=storm.ko $(GUEST)/other/kmod-$(GUEST_RELEASE)/mprobe.ko=other-protocol.ko \
		$(GUEST)/switch/kmod-$(GUEST_RELEASE)/mprobe.ko=test-switch.ko \
		$(GUEST)/deaf/kmod-$(GUEST_RELEASE)/mprobe.ko=test-deaf.ko

guest: guest-image ## the guest tests; TESTS="10-claim 20-lat" runs some of them
	@tests/qemu/check.sh $(B) $(TESTS)

codegen: $(B)/mprobectl guest-module
	@tests/codegen.sh

check: ## all tests; the last line is `N passed, N failed`
	@tests/setup.sh
	@tests/check.sh 'unit=$(MAKE) --no-print-directory -s unit' \
		'codegen=$(MAKE) --no-print-directory -s codegen' \
		'guest=$(MAKE) --no-print-directory -s guest' \
		'truth=$(MAKE) --no-print-directory -s truth'

truth: ## figures against machines of known latency: counting, and the virtual clock on few machines
	@tests/check.sh count=tests/rig/truth/count.sh 'v=tests/rig/truth/v.sh quick'

check-truth: ## the same on all machines, three runs of each, and several workers by the host's clock (long)
	@tests/check.sh selftest=tests/rig/selftest.sh count=tests/rig/truth/count.sh v=tests/rig/truth/v.sh \
		h=tests/rig/truth/h.sh

check-truth-faults: ## faults planted in the sources, each of which those tests must catch
	@tests/rig/truth/faults.sh

check-native: tool ## the module at native speed in User-Mode Linux, against the user engine; builds that kernel once
	@tests/setup.sh
	@tests/uml/check-native.sh $(B)

style: ## every style check
	@tests/style.sh

format: ## bring all sources into the one format
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

setup: ## install by apt what is missing (root)
	@tests/setup.sh

demo: ## the whole of it on an emulated machine, then the user engine on this one
	@tests/setup.sh
	@$(MAKE) --no-print-directory -s guest-image
	@tests/demo.sh $(B)

demo-host: tool module ## the same on this machine, which must be able to load the module
	@tests/demo-host.sh $(B)

install: tool ## tool, manual page, completion (DESTDIR, PREFIX)
	install -D -m 755 $(B)/mprobectl $(DESTDIR)$(PREFIX)/bin/mprobectl
	install -D -m 644 user/mprobectl.8 $(DESTDIR)$(PREFIX)/share/man/man8/mprobectl.8
	$(B)/mprobectl --completion bash > $(B)/completion.bash
	install -D -m 644 $(B)/completion.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/mprobectl

uninstall: ## what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/mprobectl $(DESTDIR)$(PREFIX)/share/man/man8/mprobectl.8 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/mprobectl

clean: ## remove .build/
	rm -rf $(B)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
