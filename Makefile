# SPDX-License-Identifier: GPL-2.0-only
#
# One non-recursive makefile for user space and tests; Kbuild does the module.
# Each part of the tree has a fragment, which adds its outputs to the lists
# below.

define HELP
make run            see it work: installs packages, builds, starts a machine
make run-examples   ... and also shows compaction of fragmented memory, three
                    streams compared with one, and memory management
make check          run the tests on all kernels, and sum up
make check-full     ... and those that take long; an hour or more
make check-quick    the tests that take at most 6 s each, on Linux 6.12 alone:
                    less than 5 minutes on two processors without KVM, once
                    all is built
make check-static   ... the source: layers, ABI, style, warnings
make check-core     ... driver/core, pools and operators in user space, under
                    sanitizers
make check-vm       ... the behaviour, in a machine for each kernel
make check-faults   ... fault injection, crashes, fuzzers, on the debug kernel
make check-host     ... packaging, installation, vnpu-vm
make check-debug    ... the whole behaviour there: KASAN, lockdep, kmemleak, ...
make check-kcsan    ... on a kernel that detects data races
make check-rt       ... on a kernel that preempts everywhere (PREEMPT_RT)
make check-python   ... the Python module, numpy's part included
make check-pictures ... graphical output of vnpu-smi in Chromium; screenshots go
                    to PICTURES=DIR (Documentation/pictures for the documents)
make check-torch    ... PyTorch on torch_npu; installs PyTorch, and takes minutes
make check-llama    ... llama.cpp on its CANN backend; needs npm, and 10 minutes
make debug-kernel   build that kernel; likewise kcsan-kernel,
                    rt-kernel, gcov-kernel
make coverage       measure which lines of the driver the tests run, on the
                    last of these; writes Documentation/coverage.md
make tour           run a vnpu-smi session on two devices, and update the
                    screens in Documentation/vnpu-smi.md
make bench          compare the device with similar facilities of the kernel,
                    in a machine for each kernel and on the host; writes
                    build/performance.md, and the goals alone to
                    Documentation/performance.md
make bench-compare BASE=COMMIT
                    compare the cost in instructions with that commit;
                    NEW= another commit than the last one, JSON=1
make bench-core     measure driver/core in user space
make bench-ascendc  compare instructions of kernels with plain loops
make bench-ops      compare operators with plain loops, and with OpenBLAS if
                    OPENBLAS=FILE names its library; AVX2=1 limits all to AVX2
make bench-aicore   measure launches and blocks in the executor
make bench-mpi      compare collectives with Open MPI's in one machine
make fuzz-core      fuzz driver/core by libFuzzer, TIME=SECONDS for each target
make fuzz           fuzz the module on the debug kernel: ioctls, mappings, rings
                    and netlink; and the library
make fuzz-tool      fuzz the file formats that vnpu-smi reads
make fuzz-plan      fuzz the file formats that vnpu-plan reads
make fuzz-graph     fuzz the reader of ONNX models and the programs made of them
make check-onnxruntime
                    compare networks with onnxruntime, which npm fetches;
                    NETWORKS=FOLDER has them
make soak           run all stress tests at ten times the strength of "make
                    check", for hours; first 10^8 operations on pools, which
                    make soak-pool runs alone

make                build module, library, tools and tests
make modules        the module alone, for the running kernel if its headers
                    are installed, else for Debian's $(SERIES);
                    KDIR=DIR for another kernel, W=1 and C=2 as in the kernel
make lib | tools | selftests
make python         build the Python module acl and the package vnpu, after it
                    has installed the packages for that
make python-torch   ... and torch_npu, the backend of Debian's PyTorch
make deps           install the packages for all of this
make ynl-regen      generate the header and the policies of the netlink family
                    from uapi/netlink/vnpu.yaml, by the kernel's generator
make clean

make install        install library, headers, tools, manuals; PREFIX=$(PREFIX)
make uninstall      remove the installed files
make install-dkms   install the module's source for DKMS; make uninstall-dkms
make modules_install KDIR=DIR

