# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-bench

BENCH_SRC	:= tools/vnpu-bench
BENCH_OUT	:= $(B)/tools/vnpu-bench
BENCH_OBJS	:= $(patsubst %,$(BENCH_OUT)/%.o,main alloc map copy submit \
		     wait streams scale scale_crowd scale_exit devices replay replay_load pool \
		     pool_load pool_peer pool_trace trace trace_replay \
		     measure stats report undo npu ring peer peer_call hccl) \
		   $(BENCH_OUT)/common/json.o

define BENCH_COMPILE
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -Ilib/include \
		-Iuapi \
		-D_GNU_SOURCE -DVNPU_VERSION='"$(VERSION)"' -c -o $@ $<
endef

$(BENCH_OUT)/%.o: $(BENCH_SRC)/%.c $(BENCH_SRC)/vnpu-bench.mk
	$(BENCH_COMPILE)

$(BENCH_OUT)/common/%.o: tools/common/%.c $(BENCH_SRC)/vnpu-bench.mk
	$(BENCH_COMPILE)

# The version is compiled in.
$(BENCH_OUT)/main.o $(BENCH_OUT)/report.o: Makefile

# It finds the library beside it, both in the build and when installed.
$(B)/bin/vnpu-bench: $(BENCH_OBJS) $(LIB_SO) $(HCCL_SO)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(BENCH_OBJS) -L$(B)/lib -lvnpu -lm -pthread \
		-Wl,-rpath,'$$ORIGIN/../lib'

TOOLS		+= $(B)/bin/vnpu-bench

# The peer is built where it runs: no other target installs MPI.
$(BENCH_OUT)/mpi_peer: $(BENCH_SRC)/mpi_peer.c $(BENCH_SRC)/vnpu-bench.mk
	@mkdir -p $(@D)
	OMPI_CC="$(CC)" mpicc $(VNPU_CFLAGS) $(CFLAGS) -o $@ $<

bench-mpi:
	@tools/build/deps.sh mpi
	@tools/build/fetch.sh 6.12
	@$(MAKE) -s $(PARALLEL) modules-6.12 lib $(B)/bin/vnpu-bench \
		$(BENCH_OUT)/mpi_peer
	@tools/vnpu-bench/mpi.py $(B) $(TURNS)

.PHONY: bench-mpi

-include $(BENCH_OBJS:.o=.d)
