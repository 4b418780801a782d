# SPDX-License-Identifier: GPL-2.0-only
import torch
import torch.nn as nn
import torch.optim as optim
# 1. Create the model, the loss and the optimizer
model = nn.Linear(1024, 1024).npu()
criterion = nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=1e-4)
# 2. Train
for epoch in range(100):
    for i in range(100):
        # Make data on the CPU
        input_data = torch.randn(32, 1024)
        target = torch.randn(32, 1024)
        # Copy it to the NPU
        input_data = input_data.npu()
        target = target.npu()
        # Forward
        output = model(input_data)
        loss = criterion(output, target)
        # Backward
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("Epoch {}, Loss: {:.4f}".format(epoch, loss.item()))
# 3. Free memory
del model, input_data, target, output, loss
torch.npu.empty_cache()
