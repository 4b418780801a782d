/* SPDX-License-Identifier: GPL-2.0-only */
/* Bindings: which memory is at which device address of a client. */
#ifndef VNPU_BIND_H
#define VNPU_BIND_H

#include <linux/list.h>
#include <linux/types.h>

#include "core/va.h"

struct vnpu_client;
struct vnpu_mem;

/**
 * struct vnpu_binding - a range of device addresses with memory
 * @node: its place in vnpu_client.map
 * @link: its place among those that were taken out, after that
 * @mem: the memory object, with a reference
 * @offset: bytes into @mem where the range begins
 *
 * All is constant while it is in the map.
 */
struct vnpu_binding {
	union {
		struct vnpu_va_node node;
		struct list_head link;
	};
	struct vnpu_mem *mem;
	u64 offset;
};

/**
 * struct vnpu_span - a part of a client's device memory that is contiguous
 * @mem: the memory object, with a reference
 * @offset: bytes into it
 * @addr: where the kernel reaches it
 * @length: bytes
 */
struct vnpu_span {
	struct vnpu_mem *mem;
	u64 offset;
	void *addr;
	u64 length;
};

/**
 * struct vnpu_unbound - what vnpu_bind_remove() found
 * @length: bytes that were bound
 * @bindings: how many bindings
 * @page_shift: page class of the lowest
 */
struct vnpu_unbound {
	u64 length;
	u32 bindings;
	u32 page_shift;
};

int vnpu_bind_init_cache(void);
void vnpu_bind_fini_cache(void);

int vnpu_bind_check_free(struct vnpu_client *client, u64 va, u64 length);
int vnpu_bind_insert(struct vnpu_client *client, struct vnpu_mem *mem, u64 va,
		     u64 length, u64 offset);
int vnpu_bind_remove(struct vnpu_client *client, u64 va, u64 length,
		     bool only_owned, struct vnpu_unbound *unbound);
void vnpu_bind_remove_all(struct vnpu_client *client);

struct vnpu_binding *vnpu_bind_first_locked(struct vnpu_client *client, u64 va,
					    u64 last);
struct vnpu_binding *vnpu_bind_find_locked(struct vnpu_client *client, u64 va);
bool vnpu_bind_in_window(struct vnpu_client *client, u64 va);
int vnpu_bind_check_range(struct vnpu_client *client, u64 va, u64 length);
int vnpu_bind_get_span(struct vnpu_client *client, u64 va, u64 length,
		       struct vnpu_span *span);
void vnpu_span_put(struct vnpu_span *span);

static inline u64 vnpu_binding_length(const struct vnpu_binding *binding)
{
	return binding->node.last - binding->node.start + 1;
}

#endif
