// SPDX-License-Identifier: GPL-2.0-only
/*
 * Launches while memory moves or is freed, and a core that lies: contents are
 * not lost, nothing waits long, and nothing leaks.
 */
#include "compact.h"
#include "core.h"

#include <pthread.h>

#include "../storm/storm.h"

/* An upper limit of a wait, on a slow machine. */
#define SOON		8000

/* The word of a piece that launches change. */
#define WORD		3

/* The number of pieces in which they do, all over the memory. */
#define CHANGED		64

/* Let a launch add 1 to a word of some pieces, again and again. */
static int add_to_pieces(FIXTURE_DATA(compact) * self, struct core *k,
			 struct stream *s, __u64 args)
{
	__u64 *host;
	__u32 id;
	int ret;

	ret = host_alloc(&self->c, PAGE, &id) ?:
	      va_bind(&self->c, id, args, PAGE, 0) ?:
	      stream_create(s, &self->c, 0);
	if (ret)
		return ret;
	/* The window of the host has the same memory. */
	host = ptr(args);
	host[0] = piece(self, 1) + WORD * 8;
	host[1] = CHANGED;
	host[2] = self->pieces / 2 / CHANGED * 2 * PIECE / 8;
	ret = core_start(k, &self->c, 0, 0) ?:
	      stream_run(s, task_launch(CORE_KEEP_ADDING, args, 24));
	return ret ? ret : core_wait_launches(k, 1) ? 0 : -ETIMEDOUT;
}

TEST_F(compact, memory_moves_under_a_launch)
{
	__u64 i, done, moved, longest = 0, args = self->c.base + self->c.size - PAGE;
	struct vnpu_device_query q;
	struct core k = { 0 };
	struct stream s;
	int round;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	moved = q.out_free;
	ASSERT_EQ(0, add_to_pieces(self, &k, &s, args));
	for (round = 0; round < 8; round++) {
		__u64 start = now_ms();
		__u32 id;

		/* As much as there is, in one piece: this moves half of it. */
		ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				       moved / 2 & -PAGE, &id));
		if (now_ms() - start > longest)
			longest = now_ms() - start;
		mem_free(&self->c, id);
		usleep(10000);
	}
	printf("# longest allocation: %llu ms\n", longest);
	EXPECT_GT(SOON, longest);
	ASSERT_EQ(0, stream_abort(&s, NULL));
	EXPECT_EQ(1, k.report->stops);
	EXPECT_FALSE(engine_has_ended(k.fd, 0));
	/* No addition was lost, and nothing else has changed. */
	done = ((__u64 *)ptr(piece(self, 1)))[WORD] - 0x5eed0001;
	ASSERT_LT(0, done);
	for (i = 0; i < CHANGED; i++) {
		__u64 at = 1 + i * (self->pieces / 2 / CHANGED * 2);
		__u64 *words = ptr(piece(self, at));
		__u64 added = words[WORD] - (0x5eed0000 + at);

		ASSERT_EQ(done, added) TH_LOG("piece %llu", at);
		words[WORD] -= added;
	}
	EXPECT_TRUE(all_whole(self));
	core_end(&k);
	stream_destroy(&s);
}

TEST_F(compact, memory_is_freed_under_a_launch)
{
	__u64 args = self->c.base + self->c.size - PAGE, i, start;
	struct core k = { 0 };
	struct stream s;
	__u32 id;
	__u64 buffer[PIECE / 8];

	ASSERT_EQ(0, add_to_pieces(self, &k, &s, args));
	usleep(20000);
	start = now_ms();
	for (i = 1; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
	EXPECT_GT(SOON, now_ms() - start);
	EXPECT_EQ(0, stream_wait(&s, SOON));
	EXPECT_EQ(EIO, s.ring->error);
	EXPECT_EQ(256 + SIGSEGV, core_wait(&k));
	/* The next owner of the memory finds zeros, which stay. */
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PIECE, &id));
		ASSERT_EQ(0, va_bind(&self->c, id, piece(self, i), PIECE, 0));
		ASSERT_EQ(0, copy(&self->c, addr(buffer), piece(self, i),
				  PIECE));
		EXPECT_TRUE(is_all(buffer, 0, PIECE));
	}
	core_end(&k);
	stream_destroy(&s);
}

FIXTURE(lies)
{
	struct calm calm;
};

FIXTURE_SETUP(lies)
{
	ASSERT_EQ(0, calm_begin(&self->calm));
}

FIXTURE_TEARDOWN(lies)
{
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
}

/* A number that is often that of a launch. */
static __u64 lie_id(struct rng *r, const struct vnpu_engine_event *seen)
{
	switch (rng_below(r, 4)) {
	case 0:
		return rng_below(r, 4096);
	case 1:
		return rng_next(r);
	default:
		return seen[rng_below(r, 8)].id;
	}
}

