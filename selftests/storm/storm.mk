# SPDX-License-Identifier: GPL-2.0-only
#
# Storms: a tenth of each in "make check", all of them in "make soak".

STORM_DIR := $(B)/selftests/storm
STORM_TESTS := signals
STORM_BINS := $(STORM_TESTS:%=$(STORM_DIR)/%)

$(STORM_BINS): $(STORM_DIR)/%: selftests/storm/%.c \
		uapi/linux/vnpu.h uapi/linux/vnpu_task.h \
		$(addprefix selftests/,storm/storm.c storm/storm.h \
			isolation/observe.c isolation/observe.h \
			uapi/client.h uapi/util.h uapi/stream.h uapi/sync.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -o $@ $< selftests/storm/storm.c \
		selftests/isolation/observe.c -pthread

TESTS += $(STORM_BINS)

