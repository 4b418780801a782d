# SPDX-License-Identifier: MIT
#
# Headers of Ascend C and modules of CMake, in the tree that looks like a CANN
# installation, where vnpu-cc and builds find them:
#
#	$(B)/cann/include/kernel_operator.h, ascendc_vnpu/, vnpu_cc/
#	$(B)/cann/include/vnpu/kernel.h
#	$(B)/cann/tikcpp/ascendc_kernel_cmake/	and where else builds look
#	$(B)/cann/lib/cmake/ASC/		for find_package(ASC)

ASCENDC_SRC	:= lib/ascendc/include
ASCENDC_HDRS	:= $(sort $(wildcard $(addprefix $(ASCENDC_SRC)/,*.h */*.h */*/*.h)))
ASCENDC_CANN_HDRS := $(ASCENDC_HDRS:$(ASCENDC_SRC)/%=$(B)/cann/include/%)

# Modules, below lib/ascendc/cmake.
ASCENDC_CMAKE	:= ascendc.cmake $(addprefix asc_modules/, \
	CMakeDetermineASCCompiler.cmake CMakeASCCompiler.cmake.in \
	CMakeTestASCCompiler.cmake CMakeASCInformation.cmake)
ASCENDC_CMAKE_DIR := tikcpp/ascendc_kernel_cmake
# Where builds look for it, too.
ASCENDC_CMAKE_LINKS := $(foreach d,tools compiler $(shell uname -m)-linux, \
	$d/$(ASCENDC_CMAKE_DIR))
ASCENDC_CANN_CMAKE := $(addprefix $(B)/cann/$(ASCENDC_CMAKE_DIR)/, \
		$(ASCENDC_CMAKE)) \
	$(addprefix $(B)/cann/,$(ASCENDC_CMAKE_LINKS)) \
	$(B)/cann/lib/cmake/ASC/ASCConfig.cmake \
	$(B)/cann/lib/cmake/ASC/asc_modules

# Other paths of the headers and of the compiler that builds use: TARGET:PATH, as in
# LIB_CANN_LINKS.
ASCENDC_LINKS	:= ../kernel_operator.h:include/ascendc/kernel_operator.h \
	../include:tikcpp/tikcfw \
	$(foreach d,tools compiler $(shell uname -m)-linux, \
		../../include:$d/tikcpp/tikcfw) \
	$(foreach d,compiler $(shell uname -m)-linux, \
		../../../bin/bisheng:$d/ccec_compiler/bin/bisheng)
ASCENDC_PATHS	:= $(foreach l,$(ASCENDC_LINKS), \
	$(B)/cann/$(lastword $(subst :, ,$l)))

LIBS		+= $(ASCENDC_CANN_HDRS) $(ASCENDC_CANN_CMAKE) $(ASCENDC_PATHS)

$(ASCENDC_PATHS): $(B)/cann/%: lib/ascendc/ascendc.mk
	@mkdir -p $(@D)
	ln -sfn $(firstword $(subst :, ,$(filter %:$*,$(ASCENDC_LINKS)))) $@

$(ASCENDC_CANN_HDRS): $(B)/cann/include/%.h: $(ASCENDC_SRC)/%.h
	@mkdir -p $(@D)
	cp $< $@

$(addprefix $(B)/cann/$(ASCENDC_CMAKE_DIR)/,$(ASCENDC_CMAKE)): \
		$(B)/cann/$(ASCENDC_CMAKE_DIR)/%: lib/ascendc/cmake/%
	@mkdir -p $(@D)
	cp $< $@

$(B)/cann/%/$(ASCENDC_CMAKE_DIR):
	@mkdir -p $(@D)
	ln -sfn ../../$(ASCENDC_CMAKE_DIR) $@

$(B)/cann/lib/cmake/ASC/ASCConfig.cmake: lib/ascendc/cmake/ASCConfig.cmake
	@mkdir -p $(@D)
	cp $< $@

$(B)/cann/lib/cmake/ASC/asc_modules:
	@mkdir -p $(@D)
	ln -sfn ../../../$(ASCENDC_CMAKE_DIR)/asc_modules $@
