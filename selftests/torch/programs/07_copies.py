# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Pinned memory
host_tensor = torch.randn(1024, 1024).pin_memory()
device_tensor = host_tensor.npu()
# 2. Copies that do not wait
host_tensor = torch.randn(1024, 1024).pin_memory()
stream = torch.npu.Stream()
with torch.npu.stream(stream):
    device_tensor = host_tensor.npu(non_blocking=True)
    result = torch.matmul(device_tensor, device_tensor)
stream.synchronize()
# 3. A copy in each step
for i in range(100):
    host_tensor = torch.randn(1024, 1024)
    device_tensor = host_tensor.npu()
    result = torch.matmul(device_tensor, device_tensor)
# One copy
host_tensor = torch.randn(1024, 1024).pin_memory()
device_tensor = host_tensor.npu()
for i in range(100):
    result = torch.matmul(device_tensor, device_tensor)
