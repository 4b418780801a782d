// SPDX-License-Identifier: MIT
/*
 * Descriptions of device addresses, for the messages of exceptions.
 *
 * The driver finds a binding at or above an address.  Allocations have a free
 * page behind them, so the one below an address is searched in steps of growing
 * size.
 */
#include <stdio.h>

#include "io/io.h"
#include "mem/guard.h"
#include "exception.h"

#define STEP_MIN	4096ULL
#define STEP_MAX	(1ULL << 30)
#define WALK_MAX	64

static void bytes_text(uint64_t bytes, char *text, size_t size)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	unsigned int unit = 0;

	while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%llu %s", (unsigned long long)bytes,
		 bytes == 1 && !unit ? "byte" : units[unit]);
}

static uint64_t end_of(const struct vnpu_io_binding *binding)
{
	return binding->va + binding->length;
}

/* Find the last binding that ends at or below an address. */
static bool find_below(uint64_t address, struct vnpu_io_binding *below)
{
	struct vnpu_io_binding next;
	uint64_t step = STEP_MIN;

	for (; step <= STEP_MAX && step < address; step *= 2)
		if (!vnpu_io_va_query(address - step, false, below))
			break;
	if (step > STEP_MAX || step >= address)
		return false;
	for (unsigned int i = 0; i < WALK_MAX; i++) {
		if (vnpu_io_va_query(end_of(below), true, &next) ||
		    next.va >= address)
			break;
		*below = next;
	}
	return true;
}

/* An allocation in the terms of the program. */
struct extent {
	uint64_t va;
	uint64_t length;
	const char *origin;
};

static struct extent extent_of(const struct vnpu_io_binding *binding)
{
	struct extent extent = {
		.va = binding->va,
		.length = binding->length,
		.origin = binding->is_host ? "host memory" :
					     "memory of aclrtMalloc",
	};
	struct vnpu_guarded guarded;

	if (vnpu_guard_find(binding->va, &guarded)) {
		extent.va = guarded.va;
		extent.length = guarded.size;
	}
	return extent;
}

static void describe(const struct extent *extent, uint64_t address, char *text,
		     size_t size)
{
	uint64_t distance = address - extent->va;
	const char *where = "into";
	char far[32], length[32];

	if (address < extent->va) {
		distance = extent->va - address;
		where = "before";
	} else if (distance >= extent->length) {
		distance -= extent->length;
		where = "behind";
	}
	bytes_text(distance, far, sizeof(far));
	bytes_text(extent->length, length, sizeof(length));
	if (!distance)
		snprintf(far, sizeof(far), "right");
	snprintf(text, size, "%s %s 0x%llx, %s of %s", far, where,
		 (unsigned long long)extent->va, length, extent->origin);
}

/* Describe an address of a guarded allocation that was freed, if it is one. */
static bool describe_freed(uint64_t address, char *text, size_t size)
{
	struct vnpu_guarded guarded;
	struct extent extent;

	if (!vnpu_guard_find(address, &guarded) || !guarded.is_freed)
		return false;
	extent = (struct extent){ guarded.va, guarded.size,
				  "memory that was freed" };
	describe(&extent, address, text, size);
	return true;
}

/* Find the binding that has the address, or else the nearest one. */
static bool find_nearest(uint64_t address, struct vnpu_io_binding *nearest)
{
	struct vnpu_io_binding above;
	bool has_below, has_above;

	if (!vnpu_io_va_query(address, false, nearest))
		return true;
	has_below = find_below(address, nearest);
	has_above = !vnpu_io_va_query(address, true, &above);
	if (has_above && (!has_below || above.va - address <
			  address - end_of(nearest)))
		*nearest = above;
	return has_below || has_above;
}

void vnpu_describe_address(uint64_t address, char *text, size_t size)
{
	struct vnpu_io_binding nearest;
	struct extent extent;

	*text = '\0';
	if (!vnpu_io_is_device_address(address) ||
	    describe_freed(address, text, size) ||
	    !find_nearest(address, &nearest))
		return;
	extent = extent_of(&nearest);
	describe(&extent, address, text, size);
}
