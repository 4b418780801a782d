# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-model, also as msame and mscheck in the tree that looks like a CANN
# installation, and the part of it that atc shares.

MODEL_SRC	:= tools/vnpu-model
MODEL_OUT	:= $(B)/tools/vnpu-model
MODEL_COMMON	:= $(patsubst %,$(MODEL_OUT)/%.o,common/json file model out)
MODEL_OBJS	:= $(patsubst %,$(MODEL_OUT)/%.o,data device front host main manifest \
	manifest_write memory message npy ops parts picture rewrite run search \
	shards split split_choose split_pieces split_read split_table \
	split_units split_write tensor tune usage weights) \
	$(MODEL_COMMON)

define MODEL_COMPILE
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -D_GNU_SOURCE \
		-DVNPU_VERSION='"$(VERSION)"' -Ilib/include -iquote lib \
		-iquote lib/graph $$(pkg-config --cflags json-c) -c -o $@ $<
endef

$(MODEL_OUT)/%.o: $(MODEL_SRC)/%.c $(MODEL_SRC)/vnpu-model.mk
	$(MODEL_COMPILE)

$(MODEL_OUT)/common/%.o: tools/common/%.c $(MODEL_SRC)/vnpu-model.mk
	$(MODEL_COMPILE)

# The version is compiled in.
$(patsubst %,$(MODEL_OUT)/%.o,main front split_read): Makefile

$(B)/bin/vnpu-model: $(MODEL_OBJS) $(GRAPH_LIB) $(OPS_LIB) $(LIB_SO)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(MODEL_OBJS) $(GRAPH_LIB) \
		$(OPS_LIB) -L$(B)/lib -lvnpu $$(pkg-config --libs json-c) -lm \
		-Wl,-rpath,'$$ORIGIN/../lib'

MODEL_NAMES	:= $(addprefix $(B)/cann/bin/,msame mscheck)

$(MODEL_NAMES): | $(B)/bin/vnpu-model
	@mkdir -p $(@D)
	ln -sfn ../../bin/vnpu-model $@

TOOLS		+= $(B)/bin/vnpu-model $(MODEL_NAMES)

-include $(MODEL_OBJS:.o=.d)
