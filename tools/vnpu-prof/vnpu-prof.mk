# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-prof, also as msprof in the tree that looks like a CANN installation.

PROF_SRC	:= tools/vnpu-prof
PROF_OUT	:= $(B)/tools/vnpu-prof
PROF_OBJS	:= $(patsubst %,$(PROF_OUT)/%.o,main profile export metrics analyse \
			report)

$(PROF_OUT)/%.o: $(PROF_SRC)/%.c $(PROF_SRC)/vnpu-prof.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -D_GNU_SOURCE \
		-DVNPU_VERSION='"$(VERSION)"' \
		$$(pkg-config --cflags json-c) -c -o $@ $<

# The version is compiled in.
$(PROF_OUT)/main.o: Makefile

$(B)/bin/vnpu-prof: $(PROF_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(PROF_OBJS) \
		$$(pkg-config --libs json-c)

$(B)/cann/bin/msprof: | $(B)/bin/vnpu-prof
	@mkdir -p $(@D)
	ln -sfn ../../bin/vnpu-prof $@

TOOLS		+= $(B)/bin/vnpu-prof $(B)/cann/bin/msprof

-include $(PROF_OBJS:.o=.d)
