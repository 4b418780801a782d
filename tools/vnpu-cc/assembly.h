/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of kernels in the compiler's assembly.
 */
#ifndef VNPU_CC_ASSEMBLY_H
#define VNPU_CC_ASSEMBLY_H

#include <stdint.h>

#include "reach.h"
#include "text.h"

/**
 * struct device_passes - the functions of both device passes
 * @vector: of the pass for vector cores; empty if there is only the other
 * @cube: of the pass for cube cores; empty if there is only the other
 */
struct device_passes {
	struct reach vector;
	struct reach cube;
};

void assembly_device(const struct text *in, struct device_passes *passes,
		     const char *cube, uint32_t flags, struct text *out);
void assembly_host(const struct text *in, const char *image,
		   struct text *out);

#endif /* VNPU_CC_ASSEMBLY_H */
