// SPDX-License-Identifier: GPL-2.0-only
/* The memory of the ranks of one process; under sanitizers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm.h"
#include "local.h"

static unsigned int tests, failures;

static void check(bool is_ok, const char *name)
{
	printf("%sok %u %s\n", is_ok ? "" : "not ", ++tests, name);
	failures += !is_ok;
}

/* comm.c, which has them, needs a device. */
void hccl_lock(void)
{
}

void hccl_unlock(void)
{
}

/* Ranks of one process do not see what is written to the memory of all ranks. */
static void test_local(void)
{
	struct hccl_region all, own[2];
	struct hccl_local *local[2], *other;
	struct hccl_place place, elsewhere;
	int memory = hccl_region_create(3);

	if (memory < 0 || hccl_region_map(&all, memory, 3) ||
	    hccl_place_random(&place) || hccl_place_random(&elsewhere))
		abort();
	if (hccl_local_get(memory, &place, 3, 0, &local[0], &own[0]) ||
	    hccl_local_get(memory, &place, 3, 2, &local[1], &own[1]))
		abort();
	check(hccl_local_has(local[0], 2) && hccl_local_has(local[1], 0) &&
	      !hccl_local_has(local[0], 1),
	      "the ranks of a process find each other, and no other rank");
	memset(all.base, 0xff, all.size);
	hccl_region_call(&own[1], 2, false, 5)->send.va = 77;
	hccl_region_rank(&own[1], 2)->posts[0].posted = 6;
	check(hccl_region_call(&own[0], 2, false, 5)->send.va == 77 &&
	      hccl_region_rank(&own[0], 2)->posts[0].posted == 6 &&
	      !hccl_region_rank(&own[0], 1)->failed,
	      "what another process writes does not change their calls");
	check(hccl_local_get(memory, &place, 3, 2, &other, own) ==
	      HCCL_E_INTERNAL &&
	      hccl_local_get(memory, &elsewhere, 3, 1, &other, own) ==
	      HCCL_E_INTERNAL &&
	      hccl_local_get(memory, &place, 2, 1, &other, own) ==
	      HCCL_E_INTERNAL,
	      "a rank joins once, and not with the memory of another meeting");
	hccl_local_put(local[0]);
	hccl_local_put(local[1]);
	hccl_region_unmap(&all);
	close(memory);
}

int main(void)
{
	test_local();
	printf("1..%u\n", tests);
	return failures != 0;
}
