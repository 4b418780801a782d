# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzers of the kernel's interfaces, and of the library. They take part in
# "make check"; "make fuzz" runs them for TIME seconds each, those of the kernel
# on the debug kernel, whose coverage guides them.

FUZZ_DIR := $(B)/selftests/fuzz
FUZZ_TARGETS := ioctl netlink
FUZZ_BINS := $(FUZZ_TARGETS:%=$(FUZZ_DIR)/%)
FUZZ_CFLAGS = $(VNPU_CFLAGS) -D_GNU_SOURCE -Iuapi -Iselftests/uapi -I$(FUZZ_DIR)
FUZZ_HEADERS := $(wildcard selftests/fuzz/*.h) uapi/linux/vnpu.h \
		$(addprefix uapi/linux/,vnpu_task.h vnpu_graph.h vnpu_netlink.h) \
		$(addprefix selftests/,uapi/client.h uapi/errnos.h uapi/util.h tool/nl.h \
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

# The library once more for each sanitizer, with the program that calls it. The
# checks of the sanitizers hide the ranges of variables from the compiler.
FUZZ_SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize-recover
# It does not support fences, which only order memory shared with the kernel,
# and atomic variables.
FUZZ_SANITIZE_tsan := -fsanitize=thread -Wno-tsan
# See library.c.
FUZZ_LINK_tsan := -Wl,--wrap=dlopen
FUZZ_LIB_SRCS := $(wildcard selftests/fuzz/library*.c)
FUZZ_LIBS := $(addprefix $(FUZZ_DIR)/library-,asan tsan)

define fuzz_library
$(B)/$(1)/%.o: lib/src/%.c lib/lib.mk selftests/fuzz/fuzz.mk
	@mkdir -p $$(@D)
	$$(CC) $$(VNPU_CFLAGS) $$(LIB_CFLAGS) -O1 -g -Wno-maybe-uninitialized \
		$$(FUZZ_SANITIZE_$(1)) -MMD -MP -c -o $$@ $$<

$(B)/$(1)/shared/%.o: lib/%.c lib/lib.mk selftests/fuzz/fuzz.mk
	@mkdir -p $$(@D)
	$$(CC) $$(VNPU_CFLAGS) $$(LIB_CFLAGS) -O1 -g -Wno-maybe-uninitialized \
		$$(FUZZ_SANITIZE_$(1)) -MMD -MP -c -o $$@ $$<

-include $$(LIB_SRCS:lib/src/%.c=$(B)/$(1)/%.d) \
	$$(LIB_SHARED_SRCS:lib/%.c=$(B)/$(1)/shared/%.d)

$(FUZZ_DIR)/library-$(1): $$(FUZZ_LIB_SRCS) selftests/fuzz/library.h \
		selftests/uapi/util.h $$(LIB_SRCS:lib/src/%.c=$(B)/$(1)/%.o) \
		$$(LIB_SHARED_SRCS:lib/%.c=$(B)/$(1)/shared/%.o)
	@mkdir -p $$(@D)
	$$(CC) $$(VNPU_CFLAGS) -D_GNU_SOURCE -O1 -g -Wno-deprecated-declarations \
		-Ilib/include -Ilib/ascendc/include -Iselftests/uapi \
		$$(FUZZ_SANITIZE_$(1)) -o $$@ \
		$$(filter %.c %.o,$$^) $$(FUZZ_LINK_$(1)) -pthread
endef
$(foreach s,asan tsan,$(eval $(call fuzz_library,$(s))))

TESTS += $(FUZZ_BINS) $(FUZZ_LIBS)
SLOW_TESTS += $(FUZZ_BINS) $(FUZZ_LIBS)
LONG_TESTS += $(FUZZ_LIBS)
TESTS_FAULTS += $(FUZZ_BINS) $(FUZZ_LIBS)
STATIC_TESTS += selftests/syz/describe.py

FUZZ_VM := VNPU_FUZZ_SECONDS=$(TIME) tools/vnpu-vm/vnpu-vm --kernel debug --

fuzz: debug-kernel modules-debug $(FUZZ_BINS) $(FUZZ_LIBS)
	@for target in $(FUZZ_BINS); do \
		$(FUZZ_VM) $$target --keep $$target.hex || exit; \
	done
	@for target in $(FUZZ_LIBS); do $(FUZZ_VM) $$target || exit; done

.PHONY: fuzz
