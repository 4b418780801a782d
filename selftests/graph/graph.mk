# SPDX-License-Identifier: GPL-2.0-only
#
# The graph engine on the host, under sanitizers; it needs no device.
#
#	graph-test	conformance with ONNX's own test data, of Debian's
#			libonnx-testdata, and tests of passes, memory and files
#	fuzz-graph	libFuzzer on what the reader gets, TIME= seconds

GT_DIR := $(B)/selftests/graph
GT_TEST := $(GT_DIR)/graph-test
GT_SRCS := $(filter-out selftests/graph/fuzz.c,$(wildcard selftests/graph/*.c))
GT_PLAN := $(filter-out lib/src/plan/arena.c,$(wildcard lib/src/plan/*.c))
GT_SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
GT_CFLAGS = $(VNPU_CFLAGS) -D_GNU_SOURCE -Ilib/include -iquote lib \
	-iquote lib/graph -iquote lib/src $(GT_SANITIZE)
GT_OBJS := $(GT_SRCS:selftests/graph/%.c=$(GT_DIR)/%.o) \
	$(GT_PLAN:lib/src/plan/%.c=$(GT_DIR)/plan/%.o)

CORE_TESTS += $(GT_TEST)

$(eval $(call graph-rules,$(GT_DIR)/lib,GT_SANITIZE))

$(GT_DIR)/%.o: selftests/graph/%.c selftests/graph/graph.mk
	@mkdir -p $(@D)
	$(CC) $(GT_CFLAGS) -MMD -MP -c -o $@ $<

$(GT_DIR)/plan/%.o: lib/src/plan/%.c selftests/graph/graph.mk
	@mkdir -p $(@D)
	$(CC) $(GT_CFLAGS) -MMD -MP -c -o $@ $<

-include $(GT_OBJS:.o=.d)

# The operator engine without sanitizers: its own tests have them, and whole
# networks would take minutes.
$(GT_TEST): $(GT_OBJS) $(GRAPH_SRCS:lib/graph/%.c=$(GT_DIR)/lib/%.o) $(OPS_LIB)
	$(CC) $(GT_SANITIZE) -o $@ $^ -lm

$(GT_DIR)/fuzz: selftests/graph/fuzz.c $(GRAPH_SRCS) $(GT_PLAN) $(OPS_LIB) \
		selftests/graph/graph.mk
	@mkdir -p $(@D)
	$(CLANG) $(GT_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^) \
		$(OPS_LIB) -lm

fuzz-graph: $(GT_DIR)/fuzz
	@mkdir -p $(GT_DIR)/corpus
	$< -max_total_time=$(TIME) -max_len=4096 -print_final_stats=1 \
		-artifact_prefix=$(GT_DIR)/ $(GT_DIR)/corpus

.PHONY: fuzz-graph
