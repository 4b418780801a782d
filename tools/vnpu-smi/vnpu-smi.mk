# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi

SMI_SRC		:= tools/vnpu-smi
SMI_OUT		:= $(B)/tools/vnpu-smi
SMI_OBJS	:= $(patsubst $(SMI_SRC)/%.c,$(SMI_OUT)/%.o, \
		     $(wildcard $(SMI_SRC)/*.c)) $(SMI_OUT)/common/json.o

# Asked for when something is compiled, not each time make runs.
SMI_PACKAGES	:= json-c libnl-genl-3.0 libtracefs ncursesw
SMI_CFLAGS	= $(eval SMI_CFLAGS := \
			$$(shell pkg-config --cflags $(SMI_PACKAGES)))$(SMI_CFLAGS)
SMI_LIBS	= $(eval SMI_LIBS := \
			$$(shell pkg-config --libs $(SMI_PACKAGES)))$(SMI_LIBS)

define SMI_COMPILE
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -Iuapi -I$(SMI_OUT) \
		-D_GNU_SOURCE -DVNPU_VERSION='"$(VERSION)"' $(SMI_CFLAGS) \
		-c -o $@ $<
endef

$(SMI_OUT)/%.o: $(SMI_SRC)/%.c $(SMI_SRC)/vnpu-smi.mk
	$(SMI_COMPILE)

$(SMI_OUT)/common/%.o: tools/common/%.c $(SMI_SRC)/vnpu-smi.mk
	$(SMI_COMPILE)

# The page, as a string of C.
$(SMI_OUT)/trace_page.inc: $(SMI_SRC)/trace_page.html $(SMI_SRC)/vnpu-smi.mk
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $< >$@

$(SMI_OUT)/trace_html.o: $(SMI_OUT)/trace_page.inc

# The version is compiled in.
$(SMI_OUT)/main.o $(SMI_OUT)/info_main.o: Makefile

$(B)/bin/vnpu-smi: $(SMI_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SMI_LIBS)

TOOLS		+= $(B)/bin/vnpu-smi

-include $(SMI_OBJS:.o=.d)
