// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users share the engines: whatever tasks one user submits, copies of another
 * user take at most twice as long as beside a user with one busy stream.
 *
 * Both are measured in the same run. Other delays are random: the test passes
 * if one try is fast enough. With a clock that counts instructions (vnpu-vm
 * --icount) this is the first.
 */
#include "kselftest_harness.h"

#define COPIES		40

#define POLLERS		1900
/* As many streams that poll as the limit allows, a few for each client. */
#define POLLING		237
#include "crowds.h"

#define TRIES		5

/* ns that a copy may take, or that a user may wait for an engine. */
#define LONGEST		100000000ull

/* The length of copies of which a full ring lasts for seconds. */
#define LONG		MIB(8)
/* How long a user is busy alone, and is then watched beside a newcomer. */
#define ALONE_NS	600000000ull
#define WATCHED_NS	250000000ull
/* The newcomer's streams: at least one for each copy engine. */
#define NEWCOMERS	4

FIXTURE(engine_share)
{
	struct said *said;
	mode_t mode;
};

FIXTURE(engine_alone)
{
	struct said *said;
	mode_t mode;
};

/* the load of the other user */
FIXTURE_VARIANT(engine_share)
{
	int (*begin)(struct client *c);
};

FIXTURE_SETUP(engine_share)
{
	const uint64_t limit = VNPU_MAX_STREAMS;

	ASSERT_EQ(0, let_users_in(&self->said, &self->mode, COPIES, LENGTH));
	ASSERT_EQ(0, alice_limit_streams(&limit));
}

FIXTURE_TEARDOWN(engine_share)
{
	EXPECT_EQ(0, alice_limit_streams(NULL));
	chmod(VNPU_NODE, self->mode);
}

FIXTURE_SETUP(engine_alone)
{
	ASSERT_EQ(0, let_users_in(&self->said, &self->mode, COPIES, LENGTH));
}

FIXTURE_TEARDOWN(engine_alone)
{
	chmod(VNPU_NODE, self->mode);
}

FIXTURE_VARIANT_ADD(engine_share, streams) { .begin = many_streams };
FIXTURE_VARIANT_ADD(engine_share, clients) { .begin = many_clients };
FIXTURE_VARIANT_ADD(engine_share, pollers) { .begin = many_pollers };
FIXTURE_VARIANT_ADD(engine_share, pollers_of_many_clients) {
	.begin = pollers_of_many_clients,
};

TEST_F_TIMEOUT(engine_share, copies_of_another_user_are_not_delayed, 300)
{
	__u64 beside, beside_worst;
	bool ok = false;
	int i;

	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, measure(self->said, honest, NULL));
		beside = self->said->sum;
		beside_worst = self->said->worst;
		ASSERT_EQ(0, measure(self->said, variant->begin, NULL));
		printf("# a copy takes %llu us beside one stream, %llu at most; %llu and %llu beside this load\n",
		       beside / COPIES / 1000, beside_worst / 1000,
		       self->said->sum / COPIES / 1000,
		       self->said->worst / 1000);
		ok = self->said->sum <= 2 * beside &&
		     self->said->worst <= LONGEST;
	}
	EXPECT_TRUE(ok);
}

static int begin_long_copies(struct client *c, struct stream *s, int count)
{
	int i, ret;

	ret = client_open_only(c) ?:
	      window_map(c, MIB(64), PROT_READ | PROT_WRITE) ?:
	      mem_alloc_at(c, 0, 0, 0, 2 * LONG, c->base);
	for (i = 0; !ret && i < count; i++) {
		ret = stream_create(&s[i], c, 0);
		while (!ret && s[i].last < s[i].tasks)
			stream_put(&s[i], task_copy(c->base + LONG, c->base, LONG));
		ret = ret ?: stream_submit(&s[i]);
	}
	return ret;
}

/* Return the longest time in ns for which @s completes nothing. */
static __u64 longest_rest(const struct stream *s)
{
	__u64 start = now_ns(), last = start, longest = 0, now;
	__u64 completed = stream_completed(s);

	do {
		usleep(1000);
		now = now_ns();
		if (longest < now - last)
			longest = now - last;
		if (completed != stream_completed(s)) {
			completed = stream_completed(s);
			last = now;
		}
	} while (now - start < WATCHED_NS);
	return longest;
}

static int be_busy_alone(struct said *said)
{
	struct stream s;
	struct client c;
	int ret;

	ret = begin_long_copies(&c, &s, 1);
	if (ret)
		return ret;
	usleep(ALONE_NS / 1000);
	said->ready = 1;
	while (!said->newcomer)
		usleep(1000);
	if (said->newcomer != 1)
		return said->newcomer;
	said->worst = longest_rest(&s);
	/* The stream always had copies to do. */
	return stream_completed(&s) < s.last ? 0 : -ENODATA;
}

/* A user who was busy alone is not penalised when another user begins. */
TEST_F(engine_alone, newcomer_gets_no_more_than_its_share)
{
	struct stream s[NEWCOMERS];
	struct said *said = self->said;
	pid_t alice, bob;
	struct client c;
	int i;

	for (i = 0; i < TRIES; i++) {
		memset(said, 0, sizeof(*said));
		said->ret = -ECHILD;
		alice = fork_user(ALICE);
		if (!alice) {
			said->ret = be_busy_alone(said);
			said->ready = 1;
			_exit(0);
		}
		while (!said->ready)
			usleep(1000);
		bob = fork_user(BOB);
		if (!bob) {
			said->newcomer = begin_long_copies(&c, s, NEWCOMERS) ?: 1;
			for (;;)
				pause();
		}
		waitpid(alice, NULL, 0);
		kill(bob, SIGKILL);
		waitpid(bob, NULL, 0);
		ASSERT_EQ(0, said->ret);
		printf("# the user that was busy alone completes nothing for %llu us\n",
		       said->worst / 1000);
		if (said->worst <= LONGEST)
			break;
	}
	EXPECT_LT(i, TRIES);
}

TEST_HARNESS_MAIN
