# SPDX-License-Identifier: GPL-2.0-only
"""The exit codes of vnpu-vm that are not the command's own."""

TIMEOUT = 124
VM_FAILED = 125
BAD_KERNEL = 126


class VmError(Exception):
    """No run is possible; the text gives the reason in one sentence."""
