# SPDX-License-Identifier: GPL-2.0-only
#
# atc, in the tree that looks like a CANN installation.  It needs no device: of
# libvnpu it uses the planner.

ATC_SRC		:= tools/atc
ATC_OUT		:= $(B)/tools/atc
ATC_OBJS	:= $(patsubst %,$(ATC_OUT)/%.o,aipp build edits main message \
	options ranges report shapes switches) $(MODEL_COMMON)

$(ATC_OUT)/%.o: $(ATC_SRC)/%.c $(ATC_SRC)/atc.mk
	$(MODEL_COMPILE)

# The version is compiled in.
$(ATC_OUT)/options.o $(ATC_OUT)/build.o: Makefile

$(B)/cann/bin/atc: $(ATC_OBJS) $(GRAPH_LIB) $(OPS_LIB) $(LIB_SO) \
		$(B)/cann/lib64/$(LIB_SONAME)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(ATC_OBJS) $(GRAPH_LIB) $(OPS_LIB) \
		-L$(B)/lib -lvnpu $$(pkg-config --libs json-c) -lm \
		-Wl,-rpath,'$$ORIGIN/../lib64'

# Where CANN has the rules of its fusions.
$(B)/cann/fusion_rules/fusion_rules.cfg: $(ATC_SRC)/fusion_rules.cfg
	@mkdir -p $(@D)
	cp $< $@

TOOLS		+= $(B)/cann/bin/atc $(B)/cann/fusion_rules/fusion_rules.cfg

-include $(ATC_OBJS:.o=.d)
