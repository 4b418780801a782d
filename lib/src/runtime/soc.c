// SPDX-License-Identifier: MIT
/*
 * Profiles of chips, see soc.h.  The numbers are those that CANN publishes in
 * its platform files; driver/base/soc.c has some of them as well.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

#include "base/log.h"
#include "base/util.h"
#include "io/io.h"
#include "soc.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)

/* Unified buffer, L1, L0A, L0B, L0C, biases, scales; in KiB. */
#define MEMORY(ub, l1, l0a, l0b, l0c, bt, fb) \
	{ (ub) * KIB, (l1) * KIB, (l0a) * KIB, (l0b) * KIB, (l0c) * KIB, \
	  (bt) * KIB, (fb) * KIB }

#define DEFAULT	(&profiles[0])

static const struct vnpu_soc profiles[] = {
	{
		.name = "910B1",
		.full_name = "Ascend910B1",
		.family = { "Ascend910B", "Ascend910_93" },
		.arch = 2201,
		.aicpu_cores = 6,
		.cube_cores = 24,
		.vector_cores = 48,
		.is_split = true,
		.l2_bytes = 192 * MIB,
		.card_bytes = 64 * 1024 * MIB,
		.cube_mhz = 1850,
		.aic_version = "AIC-C-220",
		.memory = MEMORY(192, 512, 64, 64, 128, 1, 8),
	}, {
		.name = "910B3",
		.full_name = "Ascend910B3",
		.family = { "Ascend910B", "Ascend910_93" },
		.arch = 2201,
		.aicpu_cores = 6,
		.cube_cores = 20,
		.vector_cores = 40,
		.is_split = true,
		.l2_bytes = 192 * MIB,
		.card_bytes = 64 * 1024 * MIB,
		.aic_version = "AIC-C-220",
		.memory = MEMORY(192, 512, 64, 64, 128, 1, 8),
	}, {
		.name = "950",
		.full_name = "Ascend950PR_9599",
		.family = { "Ascend950" },
		.arch = 3510,
		.aicpu_cores = 6,
		.cube_cores = 32,
		.vector_cores = 64,
		.is_split = true,
		.l2_bytes = 128 * MIB,
		.memory = MEMORY(248, 512, 64, 64, 256, 4, 8),
	}, {
		.name = "310P",
		.full_name = "Ascend310P3",
		.family = { "Ascend310P" },
		.arch = 2002,
		.aicpu_cores = 4,
		.cube_cores = 8,
		.vector_cores = 8,
		.l2_bytes = 16 * MIB,
		.memory = MEMORY(256, 1024, 64, 64, 256, 0, 0),
	}, {
		.name = "310",
		.full_name = "Ascend310",
		.family = { "Ascend310" },
		.arch = 1001,
		.aicpu_cores = 8,
		.cube_cores = 2,
		.vector_cores = 2,
		.l2_bytes = 8 * MIB,
		.memory = MEMORY(248, 1024, 64, 64, 256, 0, 0),
	},
};

#define NAMES	"310, 310P, 910B1, 910B3 or 950"

/* Both forms are accepted: 910B1 and Ascend910B1. */
static const struct vnpu_soc *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcasecmp(name, profiles[i].name) ||
		    !strcasecmp(name, profiles[i].full_name))
			return &profiles[i];
	return NULL;
}

/* Get the chip that the process selects, or NULL. */
static const struct vnpu_soc *of_process(void)
{
	const char *name = getenv("VNPU_SOC");
	const struct vnpu_soc *soc;

	if (!name || !*name)
		return NULL;
	soc = find(name);
	if (!soc)
		vnpu_log(ACL_ERROR, __func__,
			"VNPU_SOC = \"%s\" is not known; use " NAMES, name);
	return soc;
}

/* Get the chip of the devices, or NULL without one. */
static const struct vnpu_soc *of_device(void)
{
	uint32_t devices[VNPU_IO_MAX_DEVICES], count;
	const struct vnpu_soc *soc;
	struct vnpu_io_device info;

	if (vnpu_io_devices(devices, &count) || !count ||
	    vnpu_io_device_query(devices[0], &info))
		return NULL;
	/* A driver before version 3 of the ABI reports no name. */
	if (!*info.soc)
		return DEFAULT;
	soc = find(info.soc);
	if (soc)
		return soc;
	vnpu_log(ACL_ERROR, __func__,
		"the driver's chip %s is not known to this library, which takes it for an %s; VNPU_SOC selects another one",
		info.soc, DEFAULT->full_name);
	return DEFAULT;
}

const struct vnpu_soc *vnpu_soc(void)
{
	static _Atomic(const struct vnpu_soc *) chosen;
	const struct vnpu_soc *soc = atomic_load_explicit(&chosen,
							  memory_order_acquire);

	if (soc)
		return soc;
	soc = of_process();
	if (!soc)
		soc = of_device();
	/* There may be a device later. */
	if (!soc)
		return DEFAULT;
	atomic_store_explicit(&chosen, soc, memory_order_release);
	return soc;
}
