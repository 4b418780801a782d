// SPDX-License-Identifier: GPL-2.0-only
/*
 * How bindings of one user's memory slow down another user's request for
 * contiguous memory. The first user binds a page many times, or many small
 * contiguous objects.
 *
 * Times are compared with those beside an honest client. They are exact with a
 * clock that counts instructions (vnpu-vm --icount).
 */
#include "kselftest_harness.h"

#include "../tool/nl.h"
#include "../uapi/stream.h"
#include "../uapi/util.h"

/* Users without other processes. */
#define ALICE		54321
#define BOB		54322

#define BINDINGS	16384
#define MOST_NS		100000000ULL

#define FRAME		MIB(2)

FIXTURE(compact)
{
	struct client c;	/* Alice's client, which requests memory */
	int to_bob[2];
	int to_alice[2];
	pid_t bob;
};

/* Run in the child as Bob, in turns with Alice; returns 0 or -errno. */
FIXTURE_VARIANT(compact)
{
	int (*run)(FIXTURE_DATA(compact) * self, struct client *c);
};

static void turn(FIXTURE_DATA(compact) * self)
{
	baton_pass(self->to_alice[1]);
	baton_take(self->to_bob[0]);
}

static void let_bob(FIXTURE_DATA(compact) * self)
{
	baton_pass(self->to_bob[1]);
	baton_take(self->to_alice[0]);
}

/*
 * Bind a page in the middle of free memory many times, and touch it through
 * each binding.
 */
static int bind_page(struct client *c, __u64 bindings, __u32 *id)
{
	struct vnpu_device_query q;
	__u32 below, above;
	__u64 i;
	int ret;

	ret = device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			q.out_largest_free / 2 / PAGE * PAGE, &below) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE, id) ?:
	      device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, 0, 0, q.out_free, &above);
	for (i = 0; !ret && i < bindings; i++) {
		ret = va_bind(c, *id, c->base + i * PAGE, PAGE, 0);
		if (!ret)
			*(volatile __u64 *)ptr(c->base + i * PAGE) = i;
	}
	return ret ?: mem_free(c, below) ?: mem_free(c, above);
}

static int bob_binds(FIXTURE_DATA(compact) * self, struct client *c)
{
	static const __u64 bindings[] = { 1, BINDINGS };
	__u32 id = 0;
	__u64 i, k;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++) {
		ret = bind_page(c, bindings[i], &id);
		turn(self);
		for (k = 0; !ret && k < bindings[i]; k++)
			if (*(volatile __u64 *)ptr(c->base + k * PAGE) !=
			    bindings[i] - 1)
				ret = -EIO;
		ret = ret ?: va_unbind(c, c->base, bindings[i] * PAGE) ?:
			     mem_free(c, id);
	}
	return ret;
}

/* Allocate a few bytes of each 2 MiB, each contiguous; all else is free. */
static int scatter(FIXTURE_DATA(compact) * self, struct client *c,
		   __u64 length)
{
	struct vnpu_device_query q;
	__u64 i, frames;
	__u32 id;
	int ret = device_query(c, 0, &q);

	frames = q.out_free / FRAME;
	for (i = 0; !ret && i < frames; i++)
		ret = mem_alloc_at(c, 0, 0, 0, FRAME - length,
				   c->base + i * FRAME) ?:
		      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0, length, &id);
	ret = ret ?: va_unbind(c, c->base, frames * FRAME);
	turn(self);
	return ret;
}

static int bob_scatters_pages(FIXTURE_DATA(compact) * self, struct client *c)
{
	return scatter(self, c, PAGE);
}

static int bob_scatters_runs(FIXTURE_DATA(compact) * self, struct client *c)
{
	return scatter(self, c, 2 * PAGE);
}

FIXTURE_VARIANT_ADD(compact, bindings)
{
	.run = bob_binds,
};

FIXTURE_VARIANT_ADD(compact, contiguous_pages)
{
	.run = bob_scatters_pages,
};

FIXTURE_VARIANT_ADD(compact, contiguous_runs)
{
	.run = bob_scatters_runs,
};

static int be_bob(FIXTURE_DATA(compact) * self,
		  int (*run)(FIXTURE_DATA(compact) * self, struct client *c))
{
	struct client c;

	if (setresuid(BOB, BOB, BOB) || client_open_only(&c) ||
	    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE))
		return 100;
	return -run(self, &c);
}

