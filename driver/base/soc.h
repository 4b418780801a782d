/* SPDX-License-Identifier: GPL-2.0-only */
/* The chips that devices emulate. */
#ifndef VNPU_SOC_H
#define VNPU_SOC_H

#include <linux/types.h>

/**
 * struct vnpu_soc - a chip
 * @short_name: short name, a value of the parameter soc
 * @name: name that AscendCL uses, another value of it
 * @ai_cores: number of AI cores: of cube cores, or of cores with both units
 * @vector_cores: number of vector cores
 */
struct vnpu_soc {
	const char *short_name;
	const char *name;
	u32 ai_cores;
	u32 vector_cores;
};

/* The short names of all chips, for messages. */
#define VNPU_SOC_NAMES	"310, 310P, 910B1, 910B3 or 950"

const struct vnpu_soc *vnpu_soc_find(const char *name);

#endif
