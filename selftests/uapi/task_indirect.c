// SPDX-License-Identifier: GPL-2.0-only
/* Copies whose addresses or length are in device memory. */
#include "task_fixture.h"

static struct vnpu_task task_indirect(__u64 dst, __u64 src, __u64 length,
				      __u64 length_at)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COPY_INDIRECT, .dst = dst, .src = src,
		.length = length, .arg2 = length_at,
	};
}

/* Earlier tasks write the addresses and the length of the copy. */
TEST_F(task, copies_by_addresses_in_memory)
{
	struct stream *s = &self->s;
	__u64 va = self->va, to = va + MIB(1), from = va + KIB(8);
	struct vnpu_task t;

	memset(ptr(from), 5, MIB(1) / 2);
	memset(ptr(to), 0, MIB(1));
	stream_put(s, task_fill(va, 8, to, 8));
	stream_put(s, task_fill(va + 8, 8, from, 8));
	stream_put(s, task_fill(va + 16, 8, KIB(300), 8));
	stream_put(s, task_indirect(va, va + 8, 0, va + 16));
	t = task_indirect(va, va + 8, 8, 0);
	t.arg0 = MIB(1) / 2;
	t.arg1 = 16;
	stream_put(s, t);
	stream_put(s, task_indirect(va, va + 8, 0, 0));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(0, s->ring->errors);
	EXPECT_TRUE(is_all(ptr(to), 5, KIB(300)));
	EXPECT_TRUE(is_all(ptr(to + KIB(300)), 0, MIB(1) / 2 - KIB(300)));
	EXPECT_TRUE(is_all(ptr(to + MIB(1) / 2), 5, 8));
	EXPECT_EQ(0, *(__u64 *)ptr(to + MIB(1) / 2 + 8));

	/* Its parameters may be in its destination. */
	*(__u64 *)ptr(va) = va;
	EXPECT_EQ(0, stream_do(s, task_indirect(va, va + 8, 64, 0)));
	EXPECT_TRUE(is_all(ptr(va), 5, 64));
}

TEST_F(task, invalid_addresses_in_memory)
{
	struct stream *s = &self->s;
	__u64 va = self->va, *words = ptr(va), bad = va + GIB(1);
	const struct vnpu_task_failure *f;
	struct vnpu_task t;

	words[0] = va + MIB(1);
	words[1] = va + KIB(8);
	EXPECT_EQ(-EINVAL, stream_do(s, task_indirect(va + 4, va, 8, 0)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_indirect(va, va + 4, 8, 0)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_indirect(va, va, 0, va + 4)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_indirect(va, va, 8, va)));
	EXPECT_EQ(-EFAULT, stream_do(s, task_indirect(bad, va, 8, 0)));
	EXPECT_EQ(-EFAULT, stream_do(s, task_indirect(va, bad, 8, 0)));
	EXPECT_EQ(-EFAULT, stream_do(s, task_indirect(va, va, 0, bad)));
	t = task_indirect(va, va + 8, 8, 0);
	t.arg0 = -MIB(1);
	EXPECT_EQ(-EOVERFLOW, stream_do(s, t));
	t.arg0 = 0;
	t.arg1 = ~0ULL;
	EXPECT_EQ(-EOVERFLOW, stream_do(s, t));
	words[1] = ~0ULL - 8;
	EXPECT_EQ(-EOVERFLOW,
		  stream_do(s, task_indirect(va, va + 8, 64, 0)));
	/* The failing address is reported, and the kind of failure. */
	words[1] = bad;
	EXPECT_EQ(-EFAULT, stream_do(s, task_indirect(va, va + 8, 64, 0)));
	f = stream_failure(s, stream_failures(s));
	EXPECT_EQ(VNPU_TASK_COPY_INDIRECT, f->op);
	EXPECT_EQ(bad, f->addr);
	/* Reading the parameters needs read access only. */
	words[0] = va + KIB(64);
	words[1] = va + KIB(8);
	ASSERT_EQ(0, va_protect(&self->c, va, KIB(64), 0, VNPU_ACCESS_READ));
	EXPECT_EQ(0, stream_do(s, task_indirect(va, va + 8, 64, 0)));
	EXPECT_EQ(-EACCES, stream_do(s, task_indirect(va + 8, va, 64, 0)));
	ASSERT_EQ(0, va_protect(&self->c, va, KIB(64), 0, VNPU_ACCESS_NONE));
	EXPECT_EQ(-EACCES, stream_do(s, task_indirect(va, va + 8, 64, 0)));
}

TEST_HARNESS_MAIN
