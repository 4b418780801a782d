// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of timelines: they can be polled, and another process that has one can
 * wait, and signal if it has the right.
 */
#include "timeline.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

TEST_F(timeline, a_file_can_be_polled)
{
	struct pollfd p = { .events = POLLIN };
	pid_t pid;

	p.fd = timeline_export(&self->c, self->a.id, 2);
	ASSERT_LE(0, p.fd);
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, stream_do(&self->a, (struct vnpu_task){}));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, stream_run(&self->a, (struct vnpu_task){}));
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_EQ(POLLIN, p.revents);
	close(p.fd);

	/* Its id does not matter. */
	p.events = POLLRDNORM;
	p.fd = timeline_export(&self->c, self->a.id, 3);
	ASSERT_LE(0, p.fd);
	pid = fork_bound();
	if (!pid)
		_exit(poll(&p, 1, 20000) == 1 ? 0 : 1);
	usleep(50000);
	ASSERT_EQ(0, stream_run(&self->a, (struct vnpu_task){}));
	EXPECT_EQ(0, child_wait(pid));
	close(p.fd);
	p.events = POLLIN;

	EXPECT_EQ(-EINVAL, timeline_export(&self->c, self->counter, 1));
	p.fd = timeline_export(&self->c, self->counter, 0);
	ASSERT_LE(0, p.fd);
	EXPECT_EQ(0, poll(&p, 1, 0));
	close(p.fd);

	/* Also for a destroyed timeline. */
	p.fd = timeline_export(&self->c, self->id, 5);
	ASSERT_LE(0, p.fd);
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 9, 0));
	EXPECT_EQ(1, poll(&p, 1, 0));
	close(p.fd);
}

/* A file has this many watches: each epoll watches each descriptor once. */
#define DESCRIPTORS	100
#define EPOLLS		100
#define TRIES		40

struct watches {
	int fds[DESCRIPTORS], epolls[EPOLLS];
};

/* Watch a file; 0 or -errno. */
static int watch_often(struct watches *w, int file)
{
	struct epoll_event event = { .events = EPOLLIN };
	int i, k;

	for (i = 0; i < DESCRIPTORS; i++)
		w->fds[i] = dup(file);
	for (i = 0; i < EPOLLS; i++) {
		w->epolls[i] = epoll_create1(EPOLL_CLOEXEC);
		for (k = 0; k < DESCRIPTORS; k++)
			if (epoll_ctl(w->epolls[i], EPOLL_CTL_ADD, w->fds[k],
				      &event))
				return -errno;
	}
	return 0;
}

static void watches_end(const struct watches *w)
{
	int i;

	for (i = 0; i < EPOLLS; i++)
		close(w->epolls[i]);
	for (i = 0; i < DESCRIPTORS; i++)
		close(w->fds[i]);
}

static int watches_allow(void)
{
	const rlim_t most = 2 * (DESCRIPTORS + EPOLLS) + 64;
	const struct rlimit limit = { most, most };

	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}

/* The time in which the kernel wakes the watches of another file. */
static __u64 wake_other_ns(void)
{
	int file = eventfd(0, EFD_CLOEXEC);
	__u64 from, one = 1, took = 0;
	struct watches w;

	if (watch_often(&w, file))
		return 0;
	from = now_ns();
	if (write(file, &one, sizeof(one)) == sizeof(one))
		took = now_ns() - from;
	watches_end(&w);
	close(file);
	return took;
}

static struct vnpu_task timestamp(__u64 va)
{
	return (struct vnpu_task){ .op = VNPU_TASK_TIMESTAMP, .dst = va };
}

/* The watches of a file cost no time of the engine that signals its timeline. */
TEST_F_TIMEOUT(timeline, watches_of_a_file_do_not_delay_an_engine, 120)
{
	const volatile __u64 *stamps = self->mem;
	__u64 other, took = ~0ULL;
	struct epoll_event event;
	struct watches w;
	int i, fd;

	ASSERT_EQ(0, watches_allow());
	other = wake_other_ns();
	ASSERT_LT(0, other);
	/* What else the machine does only adds to the time. */
	for (i = 1; i <= TRIES && took >= other / 4; i++) {
		fd = timeline_export(&self->c, self->id, i);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, watch_often(&w, fd));
		stream_put(&self->a, timestamp(self->va));
		stream_put(&self->a, task_signal(self->id, i, 0));
		stream_put(&self->a, timestamp(self->va + 16));
		ASSERT_EQ(0, stream_submit(&self->a));
		ASSERT_EQ(0, stream_wait(&self->a, 20000));
		EXPECT_EQ(1, epoll_wait(w.epolls[0], &event, 1, 20000));
		took = stamps[2] - stamps[0];
		printf("# the task took %llu us; the watches of another file are woken in %llu us\n",
		       took / 1000, other / 1000);
		watches_end(&w);
		close(fd);
	}
	EXPECT_LT(took, other / 4);
}

