# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Create streams
stream1 = torch.npu.Stream(device=0)
stream2 = torch.npu.Stream(device=0)
# 2. Use the default stream
with torch.npu.stream(torch.npu.default_stream(0)):
    tensor1 = torch.randn(1024, 1024).npu()
    result1 = torch.matmul(tensor1, tensor1)
# 3. Use a stream of our own
with torch.npu.stream(stream1):
    tensor2 = torch.randn(1024, 1024).npu()
    result2 = torch.matmul(tensor2, tensor2)
# 4. Wait for streams
stream1.synchronize()
stream2.synchronize()
# 5. Let a stream depend on another
event = torch.npu.Event()
with torch.npu.stream(stream1):
    tensor3 = torch.randn(1024, 1024).npu()
    result3 = torch.matmul(tensor3, tensor3)
    event.record()
with torch.npu.stream(stream2):
    event.wait()
    result4 = torch.matmul(tensor3, tensor3)
assert torch.equal(result3.cpu(), result4.cpu())
