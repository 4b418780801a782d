// SPDX-License-Identifier: GPL-2.0-only
/* The allocations of driver/core in user space: counted, and failing. */
#include "core_shim.h"

long core_fail_nth;
long core_allocated;

void *core_calloc(size_t n, size_t size)
{
	void *p;

	if (core_fail_nth && !--core_fail_nth)
		return NULL;
	p = calloc(n, size);
	if (p)
		core_allocated++;
	return p;
}

void core_free(const void *p)
{
	if (p)
		core_allocated--;
	free((void *)p);
}
