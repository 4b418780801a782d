# SPDX-License-Identifier: MIT
#
# libvnpu, and the tree that looks like a CANN installation:
#
#	$(B)/lib/libvnpu.so.1.0.0 .so.1 .so .a, pkgconfig/vnpu.pc
#	$(B)/cann/include/{acl,vnpu}/*.h include/vnpu.h lib64/ lib64/stub/ set_env.sh
#	$(B)/cann/bin/{setenv.bash,vnpu-smi,npu-smi}
#	$(B)/cann/{MACHINE-linux,runtime}/{include,lib64}
#
# Builds for CANN look for all of these.  libvnpu has the calls of each library
# that CANN has and that is named here.
#
# A program that is linked with -lascendcl needs libvnpu.so.1 at run time, the
# library's soname: so it gets this library even where a real libascendcl.so is
# found first, and a program that was linked with a real one is not taken over
# unless cann/lib64 is put into its search path on purpose (set_env.sh).

LIB_SO		:= $(B)/lib/libvnpu.so
LIB_SONAME	:= libvnpu.so.1
LIB_REAL	:= libvnpu.so.1.0.0

LIB_SRCS	:= $(sort $(wildcard lib/src/*.c lib/src/*/*.c))
# Reading models needs no compiler, and no operator engine.
LIB_SHARED_SRCS	:= lib/graph/om/gear.c lib/graph/om/image.c \
		   lib/graph/om/open.c \
		   lib/graph/program/check.c lib/graph/program/count.c \
		   lib/ops/tensor.c
LIB_OBJS	:= $(LIB_SRCS:lib/src/%.c=$(B)/lib/obj/%.o) \
		   $(LIB_SHARED_SRCS:lib/%.c=$(B)/lib/obj/shared/%.o)
LIB_HDRS	:= $(sort $(wildcard lib/include/acl/*.h \
			lib/include/acl/error_codes/*.h \
			lib/include/acl/ops/*.h \
			lib/include/vnpu/*.h)) lib/include/vnpu.h
LIB_CANN_HDRS	:= $(LIB_HDRS:lib/include/%=$(B)/cann/include/%)
# Projects of the language ASC name these in their links, and use what is in libvnpu or
# in headers.
LIB_CANN_EXTRA	:= ascendc_runtime c_sec error_manager graph_base mmpa register \
		   runtime tiling_api unified_dlog
LIB_CANN_SOS	:= $(addprefix $(B)/cann/lib64/,$(LIB_SONAME) libvnpu.so \
			libascendcl.so libacl_rt.so libacl_rt_impl.so \
			libascend_dump.so \
			libacl_op_compiler.so libacl_rtc.so libmsprofiler.so \
			libplatform.so \
			libprofapi.so \
			$(LIB_CANN_EXTRA:%=lib%.so))
# The linker uses these where no driver is installed, as with CANN.
LIB_CANN_STUBS	:= $(LIB_CANN_SOS:$(B)/cann/lib64/%=$(B)/cann/lib64/stub/%)

# Links of the tree, TARGET:PATH, to another part of it.
LIB_CANN_ARCH	:= $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))-linux
LIB_CANN_LINKS	:= $(foreach d,$(LIB_CANN_ARCH) runtime, \
			../include:$d/include ../lib64:$d/lib64) \
			vnpu-smi:bin/npu-smi
LIB_CANN_LINK	= $(firstword $(subst :, ,$(filter %:$(@:$(B)/cann/%=%), \
			$(LIB_CANN_LINKS))))
LIB_CANN_PATHS	:= $(foreach l,$(LIB_CANN_LINKS), \
			$(B)/cann/$(lastword $(subst :, ,$l)))

# Thread-local variables are at a fixed distance from the thread's pointer.  The
# loader must therefore have room for all of them when a program calls dlopen(),
# which they leave by being small: base/local.h.
#
# Sibling calls would leave the call that a program made out of its stack.
LIB_CFLAGS	:= -fPIC -fvisibility=hidden -ftls-model=initial-exec -pthread \
		   -D_GNU_SOURCE \
		   -fno-optimize-sibling-calls \
		   -Wshadow -Wno-deprecated-declarations \
		   -DVNPU_VERSION='"$(VERSION)"' -Ilib/include \
		   -Ilib/ascendc/include -Iuapi -iquote lib/src -iquote lib \
		   -iquote lib/graph

LIBS += $(LIB_SO) $(B)/lib/libvnpu.a $(B)/lib/pkgconfig/vnpu.pc \
	$(LIB_CANN_HDRS) $(LIB_CANN_SOS) $(LIB_CANN_STUBS) $(LIB_CANN_PATHS) \
	$(addprefix $(B)/cann/,set_env.sh bin/setenv.bash bin/vnpu-smi)

$(B)/lib/obj/%.o: lib/src/%.c lib/lib.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

$(B)/lib/obj/shared/%.o: lib/%.c lib/lib.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

-include $(LIB_OBJS:.o=.d)

$(B)/lib/$(LIB_REAL): $(LIB_OBJS) lib/libvnpu.map
	$(CC) -shared -pthread -Wl,-soname,$(LIB_SONAME) \
		-Wl,--version-script,lib/libvnpu.map -Wl,-z,defs -Wl,-z,relro \
		-Wl,-z,now $(CFLAGS) $(LDFLAGS) -o $@ $(LIB_OBJS)

$(B)/lib/$(LIB_SONAME): $(B)/lib/$(LIB_REAL)
	ln -sfn $(LIB_REAL) $@

$(LIB_SO): $(B)/lib/$(LIB_SONAME)
	ln -sfn $(LIB_SONAME) $@

$(B)/lib/libvnpu.a: $(LIB_OBJS)
	rm -f $@
	$(AR) rcs $@ $(LIB_OBJS)

# For use out of the build tree; installing makes one with the final paths.
$(B)/lib/pkgconfig/vnpu.pc: lib/libvnpu.pc.in lib/lib.mk
	@mkdir -p $(@D)
	sed -e 's|@PREFIX@|$(abspath $(B))|' \
		-e 's|@LIBDIR@|$(abspath $(B))/lib|' \
		-e 's|@INCLUDEDIR@|$(abspath $(B))/cann/include|' \
		-e 's|@VERSION@|$(VERSION)|' $< >$@

$(B)/cann/include/%.h: lib/include/%.h
	@mkdir -p $(@D)
	cp $< $@

$(LIB_CANN_SOS): $(B)/lib/$(LIB_SONAME)
	@mkdir -p $(@D)
	ln -sfn ../../lib/$(LIB_SONAME) $@

$(LIB_CANN_STUBS): $(B)/lib/$(LIB_SONAME)
	@mkdir -p $(@D)
	ln -sfn ../$(@F) $@

$(LIB_CANN_PATHS): lib/lib.mk
	@mkdir -p $(@D)
	ln -sfn $(LIB_CANN_LINK) $@

$(B)/cann/bin/vnpu-smi: lib/lib.mk
	@mkdir -p $(@D)
	ln -sfn ../../bin/vnpu-smi $@

$(B)/cann/bin/setenv.bash: lib/src/setenv.bash
	@mkdir -p $(@D)
	cp $< $@

$(B)/cann/set_env.sh: lib/src/set_env.sh.in lib/lib.mk
	@mkdir -p $(@D)
	sed -e 's|@CANNDIR@|$(abspath $(B))/cann|' $< >$@
