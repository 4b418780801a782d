/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameters of the module, parsed and validated. */
#ifndef VNPU_PARAMS_H
#define VNPU_PARAMS_H

#include <linux/types.h>

struct vnpu_soc;

/**
 * struct vnpu_config - the configuration that the module parameters ask for
 * @ndevs: number of devices, 1 to VNPU_MAX_DEVICES
 * @arena_size: memory of each device in bytes, a multiple of 2 MiB
 * @region_base: physical address of the reserved region, a multiple of 2 MiB
 * @region_size: size of the region in bytes; 0 if memory comes from the page
 *	allocator
 * @soc: the chip that each device emulates
 */
struct vnpu_config {
	unsigned int ndevs;
	u64 arena_size;
	u64 region_base;
	u64 region_size;
	const struct vnpu_soc *soc;
};

int vnpu_params_parse(struct vnpu_config *cfg);
bool vnpu_params_arena_is_valid(u64 size);
int vnpu_params_arena(const char *s, u64 *size);

#endif
