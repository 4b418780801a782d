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
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -o $@ $< $(CALM) -pthread

$(UAPI_DIR)/hotplug_fire: $(CALM) $(CALM_HEADERS)
$(UAPI_DIR)/hotplug_fire: UAPI_LIBS := $(CALM)

selftests/storm/reload.sh: | $(B)/selftests/isolation/probe

TESTS += $(STORM_BINS) selftests/storm/reload.sh
TESTS_FAULTS += $(addprefix $(STORM_DIR)/,fork pass memory clock)

STORMS := $(STORM_BINS) $(B)/selftests/isolation/killstorm \
	  $(B)/selftests/isolation/stress $(UAPI_DIR)/hotplug_fire \
	  selftests/storm/reload.sh

soak: check-deps $(SERIES:%=modules-%) lib tools selftests
	@mkdir -p $(B)
	@for series in $(SERIES); do \
		VNPU_STORM=$${VNPU_STORM:-10} tools/vnpu-vm/vnpu-vm \
			--kernel $$series -- selftests/run -l $$series \
			-t 7200 -o $(B)/soak-$$series.tap $(STORMS) || exit; \
	done

.PHONY: soak
