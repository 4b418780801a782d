# SPDX-License-Identifier: GPL-2.0-only
#
# Storms: a tenth of each in "make check", all of them in "make soak".

STORM_DIR := $(B)/selftests/storm
STORM_TESTS := fork pass signals memory clock
STORM_BINS := $(STORM_TESTS:%=$(STORM_DIR)/%)

$(STORM_BINS): $(STORM_DIR)/%: selftests/storm/%.c \
		uapi/linux/vnpu.h uapi/linux/vnpu_task.h \
		uapi/linux/vnpu_netlink.h $(CALM) $(CALM_HEADERS) \
		$(addprefix selftests/,uapi/client.h uapi/pass.h uapi/util.h \
			uapi/stream.h uapi/sync.h uapi/trouble.h tool/nl.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -o $@ $< $(STORM_SOURCES) $(CALM) -pthread

$(STORM_DIR)/signals: $(addprefix selftests/storm/,points.c points.h)
$(STORM_DIR)/signals: STORM_SOURCES := selftests/storm/points.c

$(addprefix $(UAPI_DIR)/,engine_fire hotplug_fire): $(CALM) $(CALM_HEADERS)
$(addprefix $(UAPI_DIR)/,engine_fire hotplug_fire): UAPI_LIBS := $(CALM)

selftests/storm/reload.sh: | $(B)/selftests/isolation/probe

TESTS += $(STORM_BINS) selftests/storm/reload.sh
SLOW_TESTS += $(addprefix $(STORM_DIR)/,fork signals) selftests/storm/reload.sh
LONG_TESTS += $(STORM_DIR)/signals selftests/storm/reload.sh
TESTS_FAULTS += $(addprefix $(STORM_DIR)/,fork pass memory clock)

STORMS := $(STORM_BINS) $(B)/selftests/isolation/killstorm \
	  $(B)/selftests/isolation/stress $(UAPI_DIR)/hotplug_fire \
	  $(B)/selftests/lib/launch_many selftests/storm/reload.sh

# The debug kernel takes ten times as long, and detects more errors: by default
# storms there are as strong as in "make check".
soak: check-deps debug-kernel $(SERIES:%=modules-%) lib tools selftests
	@mkdir -p $(B)
	@rm -f $(B)/soak-*.tap
	@$(MAKE) --no-print-directory -s modules-debug
	@for kernel in $(SERIES) debug; do \
		strength=10; \
		[ $$kernel != debug ] || strength=1; \
		VNPU_STORM=$${VNPU_STORM:-$$strength} tools/vnpu-vm/vnpu-vm \
			--kernel $$kernel -- selftests/run -l $$kernel \
			-t 7200 -o $(B)/soak-$$kernel.tap $(STORMS) || exit; \
	done

.PHONY: soak
