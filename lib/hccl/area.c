// SPDX-License-Identifier: MIT
/*
 * Memory that a program has named to a communicator: windows, reserved ranges of
 * addresses, and memory that is active in these.  Operations need none of them.
 */
#include <stdlib.h>

#include "alloc/parts.h"

#include "comm.h"

enum area_kind { AREA_WINDOW, AREA_RANGE, AREA_ACTIVE };

struct hccl_area {
	struct hccl_area *next;
	enum area_kind kind;
	uint64_t base;
	uint64_t size;
};

static bool overlaps(const struct hccl_area *area, uint64_t base, uint64_t size)
{
	return base < area->base + area->size && area->base < base + size;
}

static bool contains(const struct hccl_area *area, uint64_t base, uint64_t size)
{
	return base >= area->base && base - area->base <= area->size &&
	       size <= area->size - (base - area->base);
}

/* The next functions need the communicator's lock. */
static struct hccl_area *find_overlap(const struct hccl_comm *comm,
				      enum area_kind kind, uint64_t base,
				      uint64_t size)
{
	struct hccl_area *area = comm->areas;

	while (area && (area->kind != kind || !overlaps(area, base, size)))
		area = area->next;
	return area;
}

static struct hccl_area *find_container(const struct hccl_comm *comm,
					enum area_kind kind, uint64_t base,
					uint64_t size)
{
	struct hccl_area *area = comm->areas;

	while (area && (area->kind != kind || !contains(area, base, size)))
		area = area->next;
	return area;
}

/* Add an area that overlaps no other one of its kind. */
static HcclResult add(struct hccl_comm *comm, enum area_kind kind,
		      const void *ptr, uint64_t size, struct hccl_area **out)
{
	struct hccl_area *area = malloc(sizeof(*area));
	uint64_t base = (uintptr_t)ptr;
	HcclResult ret = HCCL_E_PARA;

	if (!area)
		return HCCL_E_MEMORY;
	*area = (struct hccl_area){ .kind = kind, .base = base, .size = size };
	pthread_mutex_lock(&comm->lock);
	if (!find_overlap(comm, kind, base, size) &&
	    (kind != AREA_ACTIVE ||
	     find_container(comm, AREA_RANGE, base, size))) {
		area->next = comm->areas;
		comm->areas = area;
		*out = area;
		ret = HCCL_SUCCESS;
	}
	pthread_mutex_unlock(&comm->lock);
	if (ret)
		free(area);
	return ret;
}

/* Remove the area that begins there; a range must have no active memory. */
static HcclResult remove_at(struct hccl_comm *comm, enum area_kind kind,
			    const void *ptr)
{
	struct hccl_area **link = &comm->areas, *area;
	HcclResult ret = HCCL_SUCCESS;

	pthread_mutex_lock(&comm->lock);
	while (*link && ((*link)->kind != kind ||
			 (*link)->base != (uintptr_t)ptr))
		link = &(*link)->next;
	area = *link;
	if (!area)
		ret = HCCL_E_NOT_FOUND;
	else if (kind == AREA_RANGE &&
		 find_overlap(comm, AREA_ACTIVE, area->base, area->size))
		ret = HCCL_E_PARA;
	else
		*link = area->next;
	pthread_mutex_unlock(&comm->lock);
	if (!ret)
		free(area);
	return ret;
}

void hccl_areas_free(struct hccl_comm *comm)
{
	while (comm->areas) {
		struct hccl_area *area = comm->areas;

		comm->areas = area->next;
		free(area);
	}
}

static bool ends_in_addresses(const void *ptr, uint64_t size)
{
	return size && size <= UINT64_MAX - (uintptr_t)ptr;
}

static bool is_memory(const void *ptr, uint64_t size)
{
	return size && vnpu_collective_memory_parts(ptr, size);
}

