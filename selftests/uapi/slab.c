// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects below a page: cost, place, ownership, and that all memory can be
 * freed.
 */
#include "slab.h"

TEST_F(slab, is_in_its_window)
{
	struct client other;
	__u64 va;
	__u32 id;

	/* One window for each device, in which nothing else is bound. */
	EXPECT_EQ(-EBUSY, slab_window(&self->c, 0, self->c.base, MIB(1)));
	EXPECT_EQ(-ENODEV, slab_window(&self->c, VNPU_MAX_DEVICES,
				       self->c.base, MIB(1)));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 2 * PAGE, &id));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, id, self->window, PAGE, 0));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, id, self->window - PAGE, 2 * PAGE,
				   0));
	EXPECT_EQ(-EEXIST, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->window +
					self->length - PAGE));
	EXPECT_EQ(0, va_bind(&self->c, id, self->window - PAGE, PAGE, 0));
	EXPECT_EQ(0, va_bind(&self->c, id, self->window + self->length, PAGE,
			     0));

	ASSERT_EQ(0, client_open(&other));
	EXPECT_EQ(-ENOENT, slab_alloc(&other, 0, 64, &va, NULL));
	EXPECT_EQ(-EINVAL, slab_window(&other, 0, other.base, 0));
	EXPECT_EQ(-EINVAL, slab_window(&other, 0, other.base, PAGE + 64));
	EXPECT_EQ(-EINVAL, slab_window(&other, 0, other.base + 64, PAGE));
	EXPECT_EQ(-EOVERFLOW, slab_window(&other, 0, -MIB(1), MIB(1)));
	EXPECT_EQ(-EFAULT, slab_window(&other, 0, other.base + other.size -
				       PAGE, 2 * PAGE));
	EXPECT_EQ(-EFAULT, slab_window(&other, 0, other.base - PAGE,
				       2 * PAGE));
	ASSERT_EQ(0, mem_alloc_at(&other, 0, 0, 0, PAGE, other.base + PAGE));
	EXPECT_EQ(-EEXIST, slab_window(&other, 0, other.base, MIB(1)));

	/* The kernel keeps the range, whatever happens to the mapping. */
	EXPECT_EQ(0, slab_window(&other, 0, other.base + MIB(1), MIB(1)));
	ASSERT_EQ(0, va_unbind(&other, other.base + PAGE, 0));
	ASSERT_EQ(0, munmap(ptr(other.base), other.size));
	EXPECT_EQ(0, slab_alloc(&other, 0, 64, &va, NULL));
	EXPECT_EQ(-EBUSY, window_map(&other, MIB(64), PROT_NONE));
	EXPECT_EQ(0, slab_free(&other, va));
	EXPECT_EQ(-EBUSY, window_map(&other, MIB(64), PROT_NONE));
	other.base = 0;
	client_close(&other);
}

/* A window without room for a slab, and one with room for two. */
TEST_F(slab, window_is_full)
{
	struct client other;
	__u64 va[3] = {};

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, slab_window(&other, 0, other.base,
				 VNPU_SLAB_PLACE - PAGE));
	EXPECT_EQ(-ENOSPC, slab_alloc(&other, 0, 1, &va[0], NULL));
	EXPECT_EQ(0, client_used(&other));
	client_close(&other);

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, slab_window(&other, 0, other.base,
				 2 * VNPU_SLAB_PLACE + PAGE));
	EXPECT_EQ(0, slab_alloc(&other, 0, 64, &va[0], NULL));
	EXPECT_EQ(0, slab_alloc(&other, 0, MAX, &va[1], NULL));
	EXPECT_EQ(-ENOSPC, slab_alloc(&other, 0, 128, &va[2], NULL));
	EXPECT_EQ(0, slab_free(&other, va[0]));
	EXPECT_EQ(0, slab_alloc(&other, 0, 128, &va[2], NULL));
	client_close(&other);
}

