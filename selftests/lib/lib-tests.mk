# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of libvnpu from a program's view, on the kernel's own harness.

LT := $(B)/selftests/lib
LT_TESTS := init driver_version log data_type device device_info visible container \
	context stream memory memory_pages guard meminfo copy batch error hostmem managed \
	process environment load \
	vmm vmm_reserve vmm_host ipc ipc_key \
	dmabuf quota contiguous async indirect event event_order ipc_event \
	capture capture_build capture_flow capture_life capture_rules capture_task \
	capture_random capture_launch \
	capture_group capture_cond capture_edit capture_inspect \
	trouble fault lost abort hostfunc loader reduce random limit notify \
	callback callback_end exception failure mempool mempool_reset pool pool_short \
	pool_remap pool_stream oom profile profile_trace prof prof_record \
	data_buffer tensor_desc mbuf cache snapshot binary compile op blas \
	offline offline_aipp offline_desc offline_dump offline_run \
	launch launch_fail launch_fault launch_limit launch_process \
	launch_output launch_many \
	fail_nth fail_nth_book
# For the machine whose clock counts instructions.
LT_STEPS := $(LT)/capture_cost
LT_BINS := $(LT_TESTS:%=$(LT)/%)
LT_FACTS := $(foreach f,acl-layout acl-prototypes acl-values,\
	$(LT)/$(f)-c $(LT)/$(f)-cxx)

