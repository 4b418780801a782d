// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files in flight: processes in a ring pass memory, dma-bufs, timelines and
 * sync_files on to the next one, import and use them, and die at any moment,
 * exporters before importers, some with files that were never received.
 */
#include "kselftest_harness.h"

#include "../uapi/pass.h"
#include "../uapi/stream.h"
#include "../uapi/sync.h"
#include "storm.h"

#define RING		5
#define LIFE_US		80000

struct member {
	struct client c;
	struct stream s;
	struct rng r;
	int in, out;
};

/* Memory with an id or a file, bound by the member. */
static __u64 random_place(struct member *m)
{
	return m->c.base + rng_below(&m->r, 16) * MIB(1);
}

static int make_file(struct member *m)
{
	__u64 timeline;
	__u32 id;
	int fd = -1;

	switch (rng_below(&m->r, 4)) {
	case 0:
		if (!mem_alloc(&m->c, 0, 0, 0, KIB(64), &id)) {
			fd = mem_export(&m->c, id);
			mem_free(&m->c, id);
		}
		break;
	case 1:
		if (!mem_alloc(&m->c, 0, 0, 0, KIB(64), &id)) {
			fd = mem_export_dmabuf(&m->c, 0, id);
			mem_free(&m->c, id);
		}
		break;
	case 2:
		if (!timeline_create(&m->c, 0, 0, 0, &timeline))
			fd = timeline_export(&m->c, timeline, 1);
		break;
	default:
		stream_run(&m->s, task_fill(m->c.base, KIB(64), 1, 1));
		fd = sync_export(&m->c, m->s.id, m->s.last);
	}
	return fd;
}

/* Any result is valid: the calls must only do no harm. */
static void use_file(struct member *m, int fd)
{
	struct vnpu_mem_import_dmabuf dmabuf;
	__u64 timeline, va = random_place(m);
	__u32 id, kind;

	if (!mem_import(&m->c, fd, &id) ||
	    (!mem_import_dmabuf(&m->c, fd, &dmabuf) && (id = dmabuf.out_id))) {
		va_unbind(&m->c, va, 0);
		va_bind(&m->c, id, va, KIB(64), 0);
		stream_run(&m->s, task_copy(va, m->c.base, KIB(64)));
		mem_free(&m->c, id);
	} else if (!timeline_import(&m->c, fd, &timeline, &kind)) {
		timeline_signal(&m->c, timeline, 1, VNPU_SIGNAL_ADVANCE);
		timeline_destroy(&m->c, timeline);
	} else if (!sync_import(&m->c, fd, &timeline)) {
		struct vnpu_task wait = task_wait(timeline, 1);

		wait.timeout_ms = 100;
		stream_run(&m->s, wait);
		timeline_destroy(&m->c, timeline);
	}
}

static void member_run(struct member *m)
{
	int fd;

	if (client_open(&m->c) || stream_create(&m->s, &m->c, 0))
		_exit(1);
	mem_alloc_at(&m->c, 0, 0, 0, MIB(1), m->c.base);
	for (;;) {
		fd = rng_below(&m->r, 3) ? file_receive(m->in) : make_file(m);
		if (fd < 0)
			continue;
		use_file(m, fd);
		/* The next process may never receive it. */
		if (rng_below(&m->r, 4))
			file_send(m->out, fd);
		close(fd);
	}
}

FIXTURE(pass)
{
	struct calm calm;
	int sockets[RING][2];
};

FIXTURE_SETUP(pass)
{
	int i;

	ASSERT_EQ(0, calm_begin(&self->calm));
	for (i = 0; i < RING; i++) {
		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK |
					SOCK_CLOEXEC, 0, self->sockets[i]));
	}
}

FIXTURE_TEARDOWN(pass)
{
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
}

static pid_t start(FIXTURE_DATA(pass) * self, int i, struct rng *r)
{
	struct member m = {
		.r = { rng_next(r) | 1 },
		.in = self->sockets[i][0],
		.out = self->sockets[(i + 1) % RING][1],
	};
	pid_t pid = fork_bound();

	if (!pid)
		member_run(&m);
	return pid;
}

TEST_F_TIMEOUT(pass, in_a_ring, STORM_SECONDS)
{
	const uint64_t deaths = storm_times(60);
	struct rng r = rng_init();
	pid_t pids[RING];
	uint64_t n;
	int i, fd, drained = 0;

	for (i = 0; i < RING; i++) {
		pids[i] = start(self, i, &r);
		ASSERT_LT(0, pids[i]);
	}
	for (n = 0; n < deaths; n++) {
		i = rng_below(&r, RING);
		usleep(rng_below(&r, LIFE_US));
		ASSERT_EQ(0, kill(pids[i], SIGKILL));
		ASSERT_EQ(256 + SIGKILL, child_wait(pids[i]));
		pids[i] = start(self, i, &r);
		ASSERT_LT(0, pids[i]);
	}
	for (i = 0; i < RING; i++) {
		kill(pids[i], SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(pids[i]));
	}
	/* Only files that were sent and never received are left. */
	for (i = 0; i < RING; i++)
		while ((fd = file_receive(self->sockets[i][0])) >= 0) {
			close(fd);
			drained++;
		}
	printf("# %llu deaths, %d files were on their way at the end\n",
	       (unsigned long long)deaths, drained);
}

/*
 * A socket that holds a client's file, and itself: only the garbage collector
 * frees it.
 */
TEST_F_TIMEOUT(pass, in_flight_for_ever, STORM_SECONDS)
{
	const uint64_t times = storm_times(20);
	uint64_t until, n;
	int pair[2], fd;
	__u32 id;

	for (n = 0; n < times; n++) {
		pid_t pid = fork_bound();

		if (!pid) {
			struct client c;

			if (client_open(&c) ||
			    mem_alloc(&c, 0, 0, 0, MIB(1), &id))
				_exit(1);
			fd = mem_export(&c, id);
			if (fd < 0 ||
			    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
			    file_send(pair[0], fd) || file_send(pair[0], c.fd) ||
			    file_send(pair[0], pair[0]) ||
			    file_send(pair[0], pair[1]))
				_exit(2);
			_exit(0);
		}
		ASSERT_EQ(0, child_wait(pid));
	}
	/* The collector runs when a socket is closed, and at its own pace. */
	until = now_ms() + 20000;
	while (calm_again(&self->calm) && now_ms() < until) {
		if (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
			close(pair[0]);
			close(pair[1]);
		}
		usleep(10000);
	}
}

TEST_HARNESS_MAIN
