# SPDX-License-Identifier: MIT
#
# The examples, built exactly as on a machine with CANN: only the include and
# library directories differ.

EXAMPLES := $(addprefix $(B)/examples/,minimal acl-memory-pool fragmentation \
	pipeline resnet50 kvcache)

$(EXAMPLES): $(B)/examples/%: lib/examples/%.c \
		$(B)/cann/lib64/libascendcl.so $(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=c99 -Wall -Wextra -o $@ $< \
		-I$(B)/cann/include -L$(B)/cann/lib64 -lascendcl

$(B)/examples/resnet50: lib/examples/resnet50.h

LIBS += $(EXAMPLES)
