// SPDX-License-Identifier: MIT
/*
 * Small allocations, see slab.h.
 *
 * On first use the library gives the driver a range of the window for the slabs
 * of a device.  The range is never returned.  The driver manages it, and the
 * library only stores that it exists.
 */
#include <errno.h>
#include <stdatomic.h>

#include "io/io.h"
#include "io/va.h"
#include "slab.h"

/* A slab may be as small as a page, but takes the addresses of eight. */
#define ADDRESSES_PER_BYTE	8
/* If addresses are scarce, a smaller range is not worthwhile. */
#define WINDOW_MIN		(1ULL << 20)

enum state { STATE_UNKNOWN, STATE_READY, STATE_NONE };

static _Atomic(enum state) states[VNPU_IO_MAX_DEVICES];

/* Reserve as many addresses as can ever be used, or as there are. */
static int window_find(uint32_t device, uint64_t *va, uint64_t *length)
{
	struct vnpu_io_device info;
	int ret = vnpu_io_device_query(device, &info);

	if (ret)
		return ret;
	*length = info.total * ADDRESSES_PER_BYTE * 2;
	do {
		*length /= 2;
		/* Leave half of the available addresses to pages. */
		ret = vnpu_va_alloc(VNPU_IO_SHIFT_4K, *length * 2, va);
		if (ret)
			continue;
		vnpu_va_free(VNPU_IO_SHIFT_4K, *length * 2, *va);
		/* Another thread may have got some of them since. */
		ret = vnpu_va_alloc(VNPU_IO_SHIFT_4K, *length, va);
	} while (ret && *length / 2 >= WINDOW_MIN);
	return ret;
}

/* Several threads may do this at once: the driver accepts one window. */
static int window_set(uint32_t device)
{
	uint64_t va, length;
	int ret;

	ret = window_find(device, &va, &length);
	if (ret)
		return ret;
	ret = vnpu_io_slab_window(device, va, length);
	if (ret)
		vnpu_va_free(VNPU_IO_SHIFT_4K, length, va);
	return ret == -EBUSY ? 0 : ret;
}

static int setup(uint32_t device)
{
	int ret = window_set(device);

	if (!ret)
		atomic_store(&states[device], STATE_READY);
	/* Neither the window nor the access mode will change. */
	if (ret == -EADDRNOTAVAIL || ret == -EOPNOTSUPP)
		atomic_store(&states[device], STATE_NONE);
	return ret == -EADDRNOTAVAIL ? -EOPNOTSUPP : ret;
}

int vnpu_mem_slab_alloc(uint32_t device, uint64_t length, uint64_t *va)
{
	if (length > VNPU_IO_SLAB_MAX)
		return -EOPNOTSUPP;
	if (atomic_load(&states[device]) == STATE_UNKNOWN) {
		int ret = setup(device);

		if (ret)
			return ret;
	}
	if (atomic_load(&states[device]) == STATE_NONE)
		return -EOPNOTSUPP;
	return vnpu_io_slab_alloc(device, length, va);
}
