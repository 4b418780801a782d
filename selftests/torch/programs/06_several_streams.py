# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Compute in several streams
stream1 = torch.npu.Stream(device=0)
stream2 = torch.npu.Stream(device=0)
with torch.npu.stream(stream1):
    tensor1 = torch.randn(1024, 1024).npu()
    result1 = torch.matmul(tensor1, tensor1)
with torch.npu.stream(stream2):
    tensor2 = torch.randn(1024, 1024).npu()
    result2 = torch.matmul(tensor2, tensor2)
# Wait for both
stream1.synchronize()
stream2.synchronize()
# 2. The default stream beside another
with torch.npu.stream(torch.npu.default_stream(0)):
    tensor3 = torch.randn(1024, 1024).npu()
    result3 = torch.matmul(tensor3, tensor3)
with torch.npu.stream(torch.npu.Stream(0)):
    tensor4 = torch.randn(1024, 1024).npu()
    result4 = torch.matmul(tensor4, tensor4)
# Wait for all
torch.npu.synchronize()
