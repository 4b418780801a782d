// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wake-ups are shared like other work: however many streams of one user wait
 * for the same value, a copy of another user takes at most twice as long as
 * beside a user with one busy stream. This holds for every way of changing the
 * value, and for the longest copy.
 *
 * Both are measured in the same run. Other delays are random: the test passes
 * if one try is fast enough. With a clock that counts instructions (vnpu-vm
 * --icount) this is the first.
 */
#include "kselftest_harness.h"

#define COPIES		400

/* Streams that wait; a device has few more. */
#define WAITERS		1900
#include "waiters.h"

#define HONEST		3
#define TRIES		5

FIXTURE(waking)
{
	struct said *said;
	mode_t mode;
};

/*
 * The value that the streams wait for, and the tasks that wake them again and
 * again.
 */
FIXTURE_VARIANT(waking)
{
	int (*begin)(struct client *c);
	void (*go_on)(struct client *c);
};

FIXTURE_SETUP(waking)
{
	const uint64_t limit = VNPU_MAX_STREAMS;

	ASSERT_EQ(0, let_users_in(&self->said, &self->mode, COPIES, KIB(64)));
	ASSERT_EQ(0, alice_limit_streams(&limit));
}

FIXTURE_TEARDOWN(waking)
{
	chmod(VNPU_NODE, self->mode);
	EXPECT_EQ(0, alice_limit_streams(NULL));
}

FIXTURE_VARIANT_ADD(waking, timeline) { .begin = begin_timeline };
FIXTURE_VARIANT_ADD(waking, stream) { .begin = begin_stream };
FIXTURE_VARIANT_ADD(waking, counter) { .begin = begin_counter };
FIXTURE_VARIANT_ADD(waking, counter_in_vain) {
	.begin = begin_in_vain,
	.go_on = signal_in_vain,
};

/* Beside one busy stream, in a try without other delays. */
static int measure_honest(struct said *said, __u64 *sum, __u64 *worst)
{
	int i, ret = 0;

	for (i = 0; !ret && i < HONEST; i++) {
		ret = measure(said, honest, NULL);
		*sum = said->sum < *sum ? said->sum : *sum;
		*worst = said->worst < *worst ? said->worst : *worst;
	}
	return ret;
}

TEST_F_TIMEOUT(waking, wake_ups_do_not_delay_copies, 300)
{
	__u64 beside = ~0ULL, beside_worst = ~0ULL;
	bool ok = false;
	int i;

	ASSERT_EQ(0, measure_honest(self->said, &beside, &beside_worst));
	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, measure(self->said, variant->begin,
				     variant->go_on));
		printf("# a copy takes %llu us beside one stream, %llu at most; %llu and %llu beside this load\n",
		       beside / COPIES / 1000, beside_worst / 1000,
		       self->said->sum / COPIES / 1000,
		       self->said->worst / 1000);
		ok = self->said->sum <= 2 * beside &&
		     self->said->worst <= 2 * beside_worst;
	}
	EXPECT_TRUE(ok);
}

TEST_HARNESS_MAIN
