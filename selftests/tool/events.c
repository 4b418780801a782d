// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cause an event of each tracepoint of the driver, on device 0, and print the
 * expected events in order, a line for each:
 *
 *	EVENT [FIELD=VALUE...]
 *
 * The exit status is 125 if an action fails.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "nl_quota.h"
#include "param.h"
#include "stream.h"
#include "trouble.h"
#include "util.h"

#define EXIT_SETUP	125
#define ROOT		0
#define PIECES		8
#define SIZE		MIB(1)

struct actor {
	struct client c;
	__u64 va;
};

static void undo(void)
{
	quota_remove(0, VNPU_QUOTA_SCOPE_UID, ROOT);
}

static void must(const char *what, int ret, int wanted)
{
	if (ret == wanted)
		return;
	fprintf(stderr, "events: %s: %s\n", what, strerror(-ret));
	undo();
	exit(EXIT_SETUP);
}

static void use_memory(struct actor *a)
{
	volatile char *p = ptr(a->va);
	__u64 va;

	must("allocate", mem_alloc_at(&a->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				      SIZE, a->va), 0);
	printf("vnpu_mem_alloc device=0 length=%llu asked=%llu page_shift=12\n",
	       SIZE, SIZE);
	printf("vnpu_bind va=0x%llx length=%llu offset=0\n", a->va, SIZE);
	*p = 1;
	printf("vnpu_host_fault va=0x%llx write=1 result=0\n", a->va);
	must("unbind", va_unbind(&a->c, a->va, 0), 0);
	printf("vnpu_unbind va=0x%llx length=%llu offset=0\n", a->va, SIZE);
	printf("vnpu_mem_free device=0 length=%llu asked=%llu page_shift=12\n",
	       SIZE, SIZE);

	must("have slabs", slab_window(&a->c, 0, a->va, SIZE), 0);
	must("allocate an object", slab_alloc(&a->c, 0, 100, &va, NULL), 0);
	printf("vnpu_slab_alloc device=0 va=0x%llx\n", va);
	must("free an object", slab_free(&a->c, va), 0);
	printf("vnpu_slab_free device=0 va=0x%llx\n", va);
	/* The rest uses memory outside of the slabs. */
	a->va += MIB(64);
}

static __u64 cleared(void)
{
	static __u8 answer[NL_BUFFER] __attribute__((aligned(8)));
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_MEM_GET);
	nl_put_u32(&m, VNPU_A_MEM_DEV_ID, 0);
	must("ask for memory", trouble_ask(&m, answer), 0);
	return nl_u64((void *)answer, VNPU_A_MEM_CLEARED);
}

/* Memory that was written to and freed is cleared after a while. */
static void have_cleared(const struct actor *a)
{
	unsigned int ms;
	__u64 before;

	must("allocate", mem_alloc_at(&a->c, 0, 0, 0, SIZE, a->va), 0);
	must("fill", fill(&a->c, a->va, SIZE, 1, 8), 0);
	before = cleared();
	must("ask when it is cleared", param_get("scrub_ms", &ms), 0);
	must("say when", param_set("scrub_ms", 1), 0);
	must("unbind", va_unbind(&a->c, a->va, 0), 0);
	while (cleared() == before)
		usleep(1000);
	must("say what it was", param_set("scrub_ms", ms), 0);
	printf("vnpu_scrub device=0\n");
}

/* Four of eight pieces are left, and one piece must fit where two were. */
static void compact(const struct actor *a)
{
	struct vnpu_device_query q;
	__u64 piece, i;

	must("query", device_query(&a->c, 0, &q), 0);
	piece = q.out_free / PIECES & ~(KIB(64) - 1);
	for (i = 0; i < PIECES; i++)
		must("fill the device",
		     mem_alloc_at(&a->c, 0, 0, 0, piece, a->va + i * piece), 0);
	for (i = 0; i < PIECES; i += 2)
		must("make a hole", va_unbind(&a->c, a->va + i * piece, 0), 0);
	must("fill two holes", mem_alloc_at(&a->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
					    2 * piece,
					    a->va + PIECES * piece), 0);
	printf("vnpu_compact_begin device=0 length=%llu page_shift=12\n",
	       2 * piece);
	printf("vnpu_compact_end device=0 result=0\n");
	must("free all", va_unbind(&a->c, a->va, (PIECES + 2) * piece), 0);
}

