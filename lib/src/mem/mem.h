/* SPDX-License-Identifier: MIT */
/*
 * Device memory.
 */
#ifndef VNPU_LIB_MEM_H
#define VNPU_LIB_MEM_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Free all that this process allocated on a device; 0 or -errno. */
int vnpu_mem_free_all(uint32_t device);

/* Free the block that begins at @va for the program; 0 or -errno. */
int vnpu_mem_free_block(uint64_t va);

/*
 * Allocate @size bytes in pages of a class, or for small sizes without
 * constraints in a part of a page; guarded allocations are always in pages of
 * 4 KiB.  @flags: VNPU_IO_ALLOC_*. @report: see vnpu_io_mem_alloc(); unchanged if
 * the driver was not asked. 0 or -errno.
 */
int vnpu_mem_alloc_pages(uint32_t device, unsigned int page_shift,
			 uint64_t size, unsigned int flags, uint64_t *va,
			 uint64_t *report);

/*
 * Check the attributes for an allocation.  @user_device: set if they name
 * another device.
 */
aclError vnpu_mem_config_check(const aclrtMallocConfig *cfg,
			       int64_t *user_device);

/* Check whether @err is a lack of memory, quota or addresses. */
bool vnpu_mem_is_oom(int err);

/* Find the device memory around an address, without the rest of a guard's page. */
bool vnpu_mem_find_range(uint64_t va, uint64_t *base, uint64_t *length);

/* A request for device memory that failed. */
struct vnpu_failed_alloc {
	uint32_t device;
	unsigned int page_shift;
	bool contiguous;
	uint64_t size;		/* in the program's call */
	uint64_t length;	/* requested from the driver, maybe rounded up */
	uint64_t report;	/* number of the driver's report, or 0 */
};

/* Fail, and explain the failure @err, see vnpu_mem_is_oom(). */
aclError vnpu_oom_explain(int err, const struct vnpu_failed_alloc *failed);

#endif /* VNPU_LIB_MEM_H */
