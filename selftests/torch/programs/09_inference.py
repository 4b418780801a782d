# SPDX-License-Identifier: GPL-2.0-only
import torch
import torch.nn as nn
# 1. Load the model
model = nn.Linear(1024, 1024).npu()
model.load_state_dict(torch.load("model.pth"))
model.eval()
# 2. Inference
def infer(input_data):
    # Copy to the NPU
    input_data = input_data.npu()
    # Compute without gradients
    with torch.no_grad():
        output = model(input_data)
    # Copy back
    output = output.cpu()
    return output
# 3. Many inputs
test_data = torch.randn(100, 1024)
results = []
for i in range(100):
    result = infer(test_data[i])
    results.append(result)
# 4. Free memory
del model, test_data, results
torch.npu.empty_cache()
