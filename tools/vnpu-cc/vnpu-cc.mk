# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-cc, also as bisheng in the tree that looks like a CANN installation.

CC_SRC		:= tools/vnpu-cc
CC_OUT		:= $(B)/tools/vnpu-cc
CC_OBJS		:= $(patsubst %,$(CC_OUT)/%.o,main passes depend options response \
	run rewrite launch job params edit token assembly reach text)

$(CC_OUT)/%.o: $(CC_SRC)/%.c $(CC_SRC)/vnpu-cc.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-Ilib/ascendc/include -D_GNU_SOURCE \
		-DVNPU_VERSION='"$(VERSION)"' -c -o $@ $<

# The version is compiled in.
$(CC_OUT)/options.o: Makefile

$(B)/bin/vnpu-cc: $(CC_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CC_OBJS)

$(B)/cann/bin/bisheng: | $(B)/bin/vnpu-cc
	@mkdir -p $(@D)
	ln -sfn ../../bin/vnpu-cc $@

# It is of no use without the headers that it includes.
VNPU_CC		:= $(B)/bin/vnpu-cc
VNPU_CC_DEPS	:= $(VNPU_CC) $(B)/cann/bin/bisheng $(ASCENDC_CANN_HDRS)

TOOLS		+= $(VNPU_CC) $(B)/cann/bin/bisheng

-include $(CC_OBJS:.o=.d)