static int alloc_as(const struct client *c, struct vnpu_mem_alloc a)
{
	if (!a.size)
		a.size = sizeof(a);
	a.flags |= VNPU_MEM_F_SLAB;
	return call(c->fd, VNPU_IOCTL_MEM_ALLOC, &a);
}

#define ALLOC(...) alloc_as(&self->c, (struct vnpu_mem_alloc){ __VA_ARGS__ })

TEST_F(slab, refused)
{
	unsigned int bit;

	EXPECT_EQ(-EINVAL, ALLOC(.length = 0));
	EXPECT_EQ(-EINVAL, ALLOC(.length = MAX + 1));
	EXPECT_EQ(-EINVAL, ALLOC(.length = 1ULL << 32 | 64));
	EXPECT_EQ(-EINVAL, ALLOC(.length = ~0ULL));
	EXPECT_EQ(-EINVAL, ALLOC(.length = 64, .va = self->window));
	EXPECT_EQ(-EINVAL, ALLOC(.length = 64, .alignment = 64));
	EXPECT_EQ(-EINVAL, ALLOC(.length = 64, .page_shift = VNPU_PAGE_SHIFT_2M));
	EXPECT_EQ(-EINVAL, ALLOC(.length = 64, .page_shift = 6));
	EXPECT_EQ(-EINVAL, ALLOC(.length = 64,
				 .size = offsetof(struct vnpu_mem_alloc,
						  out_va) + 7));
	EXPECT_EQ(-ENODEV, ALLOC(.length = 64, .device = VNPU_MAX_DEVICES));
	EXPECT_EQ(-ENODEV, ALLOC(.length = 64, .device = ~0U));
	for (bit = 0; bit < 4; bit++) {
		EXPECT_EQ(-EINVAL, ALLOC(.length = 64, .flags = 1U << bit));
	}
	EXPECT_EQ(0, client_used(&self->c));
	EXPECT_EQ(0, ALLOC(.length = 64, .page_shift = VNPU_PAGE_SHIFT_4K));
	EXPECT_EQ(0, ALLOC(.length = 1));
	EXPECT_EQ(0, ALLOC(.length = MAX));
}

/* For each size: the place, the cost, and the waste. */
TEST_F(slab, sizes)
{
	__u64 size;

	for (size = 1; size <= MAX; size += size < 256 ? 1 : 31) {
		struct vnpu_va_query q;
		__u64 va, cost;

		ASSERT_EQ(0, slab_alloc(&self->c, 0, size, &va, &cost));
		ASSERT_EQ(0, va % ALIGN);
		ASSERT_EQ(0, cost % ALIGN);
		ASSERT_LE(size, cost);
		ASSERT_LT(cost - size, size > 1024 ? size / 7 : ALIGN);
		ASSERT_LE(self->window, va);
		ASSERT_GE(self->window + self->length, va + cost);

		ASSERT_EQ(0, va_query(&self->c, 0, va + cost - 1, &q));
		ASSERT_EQ(va, q.out_va);
		ASSERT_EQ(cost, q.out_length);
		ASSERT_EQ(0, q.out_offset);
		ASSERT_EQ(0, q.out_device);
		ASSERT_EQ(0, q.out_mem_id);
		ASSERT_EQ(VNPU_MEM_F_SLAB, q.out_mem_flags);
		ASSERT_EQ(VNPU_PAGE_SHIFT_4K, q.out_page_shift);
		ASSERT_EQ(-ENOENT, va_query(&self->c, 0, va + cost, &q));
		ASSERT_EQ(0, slab_free(&self->c, va));
		ASSERT_EQ(0, client_used(&self->c));
	}
}

