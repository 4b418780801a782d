/* SPDX-License-Identifier: MIT */
/*
 * The chip that devices emulate.  Programs select their kernels and sizes by it.
 * It is that of the driver, which the module's parameter soc sets for all devices.
 * The environment variable VNPU_SOC selects another profile of soc.c.
 */
#ifndef VNPU_LIB_SOC_H
#define VNPU_LIB_SOC_H

#include <stdbool.h>
#include <stdint.h>

/* Memories of a core, numbered like VNPU_LOCAL_* of vnpu/kernel.h. */
#define VNPU_SOC_MEMORIES	8

/**
 * struct vnpu_soc - a chip
 * @name: short name, a value of VNPU_SOC
 * @full_name: result of aclrtGetSocName()
 * @family: prefixes of the names of chips that run the same code
 * @arch: number of the architecture, __NPU_ARCH__ of kernels
 * @aicpu_cores: number of processors of the device
 * @cube_cores: number of cube cores, or of cores that have both units
 * @vector_cores: number of vector cores
 * @is_split: vector cores are separate from cube cores
 * @l2_bytes: size of the cache
 * @card_bytes: memory of the card that has this chip; 0 if there are several
 * @cube_mhz: clock of the cube cores; 0 if it is not published
 * @aic_version: version of the instruction set, or NULL
 * @memory: bytes of each memory of a core; 0 if it does not have that memory
 *
 * All members are constant.
 */
struct vnpu_soc {
	const char *name;
	const char *full_name;
	const char *family[3];
	uint32_t arch;
	uint32_t aicpu_cores;
	uint32_t cube_cores;
	uint32_t vector_cores;
	bool is_split;
	uint64_t l2_bytes;
	uint64_t card_bytes;
	uint32_t cube_mhz;
	const char *aic_version;
	uint64_t memory[VNPU_SOC_MEMORIES];
};

/*
 * Get the chip of all devices, an Ascend 910B1 while there is none.  VNPU_SOC and
 * the driver's chip are read once.
 */
const struct vnpu_soc *vnpu_soc(void);

#endif /* VNPU_LIB_SOC_H */
