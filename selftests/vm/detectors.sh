#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The debug kernel detects the errors that it is configured for, and vnpu-vm
# reports them: a test module makes each kind of error, see splat.c.

set -u
cd "$(dirname "$0")/../.." || exit 1
kernel=debug
# shellcheck source=selftests/vm/machines.sh
. selftests/vm/machines.sh

# seen WHAT TEXT [OPTION...]: vnpu-vm fails the run of the module with parameter
# WHAT.
seen()
{
	tap_check "$1: $2" fails 126 "$2" with "$1" "${@:3}" -- true
}

# What the kernel goes on after: each of these errors is in the log of one
# machine, lockdep's before KASAN's, which turns lockdep off.
together=unprotected,atomic-sleep,shift,free-active,warn,invert,overflow,stale
together+=,write-free-page,leak

all_fail()
{
	fails 126 "the guest kernel complained" with "$together" \
		--cmdline "panic_on_warn=0 kasan_multi_shot" -- dmesg >log &&
		says "unreferenced object"
}

# logged WHAT TEXT
logged()
{
	tap_check "$1: $2" grep -qF -- "$2" log
}

tap_check "a module is built" build_module
tap_check "a clean run" status 7 with none -- sh -c 'exit 7'
tap_check "leak: unreferenced object" all_fail
logged warn "told to warn"
logged overflow "KASAN: slab-out-of-bounds"
logged stale "KASAN: slab-use-after-free"
logged invert "possible circular locking"
logged unprotected "suspicious RCU usage"
logged atomic-sleep "sleeping function called from invalid context"
logged shift "UBSAN: shift-out-of-bounds"
logged free-active "ODEBUG: free active"
logged write-free-page "pagealloc: "
# These end the machine.
seen overflow "KASAN: slab-out-of-bounds"
seen recurse "possible recursive locking"
seen corrupt-list "kernel BUG at lib/list_debug.c"
# Sooner than the defaults of 20 s and two minutes.
seen spin "soft lockup" --cmdline watchdog_thresh=2
seen block "blocked for more than" \
	--cmdline sysctl.kernel.hung_task_timeout_secs=3
tap_end
