// SPDX-License-Identifier: MIT
/* The mark of a forked child, see child.h. */
#include <stdatomic.h>

#include "child.h"

static atomic_bool is_forked;

bool vnpu_is_forked(void)
{
	return atomic_load_explicit(&is_forked, memory_order_relaxed);
}

void vnpu_set_forked(void)
{
	atomic_store(&is_forked, true);
}