/*
 * Pass on a timeline or counter for waiting only; return the id, or 0 if it is
 * not reported as such.
 */
static __u64 hand_over(const struct client *from, __u64 id, __u32 flags,
		       const struct client *to)
{
	int fd = timeline_export_as(from, id, 0, flags);
	struct vnpu_timeline_import a = { .size = sizeof(a), .fd = fd };
	int ret = fd < 0 ? fd : call(to->fd, VNPU_IOCTL_TIMELINE_IMPORT, &a);

	close(fd);
	return ret || a.out_flags != VNPU_TIMELINE_EXPORT_F_WAIT_ONLY ?
	       0 : a.out_id;
}

FIXTURE(wait_only)
{
	struct client owner, guest;
	struct stream s;	/* of the guest */
	__u64 id, counter;
	__u64 seen, seen_counter;	/* ids in the guest */
};

FIXTURE_SETUP(wait_only)
{
	const __u32 flag = VNPU_TIMELINE_EXPORT_F_WAIT_ONLY;

	ASSERT_EQ(0, client_open(&self->owner));
	ASSERT_EQ(0, client_open(&self->guest));
	ASSERT_EQ(0, stream_create(&self->s, &self->guest, 0));
	ASSERT_EQ(0, timeline_create(&self->owner, 0, 0, 0, &self->id));
	ASSERT_EQ(0, timeline_create(&self->owner, VNPU_TIMELINE_F_COUNTER, 0, 0,
				     &self->counter));
	self->seen = hand_over(&self->owner, self->id, flag, &self->guest);
	self->seen_counter = hand_over(&self->owner, self->counter, flag,
				       &self->guest);
	ASSERT_NE(0, self->seen);
	ASSERT_NE(0, self->seen_counter);
}

FIXTURE_TEARDOWN(wait_only)
{
	stream_destroy(&self->s);
	client_close(&self->guest);
	client_close(&self->owner);
}

static void expect_no_signals(struct __test_metadata *_metadata,
			      FIXTURE_DATA(wait_only) *self, __u64 id,
			      __u32 mode)
{
	EXPECT_EQ(-EACCES, timeline_signal(&self->guest, id, 1, mode));
	EXPECT_EQ(-EACCES, stream_do(&self->s, task_signal(id, 1, (__u16)mode)));
}

TEST_F(wait_only, signals_are_refused)
{
	struct vnpu_task clear = {
		.op = VNPU_TASK_COUNTER_WAIT,
		.flags = VNPU_TASK_F_CLEAR,
		.mode = VNPU_COND_EQ,
		.src = self->seen_counter,
	};
	__u64 value;

	expect_no_signals(_metadata, self, self->seen, VNPU_SIGNAL_ADVANCE);
	expect_no_signals(_metadata, self, self->seen_counter, VNPU_SIGNAL_SET);
	EXPECT_EQ(-EACCES, stream_do(&self->s, clear));
	EXPECT_EQ(0, timeline_value(&self->owner, self->id, &value));
	EXPECT_EQ(0, value);
}

TEST_F(wait_only, waits_are_not)
{
	struct vnpu_task found = {
		.op = VNPU_TASK_COUNTER_WAIT,
		.mode = VNPU_COND_EQ,
		.src = self->seen_counter,
		.arg0 = 7,
	};
	__u64 value;

	stream_put(&self->s, task_wait(self->seen, 3));
	stream_put(&self->s, found);
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, timeline_signal(&self->owner, self->id, 3, 0));
	ASSERT_EQ(0, timeline_signal(&self->owner, self->counter, 7,
				     VNPU_SIGNAL_SET));
	EXPECT_EQ(0, wait_point(&self->guest, self->seen, 3, in_ms(20000)));
	EXPECT_EQ(0, stream_wait(&self->s, 20000));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, timeline_value(&self->guest, self->seen, &value));
	EXPECT_EQ(3, value);
}

/* Exporting such an id again adds no rights, with any flags. */
TEST_F(wait_only, rights_do_not_grow)
{
	__u64 again;

	again = hand_over(&self->guest, self->seen, 0, &self->guest);
	ASSERT_NE(0, again);
	expect_no_signals(_metadata, self, again, VNPU_SIGNAL_ADVANCE);
	again = hand_over(&self->guest, self->seen_counter, 0, &self->guest);
	ASSERT_NE(0, again);
	expect_no_signals(_metadata, self, again, VNPU_SIGNAL_OR);
	/* Exporting an unrestricted one keeps its rights. */
	EXPECT_EQ(0, hand_over(&self->owner, self->id, 0, &self->owner));
}

