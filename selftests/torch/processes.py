#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Processes that share a device, their death, exhausted memory, and races of streams."""

import os
import random
import signal
import subprocess
import sys
import threading

from common import SITE, close, main, raises, test

import torch
from torch import nn

SLACK = 32 << 20        # that the driver and other processes may use meanwhile


def start(program):
    """Start a program of Python; it prints "ready" when it has its memory."""
    child = subprocess.Popen([sys.executable, "-c", "import torch\n" + program], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             env={**os.environ, "PYTHONPATH": SITE})
    line = child.stdout.readline()
    assert line == "ready\n", line
    return child


def step():
    """Train a step on the device; compare with the CPU."""
    torch.manual_seed(0)
    model, x = nn.Linear(16, 16), torch.randn(4, 16)
    expected = model(x).square().mean()
    model = model.npu()
    loss = model(x.npu()).square().mean()
    loss.backward()
    close(loss.detach(), expected.detach(), rtol=1e-4, atol=1e-5)


@test
def killed():
    """Two processes compute at once; the memory of one that is killed is free again."""
    before = torch.npu.mem_get_info()[0]
    child = start("x = torch.ones(32 << 20, device='npu')\n"
                  "torch.npu.synchronize()\n"
                  "print('ready', flush=True)\n"
                  "while True:\n    x.add_(1)\n")
    try:
        held = before - torch.npu.mem_get_info()[0]
        assert held >= 128 << 20, held
        step()
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert torch.npu.mem_get_info()[0] >= before - SLACK
    step()


@test
def statistics():
    """The reserved bytes are those that the device lacks, and that it gets back."""
    torch.npu.empty_cache()
    free, reserved = torch.npu.mem_get_info()[0], torch.npu.memory_reserved()
    kept = torch.empty(64 << 20, dtype=torch.uint8, device="npu")
    grown = torch.npu.memory_reserved() - reserved
    assert abs(free - torch.npu.mem_get_info()[0] - grown) <= 4 << 20, grown
    del kept
    torch.npu.empty_cache()
    assert torch.npu.mem_get_info()[0] >= free - (4 << 20)


@test
def recovery():
    """After memory was exhausted, and some is freed, work goes on."""
    size = torch.npu.get_device_properties().total_memory // 16
    kept = []
    error = raises(RuntimeError, lambda: [
        kept.append(torch.ones(size, dtype=torch.uint8, device="npu"))
        for _ in range(64)])
    assert "NPU out of memory. Tried to allocate" in str(error), error
    for tensor in kept:
        assert tensor[-1].item() == 1
    del kept[len(kept) // 2:]
    step()
    kept.clear()
    torch.npu.empty_cache()
    step()


@test
def backward_streams():
    """Gradients wait for a forward pass on another stream, and others for them."""
    torch.manual_seed(3)
    w, x = torch.randn(256, 256), torch.randn(256, 256)
    reference = w.clone().requires_grad_()
    (x @ reference).tanh().sum().backward()
    given, moved = w.npu().requires_grad_(), x.npu()
    one, two = torch.npu.Stream(), torch.npu.Stream()
    one.wait_stream(torch.npu.current_stream())
    for _ in range(4):
        given.grad = None
        with torch.npu.stream(one):
            loss = (moved @ given).tanh().sum()
        loss.backward()
        with torch.npu.stream(two):
            close(given.grad, reference.grad, rtol=1e-3, atol=1e-3)


@test
def races():
    """Memory that streams of several threads free and take never mixes."""
    torch.npu.empty_cache()
    wrong = []

    def work(seed):
        chance = random.Random(seed)
        streams = [torch.npu.Stream() for _ in range(2)]
        for turn in range(20):
            one, two = chance.sample(streams, 2)
            value = float(seed * 1000 + turn)
            with torch.npu.stream(one):
                x = torch.full((chance.choice([100, 70_000, 300_000]),), value, device="npu")
                x = x + 1
                event = one.record_event()
            with torch.npu.stream(two):
                event.wait()
                y = x * 2
                x.record_stream(two)
                del x
                if not bool((y == 2 * (value + 1)).all()):
                    wrong.append((seed, turn))
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


main()
