# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of libhccl: on four devices, and on eight; and meetings of ranks on the host, under
# sanitizers.

HT := $(B)/selftests/hccl
HT_DEVICE := $(addprefix $(HT)/,operations communicator failure calls \
	algorithms buffers capture capture_message dump end \
	liar products)

TESTS_MULTI += $(HT_DEVICE)
TESTS_MANY += $(HT)/many
LONG_TESTS += $(HT)/many
SLOW_TESTS += $(addprefix $(HT)/,operations failure algorithms)

$(HT_DEVICE) $(HT)/many: $(HT)/%: selftests/hccl/%.c $(wildcard selftests/hccl/*.h) \
		selftests/lib/acl-test.h $(LIB_CANN_SOS) $(LIB_CANN_HDRS) \
		$(HCCL_SOS) $(HCCL_HDRS) selftests/hccl/hccl.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LT_CFLAGS) -I$(B)/cann/include -o $@ $< \
		-L$(B)/cann/lib64 -lhccl $(HT_LIBS) -lascendcl -pthread -lm \
		-Wl,-rpath,'$$ORIGIN/../../cann/lib64'

$(HT)/products: HT_LIBS := -lopapi -lnnopbase
$(HT)/products: $(ACLNN_SOS) $(ACLNN_HDRS)

HT_MEET := $(HT)/meet_test
HT_MEET_SRCS := $(addprefix $(HCCL_SRC)/,meet_client.c meet_server.c message.c \
	siphash.c region.c file.c)

CORE_TESTS += $(HT_MEET)

$(HT_MEET): selftests/hccl/meet_test.c $(HT_MEET_SRCS) $(HCCL_HDRS) \
		$(wildcard $(HCCL_SRC)/*.h) selftests/hccl/hccl.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -g -O1 -fsanitize=address,undefined \
		-fno-sanitize-recover=all $(HCCL_CFLAGS) -o $@ $< \
		$(HT_MEET_SRCS) -pthread -Wl,--wrap=sendmsg

HT_LOCAL := $(HT)/local_test
HT_LOCAL_SRCS := $(addprefix $(HCCL_SRC)/,local.c region.c message.c \
	siphash.c)

CORE_TESTS += $(HT_LOCAL)

$(HT_LOCAL): selftests/hccl/local_test.c $(HT_LOCAL_SRCS) $(HCCL_HDRS) \
		$(wildcard $(HCCL_SRC)/*.h) selftests/hccl/hccl.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -g -O1 -fsanitize=address,undefined \
		-fno-sanitize-recover=all $(HCCL_CFLAGS) -o $@ $< \
		$(HT_LOCAL_SRCS)

HT_STEP := $(HT)/step_test
HT_STEP_SRCS := $(addprefix $(HCCL_SRC)/,algorithm.c step.c)

CORE_TESTS += $(HT_STEP)

$(HT_STEP): selftests/hccl/step_test.c $(HT_STEP_SRCS) $(HCCL_HDRS) \
		$(wildcard $(HCCL_SRC)/*.h) selftests/hccl/hccl.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -g -O1 -fsanitize=address,undefined \
		-fno-sanitize-recover=all $(HCCL_CFLAGS) -o $@ $< \
		$(HT_STEP_SRCS)

HOST_TESTS += selftests/hccl/exports.sh

# What is built of examples and tools for several devices.
TESTS_MULTI += selftests/hccl/programs.sh
