# SPDX-License-Identifier: MIT
#
# libhccl, collective communication:
#
#	$(B)/lib/libvnpu-hccl.so.1.0.0 .so.1 .so
#	$(B)/cann/include/hccl/*.h, lib64/lib{hccl,hcomm}.so
#
# The soname is the project's own, as that of libvnpu: a program that was linked with
# it never gets another libhccl.so.

HCCL_SRC	:= lib/hccl
HCCL_OUT	:= $(B)/hccl
HCCL_SONAME	:= libvnpu-hccl.so.1
HCCL_REAL	:= libvnpu-hccl.so.1.0.0
HCCL_SO		:= $(B)/lib/libvnpu-hccl.so
HCCL_SRCS	:= $(sort $(wildcard $(HCCL_SRC)/*.c))
HCCL_OBJS	:= $(HCCL_SRCS:$(HCCL_SRC)/%.c=$(HCCL_OUT)/%.o)
HCCL_BASE	:= $(sort $(wildcard lib/include/hccl/*.h))
HCCL_HDRS	:= $(HCCL_BASE:lib/include/%=$(B)/cann/include/%)
HCCL_SOS	:= $(addprefix $(B)/cann/lib64/,$(HCCL_SONAME) libvnpu-hccl.so \
			libhccl.so libhcomm.so)
HCCL_STUBS	:= $(HCCL_SOS:$(B)/cann/lib64/%=$(B)/cann/lib64/stub/%)

HCCL_CFLAGS	:= -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE -Wshadow \
		   -Wno-deprecated-declarations -I$(B)/cann/include \
		   -Ilib/include -iquote lib/src -iquote $(HCCL_SRC)

LIBS += $(HCCL_SO) $(HCCL_HDRS) $(HCCL_SOS) $(HCCL_STUBS)

$(HCCL_OUT)/%.o: $(HCCL_SRC)/%.c $(HCCL_SRC)/hccl.mk | $(ACLNN_OUT)/headers
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(HCCL_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

-include $(HCCL_OBJS:.o=.d)

$(B)/lib/$(HCCL_REAL): $(HCCL_OBJS) $(LIB_SO) $(ACLNN_SO) \
		$(HCCL_SRC)/libhccl.map
	$(CC) -shared -pthread -Wl,-soname,$(HCCL_SONAME) \
		-Wl,--version-script,$(HCCL_SRC)/libhccl.map -Wl,-z,defs \
		-Wl,-z,relro -Wl,-z,now -Wl,-rpath,'$$ORIGIN' $(CFLAGS) \
		$(LDFLAGS) -o $@ $(HCCL_OBJS) -L$(B)/lib -lvnpu-op -lvnpu \
		-ljson-c

$(B)/lib/$(HCCL_SONAME): $(B)/lib/$(HCCL_REAL)
	ln -sfn $(HCCL_REAL) $@

$(HCCL_SO): $(B)/lib/$(HCCL_SONAME)
	ln -sfn $(HCCL_SONAME) $@

$(HCCL_SOS): $(B)/lib/$(HCCL_SONAME)
	@mkdir -p $(@D)
	ln -sfn ../../lib/$(HCCL_SONAME) $@

$(HCCL_STUBS): $(B)/lib/$(HCCL_SONAME)
	@mkdir -p $(@D)
	ln -sfn ../$(@F) $@
