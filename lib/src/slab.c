// SPDX-License-Identifier: MIT
/*
 * Small allocations, see slab.h.
 *
 * At the first need the driver is given a range of the window for the slabs of
 * a device.  It never comes back: the driver keeps the book of it, and nothing
 * is stored here but that it is there.
 */
#include <errno.h>
#include <stdatomic.h>

#include "io.h"
#include "slab.h"
#include "va.h"

/* A slab may be as small as a page, but has the addresses of eight. */
#define ADDRESSES_PER_BYTE	8
/* Where addresses are scarce, less than this is not worth while. */
#define WINDOW_MIN		(1ULL << 20)

enum state { STATE_UNKNOWN, STATE_READY, STATE_NONE };

static _Atomic(enum state) states[VNPU_IO_MAX_DEVICES];

/* As large as can ever be filled, or as there are addresses for. */
static int window_find(uint32_t device, uint64_t *va, uint64_t *length)
{
	struct vnpu_io_device info;
	int ret = vnpu_io_device_query(device, &info);

	if (ret)
		return ret;
	*length = info.total * ADDRESSES_PER_BYTE;
	/* Half of what there is room for is left to pages. */
	while ((ret = vnpu_va_alloc(VNPU_IO_SHIFT_4K, *length * 2, va))) {
		*length /= 2;
		if (*length < WINDOW_MIN)
			return ret;
	}
	vnpu_va_free(VNPU_IO_SHIFT_4K, *length * 2, *va);
	return vnpu_va_alloc(VNPU_IO_SHIFT_4K, *length, va);
}

/* Several threads may do this at once: the driver takes one window. */
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
	/* Neither the window nor the mode of access will be another. */
	if (ret == -EADDRNOTAVAIL || ret == -EOPNOTSUPP)
		atomic_store(&states[device], STATE_NONE);
	return ret == -EADDRNOTAVAIL ? -EOPNOTSUPP : ret;
}

int vnpu_slab_alloc(uint32_t device, uint64_t length, uint64_t *va)
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