Outputs are in build/ (B=DIR); DESTDIR= as usual.
endef

VERSION		:= 0.1.0

B		?= build
PREFIX		?= /usr/local

CC		?= cc
HOSTCC		?= $(CC)
CFLAGS		?= -O2 -g
# What our own C is compiled with, whatever CFLAGS says.
VNPU_CFLAGS	:= -std=gnu11 -Wall -Wextra -Wstrict-prototypes \
		   -Wmissing-prototypes -Werror=implicit-function-declaration \
		   -Werror=int-conversion -Werror=incompatible-pointer-types \
		   $(if $(WERROR),-Werror)

# A kernel source tree, for what no headers package carries.  It is fetched at
# the first use, and only then.
KSRC		= $(eval KSRC := $$(shell selftests/vm/fetch-source.sh))$(KSRC)

# Debian's kernels that the module is built for and tested on.
SERIES		:= 6.1 6.12

# Those that look for errors, which are built here: selftests/vm/*.config.
DEBUG_KERNELS	:= debug kcsan rt gcov

# Filled by the fragments; HOST_TESTS and CORE_TESTS are programs that print
# TAP on the host, TESTS and TESTS_MULTI those that do in a machine with one
# device and with four, TESTS_MANY in one with eight, TESTS_STEPS in one with a
# clock of instructions, and TESTS_TRACE, which switch tracepoints, in one with
# a single CPU. TESTS_FAULTS and TESTS_SWEEP are those of TESTS that "make check"
# runs on the debug kernel, too, the latter those that make each allocation fail
# in its turn. FAULTS_HOST_TESTS are programs on the host that start machines of
# that kernel.
# SLOW_TESTS take more than 5 s. "make check-quick" leaves out these and NOT_QUICK,
# which "make check" runs on all kernels for what they show. "make check" leaves LONG_TESTS to "make
# check-full" and to the checks of single parts.
LIBS		:=
TOOLS		:=
TESTS		:=
TESTS_MULTI	:=
TESTS_STEPS	:=
TESTS_MANY	:=
TESTS_TRACE	:=
TESTS_FAULTS	:=
TESTS_SWEEP	:=
SLOW_TESTS	:=
NOT_QUICK	:=
LONG_TESTS	:=
FAULTS_HOST_TESTS :=
STATIC_TESTS	:=
CORE_TESTS	:=
HOST_TESTS	:=
CLEAN		:=

.SUFFIXES:
.DELETE_ON_ERROR:

all:

VNPU_BIN_DIR	:= $(B)/bin
$(VNPU_BIN_DIR):
	mkdir -p $@

-include lib/lib.mk
-include lib/ascendc/ascendc.mk
-include lib/ops/ops.mk
-include lib/graph/graph.mk
-include lib/aclnn/aclnn.mk
-include lib/hccl/hccl.mk
-include lib/core/core.mk
-include lib/python/python.mk
-include lib/torch/torch.mk
-include lib/examples/examples.mk
-include tools/vnpu-smi/vnpu-smi.mk
-include tools/vnpu-bench/vnpu-bench.mk
-include tools/vnpu-plan/vnpu-plan.mk
-include tools/vnpu-prof/vnpu-prof.mk
-include tools/ascend-dbg/ascend-dbg.mk
-include tools/vnpu-cc/vnpu-cc.mk
-include tools/vnpu-model/vnpu-model.mk
-include tools/atc/atc.mk
-include tools/vnpu-vm/vnpu-vm.mk
-include selftests/core/core.mk
-include selftests/ops/ops.mk
-include selftests/graph/graph.mk
-include selftests/model/model.mk
-include selftests/onnxruntime/onnxruntime.mk
-include selftests/aclnn/aclnn.mk
-include selftests/hccl/hccl.mk
-include selftests/llama/llama.mk
-include selftests/pool/pool.mk
-include selftests/ascendc/ascendc.mk
-include selftests/aicore/aicore.mk
-include selftests/uapi/uapi.mk
-include selftests/isolation/isolation.mk
-include selftests/storm/storm.mk
-include selftests/fuzz/fuzz.mk
-include selftests/cover/cover.mk
-include selftests/lib/lib-tests.mk
-include selftests/tool/tool.mk
-include selftests/plan/plan.mk
-include selftests/python/python.mk
-include selftests/torch/torch.mk
include selftests/abi/abi.mk
include selftests/package/package.mk
include tools/build/install.mk

