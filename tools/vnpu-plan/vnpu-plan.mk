# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-plan

PLAN_SRC	:= tools/vnpu-plan
PLAN_OUT	:= $(B)/tools/vnpu-plan
PLAN_OBJS	:= $(patsubst %,$(PLAN_OUT)/%.o,main text csv graph \
	graph_print svg common/json)

define PLAN_COMPILE
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -Ilib/include \
		-D_GNU_SOURCE -DVNPU_VERSION='"$(VERSION)"' -c -o $@ $<
endef

$(PLAN_OUT)/%.o: $(PLAN_SRC)/%.c $(PLAN_SRC)/vnpu-plan.mk
	$(PLAN_COMPILE)

$(PLAN_OUT)/common/%.o: tools/common/%.c $(PLAN_SRC)/vnpu-plan.mk
	$(PLAN_COMPILE)

# The version is compiled in.
$(PLAN_OUT)/main.o: Makefile

# It finds the library beside it, in the build as where it is installed.
$(B)/bin/vnpu-plan: $(PLAN_OBJS) $(LIB_SO)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(PLAN_OBJS) -L$(B)/lib -lvnpu \
		-Wl,-rpath,'$$ORIGIN/../lib'

TOOLS		+= $(B)/bin/vnpu-plan

-include $(PLAN_OBJS:.o=.d)
