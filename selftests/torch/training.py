#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Models trained on the NPU lose as on the CPU, and no operator falls back.

TORCH_STEPS is the number of steps (default 100); RESNET=1 adds ResNet-50.
"""

import copy
import os

from common import close, equal, main, test

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

STEPS = int(os.environ.get("TORCH_STEPS", "100"))


def train(model, batches, criterion, optimizer, where, steps):
    """Return the losses of a copy of the model, and the copy."""
    model = copy.deepcopy(model).to(where)
    optimizer = optimizer(model.parameters())
    losses = []
    for step in range(steps):
        inputs, targets = (batch.to(where) for batch in batches[step % len(batches)])
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model


def compare(model, batches, criterion, optimizer, steps=STEPS, tolerance=1e-5):
    torch.npu.clear_fallbacks()
    actual, trained = train(model, batches, criterion, optimizer, "npu", steps)
    equal(torch.npu.fallbacks(), {})
    expected, reference = train(model, batches, criterion, optimizer, "cpu", steps)
    print(f"# loss {expected[0]:.6f} to {expected[-1]:.6f}, largest difference "
          f"{max(abs(a - e) for a, e in zip(actual, expected)):.2g}")
    for a, e in zip(actual, expected):
        assert abs(a - e) <= tolerance, (a, e)
    with torch.no_grad():
        inputs = batches[0][0]
        close(trained.eval()(inputs.npu()), reference.eval()(inputs), rtol=1e-2,
              atol=1e-2)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-4)


OPTIMIZERS = {"SGD": {"momentum": 0.9, "weight_decay": 1e-3}, "Adam": {"amsgrad": True},
              "AdamW": {}, "Adamax": {}, "NAdam": {}, "RAdam": {}, "RMSprop": {"centered": True},
              "Adagrad": {}, "Adadelta": {}, "ASGD": {}, "Rprop": {}}


@test
def optimizers():
    """All optimizers, by operators on lists of tensors, do the steps of the CPU."""
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2))
    batches = [(torch.randn(4, 6), torch.randn(4, 2)) for _ in range(2)]
    for name, options in OPTIMIZERS.items():
        def optimizer(parameters):
            return getattr(torch.optim, name)(parameters, lr=1e-2, foreach=True, **options)
        print(f"# {name}")
        compare(model, batches, nn.MSELoss(), optimizer, steps=min(STEPS, 4))


class Convolutional(nn.Module):
    """The kinds of layers of an image classifier."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(8),
            nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
            nn.Conv2d(8, 16, 3, padding=2, dilation=2, groups=2), nn.GELU(),
            nn.ConvTranspose2d(16, 8, 3, stride=2, output_padding=1), nn.SiLU(),
            nn.AvgPool2d(3, 2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.0),
            nn.Linear(8, 10))

    def forward(self, x):
        return self.layers(x)


class Transformer(nn.Module):
    """A GPT of two layers."""

    def __init__(self, words=50, width=32, length=16):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(length, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, activation="gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, x):
        length = x.size(1)
        mask = torch.full((length, length), float("-inf"), device=x.device).triu(1)
        h = self.words(x) + self.places(torch.arange(length, device=x.device))
        for layer in self.layers:
            h = layer(h, src_mask=mask)
        return self.head(self.norm(h)).flatten(0, 1)


@test
def linear():
    """Linear(1024, 1024) with Adam."""
    torch.manual_seed(0)
    batches = [(torch.randn(32, 1024), torch.randn(32, 1024)) for _ in range(10)]
    compare(nn.Linear(1024, 1024), batches, nn.MSELoss(), adam)


@test
def convolutional():
    """Convolutions, batch norm and pooling with SGD and with AdamW."""
    torch.manual_seed(1)
    batches = [(torch.randn(4, 3, 16, 15), torch.randint(0, 10, (4,))) for _ in range(2)]
    for optimizer in (lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9,
                                                weight_decay=1e-4),
                      lambda p: torch.optim.AdamW(p, lr=1e-3)):
        compare(Convolutional(), batches, nn.CrossEntropyLoss(), optimizer,
                steps=min(STEPS, 10))


@test
def transformer():
    """A GPT of two layers with AdamW."""
    torch.manual_seed(2)
    words = torch.randint(0, 50, (4, 17))
    compare(Transformer(), [(words[:, :-1], words[:, 1:].flatten())],
            nn.CrossEntropyLoss(), lambda p: torch.optim.AdamW(p, lr=1e-3),
            steps=min(STEPS, 20))


@test
def computed_again():
    """Checkpoints compute a part again, with its random numbers and in its types."""
    torch.manual_seed(6)
    types = []

    def note(module, inputs, output):
        types.append(output.dtype)
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8)).npu()
    model[0].register_forward_hook(note)
    x = torch.randn(4, 8).npu().requires_grad_()
    for enabled in (False, True):
        for reentrant in (None, True, False):
            torch.manual_seed(7)
            with torch.autocast("npu", enabled=enabled):
                out = (model(x) if reentrant is None else
                       checkpoint(model, x, use_reentrant=reentrant))
            torch.rand(5, device="npu")
            model.zero_grad()
            out.float().square().sum().backward()
            after = torch.rand(5, device="npu").cpu()
            grads = [p.grad.cpu() for p in model.parameters()] + [after]
            if reentrant is None:
                expected = grads
            for a, e in zip(grads, expected):
                close(a, e)
        equal(types, [torch.float16 if enabled else torch.float32] * 5)
        types.clear()


@test
def half():
    """Inference in half precision is that of single precision, less exactly."""
    torch.manual_seed(3)
    torch.npu.clear_fallbacks()
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.LayerNorm(64), nn.Linear(64, 8))
    x = torch.randn(16, 64)
    with torch.no_grad():
        out = copy.deepcopy(model).half().npu()(x.half().npu())
        close(out.float(), model(x), rtol=1e-2, atol=1e-2)
    equal(torch.npu.fallbacks(), {})


def gradients(model, inputs, targets, where):
    """Return the loss of a copy of the model, and its gradients."""
    model = copy.deepcopy(model).to(where)
    loss = nn.functional.cross_entropy(model(inputs.to(where)), targets.to(where))
    loss.backward()
    return loss.item(), [parameter.grad.cpu() for parameter in model.parameters()]


if os.environ.get("RESNET"):
    @test
    def resnet():
        """ResNet-50 of torchvision: output, loss and gradients.

        Its gradients change by a percent with the order of sums, on the CPU, too.
        """
        import torchvision
        torch.manual_seed(4)
        model = torchvision.models.resnet50()
        batch = torch.randn(4, 3, 96, 96), torch.randint(0, 1000, (4,))
        torch.npu.clear_fallbacks()
        actual, of_npu = gradients(model, *batch, "npu")
        with torch.no_grad():
            out = copy.deepcopy(model).eval().npu()(batch[0].npu())
        equal(torch.npu.fallbacks(), {})
        expected, of_cpu = gradients(model, *batch, "cpu")
        assert abs(actual - expected) < 1e-3, (actual, expected)
        for a, e in zip(of_npu, of_cpu):
            assert (a - e).norm() <= 0.1 * e.norm(), (a, e)
        with torch.no_grad():
            close(out, model.eval()(batch[0]), rtol=1e-3, atol=1e-4)


main()
