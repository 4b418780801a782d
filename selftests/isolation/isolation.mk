# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the isolation between clients, and of their cleanup. The
# script that reloads the module comes last.

ISOLATION_TESTS := who node move charge counters secret secret_end \
	secret_task clear exhaust uncharged exited numbers host_quota in_charge \
	quota quota_group quota_storm stress killstorm halfway \
	dmabuf_stall
ISOLATION_DIR := $(B)/selftests/isolation
ISOLATION_BINS := $(ISOLATION_TESTS:%=$(ISOLATION_DIR)/%)
# These compare times, which are exact if the clock counts instructions.
ISOLATION_STEPS := $(addprefix $(ISOLATION_DIR)/,processor release compact turns \
	holders core engine engine_share urgent waking goals)
# The helper that checks that a storm has left nothing behind, on any kernel.
CALM := $(addprefix selftests/,storm/storm.c isolation/observe.c)
CALM_HEADERS := $(addprefix selftests/,storm/storm.h isolation/observe.h)

$(ISOLATION_BINS) $(ISOLATION_STEPS) $(ISOLATION_DIR)/probe $(ISOLATION_DIR)/fail_load: \
		$(ISOLATION_DIR)/%: \
		selftests/isolation/%.c uapi/linux/vnpu.h \
		uapi/linux/vnpu_netlink.h \
		$(wildcard selftests/isolation/*.h) $(CALM) $(CALM_HEADERS) \
		$(addprefix selftests/,uapi/node.h uapi/node_space.h uapi/client.h \
			uapi/core.h uapi/util.h uapi/stream.h uapi/busy.h uapi/sync.h uapi/param.h \
			uapi/host_quota.h uapi/trouble.h tool/nl.h tool/nl_quota.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -o $@ $< $(CALM) -pthread

$(ISOLATION_DIR)/module-params.sh: selftests/isolation/module-params.sh \
		$(ISOLATION_DIR)/probe
	cp $< $@

$(ISOLATION_DIR)/fail_load: selftests/uapi/fail.h

# Headers of DRM, see uapi.mk.
$(ISOLATION_DIR)/dmabuf_stall: selftests/uapi/vgem.h
$(ISOLATION_DIR)/dmabuf_stall: UAPI_CFLAGS += -D__user= -idirafter $(KSRC)/include/uapi

TESTS += $(ISOLATION_BINS) $(ISOLATION_DIR)/fail_load \
	 $(ISOLATION_DIR)/module-params.sh
SLOW_TESTS += $(addprefix $(ISOLATION_DIR)/,clear dmabuf_stall killstorm \
	module-params.sh quota_storm secret secret_task stress uncharged)
NOT_QUICK += $(addprefix $(ISOLATION_DIR)/,in_charge numbers secret_end)
LONG_TESTS += $(addprefix $(ISOLATION_DIR)/,dmabuf_stall module-params.sh \
	quota_storm secret_task uncharged)
TESTS_FAULTS += $(addprefix $(ISOLATION_DIR)/,secret secret_end secret_task \
	killstorm stress)
TESTS_MULTI += $(addprefix $(ISOLATION_DIR)/,secret secret_end secret_task \
	killstorm quota)
TESTS_STEPS += $(ISOLATION_STEPS)
