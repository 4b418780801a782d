# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of vnpu-smi and of the netlink family that it uses.

TOOL_DIR := $(B)/selftests/tool
TOOL_HELPERS := $(addprefix $(TOOL_DIR)/,busy events fragment hold query \
		relay)
TOOL_BINS := $(addprefix $(TOOL_DIR)/,netlink nl_crowd nl_dump nl_fail \
	       nl_engine nl_fuzz nl_load nl_slab nl_stream trace event \
	       event_fault exited quota files)
TOOL_SCRIPTS := $(addprefix selftests/tool/,cli.sh manual.sh table.sh \
		  frag.sh compact.sh quota.sh usage.sh trouble.sh json_output.py \
		  csv_output.py cost.py prof.sh \
		  verbs.py watch.py top.sh driver.sh bench.sh trace_output.py \
		  coredump.sh exporter_output.py pictures.py snapshot.py \
		  tracepoints.py ynl_client.py)

TOOL_CFLAGS = $(VNPU_CFLAGS) -D_GNU_SOURCE -Iuapi -Iselftests/uapi
TOOL_HEADERS := selftests/uapi/client.h selftests/uapi/util.h \
		selftests/uapi/core.h selftests/uapi/stream.h \
		uapi/linux/vnpu_engine.h uapi/linux/vnpu.h uapi/linux/vnpu_task.h

$(TOOL_HELPERS): $(TOOL_DIR)/%: selftests/tool/%.c $(TOOL_HEADERS) \
		selftests/tool/nl.h selftests/tool/nl_quota.h \
		$(addprefix selftests/uapi/,param.h trouble.h) \
		uapi/linux/vnpu_netlink.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -o $@ $<

# Preloaded libraries, for states that the driver does not keep for long enough.
$(TOOL_DIR)/sick.so: selftests/tool/sick.c uapi/linux/vnpu_netlink.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -Wno-missing-prototypes -shared -fPIC \
		-o $@ $<

# The harness compares mixed types, and declares no prototypes.
$(TOOL_BINS): $(TOOL_DIR)/%: selftests/tool/%.c \
		$(wildcard selftests/tool/*.h) $(TOOL_HEADERS) uapi/linux/vnpu_netlink.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -Wno-sign-compare \
		-Wno-missing-prototypes \
		-isystem $(KSRC)/tools/testing/selftests -o $@ $< -pthread

# All commands, so that the test notices missing ones.
$(TOOL_DIR)/nl_command_list.h: uapi/linux/vnpu_netlink.h selftests/tool/tool.mk
	@mkdir -p $(@D)
	@{ echo 'static const struct { const char *name; unsigned char command; }'; \
	   echo 'nl_command_list[] = {'; \
	   sed -n '/VNPU_CMD_MAX/d; s/^\t\(VNPU_CMD_[A-Z0-9_]*\).*/\t{ "\1", \1 },/p' $<; \
	   echo '};'; } >$@

$(TOOL_DIR)/nl_fail: $(TOOL_DIR)/nl_command_list.h \
		$(addprefix selftests/uapi/,fail.h fail_table.h fail_tried.h coredump.h \
			trouble.h)
$(TOOL_DIR)/nl_fail: TOOL_CFLAGS += -I$(TOOL_DIR)
$(TOOL_DIR)/nl_dump: selftests/uapi/trouble.h

# The scripts run in the source tree; the programs that they call must be built.
$(TOOL_SCRIPTS): | $(TOOL_HELPERS) $(TOOL_DIR)/sick.so $(B)/bin/vnpu-smi \
	$(B)/bin/vnpu-bench $(B)/bin/vnpu-prof $(B)/examples/pipeline

# The reader of coredumps, on any files: as a test, and for libFuzzer, TIME=
# seconds.
DUMP_FUZZ := $(TOOL_DIR)/dump-fuzz
DUMP_FUZZ_SRC := selftests/tool/dump_fuzz.c tools/vnpu-smi/dump.c

$(DUMP_FUZZ): $(DUMP_FUZZ_SRC) tools/vnpu-smi/dump.h
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -g $(CORE_SANITIZE) -D_GNU_SOURCE \
		-Itools/vnpu-smi -o $@ $(DUMP_FUZZ_SRC)

