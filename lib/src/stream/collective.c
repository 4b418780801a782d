// SPDX-License-Identifier: MIT
/* Threads of libhccl. */
#include "collective.h"

static __thread bool is_collective;

void vnpu_collective_begin_thread(void)
{
	is_collective = true;
}

bool vnpu_collective_is_thread(void)
{
	return is_collective;
}
