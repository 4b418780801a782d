# SPDX-License-Identifier: GPL-2.0-only
import torch
# Less memory: a limit, tensors freed early, gradients of small batches added up
torch.npu.set_memory_fraction(0.8)
del intermediate_tensor
torch.npu.empty_cache()
gradient_accumulation_steps = 2
for i, batch in enumerate(dataloader):
    loss = compute_loss(batch) / gradient_accumulation_steps
    loss.backward()
    if (i + 1) % gradient_accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
# More speed: streams, pinned memory, half precision
stream1 = torch.npu.Stream(device=0)
stream2 = torch.npu.Stream(device=0)
host_tensor = torch.randn(1024, 1024).pin_memory()
device_tensor = host_tensor.npu(non_blocking=True)
model = model.half()
input_data = input_data.half()
# Errors: look at the device and its memory
print("NPU available:", torch.npu.is_available())
device_properties = torch.npu.get_device_properties(0)
print("Device name:", device_properties.name)
allocated = torch.npu.memory_allocated() / 1024**2
cached = torch.npu.memory_reserved() / 1024**2
print("Allocated: {:.2f} MB".format(allocated))
print("Reserved: {:.2f} MB".format(cached))
