// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chips that devices emulate. The driver reports their names and numbers of
 * cores, and uses neither. The library looks the name up in a table of its own
 * (lib/src/runtime/soc.c), which has these numbers too, and starts the processes
 * that run kernels with the values of its table.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "soc.h"

static const struct vnpu_soc vnpu_socs[] = {
	{ "310", "Ascend310", 2, 2 },
	{ "310P", "Ascend310P3", 8, 8 },
	{ "910B1", "Ascend910B1", 24, 48 },
	{ "910B3", "Ascend910B3", 20, 40 },
	{ "950", "Ascend950PR_9599", 32, 64 },
};

/**
 * vnpu_soc_find() - find a chip by its name
 * @name: its short or long name, in upper or lower case
 *
 * Return: the chip, or NULL.
 */
const struct vnpu_soc *vnpu_soc_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vnpu_socs); i++)
		if (!strcasecmp(name, vnpu_socs[i].short_name) ||
		    !strcasecmp(name, vnpu_socs[i].name))
			return &vnpu_socs[i];
	return NULL;
}