all: modules lib tools selftests
lib: $(LIBS)
tools: $(TOOLS)
selftests: $(TESTS) $(TESTS_MULTI) $(TESTS_TRACE) $(TESTS_STEPS) \
		$(TESTS_MANY) $(CORE_TESTS) $(HOST_TESTS)

#
# The module
#
KMOD		= +@MAKE="$(MAKE)" tools/build/kmod.sh
KBUILD_ARGS	= $(foreach v,W C V CF CHECK LLVM,$(if $($v),$v="$($v)"))
HEADERS		= tools/build/kernel-headers.sh

RUNNING_KDIR	:= $(wildcard /lib/modules/$(shell uname -r)/build)
ifeq ($(KDIR),)
KDIR		:= $(RUNNING_KDIR)
endif

ifneq ($(KDIR),)
modules:
	$(KMOD) "$(KDIR)" "$(B)" modules $(KBUILD_ARGS)
else
modules: $(SERIES:%=modules-%)
endif

# For the kernels of the machines, with what tests load.
$(SERIES:%=modules-%): modules-%:
	+@kdir=$$($(HEADERS) $*) && MAKE="$(MAKE)" \
		tools/build/kmod.sh "$$kdir" "$(B)" modules $(KBUILD_ARGS) \
		VNPU_TEST_MODULES=1

$(DEBUG_KERNELS:%=modules-%): modules-%:
	+@dir=$$(selftests/vm/build-debug-kernel.sh --path $*) && \
		MAKE="$(MAKE)" \
		tools/build/kmod.sh "$$dir/build" "$(B)" modules $(KBUILD_ARGS) \
		VNPU_TEST_MODULES=1

modules_install:
	$(if $(KDIR),,$(error modules_install needs KDIR=))
	$(KMOD) "$(KDIR)" "$(B)" modules_install $(KBUILD_ARGS) \
		$(if $(DESTDIR),INSTALL_MOD_PATH="$(DESTDIR)")
	@# Without the kernel's System.map Kbuild leaves this to us.
	$(if $(DESTDIR),,@depmod "$$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
		"$(KDIR)/include/generated/utsrelease.h")")

#
# To see it, and to test it.  Packages come first, in a make of their own,
# since fragments ask for what they bring when they are read.
#
PARALLEL	= $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
# Those that take longest are first.
PARTS		:= host vm faults static core

deps:
	@tools/build/deps.sh check

run:
	@tools/build/deps.sh run
	@tools/build/fetch.sh 6.12
	@echo "==> building the module, the library and the tools"
	@mkdir -p $(B)
	@$(MAKE) -s $(PARALLEL) modules-6.12 lib tools >$(B)/run.log 2>&1 || \
		{ cat $(B)/run.log; exit 1; }
	@echo "==> starting a machine with Linux 6.12 and vnpu.ko in it"
	@tools/vnpu-vm/vnpu-vm --kernel 6.12 -- lib/examples/demo.sh $(B)

run-examples: run
	@tools/vnpu-vm/vnpu-vm --kernel 6.12 --arena 1G -- \
		lib/examples/fragmentation.sh $(B)
	@tools/vnpu-vm/vnpu-vm --kernel 6.12 -- lib/examples/pipeline.sh $(B)
	@tools/vnpu-vm/vnpu-vm --kernel 6.12 --arena 1G -- sh -c \
		". $(B)/cann/set_env.sh && $(B)/examples/resnet50 && \
		echo && $(B)/examples/kvcache"

