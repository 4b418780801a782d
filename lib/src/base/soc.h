/* SPDX-License-Identifier: MIT */
/*
 * The chip that a device emulates: an Ascend 910B1.  Programs select their
 * kernels and sizes by it.
 */
#ifndef VNPU_LIB_SOC_H
#define VNPU_LIB_SOC_H

#define VNPU_SOC_NAME		"Ascend910B1"
#define VNPU_SOC_ARCH		2201	/* DAV_2201: 910B and 910_93 */

#define VNPU_SOC_AICPU_CORES	6
#define VNPU_SOC_CUBE_CORES	24
#define VNPU_SOC_VECTOR_CORES	48
#define VNPU_SOC_L2_BYTES	(192LL << 20)

#endif /* VNPU_LIB_SOC_H */