LT_HEADERS := $(wildcard $(addprefix lib/include/acl/,*.h error_codes/*.h ops/*.h))

LT_LIB := $(B)/cann/lib64/libascendcl.so $(LIB_CANN_HDRS)

# Linked like programs, but found without set_env.sh.
LT_LINK := -I$(B)/cann/include -L$(B)/cann/lib64 -lascendcl \
	-Wl,-rpath,'$$ORIGIN/../../cann/lib64'

# The harness compares mixed types, and its functions are not static.
LT_CFLAGS = $(VNPU_CFLAGS) -Wno-sign-compare -Wno-missing-prototypes \
	-Iselftests/uapi \
	-isystem $(KSRC)/tools/testing/selftests

$(LT_BINS) $(LT_STEPS): $(LT)/%: selftests/lib/%.c $(wildcard selftests/lib/*.h) \
		$(addprefix selftests/,uapi/util.h uapi/host_quota.h \
			tool/nl.h tool/nl_quota.h) $(LT_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LT_CFLAGS) -o $@ $< $(LT_LINK) -pthread -lm

# vgem.h needs DRM's headers.
$(LT)/dmabuf: selftests/uapi/vgem.h
$(LT)/dmabuf: LT_CFLAGS += -D__user= -idirafter $(KSRC)/include/uapi

# They replace the heap's functions, and count what the driver reports of a
# process.
LT_FAIL := $(addprefix selftests/,lib/fail_nth_inject.c isolation/observe.c)
LT_FAIL_BINS := $(LT)/fail_nth $(LT)/fail_nth_book
$(LT_FAIL_BINS): $(LT_FAIL) \
		$(addprefix selftests/,uapi/fail.h uapi/host_charge.h \
			isolation/observe.h) \
		$(addprefix uapi/linux/,vnpu.h vnpu_netlink.h)
$(LT_FAIL_BINS): LT_CFLAGS += -Iuapi -fno-builtin-malloc -Ilib/include
$(LT_FAIL_BINS): LT_LINK := $(LT_FAIL) $(LT_LINK)

selftests/lib/fail_nth_objects.sh: | $(LT)/fail_nth_book

# They inject faults as an administrator would, and read the reports.
LT_TROUBLE := $(addprefix $(LT)/,fault lost container launch_fault)
$(LT_TROUBLE): $(addprefix selftests/uapi/,param.h trouble.h node_space.h) \
		uapi/linux/vnpu_netlink.h | $(B)/bin/vnpu-smi
$(LT_TROUBLE): LT_CFLAGS += -Iuapi -Ilib/include

# libvnpu opens the library of operators.
$(addprefix $(LT)/,op blas offline_dump snapshot): | $(ACLNN_SO)

# It sets quotas as an administrator would.
$(LT)/quota: LT_CFLAGS += -Iuapi -Iselftests/tool

# The objects that they load from their own folder call a function of theirs.
LT_PLUGIN := -Wl,--export-dynamic-symbol=plugin_loads
$(LT)/plugin.so: selftests/lib/plugin.c
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $<

$(LT)/loader: | $(LT)/plugin.so
$(LT)/loader: LT_LINK += $(LT_PLUGIN)

# It loads the library itself.
$(LT)/load: LT_LINK := -I$(B)/cann/include -ldl

# They replace the C library's ioctl().
$(addprefix $(LT)/,driver_version mempool_reset oom): LT_CFLAGS += -Iuapi

# Kernels, as a file that the tests load.
$(LT)/kernels.o: selftests/lib/kernels.asc $(VNPU_CC_DEPS)
	@mkdir -p $(@D)
	$(VNPU_CC) --image -o $@ $<

$(addprefix $(LT)/,binary capture_random capture_cost capture_launch \
		capture_group capture_edit capture_inspect capture_task \
		compile guard $(filter launch%,$(LT_TESTS))): | \
		$(LT)/kernels.o $(VNPU_CORE)
$(LT)/launch: LT_CFLAGS += -Ilib/ascendc/include

# Models, compiled by the graph engine, with what they compute.
LT_MODELS := $(LT)/models/linear.om
LT_MAKE_MODELS := $(LT)/offline_models
LT_PLAN_OBJS := $(filter-out %/arena.o,$(filter $(B)/lib/obj/plan/%,\
	$(LIB_OBJS)))
$(LT_MAKE_MODELS): selftests/lib/offline_models.c selftests/graph/model.c \
		selftests/graph/model.h selftests/graph/test.h $(GRAPH_LIB) \
		$(OPS_LIB) $(LT_PLAN_OBJS)
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) -D_GNU_SOURCE $(CFLAGS) -Ilib/include \
		-iquote lib -iquote lib/graph -o $@ $(filter %.c,$^) \
		$(GRAPH_LIB) $(LT_PLAN_OBJS) $(OPS_LIB) -lm

$(LT_MODELS): $(LT_MAKE_MODELS)
	$< $(@D)

$(addprefix $(LT)/,$(filter offline%,$(LT_TESTS))): | $(LT_MODELS) $(VNPU_CORE)
$(LT)/fail_nth_book: | $(LT_MODELS)

# The reader of such files, with damaged ones.
$(LT)/image_fuzz: selftests/lib/image_fuzz.c selftests/lib/acl-kernel.h \
		$(wildcard lib/src/kernel/*.h) \
		$(addprefix lib/src/kernel/,elf.c image.c meta.c) \
		| $(LT)/kernels.o
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(LIB_CFLAGS) $(CFLAGS) \
		-fsanitize=address,undefined -fno-sanitize-recover \
		-o $@ $(filter %.c,$^)

# The writer of dumps, with functions of the test in place of the rest.
LT_DUMP_SRCS := $(wildcard lib/src/dump/*.c) \
	$(addprefix lib/src/base/,json.c json_print.c textfile.c) lib/ops/tensor.c
LT_DUMP_HEAP := malloc calloc reallocarray open_memstream
LT_DUMP_TESTS := $(addprefix $(LT)/,dump_args dump_config dump_files)
$(LT_DUMP_TESTS): $(LT)/%: selftests/lib/%.c \
		$(wildcard selftests/lib/dump_*.h) \
		$(LT_DUMP_SRCS) $(wildcard lib/src/dump/*.h)
	@mkdir -p $(@D)
	$(CC) $(LT_CFLAGS) $(LIB_CFLAGS) $(CFLAGS) \
		-fsanitize=address,undefined -fno-sanitize-recover \
		$(LT_DUMP_HEAP:%=-Xlinker --wrap=%) \
		-o $@ $(filter %.c,$^)

# The profiler's records alone, with the library's other parts unchanged.
LT_BOOK_TESTS := profile_book profile_loader
LT_BOOK_ASAN := $(LT_BOOK_TESTS:%=$(LT)/%)
LT_BOOK_TSAN := $(LT_BOOK_ASAN:%=%-tsan)
LT_BOOK := $(LT_BOOK_ASAN) $(LT_BOOK_TSAN)
LT_BOOK_SRCS := $(wildcard lib/src/memprof/*.c)

$(LT_BOOK_ASAN): $(LT)/%: selftests/lib/%.c
$(LT_BOOK_TSAN): $(LT)/%-tsan: selftests/lib/%.c
$(LT_BOOK_ASAN): LT_SANITIZE := -fsanitize=address,undefined \
	-fno-sanitize-recover
# libunwind takes a lock after ThreadSanitizer has forgotten the thread.
$(LT_BOOK_TSAN): LT_SANITIZE := -fsanitize=thread -DUNWINDER='"none"'
LT_BOOK_LOADERS := $(filter $(LT)/profile_loader%,$(LT_BOOK))
$(LT_BOOK_LOADERS): LT_LOADS := $(LT_PLUGIN)
$(LT_BOOK_LOADERS): selftests/lib/plugin.h | $(LT)/plugin.so
$(LT_BOOK): $(addprefix selftests/,lib/acl-test.h lib/profile_book.h uapi/util.h) \
		$(LT_BOOK_SRCS) $(wildcard lib/src/memprof/*.h) \
		$(B)/lib/libvnpu.a
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(LIB_CFLAGS) $(CFLAGS) $(LT_SANITIZE) -r \
		-o $@.o $(LT_BOOK_SRCS)
	$(CC) $(CFLAGS) $(LT_CFLAGS) $(LT_SANITIZE) -Ilib/include \
		-idirafter lib/src $(LT_LOADS) \
		-o $@ $(filter selftests/lib/%.c,$^) $@.o $(B)/lib/libvnpu.a \
		-pthread

$(LT)/%-c: selftests/lib/%.c $(LT_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(VNPU_CFLAGS) -o $@ $< -Ilib/include

$(LT)/%-cxx: selftests/lib/%.c $(LT_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) -std=c++11 -Wall -Wextra -x c++ -o $@ $< -Ilib/include

$(LT)/overloads: selftests/lib/overloads.cc $(LT_LIB)
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) -std=c++11 -Wall -Wextra -o $@ $< $(LT_LINK)

$(LT)/minimal-cxx: lib/examples/minimal.c $(LT_LIB)
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) -std=c++11 -Wall -Wextra -x c++ -o $@ $< $(LT_LINK)

$(LT)/minimal-static: lib/examples/minimal.c $(B)/lib/libvnpu.a \
		$(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $< -I$(B)/cann/include $(B)/lib/libvnpu.a -pthread

selftests/lib/sample.sh: | $(LT)/minimal-cxx $(LT)/minimal-static

selftests/lib/examples.sh: | $(EXAMPLES_ASC) $(VNPU_CORE)

TESTS += $(LT_FACTS) $(LT_BINS) $(LT)/overloads $(addprefix selftests/lib/,sample.sh \
	examples.sh fail_nth_objects.sh)
SLOW_TESTS += $(addprefix $(LT)/,capture capture_random compile fail_nth_book \
	fault prof prof_record profile_trace) \
	$(addprefix selftests/lib/,sample.sh examples.sh fail_nth_objects.sh)
NOT_QUICK += $(addprefix $(LT)/,capture_edit fail_nth guard launch launch_fault \
	launch_many launch_output launch_process offline_run op profile)
LONG_TESTS += $(addprefix $(LT)/,compile fail_nth fail_nth_book profile_trace) \
	selftests/lib/fail_nth_objects.sh
TESTS_STEPS += $(LT_STEPS)
TESTS_SWEEP += $(LT_FAIL_BINS) selftests/lib/fail_nth_objects.sh
# These behave differently with several devices.
TESTS_MULTI += $(addprefix $(LT)/,device device_info visible context memory copy vmm \
	async event event_order callback mempool_reset)
HOST_TESTS += selftests/lib/symbols.sh
CORE_TESTS += $(LT_BOOK) $(LT)/image_fuzz $(LT_DUMP_TESTS)
