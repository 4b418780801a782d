# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzers of what the kernel offers. They take part in "make check"; "make fuzz"
# runs them for TIME seconds each on the debug kernel, which leads them.

FUZZ_DIR := $(B)/selftests/fuzz
FUZZ_TARGETS := ioctl netlink
FUZZ_BINS := $(FUZZ_TARGETS:%=$(FUZZ_DIR)/%)
FUZZ_CFLAGS = $(VNPU_CFLAGS) -D_GNU_SOURCE -Iuapi -Iselftests/uapi -I$(FUZZ_DIR)
FUZZ_HEADERS := $(wildcard selftests/fuzz/*.h) uapi/linux/vnpu.h \
		uapi/linux/vnpu_task.h uapi/linux/vnpu_netlink.h \
		$(addprefix selftests/,uapi/client.h uapi/util.h tool/nl.h \
			tool/nl_quota.h)

$(FUZZ_DIR)/calls.h: selftests/syz/describe.py selftests/syz/dev_vnpu.txt
	@mkdir -p $(@D)
	selftests/syz/describe.py --table $@

$(FUZZ_DIR)/ioctl: selftests/fuzz/world.c selftests/fuzz/steps.c \
		$(FUZZ_DIR)/calls.h

$(FUZZ_BINS): $(FUZZ_DIR)/%: selftests/fuzz/%.c selftests/fuzz/fuzz.c \
		selftests/fuzz/cover.c $(FUZZ_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^) -pthread

TESTS += $(FUZZ_BINS)
STATIC_TESTS += selftests/syz/describe.py

fuzz: debug-kernel modules-debug $(FUZZ_BINS)
	@for target in $(FUZZ_BINS); do \
		VNPU_FUZZ_SECONDS=$(TIME) tools/vnpu-vm/vnpu-vm \
			--kernel debug -- $$target --keep $$target.hex || exit; \
	done

.PHONY: fuzz