/* 64 bytes cost 64 bytes: 64 objects in a page, freed in any order. */
TEST_F(slab, smallest_cost)
{
	static __u64 va[64 * 64];
	struct vnpu_device_query q;
	__u64 cost;
	__u32 i;

	for (i = 0; i < ARRAY_SIZE(va); i++) {
		ASSERT_EQ(0, slab_alloc(&self->c, 0, 1 + i % 64, &va[i],
					&cost));
		ASSERT_EQ(64, cost);
	}
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(64 * PAGE, q.out_client_used);
	EXPECT_EQ(64, q.out_client_objects);
	EXPECT_EQ(self->start.out_free - 64 * PAGE, q.out_free);
	for (i = 0; i < ARRAY_SIZE(va); i += 2)
		ASSERT_EQ(0, slab_free(&self->c, va[i]));
	EXPECT_EQ(64 * PAGE, client_used(&self->c));
	for (i = 0; i < ARRAY_SIZE(va); i += 2)
		ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &va[i], NULL));
	EXPECT_EQ(64 * PAGE, client_used(&self->c));
	for (i = 0; i < ARRAY_SIZE(va); i++)
		ASSERT_EQ(0, slab_free(&self->c, va[i]));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
	EXPECT_EQ(0, q.out_client_objects);
	EXPECT_EQ(self->start.out_free, q.out_free);
}

TEST_F(slab, freed_by_its_own_call_only)
{
	const __u64 step = 192;
	struct vnpu_va_unbind u = { .size = sizeof(u) };
	struct vnpu_va_query q;
	struct client other;
	__u64 a, b, at;
	__u32 id;

	ASSERT_EQ(0, slab_alloc(&self->c, 0, 130, &a, NULL));
	ASSERT_EQ(0, slab_alloc(&self->c, 0, 130, &b, NULL));
	ASSERT_EQ(a + step, b);
	for (at = a - 64; at < b + step + 64; at += 32)
		if (at != a && at != b)
			EXPECT_EQ(-ENOENT, slab_free(&self->c, at));
	EXPECT_EQ(-ENOENT, slab_free(&self->c, a + 1));
	EXPECT_EQ(-ENOENT, slab_free(&self->c, b + step));
	EXPECT_EQ(-ENOENT, slab_free(&self->c, self->window + self->length -
				     64));

	/* Not as a range, and not with another object. */
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, a, PAGE));
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, a, step));
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, self->c.base, self->c.size));
	EXPECT_EQ(-EINVAL, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE,
					   self->c.base, self->c.size));
	EXPECT_EQ(-EINVAL, va_protect(&self->c, a, 0, 0, VNPU_ACCESS_READ));
	EXPECT_EQ(-EINVAL, va_protect(&self->c, self->c.base, self->c.size,
				      VNPU_DEVICE_ALL, VNPU_ACCESS_NONE));
	EXPECT_EQ(-EOPNOTSUPP, mem_open(&self->c, a, &id));
	EXPECT_EQ(SIGSEGV, touch_read(a));

	ASSERT_EQ(0, client_open(&other));
	EXPECT_EQ(-ENOENT, slab_free(&other, a));
	EXPECT_EQ(-ENOENT, va_query(&other, 0, a, &q));
	client_close(&other);

	u.va = a;
	EXPECT_EQ(0, call(self->c.fd, VNPU_IOCTL_VA_UNBIND, &u));
	EXPECT_EQ(step, u.out_length);
	EXPECT_EQ(1, u.out_bindings);
	EXPECT_EQ(0, u.out_page_shift);
	EXPECT_EQ(-ENOENT, slab_free(&self->c, a));
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, a, &q));
	EXPECT_EQ(0, slab_free(&self->c, b));
	EXPECT_EQ(-ENOENT, slab_free(&self->c, b));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->window, self->length));
}

