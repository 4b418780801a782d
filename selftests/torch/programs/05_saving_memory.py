# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Limit the memory
torch.npu.set_memory_fraction(0.8)
# 2. Empty the cache
torch.npu.empty_cache()
# 3. Free tensors early
tensor1 = torch.randn(1024, 1024).npu()
result = torch.matmul(tensor1, tensor1)
del tensor1
torch.npu.empty_cache()
# 4. Compute in place
tensor2 = torch.randn(1024, 1024).npu()
tensor2.add_(1.0)
