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
		 units[unit]);
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

static const char *origin(const struct vnpu_io_binding *binding)
{
	return binding->is_host ? "host memory" : "memory of aclrtMalloc";
}

static void describe(const struct vnpu_io_binding *binding, uint64_t distance,
		     const char *where, char *text, size_t size)
{
	char far[32], length[32];

	bytes_text(distance, far, sizeof(far));
	bytes_text(binding->length, length, sizeof(length));
	if (!distance)
		snprintf(far, sizeof(far), "right");
	snprintf(text, size, "%s %s 0x%llx, %s of %s", far, where,
		 (unsigned long long)binding->va, length, origin(binding));
}

void vnpu_describe_address(uint64_t address, char *text, size_t size)
{
	struct vnpu_io_binding binding, above;
	bool has_below, has_above;

	*text = '\0';
	if (!vnpu_io_is_device_address(address))
		return;
	if (!vnpu_io_va_query(address, false, &binding)) {
		describe(&binding, address - binding.va, "into", text, size);
		return;
	}
	has_below = find_below(address, &binding);
	has_above = !vnpu_io_va_query(address, true, &above);
	if (has_below && (!has_above || address - end_of(&binding) <=
			  above.va - address))
		describe(&binding, address - end_of(&binding), "behind", text,
			 size);
	else if (has_above)
		describe(&above, above.va - address, "before", text, size);
}