HcclResult HcclCommSymWinRegister(HcclComm handle, void *addr, uint64_t size,
				  HcclCommSymWindow *winHandle, uint32_t flag)
{
	struct hccl_area *area = NULL;
	struct hccl_comm *comm;
	HcclResult ret;

	if (!handle || !addr || !winHandle)
		return HCCL_E_PTR;
	if (flag != 1 || !is_memory(addr, size))
		return HCCL_E_PARA;
	comm = hccl_comm_get(handle);
	if (!comm)
		return HCCL_E_PARA;
	ret = add(comm, AREA_WINDOW, addr, size, &area);
	hccl_comm_put(comm);
	if (!ret)
		*winHandle = area;
	return ret;
}

/* Remove a window of the communicator; false if it has no such window. */
static bool remove_window(struct hccl_comm *comm, const void *window)
{
	struct hccl_area **link = &comm->areas, *area;

	pthread_mutex_lock(&comm->lock);
	while (*link && ((*link)->kind != AREA_WINDOW || *link != window))
		link = &(*link)->next;
	area = *link;
	if (area)
		*link = area->next;
	pthread_mutex_unlock(&comm->lock);
	free(area);
	return area;
}

HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle)
{
	struct hccl_comm *comm;

	if (!winHandle)
		return HCCL_E_PTR;
	comm = hccl_comm_find(remove_window, winHandle);
	if (!comm)
		return HCCL_E_PARA;
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}

HcclResult HcclCommSymWinGet(HcclComm handle, void *ptr, size_t size,
			     HcclCommSymWindow *winHandle, size_t *offset)
{
	HcclResult ret = HCCL_E_NOT_FOUND;
	struct hccl_area *area;
	struct hccl_comm *comm;

	if (!handle || !ptr || !winHandle || !offset)
		return HCCL_E_PTR;
	comm = size ? hccl_comm_get(handle) : NULL;
	if (!comm)
		return HCCL_E_PARA;
	pthread_mutex_lock(&comm->lock);
	area = find_container(comm, AREA_WINDOW, (uintptr_t)ptr, size);
	if (area) {
		*winHandle = area;
		*offset = (uintptr_t)ptr - area->base;
		ret = HCCL_SUCCESS;
	}
	pthread_mutex_unlock(&comm->lock);
	hccl_comm_put(comm);
	return ret;
}

HcclResult HcclCommSetMemoryRange(HcclComm handle, void *baseVirPtr,
				  size_t size, size_t alignment, uint64_t flags)
{
	struct hccl_area *area;
	struct hccl_comm *comm;
	HcclResult ret;

	if (!handle || !baseVirPtr)
		return HCCL_E_PTR;
	if (alignment || flags || !ends_in_addresses(baseVirPtr, size))
		return HCCL_E_PARA;
	comm = hccl_comm_get(handle);
	if (!comm)
		return HCCL_E_PARA;
	ret = add(comm, AREA_RANGE, baseVirPtr, size, &area);
	hccl_comm_put(comm);
	return ret;
}

static HcclResult forget(HcclComm handle, enum area_kind kind, const void *ptr)
{
	struct hccl_comm *comm;
	HcclResult ret;

	if (!ptr)
		return HCCL_E_PTR;
	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	ret = remove_at(comm, kind, ptr);
	hccl_comm_put(comm);
	return ret;
}

HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr)
{
	return forget(comm, AREA_RANGE, baseVirPtr);
}

HcclResult HcclCommActivateCommMemory(HcclComm handle, void *virPtr,
				      size_t size, size_t offset,
				      aclrtDrvMemHandle memory, uint64_t flags)
{
	struct hccl_area *area;
	struct hccl_comm *comm;
	HcclResult ret;

	if (!handle || !virPtr || !memory)
		return HCCL_E_PTR;
	if (offset || flags || !is_memory(virPtr, size))
		return HCCL_E_PARA;
	comm = hccl_comm_get(handle);
	if (!comm)
		return HCCL_E_PARA;
	ret = add(comm, AREA_ACTIVE, virPtr, size, &area);
	hccl_comm_put(comm);
	return ret;
}

HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr)
{
	return forget(comm, AREA_ACTIVE, virPtr);
}
