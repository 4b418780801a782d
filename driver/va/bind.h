/* SPDX-License-Identifier: GPL-2.0-only */
/* Bindings: the memory at each device address of a client. */
#ifndef VNPU_BIND_H
#define VNPU_BIND_H

#include <asm/barrier.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/va.h"
#include "mem/binding.h"
#include "ras/inject.h"

struct vnpu_client;
struct vnpu_mem;

/**
 * struct vnpu_bind_spec - a request for a binding
 * @mem: the memory object, held by the client, with a reference; the binding
 *	takes over both, or drops them on failure
 * @storage: memory for the binding, zeroed and embedded in @mem; or NULL
 * @mem_id: the id by which the client named @mem, or 0
 * @va: device address, page-aligned
 * @length: bytes, page-aligned, not 0
 * @offset: offset into @mem, page-aligned; the caller has checked the range
 * @no_access: true to refuse all access until the client grants it
 * @no_host_access: true to refuse access by the host
 */
struct vnpu_bind_spec {
	struct vnpu_mem *mem;
	struct vnpu_binding *storage;
	u32 mem_id;
	u64 va;
	u64 length;
	u64 offset;
	bool no_access;
	bool no_host_access;
};

/**
 * struct vnpu_unbound - the bindings that vnpu_bind_remove() removed
 * @length: number of bytes that were bound
 * @bindings: number of bindings
 * @page_shift: page class of the lowest binding
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
int vnpu_ecc_inject(const struct vnpu_client *client, u64 va,
		    const struct vnpu_span *span, u64 *addr);
bool vnpu_binding_allows(const struct vnpu_binding *binding, u32 device,
			 u32 wanted);

/*
 * Check a piece of memory for errors before its use. All errors are injected.
 * Return 0, or -EIO or -EFAULT with the address of the error in *@addr.
 */
static inline int vnpu_ecc_check(const struct vnpu_client *client, u64 va,
				 const struct vnpu_span *span, u64 *addr)
{
	return vnpu_inject_is_on() ? vnpu_ecc_inject(client, va, span, addr) : 0;
}

#endif
