# SPDX-License-Identifier: MIT
#
# The Python module acl, and the package vnpu above it:
#
#	$(B)/cann/python/site-packages/{acl.so,acl.pyi,vnpu/*.py}
#	$(B)/cann/python/site-packages/{aclnn.py,cann/*.py}	other names for vnpu's
#
# "make python" builds them, after it has installed Python's headers and numpy,
# which nothing else needs.  They are for Debian's Python, whatever is in PATH.

PYTHON		:= /usr/bin/python3
PYTHON_SRC	:= lib/python
PYTHON_OUT	:= $(B)/python
PYTHON_SITE	:= $(B)/cann/python/site-packages
PYTHON_SRCS	:= $(sort $(wildcard $(PYTHON_SRC)/*.c))
PYTHON_OBJS	:= $(PYTHON_SRCS:$(PYTHON_SRC)/%.c=$(PYTHON_OUT)/%.o) \
		   $(PYTHON_OUT)/calls.o
PYTHON_PACKAGE	:= $(sort $(wildcard $(PYTHON_SRC)/vnpu/*.py))
PYTHON_NAMES	:= $(sort $(wildcard $(PYTHON_SRC)/names/*.py \
			$(PYTHON_SRC)/names/*/*.py))
PYTHON_FILES	:= $(addprefix $(PYTHON_SITE)/,acl.so acl.pyi \
			$(PYTHON_PACKAGE:$(PYTHON_SRC)/%=%) \
			$(PYTHON_NAMES:$(PYTHON_SRC)/names/%=%))
PYTHON_HDRS	:= $(sort $(wildcard lib/include/acl/*.h)) \
		   lib/include/acl/ops/acl_cblas.h lib/include/vnpu/pool.h
PYTHON_GENERATE	 = $(PYTHON) $(PYTHON_SRC)/generate.py
PYTHON_INCLUDES	 = $(eval PYTHON_INCLUDES := $$(shell $(PYTHON) -c 'import \
	sysconfig, numpy; print("-isystem", sysconfig.get_path("include"), \
	"-isystem", numpy.get_include())'))$(PYTHON_INCLUDES)

PYTHON_CFLAGS	 = -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE -Wshadow \
		   -Wno-deprecated-declarations -Wno-missing-field-initializers \
		   $(PYTHON_INCLUDES) -Ilib/include -iquote $(PYTHON_SRC)

python:
	@tools/build/deps.sh python
	@$(MAKE) --no-print-directory python-files

python-files: $(PYTHON_FILES)

$(PYTHON_OUT)/%.o: $(PYTHON_SRC)/%.c $(PYTHON_SRC)/python.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(PYTHON_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

PYTHON_TABLE	:= $(PYTHON_SRC)/acl.table $(PYTHON_HDRS)

$(PYTHON_OUT)/calls.c: $(PYTHON_SRC)/generate.py $(PYTHON_TABLE)
	@mkdir -p $(@D)
	$(PYTHON_GENERATE) calls $(PYTHON_TABLE) >$@

$(PYTHON_OUT)/calls.o: $(PYTHON_OUT)/calls.c $(PYTHON_SRC)/acl_module.h
	$(CC) $(VNPU_CFLAGS) $(PYTHON_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

-include $(PYTHON_OBJS:.o=.d)

# The library is that of the tree that the module lies in.
$(PYTHON_SITE)/acl.so: $(PYTHON_OBJS) $(LIB_SO) $(LIB_CANN_SOS)
	@mkdir -p $(@D)
	$(CC) -shared -pthread -Wl,-z,relro -Wl,-z,now \
		-Wl,-rpath,'$$ORIGIN/../../lib64' $(CFLAGS) $(LDFLAGS) -o $@ \
		$(PYTHON_OBJS) -L$(B)/lib -lvnpu

$(PYTHON_SITE)/acl.pyi: $(PYTHON_SRC)/generate.py $(PYTHON_TABLE)
	@mkdir -p $(@D)
	$(PYTHON_GENERATE) stub $(PYTHON_TABLE) >$@

$(PYTHON_SITE)/vnpu/%.py: $(PYTHON_SRC)/vnpu/%.py
	@mkdir -p $(@D)
	cp $< $@

$(PYTHON_NAMES:$(PYTHON_SRC)/names/%=$(PYTHON_SITE)/%): $(PYTHON_SITE)/%: \
		$(PYTHON_SRC)/names/%
	@mkdir -p $(@D)
	cp $< $@

.PHONY: python python-files
