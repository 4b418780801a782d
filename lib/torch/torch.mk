# SPDX-License-Identifier: MIT
#
# PyTorch's backend for vnpu, the Python package torch_npu:
#
#	$(B)/cann/python/site-packages/torch_npu/{_C.so,*.py}
#	$(B)/cann/python/site-packages/torch/__init__.py
#
# "make python-torch" builds them, after it has installed Debian's PyTorch, which
# nothing else needs.

TORCH_SRC	:= lib/torch
TORCH_OUT	:= $(B)/torch
TORCH_SITE	:= $(PYTHON_SITE)/torch_npu
TORCH_SRCS	:= $(sort $(wildcard $(TORCH_SRC)/*.cpp))
TORCH_OBJS	:= $(TORCH_SRCS:$(TORCH_SRC)/%.cpp=$(TORCH_OUT)/%.o)
TORCH_PACKAGE	:= $(sort $(wildcard $(TORCH_SRC)/torch_npu/*.py))
TORCH_FILES	:= $(TORCH_SITE)/_C.so \
		   $(TORCH_PACKAGE:$(TORCH_SRC)/%=$(PYTHON_SITE)/%) \
		   $(PYTHON_SITE)/torch/__init__.py
TORCH_INCLUDES	 = $(eval TORCH_INCLUDES := -isystem $$(shell $(PYTHON) -c \
	'import sysconfig; print(sysconfig.get_path("include"))'))$(TORCH_INCLUDES)
TORCH_CXXFLAGS	 = -std=c++17 -fPIC -fvisibility=hidden -pthread -Wall -Wextra \
		   $(if $(WERROR),-Werror) $(TORCH_INCLUDES) \
		   -I$(B)/cann/include -I$(TORCH_OUT) -iquote $(TORCH_SRC)

python-torch:
	@tools/build/deps.sh torch
	@$(MAKE) --no-print-directory python-torch-files

python-torch-files: python-files $(TORCH_FILES)

# All operators' headers in one.
$(TORCH_OUT)/aclnnop.h: $(ACLNN_HDRS)
	@mkdir -p $(@D)
	for name in $(ACLNN_NAMES); do \
		echo "#include \"aclnnop/aclnn_$$name.h\""; done >$@

# Full debugging information of PyTorch's templates takes minutes.
TORCH_COMPILE	 = $(CXX) $(TORCH_CXXFLAGS) $(CPPFLAGS) $(CFLAGS) -g1 -MMD -MP -c -o $@

# Every file includes npu.h first. The compiler reads PyTorch's headers, which take most
# of its time, once: an option -include of this name uses the precompiled file.
TORCH_HEADER	:= $(TORCH_OUT)/npu.h
$(TORCH_HEADER).gch: $(TORCH_SRC)/npu.h $(TORCH_SRC)/torch.mk | $(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(TORCH_COMPILE) -x c++-header $<

$(TORCH_OUT)/%.o: $(TORCH_SRC)/%.cpp $(TORCH_HEADER).gch $(TORCH_OUT)/aclnnop.h
	$(TORCH_COMPILE) -include $(TORCH_HEADER) $<

-include $(TORCH_OBJS:.o=.d) $(TORCH_HEADER).d

# The libraries are those of the tree that the module lies in.
$(TORCH_SITE)/_C.so: $(TORCH_OBJS) $(LIB_SO) $(ACLNN_SO)
	@mkdir -p $(@D)
	$(CXX) -shared -pthread -Wl,-z,relro -Wl,-z,now \
		-Wl,-rpath,'$$ORIGIN/../../../lib64' $(CFLAGS) $(LDFLAGS) \
		-o $@ $(TORCH_OBJS) -L$(B)/lib -lvnpu-op -lvnpu -ltorch_python \
		-ltorch -ltorch_cpu -lc10

$(TORCH_SITE)/%.py: $(TORCH_SRC)/torch_npu/%.py
	@mkdir -p $(@D)
	cp $< $@

$(PYTHON_SITE)/torch/__init__.py: $(TORCH_SRC)/autoload.py
	@mkdir -p $(@D)
	cp $< $@

.PHONY: python-torch python-torch-files
