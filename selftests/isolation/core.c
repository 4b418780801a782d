// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core of one client does not delay the launches and copies of another user:
 * it hangs, or ignores requests to stop, or has more launches than it can run; and its
 * client ends at once.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include "../uapi/core.h"

#define ALICE		54321
#define HANGING		40	/* streams of the first client */
#define QUEUED		500	/* launches of a stream that is never empty */
#define ROUNDS		150

/* The other user is slowed down by less than this factor, plus a constant. */
#define FACTOR		4
#define NOISE_MS	400

FIXTURE(core)
{
	pid_t pid;
	int ready[2], stop[2];
};

FIXTURE_SETUP(core)
{
	self->pid = 0;
	ASSERT_EQ(0, pipe(self->ready));
	ASSERT_EQ(0, pipe(self->stop));
}

FIXTURE_TEARDOWN(core)
{
	close(self->ready[0]);
	close(self->ready[1]);
	close(self->stop[0]);
	close(self->stop[1]);
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		child_wait(self->pid);
	}
}

static int client_begin(struct client *c)
{
	return client_open_only(c) ?:
		  window_map(c, WINDOW_SIZE, PROT_READ | PROT_WRITE) ?:
		  mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(1), c->base);
}

/* Launches that never end, some in slots and most waiting for one. */
static int hang(const struct client *c, __u64 function, __u32 slots)
{
	struct stream s[HANGING];
	struct core k = { 0 };
	int i, ret = core_start(&k, c, 0, slots);

	for (i = 0; !ret && i < HANGING; i++) {
		ret = stream_create(&s[i], c, 0);
		if (!ret)
			ret = stream_run(&s[i], task_launch(function, c->base,
							    24));
	}
	if (!ret && !core_wait_launches(&k, slots))
		ret = -ETIMEDOUT;
	return ret;
}

static int refill(struct stream *s, __u64 function)
{
	if (s->last >= stream_completed(s) + QUEUED)
		return 0;
	while (s->last < stream_completed(s) + 2 * QUEUED)
		stream_put(s, task_launch(function, 0, 0));
	return stream_submit(s);
}

/* Start a client that keeps launches in all its streams, as another user. */
static pid_t start_crowd(FIXTURE_DATA(core) * self, __u64 function,
			 __u32 slots)
{
	pid_t pid = fork_bound();
	struct stream s[HANGING];
	struct core k = { 0 };
	struct client c;
	int i, ret;

	if (pid)
		return pid;
	if (setresuid(ALICE, ALICE, ALICE) || client_begin(&c))
		_exit(1);
	ret = core_start(&k, &c, 0, slots);
	for (i = 0; !ret && i < HANGING; i++)
		ret = stream_create(&s[i], &c, 0) ?: refill(&s[i], function);
	baton_pass(self->ready[1]);
	for (i = 0; !ret; i = (i + 1) % HANGING) {
		ret = refill(&s[i], function);
		if (!i)
			usleep(1000);
	}
	_exit(2);
}

/* Start the first client, as another user. */
static pid_t start_hanging(FIXTURE_DATA(core) * self, __u64 function,
			   __u32 slots)
{
	pid_t pid = fork_bound();
	struct client c;
	__u64 *args;

	if (pid)
		return pid;
	if (setresuid(ALICE, ALICE, ALICE) || client_begin(&c))
		_exit(1);
	args = ptr(c.base);
	args[0] = c.base + PAGE;
	args[1] = 1;
	if (hang(&c, function, slots))
		_exit(2);
	baton_pass(self->ready[1]);
	pause();
	_exit(0);
}

struct bob {
	struct client c;
	struct stream s;
	struct core k;
};

static int bob_begin(struct bob *b)
{
	__u64 *args;
	int ret = client_begin(&b->c) ?: stream_create(&b->s, &b->c, 0);

	if (ret)
		return ret;
	args = ptr(b->c.base);
	args[0] = b->c.base + PAGE;
	args[1] = 1;
	args[512] = 0;
	return core_start(&b->k, &b->c, 0, 0);
}

/* Return the ms that launches and copies in turn take, or 0 on failure. */
static __u64 bob_work(struct bob *b)
{
	__u64 start = now_ms(), *data = ptr(b->c.base + PAGE), before = *data;
	int i;

	for (i = 0; i < ROUNDS; i++)
		if (stream_do(&b->s, task_launch(CORE_ADD, b->c.base, 24)) ||
		    stream_do(&b->s, task_copy(b->c.base + 2 * PAGE,
					       b->c.base + PAGE, 8)))
			return 0;
	return *data == before + ROUNDS ? now_ms() - start + 1 : 0;
}

static void compare(struct __test_metadata *_metadata,
		    FIXTURE_DATA(core) * self,
		    pid_t (*start)(FIXTURE_DATA(core) *, __u64, __u32),
		    __u64 function, __u32 slots)
{
	struct bob b = { 0 };
	__u64 alone, beside;

	ASSERT_EQ(0, bob_begin(&b));
	alone = bob_work(&b);
	EXPECT_LT(0, alone);
	self->pid = start(self, function, slots);
	ASSERT_LE(0, self->pid);
	baton_take(self->ready[0]);
	beside = bob_work(&b);
	printf("# alone %llu ms, beside %llu ms\n", alone, beside);
	EXPECT_LT(0, beside);
	EXPECT_GT(alone * FACTOR + NOISE_MS, beside);
	core_end(&b.k);
	stream_destroy(&b.s);
	client_close(&b.c);
}

TEST_F(core, hangs)
{
	compare(_metadata, self, start_hanging, CORE_HANG, 16);
}

TEST_F(core, has_hung_for_long)
{
	compare(_metadata, self, start_hanging, CORE_STUCK, 2);
}

TEST_F(core, has_many_launches)
{
	compare(_metadata, self, start_crowd, CORE_NOTHING, 64);
	EXPECT_EQ(0, waitpid(self->pid, NULL, WNOHANG));
}

/* Its end is as quick, and waits for nothing. */
TEST_F(core, ends)
{
	__u64 start;

	self->pid = start_hanging(self, CORE_STUCK, 16);
	ASSERT_LE(0, self->pid);
	baton_take(self->ready[0]);
	start = now_ms();
	kill(self->pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(self->pid));
	self->pid = 0;
	EXPECT_GT(5000, now_ms() - start);
}

TEST_HARNESS_MAIN
