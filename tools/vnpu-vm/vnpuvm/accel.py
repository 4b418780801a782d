# SPDX-License-Identifier: GPL-2.0-only
"""Whether KVM can be used. Opening /dev/kvm proves nothing, as nested and
filtered hosts show; only a boot does. The first run tries, and the result is
cached until the host reboots.
"""

import os

from . import cache

# A kernel under KVM is ready within a second or two.
TRIAL_SECONDS = 6


def cache_name():
    with open("/proc/sys/kernel/random/boot_id") as f:
        return "kvm-" + f.read().strip()


def kvm_verdict():
    """True, False, or None when it must be tried."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    return {"yes": True, "no": False}.get(cache.read_text(cache_name()))


def save_kvm_verdict(usable):
    cache.write(cache_name(), b"yes" if usable else b"no")
