# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of libvnpu-op: on the host under sanitizers, with the library's objects in
# the test; and on a device.

NT := $(B)/selftests/aclnn
NT_TEST := $(NT)/aclnn-test
NT_SRCS := $(filter-out selftests/aclnn/device%.c,$(wildcard \
	selftests/aclnn/*.c))
NT_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
NT_OBJS := $(NT_SRCS:selftests/aclnn/%.c=$(NT)/%.o) \
	$(ACLNN_SRCS:$(ACLNN_SRC)/%.c=$(NT)/lib/%.o) $(NT)/lib/entries.o \
	$(NT)/lib/json_print.o

CORE_TESTS += $(NT_TEST)

NT_CC = $(CC) $(VNPU_CFLAGS) -g $(NT_SANITIZE) $(ACLNN_CFLAGS) \
	-I$(B)/cann/include -MMD -MP -c -o $@ $<

$(NT)/%.o: selftests/aclnn/%.c selftests/aclnn/aclnn.mk $(ACLNN_OUT)/headers
	@mkdir -p $(@D)
	$(NT_CC)

$(NT)/lib/entries.o: $(ACLNN_OUT)/entries.c selftests/aclnn/aclnn.mk
	@mkdir -p $(@D)
	$(NT_CC)

# Strings, as libvnpu prints them.
$(NT)/lib/json_print.o: lib/src/base/json_print.c selftests/aclnn/aclnn.mk
	@mkdir -p $(@D)
	$(NT_CC)

$(NT)/lib/%.o: $(ACLNN_SRC)/%.c selftests/aclnn/aclnn.mk
	@mkdir -p $(@D)
	$(NT_CC)

-include $(filter %.d,$(NT_OBJS:.o=.d))

# The engine as of its own tests. The test also has functions of libhccl, by name.
$(NT_TEST): $(NT_OBJS) $(call ops-objects,$(OT_DIR)/engine)
	$(CC) $(NT_SANITIZE) -rdynamic -o $@ $^ -lm -ldl -pthread

HOST_TESTS += selftests/aclnn/exports.sh

NT_DEVICE := $(addprefix $(NT)/,device device_failure)
TESTS += $(NT_DEVICE)
SLOW_TESTS += $(NT)/device
NOT_QUICK += $(NT)/device_failure

# device_failure also launches calls that libvnpu-op would not make.
$(NT_DEVICE): $(NT)/%: selftests/aclnn/%.c selftests/aclnn/device.h \
		selftests/lib/acl-test.h selftests/lib/prof.h \
		$(LIB_CANN_SOS) $(LIB_CANN_HDRS) $(ACLNN_SOS) $(ACLNN_HDRS) \
		$(OPS_LIB) selftests/aclnn/aclnn.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LT_CFLAGS) -I$(B)/cann/include -iquote lib \
		-iquote lib/src -o $@ $< $(OPS_LIB) -L$(B)/cann/lib64 \
		-lopapi -lnnopbase -lascendcl \
		-Wl,-rpath,'$$ORIGIN/../../cann/lib64' -lm
