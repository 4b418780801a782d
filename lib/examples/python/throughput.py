#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measure how much memory, streams and copies speed up training.

usage: throughput.py [--length N] [--steps N] [--rounds N]

Trains Linear(1024, 1024) by Adam on batches of 32 sequences, which lie in the host's
memory. Each configuration adds to the one before:

    default     as in the first program that one writes
    + memory    tensors of a step are deleted before the optimizer needs memory, and
                gradients are dropped instead of set to zero
    + streams   a stream of its own copies the next batch
    + copies    batches lie in pinned memory, and their copies do not block

Each round runs all of them; the throughput is the median of the rounds, and the memory
is the peak of all tensors. All must lose the same.
"""

import argparse
import statistics
import time

import torch
from torch import nn

CONFIGURATIONS = ("default", "+ memory", "+ streams", "+ copies")
SIZE, BATCH = 1024, 32


def load(batches):
    """Copy each batch when the loop asks for it."""
    for batch in batches:
        yield [tensor.npu() for tensor in batch]


def prefetch(batches, is_pinned):
    """Copy the next batch on a stream of its own, while the caller uses one."""
    side = torch.npu.Stream()

    def copy(batch):
        with torch.npu.stream(side):
            return [tensor.npu(non_blocking=is_pinned) for tensor in batch]

    def hand_over(batch):
        """Let the current stream wait for the copies, and the memory for its work."""
        here = torch.npu.current_stream()
        here.wait_stream(side)
        for tensor in batch:
            tensor.record_stream(here)

    queue = [copy(batches[0])]
    for later in [*batches[1:], None]:
        hand_over(queue[0])
        if later:
            queue.append(copy(later))
        yield queue.pop(0)


def train(batches, level):
    """Return samples per second, bytes, and the last loss of a configuration."""
    saves_memory, has_streams, is_pinned = (level >= n for n in (1, 2, 3))
    torch.manual_seed(0)
    torch.npu.empty_cache()
    torch.npu.set_memory_fraction(0.8 if saves_memory else 1.0)
    model, criterion = nn.Linear(SIZE, SIZE).npu(), nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    if is_pinned:
        batches = [[tensor.pin_memory() for tensor in batch] for batch in batches]

    def epoch():
        for inputs, targets in (prefetch(batches, is_pinned) if has_streams
                                else load(batches)):
            output = model(inputs)
            loss = criterion(output, targets)
            optimizer.zero_grad(set_to_none=saves_memory)
            loss.backward()
            if saves_memory:
                del inputs, targets, output
            optimizer.step()
        return loss.item()
    epoch()             # makes the state of the optimizer
    torch.npu.synchronize()
    torch.npu.empty_cache()
    torch.npu.reset_peak_memory_stats()
    start = time.perf_counter()
    loss = epoch()
    seconds = time.perf_counter() - start
    return len(batches) * BATCH / seconds, torch.npu.max_memory_allocated(), loss


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("--length", type=int, default=1)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if min(options.length, options.steps, options.rounds) < 1:
        parser.error("all numbers are at least 1")

    batches = [[torch.randn(BATCH, options.length, SIZE) for _ in range(2)]
               for _ in range(options.steps)]
    runs = [[train(batches, level) for level in range(len(CONFIGURATIONS))]
            for _ in range(options.rounds)]
    losses = {run[2] for row in runs for run in row}
    if len(losses) > 1:
        raise SystemExit(f"configurations have different losses: {losses}")
    print("| configuration | samples/s | memory (MB) | relative |")
    print("|---|---|---|---|")
    first = statistics.median(row[0][0] for row in runs)
    for level, name in enumerate(CONFIGURATIONS):
        rate = statistics.median(row[level][0] for row in runs)
        memory = max(row[level][1] for row in runs)
        print(f"| {name} | {rate:.0f} | {memory / 2**20:.1f} | {rate / first:.2f}x |")


if __name__ == "__main__":
    main()
