/* SPDX-License-Identifier: MIT */
/*
 * Units: the kernels that are part of the program, see vnpu/kernel.h.
 */
#ifndef VNPU_LIB_KERNEL_UNIT_H
#define VNPU_LIB_KERNEL_UNIT_H

#include "binary.h"

struct vnpu_unit;

/*
 * Get the function of a unit's kernel with a reference, or report an error.  The
 * first call reads the image of the unit.
 */
aclError vnpu_unit_function(struct vnpu_unit *unit, const char *name,
			    struct vnpu_function **function);

#endif /* VNPU_LIB_KERNEL_UNIT_H */