$(TOOL_DIR)/fuzz-dump: $(DUMP_FUZZ_SRC) tools/vnpu-smi/dump.h
	@mkdir -p $(@D)
	$(CLANG) $(VNPU_CFLAGS) -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover -D_GNU_SOURCE -DFUZZING \
		-Itools/vnpu-smi -o $@ $(DUMP_FUZZ_SRC)

# The reader of communicators likewise.
VIEW_FUZZ := $(TOOL_DIR)/view-fuzz
VIEW_FUZZ_SRC := selftests/tool/view_fuzz.c tools/vnpu-smi/communicator.c
VIEW_FUZZ_HDRS := tools/vnpu-smi/communicator.h lib/hccl/view.h lib/hccl/kind.h

$(VIEW_FUZZ): $(VIEW_FUZZ_SRC) $(VIEW_FUZZ_HDRS)
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -g $(CORE_SANITIZE) -D_GNU_SOURCE \
		-Itools/vnpu-smi -o $@ $(VIEW_FUZZ_SRC)

$(TOOL_DIR)/fuzz-view: $(VIEW_FUZZ_SRC) $(VIEW_FUZZ_HDRS)
	@mkdir -p $(@D)
	$(CLANG) $(VNPU_CFLAGS) -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover -D_GNU_SOURCE -DFUZZING \
		-Itools/vnpu-smi -o $@ $(VIEW_FUZZ_SRC)

fuzz-tool: $(TOOL_DIR)/fuzz-dump $(DUMP_FUZZ) $(TOOL_DIR)/fuzz-view $(VIEW_FUZZ)
	@mkdir -p $(TOOL_DIR)/corpus/dump
	$(DUMP_FUZZ) --sample >$(TOOL_DIR)/corpus/dump/sample
	$< -max_total_time=$(TIME) -max_len=4096 -print_final_stats=1 \
		-artifact_prefix=$(TOOL_DIR)/ $(TOOL_DIR)/corpus/dump
	@mkdir -p $(TOOL_DIR)/corpus/view
	$(VIEW_FUZZ) --sample >$(TOOL_DIR)/corpus/view/sample
	$(TOOL_DIR)/fuzz-view -max_total_time=$(TIME) -max_len=32768 \
		-print_final_stats=1 -artifact_prefix=$(TOOL_DIR)/ \
		$(TOOL_DIR)/corpus/view

.PHONY: fuzz-tool

HOST_TESTS += $(DUMP_FUZZ) $(VIEW_FUZZ) selftests/tool/compare.sh \
	      selftests/tool/dbg.sh selftests/tool/performance.py

TOOL_TRACE := $(addprefix selftests/tool/,csv_output.py trace_output.py \
	      tracepoints.py) $(addprefix $(TOOL_DIR)/,event quota trace)

TOOL_MULTI := $(addprefix selftests/tool/,table.sh json_output.py)

TESTS += $(filter-out $(TOOL_TRACE) $(TOOL_MULTI),$(TOOL_SCRIPTS) $(TOOL_BINS))
SLOW_TESTS += $(addprefix selftests/tool/,bench.sh cli.sh compact.sh coredump.sh \
	driver.sh exporter_output.py frag.sh json_output.py manual.sh prof.sh \
	quota.sh snapshot.py table.sh top.sh trouble.sh usage.sh verbs.py watch.py \
	ynl_client.py)
NOT_QUICK += $(addprefix selftests/tool/,cost.py pictures.py) $(TOOL_DIR)/nl_crowd
LONG_TESTS += $(addprefix selftests/tool/,bench.sh compact.sh compare.sh coredump.sh \
	exporter_output.py frag.sh manual.sh quota.sh snapshot.py top.sh \
	trace_output.py trouble.sh usage.sh watch.py)
TESTS_TRACE += $(TOOL_TRACE)
TESTS_SWEEP += $(TOOL_DIR)/nl_fail
TESTS_MULTI += $(TOOL_MULTI) $(addprefix $(TOOL_DIR)/,netlink nl_dump nl_slab)