/* All objects in order of addresses, among other bindings. */
TEST_F(slab, queried_in_order)
{
	__u64 va[6], below, above;
	struct vnpu_va_query q;
	__u64 at = 0, last = 0;
	__u32 i, seen = 0;

	below = self->c.base;
	above = self->window + self->length;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, below));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, above));
	for (i = 0; i < ARRAY_SIZE(va); i++)
		ASSERT_EQ(0, slab_alloc(&self->c, 0, i < 3 ? 64 : MAX, &va[i],
					NULL));
	ASSERT_EQ(0, slab_free(&self->c, va[1]));
	ASSERT_EQ(0, slab_free(&self->c, va[5]));
	while (!va_query(&self->c, VNPU_VA_QUERY_F_NEXT, at, &q)) {
		ASSERT_TRUE(q.out_va > last);
		last = q.out_va;
		at = q.out_va + q.out_length;
		for (i = 0; i < ARRAY_SIZE(va); i++)
			seen |= (va[i] == last) << i;
		seen |= (last == below) << 6 | (last == above) << 7;
		ASSERT_EQ(last == below || last == above ? VNPU_MEM_F_BIND :
			  VNPU_MEM_F_SLAB, q.out_mem_flags);
	}
	EXPECT_EQ(0xdd, seen);
	ASSERT_EQ(0, va_query(&self->c, VNPU_VA_QUERY_F_NEXT, va[3] + 100,
			      &q));
	EXPECT_EQ(va[3], q.out_va);
	ASSERT_EQ(0, va_query(&self->c, VNPU_VA_QUERY_F_NEXT, va[4] + MAX,
			      &q));
	EXPECT_EQ(above, q.out_va);
}

/* Allocate down to the last page, and free all. */
TEST_F(slab, exhaustion)
{
	const __u64 spare = 20 * PAGE;
	__u64 va[6 * 64], n = 0, i;
	__u32 rest;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, self->start.out_free - spare,
			       &rest));
	/* 64 in a page. */
	while (n < ARRAY_SIZE(va) && !slab_alloc(&self->c, 0, 64, &va[n], NULL))
		n++;
	ASSERT_EQ(ARRAY_SIZE(va), n);
	EXPECT_EQ(self->start.out_free - 14 * PAGE, client_used(&self->c));

	/* The largest take 7 pages: two slabs of 8 objects each. */
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, slab_alloc(&self->c, 0, MAX, &va[i], NULL));
	EXPECT_EQ(self->start.out_free, client_used(&self->c));
	EXPECT_EQ(-ENOSPC, slab_alloc(&self->c, 0, MAX, &va[16], NULL));
	EXPECT_EQ(-ENOSPC, slab_alloc(&self->c, 0, 64, &va[16], NULL));
	EXPECT_EQ(-ENOSPC, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
					self->c.base));

	/* A slab with one object stays, and an empty one is freed. */
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, slab_free(&self->c, va[i]));
	EXPECT_EQ(self->start.out_free - 7 * PAGE, client_used(&self->c));
	EXPECT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, 7 * PAGE, self->c.base));
	EXPECT_EQ(-ENOSPC, slab_alloc(&self->c, 0, 64, &va[0], NULL));
	ASSERT_EQ(0, va_unbind(&self->c, self->c.base, 0));
	EXPECT_EQ(0, slab_alloc(&self->c, 0, 64, &va[0], NULL));
}

/*
 * A client finds its own data in its objects, or zeros: never another client's
 * data.
 */
TEST_F(slab, isolation)
{
	const __u64 secret = 0x5ec2e75ec2e75ec2ULL;
	__u64 va[100], word[MAX / 8], i, k;
	struct client other;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, slab_window(&other, 0, other.base, MIB(8)));
	for (i = 0; i < ARRAY_SIZE(va); i++) {
		ASSERT_EQ(0, slab_alloc(&other, 0, MAX, &va[i], NULL));
		ASSERT_EQ(0, fill(&other, va[i], MAX, secret, 8));
	}
	/* Some pages are freed now, some when the client is gone. */
	for (i = 0; i < ARRAY_SIZE(va) / 2; i++)
		ASSERT_EQ(0, slab_free(&other, va[i]));
	for (i = 0; i < ARRAY_SIZE(va); i++) {
		if (i == ARRAY_SIZE(va) / 2)
			client_close(&other);
		ASSERT_EQ(0, slab_alloc(&self->c, 0, MAX, &va[i], NULL));
		ASSERT_EQ(0, copy(&self->c, addr(word), va[i], MAX));
		for (k = 0; k < MAX / 8; k++)
			ASSERT_EQ(0, word[k]);
	}
}

