# SPDX-License-Identifier: MIT
"""Tools for models, by names that programs expect: see vnpu.precision."""

from vnpu import AutoPrecisionSelector

__all__ = ["AutoPrecisionSelector"]
