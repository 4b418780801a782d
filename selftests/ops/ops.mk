# SPDX-License-Identifier: GPL-2.0-only
#
# The operator engine in user space, under sanitizers; SEED= repeats a run, and
# ONLY= names tests.

OT_DIR := $(B)/selftests/ops
OT_TEST := $(OT_DIR)/ops-test
OT_SRCS := $(filter-out selftests/ops/bench.c,$(wildcard selftests/ops/*.c))
OT_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all

CORE_TESTS += $(OT_TEST)

$(eval $(call ops-rules,$(OT_DIR)/engine,OT_SANITIZE))

$(OT_DIR)/%.o: selftests/ops/%.c selftests/ops/ops.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -g $(OT_SANITIZE) -D_GNU_SOURCE -MMD -MP -c -o $@ $<

-include $(OT_SRCS:selftests/ops/%.c=$(OT_DIR)/%.d)

$(OT_TEST): $(OT_SRCS:selftests/ops/%.c=$(OT_DIR)/%.o) \
		$(call ops-objects,$(OT_DIR)/engine)
	$(CC) $(OT_SANITIZE) -o $@ $^ -lm

# Measurements as text.
OT_BENCH := $(OT_DIR)/bench

$(OT_BENCH): selftests/ops/bench.c selftests/ops/bench/peer.c \
		selftests/ops/bench/peer.h $(OPS_LIB)
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -O2 -D_GNU_SOURCE -o $@ $(filter %.c,$^) \
		$(OPS_LIB) -lm -ldl

# Peers, where their headers are installed: libtorch-dev and libdnnl-dev.
OT_PEERS := $(if $(wildcard /usr/include/ATen/ATen.h),aten) \
	$(if $(wildcard /usr/include/oneapi/dnnl/dnnl.hpp),dnnl)
OT_PEERS := $(OT_PEERS:%=$(OT_DIR)/peer-%.so)

$(OT_DIR)/peer-aten.so: OT_PEER_LIBS := -ltorch_cpu -lc10
$(OT_DIR)/peer-dnnl.so: OT_PEER_LIBS := -ldnnl

$(OT_DIR)/peer-%.so: selftests/ops/bench/%.cpp selftests/ops/bench/peer.h
	@mkdir -p $(@D)
	$(CXX) -std=c++14 -O2 -shared -fPIC -o $@ $< $(OT_PEER_LIBS)

bench-ops: $(OT_BENCH) $(OT_PEERS)
	$(OT_BENCH) $(if $(AVX2),-2)

.PHONY: bench-ops
