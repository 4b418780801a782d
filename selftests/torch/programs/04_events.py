# SPDX-License-Identifier: GPL-2.0-only
import torch
# 1. Create events
event1 = torch.npu.Event()
event2 = torch.npu.Event()
# 2. Record an event
with torch.npu.stream(torch.npu.default_stream(0)):
    tensor1 = torch.randn(1024, 1024).npu()
    result1 = torch.matmul(tensor1, tensor1)
    event1.record()
# 3. Wait for it in another stream
with torch.npu.stream(torch.npu.Stream(0)):
    event1.wait()
    result2 = torch.matmul(tensor1, tensor1)
# 4. Wait for it on the host
event1.synchronize()
# 5. Query it
print("Event done:", event1.query())
assert event1.query() is True
