# SPDX-License-Identifier: MIT
#
# The examples, built exactly as on a machine with CANN: only the include and
# library directories differ.

EXAMPLES := $(addprefix $(B)/examples/,minimal acl-memory-pool fragmentation \
	pipeline resnet50 kvcache)
EXAMPLES_OFFLINE := $(addprefix $(B)/examples/,inference video)

$(EXAMPLES): $(B)/examples/%: lib/examples/%.c \
		$(B)/cann/lib64/libascendcl.so $(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c99 -Wall -Wextra -o $@ $< \
		-I$(B)/cann/include -L$(B)/cann/lib64 -lascendcl

$(filter-out %/minimal,$(EXAMPLES)): lib/examples/try.h
$(B)/examples/resnet50: $(addprefix lib/examples/,resnet50.h resnet50_lane.h)

$(EXAMPLES_OFFLINE): $(B)/examples/%: lib/examples/%.c \
		lib/examples/offline.h lib/examples/check.h \
		$(B)/cann/lib64/libascendcl.so $(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c99 -Wall -Wextra -o $@ $< \
		-I$(B)/cann/include -L$(B)/cann/lib64 -lascendcl -lm

# Of two devices, with operators.
EXAMPLES_OP := $(B)/examples/prefill-decode

$(EXAMPLES_OP): $(B)/examples/%: lib/examples/%.c lib/examples/check.h \
		$(ACLNN_SOS) $(ACLNN_HDRS) $(B)/cann/lib64/libascendcl.so \
		$(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c99 -Wall -Wextra -o $@ $< -I$(B)/cann/include \
		-L$(B)/cann/lib64 -lopapi -lnnopbase -lascendcl -lm

# Of several devices.
EXAMPLES_HCCL := $(B)/examples/all-reduce

$(EXAMPLES_HCCL): $(B)/examples/%: lib/examples/%.c $(HCCL_SOS) $(HCCL_HDRS) \
		$(B)/cann/lib64/libascendcl.so $(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c99 -Wall -Wextra -o $@ $< -I$(B)/cann/include \
		-L$(B)/cann/lib64 -lhccl -lascendcl -pthread

# Of several devices, with operators.
EXAMPLES_HCCL_OP := $(addprefix $(B)/examples/,data-parallel \
	planned-gradients all-gather-matmul)

$(EXAMPLES_HCCL_OP): $(B)/examples/%: lib/examples/%.c $(HCCL_SOS) \
		$(HCCL_HDRS) $(ACLNN_SOS) $(ACLNN_HDRS) $(B)/cann/lib64/libascendcl.so \
		$(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c99 -Wall -Wextra -o $@ $< -I$(B)/cann/include \
		-L$(B)/cann/lib64 -lhccl -lopapi -lnnopbase -lascendcl -pthread

$(EXAMPLES_HCCL) $(EXAMPLES_HCCL_OP): lib/examples/devices.h \
	lib/examples/check.h
$(EXAMPLES_HCCL_OP): lib/examples/product.h

# Kernels: bisheng finds the headers and the library beside itself.
EXAMPLES_ASC := $(addprefix $(B)/examples/,vector-add exception)

$(EXAMPLES_ASC): $(B)/examples/%: lib/examples/%.asc \
		$(B)/cann/lib64/libascendcl.so $(LIB_CANN_HDRS) \
		$(ASCENDC_CANN_HDRS) $(B)/bin/vnpu-cc $(B)/cann/bin/bisheng
	@mkdir -p $(@D)
	$(B)/cann/bin/bisheng -x asc --npu-arch=dav-2201 -O2 -g -o $@ $< \
		-lascendcl

LIBS += $(EXAMPLES) $(EXAMPLES_OFFLINE) $(EXAMPLES_OP) $(EXAMPLES_HCCL) \
	$(EXAMPLES_HCCL_OP) $(EXAMPLES_ASC)
