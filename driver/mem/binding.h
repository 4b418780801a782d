/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of a binding that memory objects need; va/ creates bindings. */
#ifndef VNPU_BINDING_H
#define VNPU_BINDING_H

#include <asm/barrier.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/va.h"

struct vnpu_client;
struct vnpu_mem;

/*
 * Can the host have a part of a binding, or of a dma-buf, mapped? See mapped.c.
 */
#define VNPU_MAPPED_NO		0
#define VNPU_MAPPED_YES		1
#define VNPU_MAPPED_GOING	2	/* is being unmapped */

/**
 * struct vnpu_binding - a range of device addresses with memory
 * @node: its range in vnpu_client.map
 * @next: the next of several bindings that were removed from the map together
 * @mem_link: in vnpu_mem.mapped, while @mapped is not VNPU_MAPPED_NO; under the
 *	lock of @mem
 * @client: the client that has the bindings
 * @mem: the memory object, held and with a reference
 * @offset: offset of the range into @mem in bytes
 * @mem_id: the id by which @mem was bound, or 0
 * @is_part: true if the binding is embedded in @mem: vnpu_bind_spec.storage
 * @mapped: VNPU_MAPPED_*: whether the host can have a part of it mapped;
 *	changed under the lock of @mem
 * @host_access: VNPU_ACCESS_* of the host, if the memory allows any host
 *	access. This and the following members are under vnpu_client.lock and
 *	map_lock.
 * @read_devices: bit N is set if device N may read
 * @write_devices: bit N is set if device N may write
 *
 * While the binding is in the map, all members are constant except @mem_link,
 * @mapped and the access rights.
 */
struct vnpu_binding {
	union {
		struct vnpu_va_node node;
		struct vnpu_binding *next;
	};
	struct hlist_node mem_link;
	struct vnpu_client *client;
	struct vnpu_mem *mem;
	u64 offset;
	u32 mem_id;
	bool is_part;
	u8 mapped;
	u8 host_access;
	u64 read_devices;
	u64 write_devices;
};

/**
 * struct vnpu_span - a contiguous part of a client's device memory
 * @mem: the memory object, pinned; the function that fills this documents what
 *	keeps the object alive
 * @offset: offset into @mem in bytes
 * @addr: kernel address
 * @length: bytes
 */
struct vnpu_span {
	struct vnpu_mem *mem;
	u64 offset;
	void *addr;
	u64 length;
};

void vnpu_binding_note_mapped(struct vnpu_binding *binding);
void vnpu_mapped_revoke(struct vnpu_mem *mem, u64 first, u64 length);

static inline struct vnpu_binding *vnpu_binding_of(struct vnpu_va_node *node)
{
	return node ? container_of(node, struct vnpu_binding, node) : NULL;
}

/* Check if the host's page tables can have entries of a binding. */
static inline bool vnpu_binding_is_mapped(const struct vnpu_binding *binding)
{
	/* Pairs with smp_store_release() in vnpu_binding_revoke_locked(). */
	return smp_load_acquire(&binding->mapped) != VNPU_MAPPED_NO;
}

static inline u64 vnpu_binding_length(const struct vnpu_binding *binding)
{
	return binding->node.last - binding->node.start + 1;
}

#endif
