# SPDX-License-Identifier: MIT
"""Models as functions, by names that programs expect: see vnpu.models."""

from vnpu import execute, execute_shard, load_model, load_model_shard

__all__ = ["execute", "execute_shard", "load_model", "load_model_shard"]
