# SPDX-License-Identifier: GPL-2.0-only
#
# The planner on the host, which needs no device.
#
#	fuzz-plan	libFuzzer on what vnpu-plan reads, TIME= seconds

PT_DIR := $(B)/selftests/plan
PT_TEST := $(PT_DIR)/plan-test
PT_LIB := $(wildcard lib/src/plan/*.c)
PT_SRCS := $(filter-out selftests/plan/fuzz.c,$(wildcard selftests/plan/*.c)) \
	tools/vnpu-plan/csv.c
PT_HEADERS := $(wildcard lib/include/vnpu/*.h lib/src/plan/*.h \
	selftests/plan/*.h tools/vnpu-plan/*.h)
PT_CFLAGS = $(VNPU_CFLAGS) -g -O1 -D_GNU_SOURCE -Ilib/include \
	-fsanitize=address,undefined -fno-sanitize-recover

$(PT_TEST): $(PT_SRCS) $(PT_LIB) $(PT_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(PT_CFLAGS) -o $@ $(PT_SRCS) $(PT_LIB) \
		-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

$(PT_DIR)/fuzz: selftests/plan/fuzz.c tools/vnpu-plan/csv.c $(PT_LIB) \
		$(PT_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) $(PT_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

fuzz-plan: $(PT_DIR)/fuzz
	@mkdir -p $(PT_DIR)/corpus
	$< -max_total_time=$(TIME) -max_len=4096 -print_final_stats=1 \
		-artifact_prefix=$(PT_DIR)/ $(PT_DIR)/corpus

selftests/plan/tool.sh: | $(B)/bin/vnpu-plan

CORE_TESTS += $(PT_TEST)
HOST_TESTS += selftests/plan/tool.sh

.PHONY: fuzz-plan