/* Two clients use the same addresses, and share nothing. */
TEST_F(slab, pages_are_not_shared)
{
	struct client other;
	__u64 mine, theirs, value;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, slab_window(&other, 0, other.base, MIB(8)));
	ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &mine, NULL));
	ASSERT_EQ(0, slab_alloc(&other, 0, 64, &theirs, NULL));
	EXPECT_EQ(PAGE, client_used(&self->c));
	EXPECT_EQ(PAGE, client_used(&other));
	EXPECT_EQ(-EFAULT, fill(&other, mine, 64, 1, 1));
	ASSERT_EQ(0, fill(&self->c, mine, PAGE, 1, 8));
	ASSERT_EQ(0, copy(&other, addr(&value), theirs, 8));
	EXPECT_EQ(0, value);
	client_close(&other);
}

/* Copies work on pages: they can cross objects within a slab. */
TEST_F(slab, copies_span_objects)
{
	__u8 out[3 * 64], in[3 * 64];
	__u64 va[3], i;

	for (i = 0; i < ARRAY_SIZE(va); i++)
		ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &va[i], NULL));
	ASSERT_EQ(va[0] + 128, va[2]);
	for (i = 0; i < sizeof(in); i++)
		in[i] = i;
	ASSERT_EQ(0, copy(&self->c, va[0], addr(in), sizeof(in)));
	ASSERT_EQ(0, copy(&self->c, addr(out), va[0], sizeof(out)));
	EXPECT_EQ(0, memcmp(in, out, sizeof(in)));
	ASSERT_EQ(0, copy(&self->c, va[0] + 32, va[0], 128));
	ASSERT_EQ(0, copy(&self->c, addr(out), va[0], sizeof(out)));
	EXPECT_EQ(0, memcmp(in, out + 32, 128));
	EXPECT_EQ(0, fill(&self->c, va[0], PAGE, 0, 1));
	EXPECT_EQ(-EFAULT, fill(&self->c, va[0], PAGE + 1, 0, 1));
	EXPECT_EQ(-EFAULT, copy(&self->c, addr(in), va[0] + PAGE - 1, 2));
}

/* Slabs everywhere, most of which are freed: the others are moved. */
TEST_F(slab, moved_by_compaction)
{
	struct vnpu_mem_query m;
	__u64 count, i;
	__u64 *va;
	__u32 id;

	va = calloc(MIB(8) / 2048, sizeof(*va));
	ASSERT_TRUE(va);
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0,
			       self->start.out_free - MIB(8), &id));
	/* Slabs of 3 pages hold 6 objects of 2048 bytes. */
	for (count = 0; !slab_alloc(&self->c, 0, 2048, &va[count], NULL);
	     count++)
		ASSERT_EQ(0, fill(&self->c, va[count], 2048, 0xabc000 + count,
				  8));
	ASSERT_LT(self->start.out_free - 3 * PAGE, client_used(&self->c));
	for (i = 0; i < count; i++)
		if (i % 24)
			ASSERT_EQ(0, slab_free(&self->c, va[i]));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       MIB(5), &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &m));
	EXPECT_EQ(1, m.out_extents);
	for (i = 0; i < count; i += 24) {
		__u64 word[256], k;

		ASSERT_EQ(0, copy(&self->c, addr(word), va[i], 2048));
		for (k = 0; k < ARRAY_SIZE(word); k++)
			ASSERT_EQ(0xabc000 + i, word[k]);
		ASSERT_EQ(0, slab_free(&self->c, va[i]));
	}
	free(va);
}

/* If the result cannot be written, no object is allocated. */
TEST_F(slab, result_cannot_be_written)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = VNPU_MEM_F_SLAB,
		.length = 64,
	};
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	memcpy(p, &a, sizeof(a));
	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, p));
	EXPECT_EQ(0, client_used(&self->c));
}

TEST_HARNESS_MAIN
