/* SPDX-License-Identifier: GPL-2.0-only */
/* Bindings: which memory is at which device address of a client. */
#ifndef VNPU_BIND_H
#define VNPU_BIND_H

#include <asm/barrier.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/va.h"

struct vnpu_client;
struct vnpu_mem;

/* May the host have some of a binding mapped, or of a dma-buf? See mapped.c. */
#define VNPU_MAPPED_NO		0
#define VNPU_MAPPED_YES		1
#define VNPU_MAPPED_GOING	2	/* it is being taken away */

/**
 * struct vnpu_binding - a range of device addresses with memory
 * @node: its place in vnpu_client.map
 * @next: the next of those that were taken out, after that
 * @mem_link: its place in vnpu_mem.mapped, while @mapped is not VNPU_MAPPED_NO
 * @client: whose addresses
 * @mem: the memory object, held and with a reference
 * @offset: bytes into @mem where the range begins
 * @mem_id: the id it was bound by, or 0
 * @is_part: it is a part of @mem, and has its memory: vnpu_bind_spec.place
 * @mapped: VNPU_MAPPED_*: may the host have some of it mapped; changed under the
 *	lock of @mem
 * @host_access: VNPU_ACCESS_* of the host, if the memory allows it any. This and
 *	what follows is under vnpu_client.lock and map_lock.
 * @read_devices: bit N: device N may read
 * @write_devices: bit N: device N may write
 *
 * All but the last four is constant while it is in the map.
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
 * struct vnpu_span - a part of a client's device memory that is contiguous
 * @mem: the memory object, pinned; what keeps it is said by who filled this
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
 * struct vnpu_bind_spec - what is to be bound
 * @mem: the memory object, held by the client, with a reference; both go to the
 *	binding, or are given back
 * @place: memory for the binding that is a part of @mem, zeroed; or NULL
 * @mem_id: the id that it was named by, or 0
 * @va: device address, page-aligned
 * @length: bytes, page-aligned, not 0
 * @offset: into @mem, page-aligned; the range was found to lie in it
 * @no_access: nobody may touch it until that is granted
 * @no_host_access: the host may not
 */
struct vnpu_bind_spec {
	struct vnpu_mem *mem;
	struct vnpu_binding *place;
	u32 mem_id;
	u64 va;
	u64 length;
	u64 offset;
	bool no_access;
	bool no_host_access;
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

struct vnpu_binding *vnpu_binding_create(struct vnpu_client *client,
					 const struct vnpu_bind_spec *spec);
void vnpu_binding_destroy(struct vnpu_binding *binding);
void vnpu_binding_insert_slab(struct vnpu_binding *binding, u64 va);
void vnpu_binding_remove_slab(struct vnpu_binding *binding);

int vnpu_bind_check_free(struct vnpu_client *client, u64 va, u64 length);
int vnpu_bind_insert(struct vnpu_client *client,
		     const struct vnpu_bind_spec *spec);
int vnpu_bind_remove(struct vnpu_client *client, u64 va, u64 length,
		     bool only_owned, struct vnpu_unbound *unbound);
void vnpu_bind_remove_all(struct vnpu_client *client);
int vnpu_bind_protect(struct vnpu_client *client, u64 va, u64 length,
		      u32 device, u32 access);

/* mapped.c */
void vnpu_binding_note_mapped(struct vnpu_binding *binding);
void vnpu_mapped_revoke(struct vnpu_mem *mem);

struct vnpu_binding *vnpu_bind_first_locked(struct vnpu_client *client, u64 va,
					    u64 last);
struct vnpu_binding *vnpu_bind_find_locked(struct vnpu_client *client, u64 va);
bool vnpu_bind_in_window(struct vnpu_client *client, u64 va);
int vnpu_bind_device(struct vnpu_client *client, u64 va, u32 *device);
int vnpu_bind_check_range(struct vnpu_client *client, u64 va, u64 length,
			  u32 device, u32 access);
int vnpu_bind_get_span(struct vnpu_client *client, u64 va, u64 length,
		       u32 device, u32 access, struct vnpu_span *span);
bool vnpu_bind_is_shared_locked(struct vnpu_client *client, u64 va, u64 last);
int vnpu_bind_pin_locked(struct vnpu_client *client, u64 va, u64 length,
			 u32 device, u32 access, struct vnpu_span *span);
void vnpu_span_unpin(struct vnpu_span *span);
void vnpu_span_put(struct vnpu_span *span);
bool vnpu_binding_allows(const struct vnpu_binding *binding, u32 device,
			 u32 wanted);

static inline struct vnpu_binding *vnpu_binding_of(struct vnpu_va_node *node)
{
	return node ? container_of(node, struct vnpu_binding, node) : NULL;
}

/* If it is not, no entry of the binding is left in any page table of the host. */
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