/* When nothing can signal it any more, its waiters return. */
TEST_F(wait_only, ends_with_the_last_signaller)
{
	__u64 value;
	int fd = timeline_export_as(&self->owner, self->id, 1,
				    VNPU_TIMELINE_EXPORT_F_WAIT_ONLY);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ETIMEDOUT, wait_point(&self->guest, self->seen, 1, 0));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, timeline_destroy(&self->owner, self->id));
	EXPECT_EQ(0, wait_point(&self->guest, self->seen, 1, in_ms(20000)));
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(0, timeline_value(&self->guest, self->seen, &value));
	EXPECT_EQ(~0ULL, value);
	close(fd);
	/* Also if a client ends. */
	ASSERT_EQ(0, stream_run(&self->s, (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT, .mode = VNPU_COND_EQ,
		.src = self->seen_counter, .arg0 = 7,
	}));
	client_close(&self->owner);
	EXPECT_EQ(0, stream_wait(&self->s, 20000));
	ASSERT_EQ(0, client_open(&self->owner));
	EXPECT_EQ(0, timeline_destroy(&self->guest, self->seen));
	EXPECT_EQ(-ENOENT, timeline_destroy(&self->guest, self->seen));
}

/* The other side of a file: 1 signals it, 2 waits for it. */
static int import_and(int fd, int what, __u64 value)
{
	struct client c;
	__u32 kind;
	__u64 id;
	int ret;

	ret = client_open(&c);
	if (!ret)
		ret = timeline_import(&c, fd, &id, &kind);
	if (!ret && what == 1)
		ret = timeline_signal(&c, id, value, 0);
	if (!ret && what == 2)
		ret = wait_point(&c, id, value, in_ms(20000));
	return -ret;
}

TEST_F(timeline, a_file_works_in_another_process)
{
	int fd = timeline_export(&self->c, self->id, 0);
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->id, 7)));
	pid = fork_bound();
	if (!pid)
		_exit(import_and(fd, 1, 7));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));

	pid = fork_bound();
	if (!pid)
		_exit(import_and(fd, 2, 8));
	usleep(20000);
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 8, 0));
	EXPECT_EQ(0, child_wait(pid));
	close(fd);
}

TEST_F(timeline, other_processes_can_wait_for_a_stream)
{
	int fd = timeline_export(&self->c, self->a.id, 0);
	pid_t pid;

	ASSERT_LE(0, fd);
	pid = fork_bound();
	if (!pid)
		_exit(import_and(fd, 2, 1));
	usleep(20000);
	ASSERT_EQ(0, stream_run(&self->a, (struct vnpu_task){}));
	EXPECT_EQ(0, child_wait(pid));
	/* It cannot be changed. */
	pid = fork_bound();
	if (!pid)
		_exit(import_and(fd, 1, 9));
	EXPECT_EQ(EACCES, child_wait(pid));
	/* The end of the stream ends the wait. */
	pid = fork_bound();
	if (!pid)
		_exit(import_and(fd, 2, 1000));
	usleep(20000);
	ASSERT_EQ(0, stream_destroy(&self->a));
	EXPECT_EQ(0, child_wait(pid));
	close(fd);
}

TEST_F(timeline, the_signaller_may_die)
{
	int fds[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	pid = fork_bound();
	if (!pid) {
		struct client c;
		__u64 id;
		int fd;

		if (client_open(&c) || timeline_create(&c, 0, 0, 0, &id))
			_exit(1);
		fd = timeline_export(&c, id, 0);
		if (fd < 0 || write(fds[1], &fd, sizeof(fd)) != sizeof(fd))
			_exit(1);
		pause();
		_exit(1);
	}
	{
		int fd, pidfd, got;
		__u32 kind;
		__u64 id;

		ASSERT_EQ((ssize_t)sizeof(fd), read(fds[0], &fd, sizeof(fd)));
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		ASSERT_LE(0, pidfd);
		got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
		ASSERT_LE(0, got);
		ASSERT_EQ(0, timeline_import(&self->c, got, &id, &kind));
		EXPECT_EQ(VNPU_TIMELINE_KIND_TIMELINE, kind);
		kill(pid, SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(pid));
		/* It belongs to this client as well, and so still exists. */
		EXPECT_EQ(-ETIMEDOUT, wait_point(&self->c, id, 1, in_ms(20)));
		EXPECT_EQ(0, timeline_signal(&self->c, id, 1, 0));
		EXPECT_EQ(0, wait_point(&self->c, id, 1, 0));
		EXPECT_EQ(0, timeline_destroy(&self->c, id));
		close(got);
		close(pidfd);
	}
}

TEST_F(timeline, other_files_are_not_imported)
{
	__u32 kind;
	__u64 id;
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	EXPECT_EQ(-EINVAL, timeline_import(&self->c, fds[0], &id, &kind));
	EXPECT_EQ(-EINVAL, timeline_import(&self->c, self->c.fd, &id, &kind));
	EXPECT_EQ(-EBADF, timeline_import(&self->c, -1, &id, &kind));
	EXPECT_EQ(-EBADF, timeline_import(&self->c, 1000000, &id, &kind));
}

TEST_HARNESS_MAIN
