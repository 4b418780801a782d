// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a task that uses a little of a large contiguous part of host
 * memory: it does not grow with the size of the part.
 *
 * The test compares times, which are exact if the clock counts instructions
 * (vnpu-vm --icount). The shortest of some tries counts, as there may be other
 * work.
 */
#include "hostmem.h"
#include "stream.h"

#define TRIES	5
#define COPIES	1000
#define PIECE	(2 * PAGE)

/*
 * The first look-up may cost this much more, as its result serves several
 * tasks.
 */
#define BEHIND	KIB(512)

/* Return the ns of tasks that copy each piece to the next, or -errno. */
static __s64 copies(struct stream *s, __u64 va)
{
	__u64 from = now_ns();
	int i, ret;

	for (i = 0; i < COPIES; i++)
		stream_put(s, task_copy(va + PIECE, va, PIECE));
	ret = stream_submit(s) ?: stream_wait(s, 60000);
	if (ret)
		return ret;
	return s->ring->errors ? -EIO : (__s64)(now_ns() - from);
}

static __s64 shortest(struct stream *s, __u64 va)
{
	__s64 best = copies(s, va);
	int i;

	for (i = 1; i < TRIES && best >= 0; i++) {
		__s64 ns = copies(s, va);

		if (ns < best)
			best = ns;
	}
	return best;
}

/* Use pieces near the end of a huge page, and at its start. */
TEST_F(hostmem, cost_does_not_depend_on_the_run)
{
	__u8 *p = anonymous_huge();
	struct vnpu_mem_query q;
	__s64 few, many;
	struct stream s;
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 1, HUGE);
	ASSERT_EQ(0, host_register(&self->c, 0, p, HUGE, &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &q));
	if (q.out_extents != 1)
		SKIP(return, "the page is not huge");
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, HUGE, 0));

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	few = shortest(&s, self->va + HUGE - BEHIND);
	many = shortest(&s, self->va);
	printf("# %d copies: %lld ns near the end, %lld at the start\n",
	       COPIES, (long long)few, (long long)many);
	EXPECT_LT(0, few);
	EXPECT_LT(0, many);
	EXPECT_LT(many, few * 5 / 4);
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_HARNESS_MAIN
