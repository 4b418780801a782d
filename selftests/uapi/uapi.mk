# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the ABI of /dev/vnpu, on the kernel's own harness.

UAPI_TESTS := ioctl device node query memory va window copy copy_fault slow fill host owner fork \
	protect share dmabuf dmabuf_process dmabuf_import dmabuf_wait dmabuf_vmap \
	compact compact_scarce compact_fire compact_lists compact_bound \
	compact_used compact_part slab slab_random huge huge_fire \
	hostmem hostmem_register hostmem_limit oom key \
	stream context priority ring failure stream_random timeline timeline_file \
	relative wakeup waiters \
	graph graph_nest graph_update graph_end graph_random \
	task task_indirect last_use \
	engine engine_window engine_end engine_leave engine_fire \
	sync sync_promise sync_end reset inject inject_hang inject_schedule \
	inject_core inject_core_slow inject_core_end ecc \
	hotplug hotplug_fire fail_nth
UAPI_DIR := $(B)/selftests/uapi
UAPI_BINS := $(UAPI_TESTS:%=$(UAPI_DIR)/%)
# These compare times, which are exact if the clock counts instructions.
UAPI_STEPS := $(addprefix $(UAPI_DIR)/,hostmem_cost engine_cost context_share \
	compact_retry)

# The harness compares mixed types, and declares no prototypes.
UAPI_CFLAGS = $(VNPU_CFLAGS) -Wno-sign-compare -Wno-missing-prototypes \
	-Iuapi -I$(UAPI_DIR) -isystem $(KSRC)/tools/testing/selftests

$(UAPI_DIR)/ioctl_list.h: $(addprefix uapi/linux/,vnpu.h vnpu_graph.h) selftests/uapi/uapi.mk
	@mkdir -p $(@D)
	@{ echo '#include <linux/vnpu_graph.h>'; \
	   echo 'static const struct { const char *name; unsigned int nr; }'; \
	   echo 'ioctl_list[] = {'; \
	   sed -n 's/^#define \(VNPU_IOCTL_[A-Z0-9_]*\)[[:space:]]*_IO(.*/\t{ "\1", \1 },/p' \
		$(filter %.h,$^); \
	   echo '};'; } >$@

$(UAPI_BINS) $(UAPI_STEPS): $(UAPI_DIR)/%: selftests/uapi/%.c $(wildcard selftests/uapi/*.h) \
		$(addprefix uapi/linux/,vnpu.h vnpu_task.h vnpu_engine.h vnpu_graph.h) \
		$(UAPI_DIR)/ioctl_list.h
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -DCHECK_ERRNOS -o $@ $< $(UAPI_LIBS) \
		-pthread

# An interpreter of tasks, with the driver's random number generator.
UAPI_MODEL := $(addprefix $(UAPI_DIR)/,model_random.o model_philox.o \
	model_normal.o)
UAPI_RANDOM := $(addprefix $(UAPI_DIR)/,stream_random graph_random)
$(UAPI_RANDOM): selftests/core/float_model.h $(UAPI_MODEL)
$(UAPI_RANDOM): UAPI_LIBS := $(UAPI_MODEL) -lm

$(UAPI_DIR)/model_normal.o: $(CORE_TABLE)
$(UAPI_DIR)/model_%.o: driver/core/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(CC) -O2 $(CORE_CFLAGS) -c -o $@ $<

$(UAPI_DIR)/model_random.o: selftests/uapi/model_random.c \
		selftests/uapi/model_random.h $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(CC) -O2 $(CORE_CFLAGS) -c -o $@ $<

# It requests faults and the state of streams by netlink.
$(addprefix $(UAPI_DIR)/,dmabuf_import engine_end graph_end priority reset inject \
			 inject_hang inject_schedule inject_core \
			 inject_core_slow inject_core_end ecc \
			 hotplug hotplug_fire node sync_promise): \
		selftests/tool/nl.h \
		uapi/linux/vnpu_netlink.h

# It queries the state of a stream as the tests of the tools do.
$(UAPI_DIR)/dmabuf_wait: $(addprefix selftests/tool/,nl.h nl_stream.h) \
		uapi/linux/vnpu_netlink.h
$(UAPI_DIR)/dmabuf_wait: UAPI_CFLAGS += -Iselftests/uapi -Iselftests/tool

# It counts what the driver reports of processes.
$(UAPI_DIR)/fail_nth: $(addprefix selftests/isolation/,observe.c observe.h) \
		uapi/linux/vnpu_netlink.h
$(UAPI_DIR)/fail_nth: UAPI_LIBS := selftests/isolation/observe.c

# Headers of DRM, which the C library's package leaves to libdrm's.
UAPI_DRM := $(addprefix $(UAPI_DIR)/,dmabuf_import dmabuf_wait sync sync_promise sync_end)
$(UAPI_DRM): UAPI_CFLAGS += -D__user= -idirafter $(KSRC)/include/uapi

# The same program twice: freestanding, since 32-bit libraries are rarely
# installed. Skipped if the compiler is not installed yet.
UAPI_MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
UAPI_COMPAT := $(UAPI_DIR)/compat \
	$(if $(filter x86_64%,$(UAPI_MACHINE)),$(UAPI_DIR)/compat-32)
NOLIBC := tools/include/nolibc/nolibc.h
NOLIBC_CFLAGS = $(VNPU_CFLAGS) -Wno-missing-prototypes -static -nostdlib \
	-ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables \
	-include $(KSRC)/$(NOLIBC) -Iuapi \
	-idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)

$(UAPI_DIR)/compat-32: UAPI_BITS := -m32
$(UAPI_DIR)/compat $(UAPI_DIR)/compat-32: selftests/uapi/compat.c \
		$(addprefix uapi/linux/,vnpu.h vnpu_task.h)
	@mkdir -p $(@D)
	$(CC) -O2 -g $(UAPI_BITS) $(NOLIBC_CFLAGS) -o $@ $<

$(UAPI_DIR)/compat: | $(filter %-32,$(UAPI_COMPAT))

TESTS += $(UAPI_BINS) $(UAPI_DIR)/compat
SLOW_TESTS += $(addprefix $(UAPI_DIR)/,compact_fire graph_random host \
	hotplug_fire ioctl reset stream_random sync)
NOT_QUICK += $(addprefix $(UAPI_DIR)/,compat dmabuf_import dmabuf_wait engine_end \
	engine_window inject_core inject_core_slow inject_core_end last_use \
	sync_end)
TESTS_FAULTS += $(addprefix $(UAPI_DIR)/,compact_fire hotplug_fire huge_fire)
TESTS_SWEEP += $(UAPI_DIR)/fail_nth
# These depend on the instruction at which a thread is preempted.
TESTS_STEPS += $(addprefix $(UAPI_DIR)/,wakeup sync_end) $(UAPI_STEPS)
# These behave differently with several devices.
TESTS_MULTI += $(addprefix $(UAPI_DIR)/,device memory copy fill protect task \
	stream_random)
