# SPDX-License-Identifier: GPL-2.0-only
#
# The planner on the host, which needs no device.
#
#	fuzz-plan	libFuzzer on what vnpu-plan reads, TIME= seconds

PLT_DIR := $(B)/selftests/plan
PLT_TEST := $(PLT_DIR)/plan-test
PLT_LIB := $(filter-out lib/src/plan/arena.c,$(wildcard lib/src/plan/*.c))
PLT_TOOL := $(addprefix tools/vnpu-plan/,text.c csv.c graph.c graph_print.c)
PLT_SRCS := $(filter-out selftests/plan/fuzz.c,$(wildcard selftests/plan/*.c)) \
	$(PLT_TOOL)
PLT_ARENA := lib/src/plan/arena.c
PLT_HEADERS := $(wildcard lib/include/vnpu/*.h lib/src/plan/*.h \
	selftests/plan/*.h tools/vnpu-plan/*.h)
PLT_CFLAGS = $(VNPU_CFLAGS) -g -O1 -D_GNU_SOURCE -Ilib/include -iquote lib/src -pthread \
	-fsanitize=address,undefined -fno-sanitize-recover

$(PLT_TEST): $(PLT_SRCS) $(PLT_LIB) $(PLT_ARENA) $(PLT_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(PLT_CFLAGS) -o $@ $(PLT_SRCS) $(PLT_LIB) $(PLT_ARENA) \
		-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

$(PLT_DIR)/fuzz: selftests/plan/fuzz.c $(PLT_TOOL) $(PLT_LIB) \
		$(PLT_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) $(PLT_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

fuzz-plan: $(PLT_DIR)/fuzz
	@mkdir -p $(PLT_DIR)/corpus
	$< -max_total_time=$(TIME) -max_len=4096 -print_final_stats=1 \
		-artifact_prefix=$(PLT_DIR)/ $(PLT_DIR)/corpus

selftests/plan/tool.sh: | $(B)/bin/vnpu-plan

CORE_TESTS += $(PLT_TEST)
HOST_TESTS += selftests/plan/tool.sh

.PHONY: fuzz-plan
