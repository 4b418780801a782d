# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of vnpu-core (lib/core): the executor in the process of the test, checks
# of images under sanitizers, and the process with the driver in a machine.
#
#	bench-aicore	the cost of launches and blocks

AI_SRC		:= selftests/aicore
AI_DIR		:= $(B)/selftests/aicore
AI_EXEC		:= $(addprefix $(AI_DIR)/,exec_run exec_limit exec_fault \
		   exec_guest exec_listen exec_race exec_storm)

AI_CFLAGS	:= $(VNPU_CFLAGS) -D_GNU_SOURCE -pthread \
		   -Ilib/ascendc/include -Iuapi -I$(AICORE_SRC)/exec \
		   -iquote $(AICORE_SRC)

# Machines emulate an old processor.
AI_MARCH	:= $(if $(filter x86_64,$(shell uname -m)),-march=x86-64-v2)

$(AI_EXEC) $(AI_DIR)/exec_bench: $(AI_DIR)/%: $(AI_SRC)/%.c \
		$(AI_SRC)/exec_test.c $(AI_SRC)/exec_test.h $(EXEC_OBJS) \
		$(AI_SRC)/aicore.mk
	@mkdir -p $(@D)
	$(HOSTCC) $(AI_CFLAGS) $(CFLAGS) -o $@ $< $(AI_SRC)/exec_test.c \
		$(EXEC_OBJS)

# Files are read at all lengths and with all errors.
$(AI_DIR)/image: $(AI_SRC)/image.c $(wildcard $(AICORE_SRC)/elf/*.[ch]) \
		$(AI_SRC)/aicore.mk
	@mkdir -p $(@D)
	$(HOSTCC) $(AI_CFLAGS) -g -O1 -fsanitize=address,undefined \
		-fno-sanitize-recover=all -o $@ $(filter %.c,$^)

$(AI_DIR)/race: $(AI_SRC)/race.c $(AICORE_SRC)/exec/race_clock.c \
		$(AICORE_SRC)/exec/race_shadow.c $(AICORE_SRC)/exec/race.h \
		$(AI_SRC)/aicore.mk
	@mkdir -p $(@D)
	$(HOSTCC) $(AI_CFLAGS) -g -O1 -fsanitize=address,undefined \
		-fno-sanitize-recover=all -o $@ $(filter %.c,$^)

$(AI_DIR)/early: $(AI_SRC)/early.c $(AICORE_SRC)/early.c $(AICORE_SRC)/early.h \
		$(AI_SRC)/aicore.mk
	@mkdir -p $(@D)
	$(HOSTCC) $(AI_CFLAGS) -Wno-missing-prototypes \
		-isystem $(KSRC)/tools/testing/selftests -o $@ $(filter %.c,$^)

$(AI_DIR)/kernels.o: $(AI_SRC)/kernels.asc $(VNPU_CC_DEPS) $(AI_SRC)/aicore.mk
	@mkdir -p $(@D)
	$(VNPU_CC) --image -O2 $(AI_MARCH) -o $@ $<

selftests/aicore/image.sh: | $(AI_DIR)/image $(AI_DIR)/kernels.o

$(AI_DIR)/exec_guest: AI_CFLAGS += -g
selftests/aicore/guest.sh: | $(AI_DIR)/exec_guest

HOST_TESTS	+= $(AI_EXEC) $(AI_DIR)/early $(AI_DIR)/race \
		   $(addprefix selftests/aicore/,image.sh guest.sh)

# With the driver.
AI_VM		:= $(AI_DIR)/process

# Without optimization, so that a debugger has all variables.
$(AI_DIR)/kernels-debug.o: $(AI_SRC)/kernels.asc $(VNPU_CC_DEPS) \
		$(AI_SRC)/aicore.mk
	@mkdir -p $(@D)
	$(VNPU_CC) --image -g -O0 $(AI_MARCH) -o $@ $<

selftests/aicore/debug.sh: | $(AI_DIR)/debug $(AI_DIR)/kernels-debug.o

$(AI_VM) $(AI_DIR)/debug: $(AI_DIR)/%: $(AI_SRC)/%.c $(AI_SRC)/library.h \
		$(wildcard selftests/uapi/*.h) $(wildcard uapi/linux/*.h) \
		$(AICORE_SRC)/protocol.h $(AI_SRC)/aicore.mk \
		| $(AI_DIR)/kernels.o $(VNPU_CORE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -D_GNU_SOURCE -iquote $(AICORE_SRC) \
		-Ilib/ascendc/include -o $@ $<

# Programs: for VNPU_CORE=thread, and for VNPU_SOC.
$(AI_DIR)/thread $(AI_DIR)/soc: $(AI_DIR)/%: $(AI_SRC)/%.asc $(VNPU_CC_DEPS) \
		$(AI_SRC)/aicore.mk \
		| $(LIB_CANN_SOS) $(VNPU_CORE_SO)
	@mkdir -p $(@D)
	$(VNPU_CC) -g -O1 $(AI_MARCH) -o $@ $< -lascendcl

selftests/aicore/thread.sh: | $(AI_DIR)/thread
selftests/aicore/soc.sh: | $(AI_DIR)/soc $(B)/bin/vnpu-smi

TESTS		+= $(AI_VM) $(addprefix selftests/aicore/,debug.sh thread.sh soc.sh)
SLOW_TESTS	+= $(AI_VM) $(addprefix selftests/aicore/,debug.sh thread.sh soc.sh)

bench-aicore: $(AI_DIR)/exec_bench
	$<

.PHONY: bench-aicore
