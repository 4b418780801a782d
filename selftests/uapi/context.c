// SPDX-License-Identifier: GPL-2.0-only
/* Contexts: groups of streams that stop together, and their first error. */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define NOP	((struct vnpu_task){ })
#define BAD	((struct vnpu_task){ .op = 99 })

FIXTURE(context)
{
	struct client c;
	__u32 id;
	struct stream stops;	/* stop at a failure */
	struct stream goes_on;
};

static int stream_of(struct stream *s, const struct client *c, __u32 context,
		     __u32 flags)
{
	int ret = stream_create_only(s, c, 0, 0, context, flags);

	return ret ? ret : stream_map(s);
}

FIXTURE_SETUP(context)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, context_create(&self->c, 0, &self->id));
	ASSERT_EQ(0, stream_of(&self->stops, &self->c, self->id,
			       VNPU_STREAM_F_STOP));
	ASSERT_EQ(0, stream_of(&self->goes_on, &self->c, self->id, 0));
}

FIXTURE_TEARDOWN(context)
{
	stream_destroy(&self->stops);
	stream_destroy(&self->goes_on);
	client_close(&self->c);
}

TEST_F(context, streams_stop_together)
{
	struct stream alone, other;
	__u32 other_id;
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, context_create(&self->c, 0, &other_id));
	ASSERT_EQ(0, stream_of(&other, &self->c, other_id, 0));
	ASSERT_EQ(0, stream_of(&alone, &self->c, 0, 0));

	/* A stream that waits for ever is stopped as well. */
	ASSERT_EQ(0, stream_run(&self->goes_on, task_wait(id, 1)));
	EXPECT_EQ(-EINVAL, stream_do(&self->stops, BAD));
	EXPECT_EQ(0, stream_wait(&self->goes_on, 20000));
	EXPECT_EQ(1, self->goes_on.ring->cancelled);
	EXPECT_EQ(-ECANCELED, stream_do(&self->goes_on, NOP));
	EXPECT_EQ(-ECANCELED, stream_do(&self->stops, NOP));
	EXPECT_EQ(0, stream_do(&other, NOP));
	EXPECT_EQ(0, stream_do(&alone, NOP));
	stream_destroy(&other);
	stream_destroy(&alone);
}

/* They stop from the moment at which the failure is visible. */
TEST_F(context, a_stop_is_immediate)
{
	int i;

	for (i = 0; i < 200; i++) {
		ASSERT_EQ(-EINVAL, stream_do(&self->stops, BAD));
		ASSERT_EQ(-ECANCELED, stream_do(&self->goes_on, NOP));
		ASSERT_EQ(0, stream_abort(&self->stops, NULL));
		ASSERT_EQ(0, stream_abort(&self->goes_on, NULL));
		ASSERT_EQ(0, stream_do(&self->goes_on, NOP));
	}
}

/* An abort stops one stream; streams that are created later are not stopped. */
TEST_F(context, an_abort_stops_one_stream)
{
	struct stream late;

	ASSERT_EQ(-EINVAL, stream_do(&self->stops, BAD));
	ASSERT_EQ(0, stream_abort(&self->goes_on, NULL));
	EXPECT_EQ(0, stream_do(&self->goes_on, NOP));
	EXPECT_EQ(-ECANCELED, stream_do(&self->stops, NOP));
	ASSERT_EQ(0, stream_of(&late, &self->c, self->id, 0));
	EXPECT_EQ(0, stream_do(&late, NOP));

	ASSERT_EQ(0, stream_abort(&self->stops, NULL));
	EXPECT_EQ(-EINVAL, stream_do(&self->stops, BAD));
	EXPECT_EQ(-ECANCELED, stream_do(&self->goes_on, NOP));
	EXPECT_EQ(-ECANCELED, stream_do(&late, NOP));
	stream_destroy(&late);
}

TEST_F(context, without_the_flag_no_other_stream_stops)
{
	EXPECT_EQ(-EINVAL, stream_do(&self->goes_on, BAD));
	EXPECT_EQ(0, stream_do(&self->goes_on, NOP));
	EXPECT_EQ(0, stream_do(&self->stops, NOP));
}