static void have_none(const struct actor *a)
{
	static __u8 answer[NL_BUFFER] __attribute__((aligned(8)));
	int fd = nl_open(), family = nl_family(fd);
	struct nl_msg m;

	nl_init(&m, (__u16)family, 0, VNPU_CMD_INJECT_SET);
	nl_put_u32(&m, VNPU_A_INJECT_DEV_ID, 0);
	nl_put_u32(&m, VNPU_A_INJECT_KIND, VNPU_INJECT_KIND_ALLOC_FAIL);
	must("set a fault", nl_ask(fd, &m, answer), 0);
	must("have it", mem_alloc_at(&a->c, 0, 0, 0, SIZE, a->va), -ENOSPC);
	nl_put(&m, VNPU_A_INJECT_CLEAR, NULL, 0);
	must("clear the fault", nl_ask(fd, &m, answer), 0);
	close(fd);
	printf("vnpu_inject device=0 kind=alloc-fail va=0x0 hits=1\n");
	printf("vnpu_oom device=0 length=%llu page_shift=12\n", SIZE);

	must("set a quota", quota_set(0, VNPU_QUOTA_SCOPE_UID, ROOT, PAGE), 0);
	must("exceed it", mem_alloc_at(&a->c, 0, 0, 0, SIZE, a->va), -EDQUOT);
	undo();
	printf("vnpu_quota device=0 length=%llu id=%d limit=%llu used=0\n",
	       SIZE, ROOT, PAGE);
}

static void run_tasks(const struct actor *a)
{
	struct stream s;
	__u64 id;

	must("allocate", mem_alloc_at(&a->c, 0, 0, 0, SIZE, a->va), 0);
	must("create a stream", stream_create(&s, &a->c, 0), 0);
	must("fill", stream_do(&s, task_fill(a->va, SIZE, 0, 8)), 0);
	printf("vnpu_doorbell device=0 stream=%llu tail=1\n", s.id);
	printf("vnpu_task_start device=0 stream=%llu seq=1 op=fill length=%llu\n",
	       s.id, SIZE);
	printf("vnpu_task_finish device=0 stream=%llu seq=1 op=fill result=0\n",
	       s.id);
	printf("vnpu_engine_turn device=0 class=vector stream=%llu\n", s.id);
	must("go astray", stream_do(&s, task_copy(a->va + SIZE, a->va, PAGE)),
	     -EFAULT);
	printf("vnpu_task_fault device=0 stream=%llu seq=2 va=0x%llx result=-14\n",
	       s.id, a->va + SIZE);
	must("destroy a stream", stream_destroy(&s), 0);

	must("create a timeline", timeline_create(&a->c, 0, 0, 0, &id), 0);
	must("signal", timeline_signal(&a->c, id, 9, VNPU_SIGNAL_ADVANCE), 0);
	printf("vnpu_timeline_signal stream=0 timeline=%llu mode=advance value=9\n",
	       id);
	must("wait", wait_point(&a->c, id, 10, in_ms(1)), -ETIMEDOUT);
	printf("vnpu_wait_begin timeline=%llu value=10 count=1 all=0\n", id);
	printf("vnpu_wait_end result=-110\n");
}

/* The process itself is the core. */
static void launch(const struct actor *a)
{
	struct vnpu_engine_attach at;
	struct vnpu_engine_event e;
	struct stream s;
	int fd = engine_create(&a->c, 0, 1);

	must("create a stream", stream_create(&s, &a->c, 0), 0);
	must("attach", engine_attach(fd, &at), 0);
	printf("vnpu_core_attach device=0 slots=1\n");
	must("launch", stream_run(&s, task_launch(77, 0, 0)), 0);
	must("get it", engine_next(fd, &e, 1, in_ms(10000)), 1);
	printf("vnpu_launch device=0 stream=%llu seq=1 function=77 what=give result=0\n",
	       s.id);
	must("end it", engine_complete(fd, e.id, EIO, 0), 0);
	printf("vnpu_launch device=0 stream=%llu seq=1 function=77 what=end result=-5\n",
	       s.id);
	close(fd);
	printf("vnpu_core_end device=0 cause=died launches=0\n");
	must("destroy a stream", stream_destroy(&s), 0);
}

int main(void)
{
	struct actor a;

	must("open", client_open_only(&a.c), 0);
	must("map", window_map(&a.c, WINDOW_SIZE, PROT_READ | PROT_WRITE), 0);
	a.va = a.c.base;
	use_memory(&a);
	have_cleared(&a);
	compact(&a);
	have_none(&a);
	run_tasks(&a);
	launch(&a);
	client_close(&a.c);
	return 0;
}
