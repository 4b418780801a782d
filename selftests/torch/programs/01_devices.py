# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Check whether an NPU can be used
print("NPU available:", torch.npu.is_available())
# 2. Get the number of NPUs
num_devices = torch.npu.device_count()
print("NPU devices:", num_devices)
# 3. Set the current device
torch.npu.set_device(0)
# 4. Get its properties
device_properties = torch.npu.get_device_properties(0)
print("Device name:", device_properties.name)
print("Memory (GB):", device_properties.total_memory / 1024**3)