bench:
	@tools/build/deps.sh bench
	@tools/build/fetch.sh --source $(SERIES)
	@mkdir -p $(B)
	@$(MAKE) -s $(PARALLEL) $(SERIES:%=modules-%) lib tools $(CORE_BENCH) \
		$(CORE_BENCH_OBJECTS) >$(B)/bench.log 2>&1 || \
		{ cat $(B)/bench.log; exit 1; }
	@B="$(B)" tools/vnpu-bench/bench.sh $(if $(QUICK),-q) \
		$(B)/performance.md \
		$(if $(QUICK),$(B)/goals.md,Documentation/performance.md) \
		$(shell printf '%s\n' $(SERIES) | sort -rV)

bench-compare:
	$(if $(BASE),,$(error bench-compare needs BASE=, a commit))
	@tools/build/deps.sh run
	@tools/build/fetch.sh 6.12
	@MAKE="$(MAKE)" B="$(B)" tools/vnpu-bench/compare.py \
		$(if $(JSON),--json) $(BASE) $(NEW)

# A session of vnpu-smi. Its screens go into the document.
tour:
	@tools/build/deps.sh check
	@tools/build/fetch.sh 6.12
	@mkdir -p $(B)
	@$(MAKE) -s $(PARALLEL) modules-6.12 lib tools \
		$(addprefix $(B)/selftests/tool/,busy fragment hold) \
		>$(B)/tour.log 2>&1 || { cat $(B)/tour.log; exit 1; }
	@tools/vnpu-vm/vnpu-vm --kernel 6.12 --devices 2 --timeout 1200 -- \
		selftests/tool/session.sh Documentation/vnpu-smi.md

# Generate the C files of the netlink family from its specification.
ynl-regen:
	@tools/build/ynl-regen.sh

check check-full: check-deps $(if $(filter faults,$(PARTS)),debug-kernel)
	@$(MAKE) --no-print-directory check-parts PARTS="$(PARTS)" \
		SHORT=$(if $(filter check,$@),yes)

check-quick check-static check-core check-vm check-faults check-host \
		check-python $(DEBUG_KERNELS:%=check-%): check-%: check-deps
	@$(MAKE) --no-print-directory check-parts PARTS=$*

$(DEBUG_KERNELS:%=check-%): check-%: %-kernel
check-faults: debug-kernel

# What vnpu-smi draws, in a browser that no other check is worth the time of.
PICTURES	= $(B)/pictures

check-pictures:
	@tools/build/deps.sh pictures
	@tools/build/fetch.sh 6.12
	@mkdir -p $(B)/pictures $(PICTURES)
	@$(MAKE) -s $(PARALLEL) modules-6.12 lib tools \
		$(addprefix $(B)/selftests/tool/,fragment hold) \
		>$(B)/pictures.log 2>&1 || { cat $(B)/pictures.log; exit 1; }
	@tools/vnpu-vm/vnpu-vm --kernel 6.12 -- \
		selftests/tool/draw.sh $(B)/pictures >$(B)/pictures.log
	@selftests/tool/screenshots.py $(B)/pictures $(PICTURES)

check-deps:
	@tools/build/deps.sh check
	@tools/build/fetch.sh --source $(SERIES)

# The tests of a list, without those that a short check leaves out.
those = $(filter-out $(if $(SHORT),$(LONG_TESTS)),$($1))

# What each part needs to be built.
MACHINE_TESTS	= $(foreach list,TESTS TESTS_MULTI TESTS_TRACE TESTS_STEPS \
			TESTS_MANY,$(call those,$(list)))
NEED_core	= $(call those,CORE_TESTS)
NEED_host	= $(SERIES:%=modules-%) lib tools $(call those,HOST_TESTS) \
			$(PY_NEED)
NEED_vm		= $(SERIES:%=modules-%) lib tools $(MACHINE_TESTS) \
			$(PY_NEED)
