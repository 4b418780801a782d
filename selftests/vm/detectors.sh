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

tap_check "a module is built" build_module
tap_check "a clean run" status 7 with none -- sh -c 'exit 7'
seen warn "told to warn"
seen overflow "KASAN: slab-out-of-bounds"
seen stale "KASAN: slab-use-after-free"
seen leak "unreferenced object"
seen recurse "possible recursive locking"
seen invert "possible circular locking"
seen unprotected "suspicious RCU usage"
seen atomic-sleep "sleeping function called from invalid context"
seen shift "UBSAN: shift-out-of-bounds"
seen free-active "ODEBUG: free active"
seen corrupt-list "kernel BUG at lib/list_debug.c"
seen write-free-page "pagealloc: "
# Sooner than the defaults of 20 s and two minutes.
seen spin "soft lockup" --cmdline watchdog_thresh=2
seen block "blocked for more than" \
	--cmdline sysctl.kernel.hung_task_timeout_secs=3
tap_end
