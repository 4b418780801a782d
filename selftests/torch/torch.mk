# SPDX-License-Identifier: GPL-2.0-only
#
# PyTorch on torch_npu; not part of "make check":
#
#	check-torch	on the host without a driver, then in a machine
#
# Debian's PyTorch is installed, the build is $(B)/torch.

TORCH_NATIVE	:= $(B)/torch/native.so

$(TORCH_NATIVE): selftests/torch/native.c selftests/torch/torch.mk \
		$(LIB_CANN_HDRS)
	@mkdir -p $(@D)
	$(CC) $(VNPU_CFLAGS) $(CFLAGS) -fPIC -shared -I$(B)/cann/include -o $@ $<

check-torch:
	@tools/build/deps.sh torch
	@tools/build/fetch.sh 6.12
	@echo "==> building vnpu"
	@mkdir -p $(B)
	@$(MAKE) -s $(PARALLEL) modules-6.12 lib tools python-torch-files \
		$(LLAMA_NATIVE) $(TORCH_NATIVE) >$(B)/check.log 2>&1 || \
		{ cat $(B)/check.log; exit 1; }
	@B="$(B)" selftests/torch/check.sh

.PHONY: check-torch
