# SPDX-License-Identifier: GPL-2.0-only
#
# The planner on the host, which needs no device.

PT_DIR := $(B)/selftests/plan
PT_TEST := $(PT_DIR)/plan-test
PT_LIB := $(wildcard lib/src/plan/*.c)
PT_SRCS := $(wildcard selftests/plan/*.c)
PT_HEADERS := $(wildcard lib/include/vnpu/*.h lib/src/plan/*.h \
	selftests/plan/*.h)
PT_CFLAGS = $(VNPU_CFLAGS) -g -O1 -D_GNU_SOURCE -Ilib/include \
	-fsanitize=address,undefined -fno-sanitize-recover

$(PT_TEST): $(PT_SRCS) $(PT_LIB) $(PT_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(PT_CFLAGS) -o $@ $(PT_SRCS) $(PT_LIB) -lm

CORE_TESTS += $(PT_TEST)
