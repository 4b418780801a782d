# SPDX-License-Identifier: GPL-2.0-only
#
# llama.cpp on its CANN backend; not part of "make check":
#
#	check-llama	ALL=1 runs all operators in the machine, too, for an hour
#
# The source comes from npm into the cache, the build is $(B)/llama.

LLAMA := $(B)/llama
LLAMA_NATIVE := $(LLAMA)/native.so

$(LLAMA_NATIVE): selftests/llama/native.c selftests/aclnn/host_stream.c \
		selftests/llama/llama.mk $(OPS_LIB) $(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CFLAGS) -fPIC -shared -I$(B)/cann/include \
		-iquote lib -iquote lib/src -o $@ $(filter %.c,$^) \
		$(OPS_LIB) -lm

check-llama:
	@tools/build/deps.sh llama
	@tools/build/fetch.sh 6.12
	@echo "==> building vnpu"
	@mkdir -p $(B)
	@$(MAKE) -s $(PARALLEL) modules-6.12 lib tools $(LLAMA_NATIVE) \
		>$(B)/check.log 2>&1 || { cat $(B)/check.log; exit 1; }
	@B="$(B)" ALL="$(ALL)" selftests/llama/check.sh

.PHONY: check-llama
