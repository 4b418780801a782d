# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of atc and vnpu-model on the host, which run both under sanitizers.  They
# write their models themselves, and need no device, but for device.py.

MT_DIR := $(B)/selftests/model
MT_SRCS = $(wildcard tools/vnpu-model/*.c) tools/common/json.c
MT_ATC_SRCS = $(wildcard tools/atc/*.c) tools/common/json.c \
	$(addprefix tools/vnpu-model/,file.c model.c out.c)
MT_LIB = $(GRAPH_SRCS:lib/graph/%.c=$(GT_DIR)/lib/%.o) \
	$(GT_PLAN:lib/src/plan/%.c=$(GT_DIR)/plan/%.o) $(OPS_LIB)

define MT_LINK
	@mkdir -p $(@D)
	$(CC) $(GT_CFLAGS) -DVNPU_VERSION='"$(VERSION)"' \
		$$(pkg-config --cflags json-c) -o $@ $(filter %.c,$^) $(MT_LIB) \
		$$(pkg-config --libs json-c) -lm $(MT_LINK_LIBS)
endef

$(MT_DIR)/vnpu-model: $(MT_SRCS) $(MT_LIB) $(wildcard tools/vnpu-model/*.h) \
		selftests/model/model.mk
	$(MT_LINK)

$(MT_DIR)/vnpu-model: $(LIB_SO)
$(MT_DIR)/vnpu-model: MT_LINK_LIBS = -L$(B)/lib -lvnpu \
	-Wl,-rpath,$(abspath $(B))/lib

$(MT_DIR)/atc: $(MT_ATC_SRCS) $(MT_LIB) \
		$(wildcard tools/vnpu-model/*.h tools/atc/*.h) \
		selftests/model/model.mk
	$(MT_LINK)

MT_NAMES := $(addprefix $(MT_DIR)/,msame mscheck)

$(MT_NAMES): | $(MT_DIR)/vnpu-model
	ln -sfn vnpu-model $@

MT_TESTS := $(addprefix selftests/model/,atc.py aipp.py model.py split.py tune.py)

$(MT_TESTS): | $(MT_DIR)/atc $(MT_NAMES)

HOST_TESTS += $(MT_TESTS)

# On the device, without sanitizers.
selftests/model/device.py: | $(B)/bin/vnpu-model $(B)/cann/bin/atc

selftests/model/examples.py: | $(EXAMPLES_OFFLINE) $(B)/cann/bin/atc

TESTS += selftests/model/device.py selftests/model/examples.py
SLOW_TESTS += selftests/model/device.py selftests/model/examples.py
LONG_TESTS += selftests/model/examples.py
