# SPDX-License-Identifier: MIT
#
# libvnpu-op, the operators of aclnn:
#
#	$(B)/lib/libvnpu-op.so.1.0.0 .so.1 .so
#	$(B)/cann/include/{aclnn,aclnnop}/*.h, lib64/lib{nnopbase,opapi}.so
#
# The headers of operators and the functions are made of table/*.ops.

ACLNN_SRC	:= lib/aclnn
ACLNN_OUT	:= $(B)/aclnn
ACLNN_SONAME	:= libvnpu-op.so.1
ACLNN_REAL	:= libvnpu-op.so.1.0.0
ACLNN_SO	:= $(B)/lib/libvnpu-op.so
ACLNN_TABLES	:= $(sort $(wildcard $(ACLNN_SRC)/table/*.ops))
ACLNN_AWK	:= $(ACLNN_SRC)/generate.awk
ACLNN_NAMES	:= $(shell awk -v mode=names -f $(ACLNN_AWK) $(ACLNN_TABLES))
ACLNN_SRCS	:= $(sort $(wildcard $(ACLNN_SRC)/*.c))
ACLNN_OBJS	:= $(ACLNN_SRCS:$(ACLNN_SRC)/%.c=$(ACLNN_OUT)/%.o) \
		   $(ACLNN_OUT)/entries.o
ACLNN_BASE	:= $(sort $(wildcard lib/include/aclnn/*.h))
ACLNN_HDRS	:= $(ACLNN_BASE:lib/include/%=$(B)/cann/include/%) \
		   $(ACLNN_NAMES:%=$(B)/cann/include/aclnnop/aclnn_%.h)
ACLNN_SOS	:= $(addprefix $(B)/cann/lib64/,$(ACLNN_SONAME) libvnpu-op.so \
			libnnopbase.so libopapi.so)
ACLNN_STUBS	:= $(ACLNN_SOS:$(B)/cann/lib64/%=$(B)/cann/lib64/stub/%)

ACLNN_CFLAGS	:= -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE -Wshadow \
		   -Wno-deprecated-declarations -Ilib/include -iquote lib \
		   -iquote lib/src -iquote $(ACLNN_SRC)

LIBS += $(ACLNN_SO) $(ACLNN_HDRS) $(ACLNN_SOS) $(ACLNN_STUBS)

$(ACLNN_OUT)/%.o: $(ACLNN_SRC)/%.c $(ACLNN_SRC)/aclnn.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(ACLNN_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

$(ACLNN_OUT)/entries.c: $(ACLNN_AWK) $(ACLNN_TABLES)
	@mkdir -p $(@D)
	awk -v mode=entries -f $(ACLNN_AWK) $(ACLNN_TABLES) >$@

$(ACLNN_OUT)/entries.o: $(ACLNN_OUT)/entries.c $(ACLNN_SRC)/aclnn.mk
	$(CC) $(VNPU_CFLAGS) $(ACLNN_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

-include $(ACLNN_OBJS:.o=.d)

# All of them in one go.
$(ACLNN_OUT)/headers: $(ACLNN_AWK) $(ACLNN_TABLES)
	@mkdir -p $(@D) $(B)/cann/include/aclnnop
	awk -v mode=headers -v dir=$(B)/cann/include/aclnnop -f $(ACLNN_AWK) \
		$(ACLNN_TABLES)
	touch $@

$(ACLNN_NAMES:%=$(B)/cann/include/aclnnop/aclnn_%.h): $(ACLNN_OUT)/headers ;

# Of the engine, only the checks are used; all of it is linked.  libvnpu is beside
# it, whatever the program says of libraries.
$(B)/lib/$(ACLNN_REAL): $(ACLNN_OBJS) $(OPS_LIB) $(LIB_SO) \
		$(ACLNN_SRC)/libvnpu-op.map
	$(CC) -shared -pthread -Wl,-soname,$(ACLNN_SONAME) \
		-Wl,--version-script,$(ACLNN_SRC)/libvnpu-op.map -Wl,-z,defs \
		-Wl,-z,relro -Wl,-z,now -Wl,-rpath,'$$ORIGIN' $(CFLAGS) \
		$(LDFLAGS) -o $@ $(ACLNN_OBJS) $(OPS_LIB) -L$(B)/lib -lvnpu -lm -ldl

$(B)/lib/$(ACLNN_SONAME): $(B)/lib/$(ACLNN_REAL)
	ln -sfn $(ACLNN_REAL) $@

$(ACLNN_SO): $(B)/lib/$(ACLNN_SONAME)
	ln -sfn $(ACLNN_SONAME) $@

$(ACLNN_SOS): $(B)/lib/$(ACLNN_SONAME)
	@mkdir -p $(@D)
	ln -sfn ../../lib/$(ACLNN_SONAME) $@

$(ACLNN_STUBS): $(B)/lib/$(ACLNN_SONAME)
	@mkdir -p $(@D)
	ln -sfn ../$(@F) $@

# The list in the document.
ACLNN_DOC	:= Documentation/aclnn.md

aclnn-document:
	@awk -v mode=document -f $(ACLNN_AWK) $(ACLNN_TABLES) | sort \
		>$(ACLNN_OUT)/list
	@awk -v list=$(ACLNN_OUT)/list ' \
		/^<!-- list -->$$/ { print; while ((getline line <list) > 0) \
			print line; skip = 1; next } \
		/^<!-- end -->$$/ { skip = 0 } \
		!skip' $(ACLNN_DOC) >$(ACLNN_OUT)/document
	@cmp -s $(ACLNN_OUT)/document $(ACLNN_DOC) || \
		cp $(ACLNN_OUT)/document $(ACLNN_DOC)

.PHONY: aclnn-document
