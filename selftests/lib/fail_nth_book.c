// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that are made to fail, as in fail_nth.c: those for the process, its
 * devices and contexts, for profiles, plans and pools, and for kernels and offline
 * models.
 */
/* Some of the calls are deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "fail_nth_device.h"
#include "fail_nth_kernel.h"
#include "fail_nth_offline.h"
#include "fail_nth_aipp.h"
#include "fail_nth_plan.h"
#include "fail_nth_pool.h"
#include "fail_nth_process.h"
#include "fail_nth_profile.h"
#include "fail_nth_sweep.h"

SWEEPS(process)
SWEEPS(begin)
SWEEPS(hook)
SWEEPS(device)
SWEEPS(context)
SWEEPS(prof)
SWEEPS(profile)
SWEEPS(plan)
SWEEPS(arena)
SWEEPS(pools)
SWEEPS(kernels)
SWEEPS(offline)
SWEEPS(aipp)

TEST_HARNESS_MAIN
