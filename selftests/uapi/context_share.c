// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts share the engine time of their client by weight, and clients that of
 * their user.
 *
 * The tests compare the time that engines were busy with each context, as the
 * scheduler charges it, not the duration of calls.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include <sys/resource.h>

#include "busy.h"
#include "util.h"

/* Thousandths that a share may be off. */
#define SLACK	20

FIXTURE(context_share)
{
	struct client c;
	struct busy a, b;
};

FIXTURE_SETUP(context_share)
{
	memset(&self->a, 0, sizeof(self->a));
	memset(&self->b, 0, sizeof(self->b));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, busy_prepare(&self->c));
}

FIXTURE_TEARDOWN(context_share)
{
	busy_end(&self->a);
	busy_end(&self->b);
	client_close(&self->c);
}

static int weight_of(const struct client *c, __u32 id)
{
	struct vnpu_context_query q;
	int ret = context_query(c, id, &q);

	return ret ? ret : (int)q.out_weight;
}

TEST_F(context_share, a_context_has_a_weight)
{
	const struct client *c = &self->c;
	struct vnpu_context_query q;
	__u32 id;

	ASSERT_EQ(0, context_create(c, 0, &id));
	EXPECT_EQ(VNPU_CONTEXT_WEIGHT, weight_of(c, id));
	EXPECT_EQ(0, context_set_weight(c, id, VNPU_CONTEXT_WEIGHT_MIN));
	EXPECT_EQ(VNPU_CONTEXT_WEIGHT_MIN, weight_of(c, id));
	EXPECT_EQ(0, context_set_weight(c, id, VNPU_CONTEXT_WEIGHT_MAX));
	EXPECT_EQ(-EINVAL, context_set_weight(c, id,
					      VNPU_CONTEXT_WEIGHT_MAX + 1));
	EXPECT_EQ(-EINVAL, context_set_weight(c, id, ~0U));
	EXPECT_EQ(VNPU_CONTEXT_WEIGHT_MAX, weight_of(c, id));
	/* The weight changes only with its flag. */
	EXPECT_EQ(-EINVAL, context_set(c, id, 0, 1));
	EXPECT_EQ(-EINVAL, context_set(c, id, VNPU_CONTEXT_SET_F_CLEAR_ERROR,
				       1));
	EXPECT_EQ(0, context_clear(c, id));
	EXPECT_EQ(VNPU_CONTEXT_WEIGHT_MAX, weight_of(c, id));
	EXPECT_EQ(0, context_set_weight(c, id, 0));
	ASSERT_EQ(0, context_query(c, id, &q));
	EXPECT_EQ(VNPU_CONTEXT_WEIGHT, q.out_weight);
	EXPECT_EQ(0, q.out_context_flags);
	EXPECT_EQ(0, context_destroy(c, id));
	EXPECT_EQ(-ENOENT, context_set_weight(c, id, 1));

	EXPECT_EQ(-EINVAL, context_create_as(c, 0, VNPU_CONTEXT_WEIGHT_MAX + 1,
					     0, &id));
	ASSERT_EQ(0, context_create_as(c, 0, 300, 0, &id));
	EXPECT_EQ(300, weight_of(c, id));
}

TEST_F_TIMEOUT(context_share, time_is_shared_by_weight, 120)
{
	__u32 a, b;
	int share;

	ASSERT_EQ(0, context_create_as(&self->c, 0, 200, 0, &a));
	ASSERT_EQ(0, context_create_as(&self->c, 0, 100, 0, &b));
	ASSERT_EQ(0, busy_begin(&self->a, &self->c, a, 0));
	ASSERT_EQ(0, busy_begin(&self->b, &self->c, b, 0));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("of weight 200 beside 100: %d of 1000", share);
	EXPECT_LE(667 - SLACK, share);
	EXPECT_GE(667 + SLACK, share);

	/* While they are busy. */
	ASSERT_EQ(0, context_set_weight(&self->c, a, 25));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("of weight 25 beside 100: %d of 1000", share);
	EXPECT_LE(200 - SLACK, share);
	EXPECT_GE(200 + SLACK, share);
}

/* A higher priority gets a context no more than its share. */
TEST_F_TIMEOUT(context_share, priorities_count_within_a_context, 120)
{
	__u32 a;
	int share;

	ASSERT_EQ(0, context_create(&self->c, 0, &a));
	ASSERT_EQ(0, busy_begin(&self->a, &self->c, a,
				VNPU_STREAM_PRIORITIES - 1));
	ASSERT_EQ(0, busy_begin(&self->b, &self->c, 0, 0));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("of the last priority beside the first: %d of 1000", share);
	EXPECT_LE(500 - SLACK, share);
	EXPECT_GE(500 + SLACK, share);
}

static int open_at(int nice, struct client *c)
{
	int ret;

	if (setpriority(PRIO_PROCESS, 0, nice))
		return -errno;
	ret = client_open_only(c);
	return setpriority(PRIO_PROCESS, 0, 0) ? -errno : ret;
}

/* Each step of the thread that opens a client makes its weight a fifth less. */
TEST_F_TIMEOUT(context_share, clients_share_by_nice_value, 120)
{
	struct client other;
	int share;

	ASSERT_EQ(0, open_at(5, &other));
	ASSERT_EQ(0, busy_prepare(&other));
	ASSERT_EQ(0, busy_begin(&self->a, &self->c, 0, 0));
	ASSERT_EQ(0, busy_begin(&self->b, &other, 0, 0));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("of nice 0 beside 5: %d of 1000", share);
	EXPECT_LE(753 - SLACK, share);
	EXPECT_GE(753 + SLACK, share);
	busy_end(&self->b);
	memset(&self->b, 0, sizeof(self->b));
	client_close(&other);
}

TEST_HARNESS_MAIN
