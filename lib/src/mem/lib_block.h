/* SPDX-License-Identifier: MIT */
/*
 * Blocks of device memory that belong to the library, although programs know
 * their addresses.  aclrtFree() refuses them.
 *
 * The lock is held while such a block is freed, so that its address cannot be
 * used again in between.
 */
#ifndef VNPU_LIB_LIB_BLOCK_H
#define VNPU_LIB_LIB_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"

struct vnpu_lib_block {
	struct vnpu_tree_node node;	/* of all blocks, by address */
	bool is_gone;			/* the reset of its device freed it */
};

/* Allocate a block of a device: 0 or -errno. */
int vnpu_lib_block_alloc(uint32_t device, uint64_t size,
			 struct vnpu_lib_block *block);

/* Free it. */
void vnpu_lib_block_free(struct vnpu_lib_block *block);

static inline uint64_t vnpu_lib_block_va(const struct vnpu_lib_block *block)
{
	return block->node.hi;
}

/* Check whether a block that begins at @va belongs to the library. */
bool vnpu_lib_block_has(uint64_t va);

/*
 * Free all blocks from @va on, which the caller found in a device that is reset:
 * 0 or -errno of vnpu_mem_free_block().
 */
int vnpu_lib_block_free_range(uint64_t va, uint64_t length);

#endif /* VNPU_LIB_LIB_BLOCK_H */
