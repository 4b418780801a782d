// SPDX-License-Identifier: MIT
/*
 * Virtual memory, see vmm.h.
 *
 * Reservations and mappings are trees by address.  A reservation comes from the
 * address manager like an allocation, and a mapping is a binding.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "base/handle.h"
#include "base/tree.h"
#include "io/io.h"
#include "io/va.h"
#include "ipc/share.h"
#include "runtime/context.h"
#include "physical.h"
#include "vmm.h"

#define GRANULE		(2UL << 20)
#define GRANULE_1G	(1UL << 30)

struct reservation {
	struct vnpu_tree_node node;	/* {start, 0} */
	uint64_t length;
	unsigned int page_shift;	/* for the address manager */
	uint32_t device;		/* a reset of it ends this */
};

struct mapping {
	struct vnpu_tree_node node;	/* {start, 0} */
	struct vnpu_physical *physical;	/* as long as the mapping */
};

static struct vnpu_tree_node *reservations;
static struct vnpu_tree_node *mappings;

static struct reservation *find_reservation(uint64_t va)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(reservations, va, 0);

	return node ? container_of(node, struct reservation, node) : NULL;
}

/* Find the first mapping at or above an address. */
static struct mapping *next_mapping(uint64_t va)
{
	struct vnpu_tree_node *node = vnpu_tree_at_least(mappings, va, 0);

	return node ? container_of(node, struct mapping, node) : NULL;
}

static struct mapping *find_mapping(uint64_t va)
{
	struct mapping *mapping = next_mapping(va);

	return mapping && mapping->node.hi == va ? mapping : NULL;
}

static uint64_t length_of(const struct mapping *mapping)
{
	return mapping->physical->mem.length;
}

struct vnpu_physical *vnpu_vmm_physical_locked(uint64_t va)
{
	struct mapping *mapping = find_mapping(va);

	return mapping ? mapping->physical : NULL;
}

bool vnpu_vmm_is_mapped_locked(uint64_t va, uint64_t size)
{
	struct mapping *mapping;

	do {
		mapping = find_mapping(va);
		if (!mapping || length_of(mapping) > size)
			return false;
		va += length_of(mapping);
		size -= length_of(mapping);
	} while (size);
	return true;
}

aclError vnpu_vmm_not_mapped(const void *ptr)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"virPtr = %p is not the start of a mapping; pass the address that was passed to aclrtMapMem",
		ptr);
}

/*
 * Reserve addresses; large reservations begin at a multiple of 1 GiB, for pages
 * of that size.  If that zone is full, the other one is used.
 */
static int alloc_addresses(struct reservation *reservation, uint64_t size)
{
	uint64_t length = vnpu_align_up(size, GRANULE_1G);

	if (size >= GRANULE_1G && length &&
	    !vnpu_va_alloc(VNPU_IO_SHIFT_1G, length, &reservation->node.hi)) {
		reservation->page_shift = VNPU_IO_SHIFT_1G;
		reservation->length = length;
		return 0;
	}
	length = vnpu_align_up(size, GRANULE);
	if (!length)
		return -EADDRNOTAVAIL;
	reservation->page_shift = VNPU_IO_SHIFT_2M;
	reservation->length = length;
	return vnpu_va_alloc(VNPU_IO_SHIFT_2M, length, &reservation->node.hi);
}

static aclError reserve_check(void **ptr, uint64_t size, uint64_t flags)
{
	if (!ptr)
		return vnpu_error_null("virPtr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 byte");
	if (flags > 1)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flags = %llu is not known; pass 0 or 1",
			(unsigned long long)flags);
	return ACL_SUCCESS;
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
				void *expectPtr, uint64_t flags)
{
	VNPU_CALL();
	struct reservation *reservation;
	struct vnpu_current current;
	aclError ret = reserve_check(virPtr, size, flags);

	vnpu_gate_pass();
	if (ret)
		return ret;
	if (alignment)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"alignment = %zu is reserved; pass 0", alignment);
	if (expectPtr)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"expectPtr = %p: the address cannot be chosen on this device; pass NULL",
			expectPtr);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	reservation = calloc(1, sizeof(*reservation));
	if (!reservation || alloc_addresses(reservation, size)) {
		free(reservation);
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %zu: no free range of device addresses is long enough; release some, or request fewer",
			size);
	}
	reservation->device = current.device;
	*virPtr = vnpu_u64_to_ptr(reservation->node.hi);
	vnpu_runtime_lock();
	vnpu_tree_add(&reservations, &reservation->node);
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

/*
 * The program would have to choose the address, which CANN requires to be 40
 * TiB or more; this library cannot assign such addresses.
 */
aclError aclrtReserveMemAddressNoUCMemory(void **virPtr, size_t size,
					  size_t alignment, void *expectPtr,
					  uint64_t flags)
{
	VNPU_CALL();
	aclError ret = reserve_check(virPtr, size, flags);

	(void)alignment;
	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"expectPtr = %p: the address cannot be chosen on this device; use aclrtReserveMemAddress",
		expectPtr);
}

static void release(struct reservation *reservation)
{
	vnpu_tree_remove(&reservations, &reservation->node);
	vnpu_va_free(reservation->page_shift, reservation->length,
		     reservation->node.hi);
	free(reservation);
}

