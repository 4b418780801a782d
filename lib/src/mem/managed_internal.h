/* SPDX-License-Identifier: MIT */
/* Managed memory: the interface between managed.c and managed_advice.c. */
#ifndef VNPU_LIB_MANAGED_INTERNAL_H
#define VNPU_LIB_MANAGED_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "base/tree.h"

/* The unit of sizes and of advice. */
#define VNPU_MANAGED_GRANULE	(2UL << 20)

struct vnpu_managed_advice {
	bool read_mostly;
	bool accessed_by_host;
	uint64_t accessed_by_devices;	/* bit N: device N of the process */
	uint64_t accessed_by_nodes;	/* bit N: NUMA node N */
	aclrtMemManagedLocation preferred;
	aclrtMemManagedLocation prefetched;	/* last */
};

struct vnpu_managed {
	struct vnpu_tree_node node;	/* by address */
	uint64_t length;
	struct vnpu_managed_advice advice[];	/* of each granule */
};

/* The advice of memory that has none. */
extern const struct vnpu_managed_advice vnpu_managed_no_advice;

/* Find the block that contains a range, or NULL; the lock is held. */
struct vnpu_managed *vnpu_managed_find_locked(uint64_t va, uint64_t length);

#endif /* VNPU_LIB_MANAGED_INTERNAL_H */