/* Make random calls, which never end well for long. */
static void lie(int fd, struct rng *r)
{
	static const __u32 errors[] = { 0, 0, 0, EIO, EFAULT, EINVAL, 1000 };
	struct vnpu_engine_completion done[8];
	struct vnpu_engine_event seen[8] = {};
	struct vnpu_engine_attach a = { 0 };
	__u64 i, n;
	void *p;

	for (n = 0;; n++) {
		struct vnpu_engine_next next = {
			.size = sizeof(next),
			.completions = addr(done),
			.events = rng_below(r, 50) ? addr(seen) : rng_next(r),
			.completion_count = (__u32)rng_below(r, 9),
			.event_count = (__u32)rng_below(r, 9),
			.completion_stride = sizeof(done[0]),
			.event_stride = sizeof(seen[0]),
			.timeout_ns = now_ns() + rng_below(r, 200000),
		};

		switch (rng_below(r, 40)) {
		case 0:
			engine_attach(fd, &a);
			break;
		case 1:
			engine_set(fd, rng_below(r, 50) ? (__u32)rng_below(r, 2) :
				   VNPU_ENGINE_SET_F_LEAVING);
			break;
		case 2:
			p = engine_map_window(fd, a.out_window, MIB(1),
					      PROT_READ | PROT_WRITE);
			if (p != MAP_FAILED) {
				touch_write(addr(p) + rng_below(r, MIB(1)), 1);
				munmap(p, MIB(1));
			}
			break;
		case 3:
			p = (void *)engine_map_state(fd);
			if (p != MAP_FAILED)
				munmap(p, PAGE);
			break;
		case 4:
			engine_name(fd, (__u32)rng_below(r, 257), "kernel");
			break;
		default:
			for (i = 0; i < 8; i++)
				done[i] = (struct vnpu_engine_completion){
					.id = lie_id(r, seen),
					.addr = rng_next(r),
					.error = rng_below(r, 2000) ?
						 errors[rng_below(r, 7)] : EAGAIN,
					.kernel = (__u32)rng_below(r, 257),
				};
			if (call(fd, VNPU_IOCTL_ENGINE_NEXT, &next) == -ENODEV)
				_exit(0);
		}
		if (!rng_below(r, 3000))
			kill(getpid(), SIGKILL);
	}
}

static int liar;

static void *lie_too(void *arg)
{
	struct rng r = { now_ns() | 1 };

	lie(liar, &r);
	return arg;
}

static pid_t start_liar(int fd, const struct client *c, struct rng *r)
{
	struct vnpu_engine_attach a;
	pid_t pid = fork_bound();
	pthread_t thread;

	if (pid)
		return pid;
	close(c->fd);
	r->state ^= 0x5a5a5a5a;
	engine_attach(fd, &a);
	/* Two threads race with each other. */
	liar = fd;
	pthread_create(&thread, NULL, lie_too, NULL);
	lie(fd, r);
	return 0;
}

TEST_F(lies, core_lies)
{
	enum { STREAMS = 4 };
	__u64 end = now_ms() + 4000 * env_u64("VNPU_STORM", 1), ran = 0;
	struct rng r = rng_init();
	struct stream s[STREAMS];
	struct client c;
	pid_t pid = 0;
	int fd = -1, i;

	ASSERT_EQ(0, client_open_only(&c));
	ASSERT_EQ(0, window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(1),
				  c.base));
	for (i = 0; i < STREAMS; i++)
		ASSERT_EQ(0, stream_create(&s[i], &c, 0));
	while (now_ms() < end) {
		struct vnpu_task t = task_launch(rng_below(&r, 4), c.base, 16);

		if (fd < 0 || engine_has_ended(fd, 0)) {
			if (fd >= 0)
				close(fd);
			if (pid > 0) {
				kill(pid, SIGKILL);
				child_wait(pid);
			}
			fd = engine_create(&c, 0, (__u32)rng_below(&r, 5));
			ASSERT_LE(0, fd);
			pid = start_liar(fd, &c, &r);
			ASSERT_LT(0, pid);
		}
		t.timeout_ms = 1 + (__u32)rng_below(&r, 30);
		i = (int)rng_below(&r, STREAMS);
		switch (rng_below(&r, 12)) {
		case 0:
			ASSERT_EQ(0, stream_abort(&s[i], NULL));
			break;
		case 1:
			ASSERT_EQ(0, stream_destroy(&s[i]));
			ASSERT_EQ(0, stream_create(&s[i], &c, 0));
			break;
		case 2:
			ASSERT_EQ(0, stream_set(&s[i],
						VNPU_STREAM_SET_F_PRIORITY,
						(__u32)rng_below(&r, 8), 0, 0));
			break;
		case 3:
			usleep((useconds_t)rng_below(&r, 20000));
			break;
		default:
			stream_put(&s[i], t);
			ASSERT_EQ(0, stream_submit(&s[i]));
			ran++;
		}
	}
	for (i = 0; i < STREAMS; i++) {
		/* Each launch ends: by the core, its time limit, or an abort. */
		ASSERT_EQ(0, stream_wait(&s[i], 60000));
		stream_destroy(&s[i]);
	}
	printf("# %llu launches\n", ran);
	EXPECT_LT(0, ran);
	if (pid > 0)
		kill(pid, SIGKILL);
	close(fd);
	client_close(&c);
	child_wait(pid);
}

TEST_HARNESS_MAIN