static bool is_empty(const struct reservation *reservation)
{
	struct mapping *mapping = next_mapping(reservation->node.hi);

	return !mapping || mapping->node.hi - reservation->node.hi >=
			   reservation->length;
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
	VNPU_CALL();
	uint64_t va = vnpu_ptr_to_u64(virPtr);
	struct reservation *reservation;
	bool can_go = false;

	vnpu_gate_pass();
	if (!virPtr)
		return vnpu_error_null("virPtr");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_runtime_lock();
	reservation = find_reservation(va);
	if (reservation && reservation->node.hi != va)
		reservation = NULL;
	if (reservation)
		can_go = is_empty(reservation);
	if (can_go)
		release(reservation);
	vnpu_runtime_unlock();

	if (!reservation)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"virPtr = %p is not an address that aclrtReserveMemAddress returned, or was released before, or its device was reset",
			virPtr);
	if (!can_go)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"virPtr = %p: memory is mapped there; call aclrtUnmapMem first",
			virPtr);
	return ACL_SUCCESS;
}

static int map_locked(struct vnpu_physical *physical, uint64_t va,
		      bool no_access)
{
	enum vnpu_io_users users = physical->is_host ? VNPU_IO_ALL :
						       VNPU_IO_DEVICES;
	struct mapping *mapping = malloc(sizeof(*mapping));
	int ret = 0;

	if (!mapping)
		return -ENOMEM;
	if (no_access)
		users = VNPU_IO_NOBODY;
	if (users == VNPU_IO_ALL)
		ret = vnpu_io_window_open_all();
	if (!ret)
		ret = vnpu_io_bind(physical->mem.id, va, physical->mem.length,
				   0, users);
	if (ret) {
		free(mapping);
		return ret;
	}
	mapping->node.hi = va;
	mapping->node.lo = 0;
	mapping->physical = physical;
	vnpu_physical_map_locked(physical);
	vnpu_tree_add(&mappings, &mapping->node);
	return 0;
}

/* Get the error of the place and the size, or NULL; the lock is held. */
static const char *place_check_locked(const struct vnpu_physical *physical,
				      uint64_t va, uint64_t size)
{
	const uint64_t page = 1ULL << physical->mem.page_shift;
	const struct reservation *reservation = find_reservation(va);
	uint64_t offset;

	if (va & ((page > GRANULE ? page : GRANULE) - 1))
		return "the address is not a multiple of the granularity";
	if (size != physical->mem.length)
		return "the size differs from that of the physical memory";
	if (!reservation)
		return "the address is not reserved";
	offset = va - reservation->node.hi;
	if (offset >= reservation->length ||
	    size > reservation->length - offset)
		return "the range is not inside one reservation";
	return NULL;
}

static aclError map(void *ptr, uint64_t size, uint64_t offset,
		    aclrtDrvMemHandle handle, uint64_t flags, bool no_access)
{
	uint64_t va = vnpu_ptr_to_u64(ptr);
	struct vnpu_physical *physical;
	const char *wrong;
	aclError ret;
	int err = 0;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("virPtr");
	if (!handle)
		return vnpu_error_null("handle");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass the size of the physical memory");
	if (flags)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flags = %llu is reserved; pass 0",
			(unsigned long long)flags);
	if (offset)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"offset = %llu: physical memory is mapped as a whole; pass 0",
			(unsigned long long)offset);
	ret = vnpu_physical_lock(handle, &physical);
	if (ret)
		return ret;

	wrong = place_check_locked(physical, va, size);
	if (!wrong)
		err = map_locked(physical, va, no_access);
	if (err == -EEXIST)
		wrong = "the range has a mapping";
	vnpu_runtime_unlock();

	if (wrong)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"virPtr = %p, size = %llu: %s", ptr,
			(unsigned long long)size, wrong);
	if (err)
		return vnpu_error_errno(err, "mapping physical memory");
	return ACL_SUCCESS;
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset,
		     aclrtDrvMemHandle handle, uint64_t flags)
{
	VNPU_CALL();

	return map(virPtr, size, offset, handle, flags, false);
}

aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset,
			     aclrtDrvMemHandle handle, uint64_t flags)
{
	VNPU_CALL();

	return map(virPtr, size, offset, handle, flags, true);
}

static void unmap_locked(struct mapping *mapping)
{
	uint64_t va = mapping->node.hi;

	vnpu_io_unbind(va);
	vnpu_share_forget(va);
	vnpu_tree_remove(&mappings, &mapping->node);
	vnpu_physical_unmap_locked(mapping->physical);
	free(mapping);
}

aclError aclrtUnmapMem(void *virPtr)
{
	VNPU_CALL();
	struct mapping *mapping;

	vnpu_gate_pass();
	if (!virPtr)
		return vnpu_error_null("virPtr");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_runtime_lock();
	mapping = find_mapping(vnpu_ptr_to_u64(virPtr));
	if (mapping)
		unmap_locked(mapping);
	vnpu_runtime_unlock();
	/* The driver of CANN has no specific code for this error. */
	if (!mapping)
		return vnpu_error(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"virPtr = %p is not the start of a mapping; pass the address that was passed to aclrtMapMem",
			virPtr);
	return ACL_SUCCESS;
}

void vnpu_vmm_release_all(uint32_t device)
{
	struct vnpu_tree_node *node;
	uint64_t va = 0;

	for (struct mapping *mapping; (mapping = next_mapping(va));) {
		const struct reservation *reservation;

		va = mapping->node.hi + 1;
		reservation = find_reservation(mapping->node.hi);
		if (mapping->physical->device == device ||
		    reservation->device == device)
			unmap_locked(mapping);
	}
	vnpu_physical_free_all_locked(device);

	va = 0;
	while ((node = vnpu_tree_at_least(reservations, va, 0))) {
		struct reservation *reservation =
			container_of(node, struct reservation, node);

		va = node->hi + 1;
		if (reservation->device == device)
			release(reservation);
	}
}
