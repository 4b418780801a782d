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

/* Free the block that begins at @va; 0 or -errno. */
int vnpu_mem_release(uint64_t va);

/*
 * Check the attributes for an allocation.  @user_device: set if they name
 * another device.
 */
aclError vnpu_mem_config_check(const char *call, const aclrtMallocConfig *cfg,
			       int64_t *user_device);

/* Check whether @err is a lack of memory, quota or addresses. */
bool vnpu_mem_is_oom(int err);

/*
 * Fail for @call, and explain why @size bytes, which take @length or more in
 * pages of 2^@page_shift bytes, are not available on a device: @err is a lack.
 */
aclError vnpu_oom_explain(const char *call, int err, uint32_t device,
			  unsigned int page_shift, uint64_t size,
			  uint64_t length);

/* Explain the failure of an allocation of @size contiguous bytes. */
aclError vnpu_oom_explain_contiguous(const char *call, uint32_t device,
				     uint64_t size);

#endif /* VNPU_LIB_MEM_H */
