/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test that is complete has tried: a note that all of its processes share. */
#ifndef SELFTESTS_VNPU_FAIL_TRIED_H
#define SELFTESTS_VNPU_FAIL_TRIED_H

#include <stdlib.h>
#include <sys/mman.h>

/* By number, whether a call or command was to fail; of all tests, each a process. */
static unsigned char *tried;

static __attribute__((constructor)) void map_tried(void)
{
	tried = mmap(NULL, 256, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tried == MAP_FAILED)
		abort();
}

#endif