FIXTURE_SETUP(compact)
{
	ASSERT_EQ(0, pipe(self->to_bob));
	ASSERT_EQ(0, pipe(self->to_alice));
	self->bob = fork_bound();
	ASSERT_LE(0, self->bob);
	if (!self->bob) {
		close(self->to_bob[1]);
		_exit(be_bob(self, variant->run));
	}
	ASSERT_EQ(0, setresuid(ALICE, ALICE, ALICE));
	ASSERT_EQ(0, client_open_only(&self->c));
	close(self->to_alice[1]);
	baton_take(self->to_alice[0]);
}

FIXTURE_TEARDOWN(compact)
{
	client_close(&self->c);
	baton_pass(self->to_bob[1]);
	EXPECT_EQ(0, child_wait(self->bob));
}

/*
 * Measure an allocation of all free memory, for which Bob's page must be moved.
 */
static int time_run(const struct client *c, __u64 *ns)
{
	struct vnpu_device_query q;
	__u64 from;
	__u32 id;
	int ret;

	ret = device_query(c, 0, &q);
	from = now_ns();
	ret = ret ?: mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       q.out_largest_free + PAGE, &id);
	*ns = now_ns() - from;
	return ret ?: mem_free(c, id);
}

static void compare_bindings(struct __test_metadata *_metadata,
			     FIXTURE_DATA(compact) * self)
{
	__u64 honest, worst;

	ASSERT_EQ(0, time_run(&self->c, &honest));
	let_bob(self);
	ASSERT_EQ(0, time_run(&self->c, &worst));
	TH_LOG("%llu us beside 1 binding, %llu us beside %u", honest / 1000,
	       worst / 1000, BINDINGS);
	EXPECT_GT(2 * honest, worst);
	EXPECT_GT(MOST_NS, worst);
}

struct fit {
	__u64 fits, fits_compacted, largest, largest_compacted;
};

/* Check whether this much fits in pages of 2 MiB. */
static int fit_get(__u64 length, struct fit *fit)
{
	static __u8 answer[NL_BUFFER];
	const struct nlmsghdr *head = (void *)answer;
	struct nl_msg m;
	int family, ret;
	int fd = nl_open_family(&family);

	if (fd < 0)
		return fd;
	nl_init(&m, (__u16)family, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	nl_put_u64(&m, VNPU_A_FIT_LENGTH, length);
	nl_put_u64(&m, VNPU_A_FIT_PAGE_SIZE, FRAME);
	ret = nl_ask(fd, &m, answer);
	close(fd);
	fit->fits = nl_u32(head, VNPU_A_FIT_FITS);
	fit->fits_compacted = nl_u32(head, VNPU_A_FIT_FITS_COMPACTED);
	fit->largest = nl_u64(head, VNPU_A_FIT_LARGEST);
	fit->largest_compacted = nl_u64(head, VNPU_A_FIT_LARGEST_COMPACTED);
	return ret;
}

static void have_large_pages(struct __test_metadata *_metadata,
			     FIXTURE_DATA(compact) * self)
{
	struct vnpu_device_query q;
	struct fit fit;
	__u64 got = 0;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_free_2m);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_NO_COMPACT,
				     VNPU_PAGE_SHIFT_2M, FRAME, &id));
	/* The driver must provide what the query promised. */
	ASSERT_EQ(0, fit_get(q.out_free / FRAME * FRAME, &fit));
	EXPECT_EQ(0, fit.fits);
	EXPECT_EQ(0, fit.largest);
	EXPECT_EQ(1, fit.fits_compacted);
	EXPECT_EQ(q.out_free / FRAME * FRAME, fit.largest_compacted);
	while (!mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, FRAME, &id))
		got += FRAME;
	TH_LOG("%llu of %llu MiB free in pages of 2 MiB", got >> 20,
	       q.out_free >> 20);
	EXPECT_EQ(q.out_free / FRAME * FRAME, got);
}

TEST_F_TIMEOUT(compact, alice_asks, 120)
{
	if (variant->run == bob_binds)
		compare_bindings(_metadata, self);
	else
		have_large_pages(_metadata, self);
}

TEST_HARNESS_MAIN