TEST_F(context, the_first_error_is_kept)
{
	struct vnpu_context_query q;

	ASSERT_EQ(0, context_query(&self->c, self->id, &q));
	EXPECT_EQ(0, q.out_device);
	EXPECT_EQ(2, q.out_streams);
	EXPECT_EQ(0, q.out_errors);
	EXPECT_EQ(0, q.out_error);

	ASSERT_EQ(0, stream_do(&self->goes_on, NOP));
	EXPECT_EQ(-EFAULT, stream_do(&self->goes_on,
				     task_fill(self->c.base + PAGE, 8, 1, 1)));
	EXPECT_EQ(-EINVAL, stream_do(&self->stops, BAD));
	EXPECT_EQ(-ECANCELED, stream_do(&self->goes_on, NOP));
	ASSERT_EQ(0, context_query(&self->c, self->id, &q));
	EXPECT_EQ(2, q.out_errors);
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(VNPU_TASK_FILL, q.out_error_op);
	EXPECT_EQ(self->goes_on.id, q.out_error_stream);
	EXPECT_EQ(2, q.out_error_seq);
	EXPECT_EQ(self->c.base + PAGE, q.out_error_addr);

	/*
	 * Clearing the error makes room for the next one, and restarts no
	 * stream.
	 */
	ASSERT_EQ(0, context_clear(&self->c, self->id));
	ASSERT_EQ(0, context_query(&self->c, self->id, &q));
	EXPECT_EQ(2, q.out_errors);
	EXPECT_EQ(0, q.out_error);
	EXPECT_EQ(0, q.out_error_stream);
	EXPECT_EQ(-ECANCELED, stream_do(&self->goes_on, NOP));
	ASSERT_EQ(0, stream_abort(&self->stops, NULL));
	EXPECT_EQ(-EINVAL, stream_do(&self->stops, BAD));
	ASSERT_EQ(0, context_query(&self->c, self->id, &q));
	EXPECT_EQ(3, q.out_errors);
	EXPECT_EQ(EINVAL, q.out_error);
	EXPECT_EQ(self->stops.id, q.out_error_stream);
	EXPECT_EQ(2, q.out_error_seq);
	EXPECT_EQ(0, q.out_error_addr);
}

TEST_F(context, streams_outlive_the_id_of_the_context)
{
	struct stream none;
	struct vnpu_context_query q;

	ASSERT_EQ(0, context_destroy(&self->c, self->id));
	EXPECT_EQ(-ENOENT, context_destroy(&self->c, self->id));
	EXPECT_EQ(-ENOENT, context_query(&self->c, self->id, &q));
	EXPECT_EQ(-ENOENT, context_clear(&self->c, self->id));
	EXPECT_EQ(-ENOENT, stream_create_only(&none, &self->c, 0, 0, self->id,
					      0));
	EXPECT_EQ(-EINVAL, stream_do(&self->stops, BAD));
	EXPECT_EQ(-ECANCELED, stream_do(&self->goes_on, NOP));
}

TEST_F(context, ids_are_valid_for_one_client)
{
	struct client other;
	struct stream none;
	__u32 id;

	ASSERT_EQ(0, client_open(&other));
	EXPECT_EQ(-ENOENT, stream_create_only(&none, &other, 0, 0, self->id,
					      0));
	EXPECT_EQ(-ENOENT, context_destroy(&other, self->id));
	EXPECT_EQ(-ENODEV, context_create(&other, VNPU_MAX_DEVICES, &id));
	ASSERT_EQ(0, context_create(&other, 0, &id));
	client_close(&other);
	EXPECT_EQ(0, stream_do(&self->goes_on, NOP));
}

TEST_F(context, number_of_contexts_is_limited)
{
	__u32 i, id, last = 0;

	for (i = 1; i < VNPU_MAX_CONTEXTS; i++)
		ASSERT_EQ(0, context_create(&self->c, 0, &last));
	EXPECT_EQ(-EAGAIN, context_create(&self->c, 0, &id));
	ASSERT_EQ(0, context_destroy(&self->c, last));
	EXPECT_EQ(0, context_create(&self->c, 0, &id));
	EXPECT_EQ(last, id);
}

/* Streams end while their context is being stopped. */
TEST_F(context, streams_end_during_a_stop)
{
	struct stream s[8];
	unsigned int i, round;

	for (round = 0; round < 30; round++) {
		for (i = 0; i < ARRAY_SIZE(s); i++)
			ASSERT_EQ(0, stream_of(&s[i], &self->c, self->id, i & 1 ?
					       VNPU_STREAM_F_STOP : 0));
		for (i = 0; i < ARRAY_SIZE(s); i++)
			ASSERT_EQ(0, stream_run(&s[i], BAD));
		for (i = 0; i < ARRAY_SIZE(s); i++)
			ASSERT_EQ(0, stream_destroy(&s[i]));
	}
}

/* A client with many waiting tasks ends during a stop. */
TEST_F(context, a_client_ends_during_a_stop)
{
	unsigned int round;

	for (round = 0; round < 10; round++) {
		struct stream bad, waits;
		struct client other;
		__u32 context;
		__u64 id;

		ASSERT_EQ(0, client_open(&other));
		ASSERT_EQ(0, context_create(&other, 0, &context));
		ASSERT_EQ(0, timeline_create(&other, 0, 0, 0, &id));
		ASSERT_EQ(0, stream_of(&bad, &other, context,
				       VNPU_STREAM_F_STOP));
		ASSERT_EQ(0, stream_of(&waits, &other, context, 0));
		ASSERT_EQ(0, stream_run(&waits, task_wait(id, 1)));
		ASSERT_EQ(0, stream_run(&bad, BAD));
		munmap(bad.ring, bad.map_size);
		munmap(waits.ring, waits.map_size);
		client_close(&other);
	}
	EXPECT_EQ(0, stream_do(&self->goes_on, NOP));
}

TEST_HARNESS_MAIN
