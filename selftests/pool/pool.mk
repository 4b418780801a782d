# SPDX-License-Identifier: GPL-2.0-only
#
# Pools of libvnpu without a device, under sanitizers; SEED= and STEPS= repeat
# and extend random tests.

PT_DIR := $(B)/selftests/pool
PT_SRCS := $(wildcard selftests/pool/*.c lib/src/pool/*.c lib/src/plan/*.c) \
	lib/src/base/tree.c
# shim.c replaces the code for devices and streams.
PT_SRCS := $(filter-out selftests/pool/count.c lib/src/plan/arena.c \
	$(patsubst %,lib/src/pool/%.c,async default provider mempool \
	mempool_segment reuse),$(PT_SRCS))
PT_HEADERS := $(wildcard selftests/pool/*.h lib/src/pool/*.h lib/src/*/*.h \
	lib/src/plan/*.h lib/include/vnpu/*.h)

PT_CFLAGS := $(VNPU_CFLAGS) -g -O1 -D_GNU_SOURCE -Wno-missing-prototypes \
	-fno-omit-frame-pointer -Ilib/include -iquote lib/src \
	-Iselftests/pool -pthread \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc \
	-Wl,--wrap=realloc,--wrap=reallocarray

$(PT_DIR)/pool-asan: PT_SANITIZE := address,undefined
# It does not know fences, which no plain access relies on here.
$(PT_DIR)/pool-tsan: PT_SANITIZE := thread -Wno-tsan

$(PT_DIR)/pool-asan $(PT_DIR)/pool-tsan: $(PT_SRCS) $(PT_HEADERS) \
		selftests/pool/pool.mk
	@mkdir -p $(@D)
	$(CC) $(PT_CFLAGS) -fsanitize=$(PT_SANITIZE) -fno-sanitize-recover=all \
		-o $@ $(PT_SRCS)

# With the library as it is built by default.
$(PT_DIR)/count: $(addprefix selftests/pool/,count.c host.c host.h) \
		tools/vnpu-bench/random.h $(LIB_SO)
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CFLAGS) -D_GNU_SOURCE -Ilib/include -o $@ \
		$(filter %.c,$^) -L$(B)/lib -lvnpu -lm \
		-Wl,-rpath,'$$ORIGIN/../../lib'

selftests/pool/count.sh: | $(PT_DIR)/count

# 4 threads, in each of three kinds of pools: 1.2 * 10^8 operations.
soak-pool: $(PT_DIR)/pool-asan
	STEPS=$${STEPS:-10000000} $<

soak: soak-pool

.PHONY: soak-pool

CORE_TESTS += $(PT_DIR)/pool-asan $(PT_DIR)/pool-tsan
HOST_TESTS += $(addprefix selftests/pool/,bench.sh count.sh)
LONG_TESTS += selftests/pool/bench.sh
