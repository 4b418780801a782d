/* SPDX-License-Identifier: GPL-2.0-only */
/* Which calls the tests have tried, in memory that all test processes share. */
#ifndef SELFTESTS_VNPU_FAIL_TRIED_H
#define SELFTESTS_VNPU_FAIL_TRIED_H

#include <stdlib.h>
#include <sys/mman.h>

/* For each ioctl or command number, whether it was made to fail in any test. */
static unsigned char *tried;

static __attribute__((constructor)) void map_tried(void)
{
	tried = mmap(NULL, 256, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tried == MAP_FAILED)
		abort();
}

#endif
