# SPDX-License-Identifier: GPL-2.0-only
#
# One non-recursive makefile for user space and tests; Kbuild does the module.
# Each part of the tree has a fragment that adds its outputs to the lists
# below.  "make help" lists the targets.

VERSION		:= 0.1.0

B		?= build
PREFIX		?= /usr/local

CC		?= cc
HOSTCC		?= $(CC)
CFLAGS		?= -O2 -g
# For fragments: what our own C is compiled with, whatever CFLAGS says.
VNPU_CFLAGS	:= -std=gnu11 -Wall -Wextra -Wstrict-prototypes \
		   -Wmissing-prototypes -Werror=implicit-function-declaration \
		   -Werror=int-conversion -Werror=incompatible-pointer-types \
		   $(if $(WERROR),-Werror)

# A kernel source tree, for what no headers package carries.  Fetched at the
# first use, and only then.
KSRC		= $(eval KSRC := $$(shell selftests/vm/fetch-source.sh))$(KSRC)

# Debian's kernel series that the module is built for and tested on.
SERIES		:= 6.1 6.12

# Filled by the fragments.
LIBS		:=
TOOLS		:=
TESTS		:=
CLEAN		:=

.SUFFIXES:
.DELETE_ON_ERROR:
# Variables given to make are meant for this makefile: CC, say, must not
# reach Kbuild, whose compiler has to be the kernel's.
MAKEOVERRIDES	:=

all:

-include lib/lib.mk
-include lib/examples/examples.mk
-include tools/vnpu-smi/vnpu-smi.mk
-include tools/vnpu-vm/vnpu-vm.mk
-include selftests/core/core.mk
-include selftests/uapi/uapi.mk
-include selftests/isolation/isolation.mk
-include selftests/lib/lib-tests.mk
-include selftests/tool/tool.mk
-include selftests/abi/abi.mk

all: modules lib tools selftests
lib: $(LIBS)
tools: $(TOOLS)
selftests: $(TESTS)

#
# The module
#
KMOD		= MAKE="$(MAKE)" tools/build/kmod.sh
KBUILD_ARGS	= $(foreach v,W C V CF CHECK LLVM,$(if $($v),$v="$($v)"))
HEADERS		= tools/build/kernel-headers.sh
RUNNING_KDIR	:= $(wildcard /lib/modules/$(shell uname -r)/build)

ifneq ($(KDIR),)
modules:
	+$(KMOD) "$(KDIR)" $(B) $(KBUILD_ARGS)
else ifneq ($(RUNNING_KDIR),)
modules:
	+$(KMOD) $(RUNNING_KDIR) $(B) $(KBUILD_ARGS)
else
modules: $(SERIES:%=modules-%)
endif

# For the kernels of the virtual machine; headers are fetched if need be.
$(SERIES:%=modules-%): modules-%:
	+kdir=$$($(HEADERS) $*) && $(KMOD) "$$kdir" $(B) $(KBUILD_ARGS)

clean:
	rm -rf $(B) $(CLEAN)

.PHONY: all lib tools selftests modules $(SERIES:%=modules-%) clean
