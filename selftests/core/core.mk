# SPDX-License-Identifier: GPL-2.0-only
#
# driver/core in user space.
#
#	check-core	tests under sanitizers; SEED= and STEPS= repeat and extend
#	bench-core	measurements as text; "bench --json" for programs
#	replay-core	smallest arena for each trace in TRACES=, of those in traces/
#			if none are named; see replay.c
#	fuzz-core	libFuzzer, TIME= seconds for each target; needs clang. Its
#			findings stay in $(B)/selftests/core/corpus/;
#			corpus.py pack makes seeds of them.

CORE_DIR := $(B)/selftests/core
CORE_LIB := $(notdir $(wildcard driver/core/*.c)) core_shim.c rbtree.c
# Also run in the kernel, by driver/tests/kunit.c.
CORE_CASES := $(notdir $(filter-out %/kunit.c %/slow.c %/vmap.c,\
	$(wildcard driver/tests/*.c)))
CORE_HEADERS := $(wildcard driver/core/*.h driver/tests/*.h selftests/core/*.h)

CORE_TEST := $(CORE_DIR)/core-test
CORE_BENCH := $(CORE_DIR)/bench
CORE_BENCH_OBJECTS := $(CORE_DIR)/bench-objects
CORE_REPLAY := $(CORE_DIR)/replay
CORE_TARGETS := allocator compact slab va
CORE_TESTS += $(CORE_TEST) $(addprefix selftests/core/,fuzz.sh replay.sh)
TESTS += selftests/core/kunit.sh
TESTS_FAULTS += selftests/core/kunit.sh

HOSTCC ?= gcc
CLANG ?= clang
TIME ?= 10
TRACES ?= $(wildcard selftests/core/traces/*)

# The kernel's tools/include comes before the system's linux/ headers.
CORE_CFLAGS = $(VNPU_CFLAGS) -g -Iselftests/core -Idriver/tests \
	-I$(CORE_DIR) -Iuapi -isystem $(KSRC)/tools/include
CORE_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover

# The table of quantiles that normal.c includes.
CORE_TABLE := $(CORE_DIR)/normal_table.h
$(CORE_TABLE): driver/core/normal_table.awk
	@mkdir -p $(@D)
	awk -f $< >$@

$(CORE_DIR)/check/normal.o $(CORE_DIR)/fast/normal.o: $(CORE_TABLE)

$(CORE_DIR)/check/%.o: driver/core/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) $(CORE_SANITIZE) -c -o $@ $<

$(CORE_DIR)/check/%.o: selftests/core/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) $(CORE_SANITIZE) -c -o $@ $<

$(CORE_DIR)/check/%.o: driver/tests/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) $(CORE_SANITIZE) -c -o $@ $<

$(CORE_DIR)/fast/%.o: driver/core/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) -O2 -c -o $@ $<

$(CORE_DIR)/fast/%.o: selftests/core/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) -O2 -c -o $@ $<

$(CORE_DIR)/fast/%.o: driver/tests/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) -O2 -c -o $@ $<

# The driver's code that uses the FPU.
$(CORE_DIR)/check/%.o: driver/exec/%.c driver/exec/vector_fpu.h \
		driver/exec/vector_tmpl.h
	@mkdir -p $(@D)
	$(HOSTCC) $(CORE_CFLAGS) $(CORE_SANITIZE) -c -o $@ $<

$(CORE_DIR)/check/vector_avx2.o: CORE_CFLAGS += -mavx2

# External code: neither warned about, nor sanitized.
$(CORE_DIR)/check/rbtree.o $(CORE_DIR)/fast/rbtree.o: selftests/core/core.mk
	@mkdir -p $(@D)
	$(HOSTCC) -O2 -w -isystem $(KSRC)/tools/include -c -o $@ \
		$(KSRC)/tools/lib/rbtree.c

$(CORE_TEST): $(CORE_LIB:%.c=$(CORE_DIR)/check/%.o) \
		$(CORE_CASES:%.c=$(CORE_DIR)/check/%.o) \
		$(CORE_TARGETS:%=$(CORE_DIR)/check/fuzz_%.o) \
		$(addprefix $(CORE_DIR)/check/,core_test.o \
			float_test.o random_test.o vector_fpu.o \
			vector_avx2.o)
	$(HOSTCC) $(CORE_SANITIZE) -o $@ $^ -lm

$(CORE_BENCH): $(CORE_LIB:%.c=$(CORE_DIR)/fast/%.o) \
		$(addprefix $(CORE_DIR)/fast/,bench.o random.o)
	$(HOSTCC) -O2 -o $@ $^

$(CORE_BENCH_OBJECTS): $(CORE_LIB:%.c=$(CORE_DIR)/fast/%.o) \
		$(addprefix $(CORE_DIR)/fast/,bench_objects.o random.o)
	$(HOSTCC) -O2 -o $@ $^

$(CORE_REPLAY): $(CORE_LIB:%.c=$(CORE_DIR)/fast/%.o) \
		$(CORE_DIR)/fast/replay.o
	$(HOSTCC) -O2 -o $@ $^

# Everything compiled again by clang: coverage guides libFuzzer.
$(CORE_DIR)/fuzz-%: selftests/core/fuzz.c selftests/core/fuzz_%.c \
		selftests/core/core_shim.c $(wildcard driver/core/*.c) \
		$(addprefix driver/tests/,model.c plane.c random.c) \
		$(CORE_DIR)/fast/rbtree.o $(CORE_HEADERS) $(CORE_TABLE)
	@mkdir -p $(@D)
	$(CLANG) $(CORE_CFLAGS) -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover -DFUZZ_TARGET=fuzz_$* -o $@ \
		$(filter %.c %.o,$^)

selftests/core/replay.sh: | $(CORE_REPLAY)

bench-core: $(CORE_BENCH) $(CORE_BENCH_OBJECTS)
	$(CORE_BENCH)
	$(CORE_BENCH_OBJECTS)

replay-core: $(CORE_REPLAY)
	$(CORE_REPLAY) $(TRACES)

fuzz-core: $(CORE_TARGETS:%=fuzz-core-%)

$(CORE_TARGETS:%=fuzz-core-%): fuzz-core-%: $(CORE_DIR)/fuzz-%
	selftests/core/corpus.py unpack selftests/core/corpus/$*.hex \
		$(CORE_DIR)/corpus/$*
	$< -max_total_time=$(TIME) -max_len=4096 -print_final_stats=1 \
		-artifact_prefix=$(CORE_DIR)/ $(CORE_DIR)/corpus/$*

.PHONY: bench-core replay-core fuzz-core $(CORE_TARGETS:%=fuzz-core-%)
