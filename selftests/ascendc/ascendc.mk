# SPDX-License-Identifier: GPL-2.0-only
#
# Ascend C on the host, without a device: kernels are compiled by vnpu-cc and
# run by a harness in the process of the test.
#
#	bench-ascendc	vector instructions beside plain loops of the same
#			compiler for the same processor

AT_SRC		:= selftests/ascendc
AT_DIR		:= $(B)/selftests/ascendc
AT_NAMES	:= launch pipe copy elementwise cast compare reduce gather \
		   sort sync math names cube cube_move \
		   matmul matmul_forms mixed flash memory mask layout params \
		   check race waits cube_waits
# Compiled once more with instructions executed late: correct kernels have equal
# results, and "sync" finds nothing in them.
AT_LATE		:= waits pipe copy sync reduce gather sort mixed flash memory \
		   mask cube cube_move cube_waits
AT_TESTS	:= $(AT_NAMES:%=$(AT_DIR)/%) $(AT_LATE:%=$(AT_DIR)/late_%)
AT_LATE_FLAGS	:= -fcheck=late,sync
# Kernels are compiled as for use, the rest as fast as can be.
AT_FLAGS	:= -O2 -Xhost -O0 -Wall -Wextra -I$(AT_SRC)

$(AT_DIR)/harness_host.o: $(AT_SRC)/harness.c $(AT_SRC)/harness.h \
		$(ASCENDC_HDRS) $(wildcard $(AICORE_SRC)/exec/*.h) \
		$(AT_SRC)/ascendc.mk
	@mkdir -p $(@D)
	$(HOSTCC) $(VNPU_CFLAGS) $(CFLAGS) -pthread -Ilib/ascendc/include \
		-I$(AICORE_SRC)/exec -c -o $@ $<

# With the executor, so that a program links one file.
$(AT_DIR)/harness.o: $(AT_DIR)/harness_host.o $(EXEC_OBJS)
	$(HOSTCC) -r -nostdlib -o $@ $^

$(AT_DIR)/%.o: $(AT_SRC)/%.asc $(AT_SRC)/test.h $(AT_SRC)/harness.h \
		$(AT_SRC)/launch_kernels.h $(VNPU_CC_DEPS) $(AT_SRC)/ascendc.mk
	@mkdir -p $(@D)
	$(VNPU_CC) $(AT_FLAGS) -c -o $@ $<

$(AT_DIR)/late_%.o: $(AT_SRC)/%.asc $(AT_SRC)/test.h $(AT_SRC)/harness.h \
		$(VNPU_CC_DEPS) $(AT_SRC)/ascendc.mk
	@mkdir -p $(@D)
	$(VNPU_CC) $(AT_FLAGS) $(AT_LATE_FLAGS) -DIS_LATE -c -o $@ $<

$(AT_DIR)/launch: $(AT_DIR)/launch_other.o
# Kernels of mixed.asc are correct, so the checkers find nothing in them.
$(AT_DIR)/check.o $(AT_DIR)/cube_waits.o $(AT_DIR)/mixed.o: \
	AT_FLAGS += -fcheck=all
# ... and nor does the one of races in others.
$(addprefix $(AT_DIR)/,race.o copy.o sync.o memory.o flash.o cube_move.o \
	matmul.o): AT_FLAGS += -fcheck=race
# All checkers know the memories of cube cores.
$(addprefix $(AT_DIR)/late_,cube.o cube_move.o cube_waits.o): \
	AT_LATE_FLAGS := -fcheck=all,late
# Products have many loops, which take twice as long to compile with -O3.
$(addprefix $(AT_DIR)/,cube.o cube_move.o cube_waits.o matmul.o \
	matmul_forms.o late_cube.o late_cube_move.o late_cube_waits.o): \
	AT_FLAGS += -Xdevice -O2

# The compiler looks for the library, which these do not need.
$(AT_TESTS) $(AT_DIR)/bench: $(AT_DIR)/%: $(AT_DIR)/%.o $(AT_DIR)/harness.o \
		| $(B)/cann/lib64/libascendcl.so
	$(VNPU_CC) -o $@ $(filter %.o,$^)

selftests/ascendc/driver.sh: | $(VNPU_CC_DEPS) $(ASCENDC_PATHS) \
	$(AT_DIR)/harness.o $(B)/cann/lib64/libascendcl.so
selftests/ascendc/cmake.sh: | $(VNPU_CC_DEPS) $(ASCENDC_CANN_CMAKE) \
	$(B)/cann/set_env.sh $(AT_DIR)/harness.o $(LIB_CANN_SOS)

HOST_TESTS	+= $(AT_TESTS) selftests/ascendc/driver.sh \
		   selftests/ascendc/cmake.sh

bench-ascendc: $(AT_DIR)/bench
	$<

.PRECIOUS: $(AT_DIR)/%.o
.PHONY: bench-ascendc