NEED_python	= modules-6.12 lib tools $(PY_NEED)
TESTS_QUICK	= $(filter-out $(SLOW_TESTS) $(NOT_QUICK),$(TESTS))
NEED_quick	= modules-6.12 lib tools $(TESTS_QUICK)
$(foreach kernel,$(DEBUG_KERNELS),$(eval \
	NEED_$(kernel) = modules-$(kernel) lib tools $(MACHINE_TESTS) $(PY_NEED)))
NEED_faults	= modules-debug lib tools $(call those,TESTS_FAULTS) \
			$(call those,TESTS_SWEEP)

build-parts: $(foreach part,$(PARTS),$(NEED_$(part)))

# What is left out on kernels but the newest. Tests of libraries, of tools and in
# Python depend less on the kernel: a full check omits the slow ones of them, a
# short one all of them, and the other slow tests.
above_kernel = $(filter $(foreach dir,aclnn aicore hccl lib model python tool,\
		selftests/$(dir)/% $(B)/selftests/$(dir)/%),$1)
OLDER_OMITS	= $(if $(SHORT),$(SLOW_TESTS) $(call above_kernel,$(TESTS)),\
			$(call above_kernel,$(SLOW_TESTS)))

check-parts:
	@echo "==> building"
	@mkdir -p $(B)
	@$(MAKE) -s $(PARALLEL) WERROR=1 build-parts >$(B)/check.log 2>&1 || \
		{ cat $(B)/check.log; exit 1; }
	@echo "==> testing: $(PARTS)"
	@B="$(B)" SERIES="$(SERIES)" KSRC="$(KSRC)" VERSION="$(VERSION)" \
		SHORT="$(SHORT)" \
		TESTS_QUICK="$(TESTS_QUICK)" \
		STATIC_TESTS_QUICK="$(filter-out $(SLOW_TESTS),$(STATIC_TESTS))" \
		TESTS="$(call those,TESTS)" \
		TESTS_MULTI="$(call those,TESTS_MULTI)" \
		TESTS_OLDER="$(filter-out $(OLDER_OMITS),$(call those,TESTS))" \
		TESTS_MULTI_OLDER="$(if $(SHORT),,$(filter-out $(OLDER_OMITS),$(TESTS_MULTI)))" \
		TESTS_STEPS="$(call those,TESTS_STEPS)" \
		TESTS_TRACE="$(call those,TESTS_TRACE)" \
		TESTS_MANY="$(call those,TESTS_MANY)" \
		TESTS_TRACE_OLDER="$(if $(SHORT),,$(TESTS_TRACE))" \
		TESTS_FAULTS="$(call those,TESTS_FAULTS)" \
		TESTS_SWEEP="$(call those,TESTS_SWEEP)" \
		FAULTS_HOST_TESTS="$(call those,FAULTS_HOST_TESTS)" \
		FAULTS_SECONDS=$(if $(SHORT),15,60) \
		STATIC_TESTS="$(call those,STATIC_TESTS)" \
		CORE_TESTS="$(call those,CORE_TESTS)" \
		HOST_TESTS="$(call those,HOST_TESTS)" PY_TESTS="$(PY_TESTS)" \
		PY_HOST_TESTS="$(PY_HOST_TESTS)" selftests/check $(PARTS)

$(DEBUG_KERNELS:%=%-kernel): %-kernel:
	@tools/build/deps.sh debug
	@echo "==> building the $* kernel, some minutes at the first time"
	@selftests/vm/build-debug-kernel.sh $*

clean:
	rm -rf "$(B)" $(CLEAN)

help:
	$(info $(HELP))
	@:

.PHONY: all lib tools selftests modules $(SERIES:%=modules-%) \
	$(DEBUG_KERNELS:%=modules-%) $(DEBUG_KERNELS:%=check-%) \
	$(DEBUG_KERNELS:%=%-kernel) modules_install deps run run-examples \
	tour ynl-regen bench bench-compare check check-full check-quick check-static \
	check-core check-vm check-faults check-host check-python check-deps \
	check-parts check-pictures build-parts clean help
