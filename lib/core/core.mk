# SPDX-License-Identifier: MIT
#
# The core, a process that runs kernels:
#
#	$(B)/libexec/vnpu/vnpu-core	libvnpu starts it, found beside itself
#	$(B)/libexec/vnpu/vnpu-core.so	the same as threads of the program

AICORE_SRC	:= lib/core
AICORE_OUT	:= $(B)/core
EXEC_NAMES	:= $(basename $(notdir $(wildcard $(AICORE_SRC)/exec/*.c))) \
		   fiber_$(shell uname -m)
EXEC_OBJS	:= $(EXEC_NAMES:%=$(AICORE_OUT)/exec/%.o)

AICORE_CFLAGS	:= -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE -Wshadow \
		   -Ilib/ascendc/include -Iuapi -iquote $(AICORE_SRC) \
		   -iquote lib

$(AICORE_OUT)/%.o: $(AICORE_SRC)/%.c $(AICORE_SRC)/core.mk
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(AICORE_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

$(AICORE_OUT)/%.o: $(AICORE_SRC)/%.S $(AICORE_SRC)/core.mk
	@mkdir -p $(@D)
	$(CC) -fPIC $(CPPFLAGS) -MMD -MP -c -o $@ $<

VNPU_CORE	:= $(B)/libexec/vnpu/vnpu-core
VNPU_CORE_SO	:= $(VNPU_CORE).so
AICORE_OBJS	:= $(patsubst $(AICORE_SRC)/%.c,$(AICORE_OUT)/%.o, \
			$(wildcard $(AICORE_SRC)/*.c $(AICORE_SRC)/elf/*.c))
AICORE_PROCESS	:= $(addprefix $(AICORE_OUT)/,main.o sandbox.o end.o)

# Images use libm, which cannot be opened once the core has given up files.
$(VNPU_CORE): $(filter-out $(AICORE_OUT)/thread.o,$(AICORE_OBJS)) $(EXEC_OBJS) \
		$(OPS_LIB)
	@mkdir -p $(@D)
	$(CC) -pie -pthread -Wl,-z,relro -Wl,-z,now $(CFLAGS) $(LDFLAGS) -o $@ \
		$^ -Wl,--no-as-needed -lm

$(VNPU_CORE_SO): $(filter-out $(AICORE_PROCESS),$(AICORE_OBJS)) $(EXEC_OBJS) \
		$(OPS_LIB) $(AICORE_SRC)/thread.map
	@mkdir -p $(@D)
	$(CC) -shared -pthread -Wl,-z,relro -Wl,-z,now -Wl,-z,defs $(CFLAGS) \
		$(LDFLAGS) -Wl,-soname,$(@F) \
		-Wl,--version-script=$(filter %.map,$^) -o $@ \
		$(filter-out %.map,$^) -Wl,--no-as-needed -lm

LIBS		+= $(VNPU_CORE) $(VNPU_CORE_SO)

-include $(AICORE_OBJS:.o=.d) $(EXEC_OBJS:.o=.d)
