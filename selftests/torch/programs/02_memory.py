# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Allocate memory
tensor1 = torch.randn(1024, 1024).npu()
tensor2 = torch.empty(1024, 1024).npu()
# 2. Look at its use
allocated = torch.npu.memory_allocated() / 1024**2
cached = torch.npu.memory_reserved() / 1024**2
print("Allocated: {:.2f} MB".format(allocated))
print("Reserved: {:.2f} MB".format(cached))
# 3. Free memory
del tensor1
torch.npu.empty_cache()
# 4. Copy from the host to the device
host_tensor = torch.randn(1024, 1024)
device_tensor = host_tensor.npu()
# 5. Copy from the device to the host
cpu_tensor = device_tensor.cpu()
assert torch.equal(cpu_tensor, host_tensor)
