// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals at every point at which a call may wait. A timer fires at random
 * moments, with handlers that have calls restarted and that do not; a call ends
 * as the header says, and what is left is the same as without signals. Locks
 * that a call may wait for are held by rivals most of the time, other threads of
 * the same client that do the same all the while.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/time.h>

#include "../uapi/stream.h"
#include "../uapi/sync.h"
#include "../uapi/trouble.h"
#include "storm.h"

#define ROUNDS		25
#define SIGNALS		4	/* in each */

/* The longest until the next signal; it doubles and begins anew. */
#define FIRST_US	20
#define LAST_US		20000

/*
 * Enough that who holds a lock is preempted: while it runs others spin, and
 * look at no signal.
 */
#define RIVALS		3

/* A device that all have not enough of, and the pieces that each has of it. */
#define SMALL		MIB(16)
#define PIECE		KIB(64)
#define PIECES		64
#define PARTY		MIB(64)

/* With so many in a row a machine may be too slow to do anything else. */
#define TOO_MANY	64

static volatile sig_atomic_t signals;
static volatile sig_atomic_t signals_in_row;
static volatile sig_atomic_t interval_us;

static void signal_in(__u64 us)
{
	const struct itimerval t = {
		.it_value = { us / 1000000, us % 1000000 },
	};

	setitimer(ITIMER_REAL, &t, NULL);
}

static void on_signal(int sig)
{
	(void)sig;
	signals++;
	if (!(++signals_in_row % TOO_MANY))
		interval_us *= 2;
	signal_in(interval_us);
}

FIXTURE(signals)
{
	struct calm calm;
	struct client c;
	struct stream s;
	__u8 *host;
	__u32 small;	/* index of that device */
	struct stream small_s;
	struct rng r;
	/* Of one party; the next one's are PARTY higher. */
	__u64 pieces;
	bool is_there[PIECES];
	__u64 run, run_length;	/* what it wants in one piece */
	__u64 granted;
};

FIXTURE_VARIANT(signals)
{
	int flags;
};

FIXTURE_VARIANT_ADD(signals, restart)
{
	.flags = SA_RESTART,
};

FIXTURE_VARIANT_ADD(signals, interrupt)
{
	.flags = 0,
};

static int enter(FIXTURE_DATA(signals) * self)
{
	struct client *c = &self->c;
	int ret;

	ret = client_open_only(c) ?:
	      window_map(c, MIB(512), PROT_READ | PROT_WRITE) ?:
	      stream_create(&self->s, c, 0) ?:
	      stream_create(&self->small_s, c, self->small) ?:
	      mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(8), c->base) ?:
	      mem_alloc_at(c, self->small, 0, 0, MIB(1), c->base + MIB(16)) ?:
	      slab_window(c, 0, c->base + MIB(192), MIB(32));
	self->pieces = c->base + MIB(256);
	self->run = c->base + MIB(288);
	self->run_length = MIB(4);
	return ret;
}

static void leave(FIXTURE_DATA(signals) * self)
{
	if (self->c.fd < 0)
		return;
	stream_destroy(&self->s);
	stream_destroy(&self->small_s);
	client_close(&self->c);
}

FIXTURE_SETUP(signals)
{
	struct sigaction act = {
		.sa_handler = on_signal, .sa_flags = variant->flags,
	};

	ASSERT_EQ(0, client_open_only(&self->c));
	self->small = device_count(&self->c);
	client_close(&self->c);
	ASSERT_EQ(self->small, device_add_at(SMALL, (int)self->small));
	ASSERT_EQ(0, calm_begin(&self->calm));
	ASSERT_LT(self->small, self->calm.devices);
	self->r = rng_init();
	ASSERT_EQ(0, enter(self));
	self->host = mmap(NULL, MIB(8), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->host);
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
}

FIXTURE_TEARDOWN(signals)
{
	leave(self);
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
	EXPECT_EQ(0, device_remove(self->small));
}

/* Signals from now on, so many microseconds apart, or none. */
static void signals_every(__u64 us)
{
	signals_in_row = 0;
	interval_us = (sig_atomic_t)us;
	signal_in(us);
}

/* A call that may wait, and what takes back what it did: 0 or -errno. */
typedef int point_fn(FIXTURE_DATA(signals) * self);

static int wait_long(FIXTURE_DATA(signals) * self)
{
	__u64 id;
	int ret;

	if (timeline_create(&self->c, 0, 0, 0, &id))
		return -EPROTO;
	ret = wait_point(&self->c, id, 1, in_ms(10));
	timeline_destroy(&self->c, id);
	return ret == -ETIMEDOUT ? 0 : ret;
}

static int poll_timeline(FIXTURE_DATA(signals) * self)
{
	struct pollfd p = { .events = POLLIN };
	int ret;
	__u64 id;

	if (timeline_create(&self->c, 0, 0, 0, &id))
		return -EPROTO;
	p.fd = timeline_export(&self->c, id, 1);
	ret = poll(&p, 1, 5);
	ret = ret < 0 ? -errno : ret;
	close(p.fd);
	timeline_destroy(&self->c, id);
	return ret;
}

static int copy_much(FIXTURE_DATA(signals) * self)
{
	return copy(&self->c, self->c.base, addr(self->host), MIB(8));
}

static int fill_much(FIXTURE_DATA(signals) * self)
{
	return fill(&self->c, self->c.base, MIB(8), 3, 1);
}

/* Dirty memory has to be cleared before it is given. */
static int allocate(FIXTURE_DATA(signals) * self)
{
	__u64 va = self->c.base + MIB(64);
	int ret = mem_alloc_at(&self->c, 0, VNPU_MEM_F_CONTIGUOUS,
			       VNPU_PAGE_SHIFT_2M, MIB(16), va);

	return ret ? ret : va_unbind(&self->c, va, 0);
}

/* Fills what is free with pieces, and frees half of those that it has. */
static int scatter(FIXTURE_DATA(signals) * self)
{
	int i, k, ret;

	for (i = 0; i < PIECES; i++) {
		if (self->is_there[i])
			continue;
		ret = mem_alloc_at(&self->c, self->small, 0, 0, PIECE,
				   self->pieces + i * PIECE);
		if (ret == -ENOSPC)
			break;
		if (ret)
			return ret;
		self->is_there[i] = true;
	}
	for (i = 0; i < PIECES; i += 2) {
		k = i + (int)rng_below(&self->r, 2);
		if (!self->is_there[k])
			continue;
		ret = va_unbind(&self->c, self->pieces + k * PIECE, 0);
		if (ret)
			return ret;
		self->is_there[k] = false;
	}
	return 0;
}

/*
 * Others' memory is moved before it is given. Rivals may have what would be
 * needed, and who is refused for that has waited for a compaction to end.
 */
static int compact(FIXTURE_DATA(signals) * self)
{
	int ret = scatter(self);

	if (!ret)
		ret = mem_alloc_at(&self->c, self->small, VNPU_MEM_F_CONTIGUOUS,
				   VNPU_PAGE_SHIFT_2M, self->run_length,
				   self->run);
	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	self->granted++;
	return va_unbind(&self->c, self->run, 0);
}

/* Of slabs that are gone with what is in them. */
static int grow_slabs(FIXTURE_DATA(signals) * self)
{
	__u64 va[256];
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(va) && !ret; i++)
		ret = slab_alloc(&self->c, 0, 2048, &va[i], NULL);
	for (i = 0; i < ARRAY_SIZE(va) && !ret; i++)
		ret = slab_free(&self->c, va[i]);
	return ret;
}

static int reset_in_use(FIXTURE_DATA(signals) * self)
{
	stream_run(&self->small_s, task_fill(self->c.base + MIB(16), MIB(1), 1,
					     1));
	return device_reset(self->small);
}

static int make_stream(FIXTURE_DATA(signals) * self)
{
	struct stream s;
	int ret = stream_create_only(&s, &self->c, 0, 0, 0, 0);
	int mapped;

	if (ret)
		return ret;
	mapped = stream_map(&s);
	ret = stream_destroy(&s);
	return mapped ? mapped : ret;
}

/* Ends a task that runs, and the queue behind it. */
static int abort_stream(FIXTURE_DATA(signals) * self)
{
	stream_put(&self->s, task_fill(self->c.base, MIB(8), 1, 1));
	stream_run(&self->s, task_copy(self->c.base + MIB(4), self->c.base,
				       MIB(4)));
	return stream_abort(&self->s, NULL);
}

static int unbind_in_use(FIXTURE_DATA(signals) * self)
{
	__u64 va = self->c.base + MIB(128);
	int ret = mem_alloc_at(&self->c, 0, 0, 0, MIB(4), va);

	if (ret)
		return ret;
	stream_run(&self->s, task_fill(va, MIB(4), 1, 1));
	return va_unbind(&self->c, va, 0);
}

static int fence_once(FIXTURE_DATA(signals) * self)
{
	__u64 id;
	int fd = sync_export(&self->c, self->s.id, self->s.last);
	int ret;

	if (fd < 0)
		return fd;
	ret = sync_import(&self->c, fd, &id);
	if (!ret)
		ret = timeline_destroy(&self->c, id);
	close(fd);
	return ret;
}

/* Of the last of many tasks, all of which are looked at each time. */
static int export_fence(FIXTURE_DATA(signals) * self)
{
	struct stream *s = &self->s;
	int i, waited, ret = 0;

	stream_put(s, task_fill(self->c.base, MIB(8), 1, 1));
	for (i = 0; i < 200; i++)
		stream_put(s, task_fill(self->c.base, 8, 1, 1));
	stream_submit(s);
	for (i = 0; i < 50 && !ret; i++)
		ret = fence_once(self);
	waited = wait_through(&self->c, s->id, s->last);
	return ret ? ret : waited;
}

static int register_host(FIXTURE_DATA(signals) * self)
{
	__u32 id;
	int ret = host_register(&self->c, 0, self->host, MIB(8), &id);

	return ret ? ret : mem_free(&self->c, id);
}

static int allocate_host(FIXTURE_DATA(signals) * self)
{
	__u32 id;
	int ret = host_alloc(&self->c, MIB(8), &id);

	return ret ? ret : mem_free(&self->c, id);
}

static int touch_pages(FIXTURE_DATA(signals) * self)
{
	__u64 at;

	for (at = 0; at < MIB(1); at += PAGE)
		if (touch_write(self->c.base + at, 1))
			return -EFAULT;
	madvise(ptr(self->c.base), MIB(1), MADV_DONTNEED);
	return 0;
}

static int open_and_close(FIXTURE_DATA(signals) * self)
{
	struct client c;
	int ret = client_open(&c);

	(void)self;
	if (!ret)
		client_close(&c);
	return ret;
}

/* Who may be ended by a signal that is not fatal, with EINTR. */
enum ends { NEVER, UNLESS_RESTARTED, ALWAYS };

static const struct point {
	const char *name;
	point_fn *fn;
	enum ends ends;
	int with;	/* so many rivals */
} points[] = {
	{ "wait", wait_long, UNLESS_RESTARTED, 0 },
	{ "poll", poll_timeline, ALWAYS, 0 },
	{ "copy", copy_much, NEVER, 0 },
	{ "fill", fill_much, NEVER, 0 },
	{ "allocate", allocate, NEVER, 0 },
	{ "compact", compact, NEVER, RIVALS },
	{ "slabs", grow_slabs, NEVER, RIVALS },
	{ "stream", make_stream, NEVER, 0 },
	{ "abort", abort_stream, NEVER, 0 },
	{ "unbind", unbind_in_use, NEVER, 0 },
	{ "export and import", export_fence, NEVER, RIVALS },
	{ "reset", reset_in_use, NEVER, RIVALS },
	{ "register", register_host, NEVER, 0 },
	{ "allocate host memory", allocate_host, NEVER, 0 },
	{ "touch", touch_pages, NEVER, 0 },
	{ "open", open_and_close, NEVER, 0 },
};

struct rival {
	FIXTURE_DATA(signals) party;
	const struct point *p;
	pthread_t thread;
	bool stop;
	int error;
};

static void *rival_run(void *arg)
{
	struct rival *r = arg;

	while (!r->error && !__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
		r->error = r->p->fn(&r->party);
	return NULL;
}

/* The same client, with streams and pieces of its own, and without signals. */
static int rival_start(struct rival *r, const FIXTURE_DATA(signals) * self,
		       const struct point *p, int i)
{
	const struct client *c = &self->c;
	int ret;

	*r = (struct rival){ .p = p, .party = *self };
	r->party.r.state += i;
	memset(r->party.is_there, 0, sizeof(r->party.is_there));
	r->party.pieces += i * PARTY;
	r->party.run += i * PARTY;
	r->party.run_length = MIB(6);
	ret = stream_create(&r->party.s, c, 0) ?:
	      stream_create(&r->party.small_s, c, self->small);
	return ret ? ret : -pthread_create(&r->thread, NULL, rival_run, r);
}

/* Threads that are begun between leave signals to others. */
static void keep_signals(bool keep)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(keep ? SIG_BLOCK : SIG_UNBLOCK, &alarm, NULL);
}

static int rivals_start(struct rival *r, const FIXTURE_DATA(signals) * self,
			const struct point *p)
{
	int i, ret = 0;

	keep_signals(true);
	for (i = 0; i < p->with && !ret; i++)
		ret = rival_start(&r[i], self, p, i + 1);
	keep_signals(false);
	return ret;
}

static int rival_stop(struct rival *r)
{
	__atomic_store_n(&r->stop, true, __ATOMIC_RELAXED);
	pthread_join(r->thread, NULL);
	va_unbind(&r->party.c, r->party.pieces, PIECES * PIECE);
	return r->error ?: stream_destroy(&r->party.s) ?:
	       stream_destroy(&r->party.small_s);
}

static int rivals_stop(struct rival *r, const struct point *p)
{
	int i, ret = 0;

	for (i = 0; i < p->with; i++)
		ret = rival_stop(&r[i]) ?: ret;
	return ret;
}

TEST_F_TIMEOUT(signals, at_every_point, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(ROUNDS);
	struct observed_dirt d;
	unsigned long ended = 0;
	const struct point *p;
	struct rival rivals[RIVALS];
	int ret, last;
	__u64 us, n;

	for (p = points; p < points + ARRAY_SIZE(points); p++) {
		/* What only the first of a process waits for is below. */
		ASSERT_EQ(0, p->fn(self))
			TH_LOG("%s", p->name);
		ASSERT_EQ(0, rivals_start(rivals, self, p));
		us = FIRST_US;
		for (n = 0; n < rounds; n++) {
			last = signals + SIGNALS;
			signals_every(us);
			do
				ret = p->fn(self);
			while (!ret && signals < last);
			signals_every(0);
			if (ret == -EINTR && (p->ends == ALWAYS ||
					      (p->ends == UNLESS_RESTARTED &&
					       !variant->flags))) {
				ended++;
			} else {
				ASSERT_EQ(0, ret)
					TH_LOG("%s, signals every %llu us",
					       p->name, us);
			}
			us = us > LAST_US ? FIRST_US : us * 3 / 2;
		}
		EXPECT_EQ(0, rivals_stop(rivals, p))
			TH_LOG("%s", p->name);
		/* Nothing was lost. */
		EXPECT_EQ(0, p->fn(self))
			TH_LOG("%s", p->name);
	}
	ASSERT_EQ(0, stream_wait(&self->s, 20000));
	ASSERT_EQ(0, observe_dirt(self->small, &d));
	printf("# %d signals at %zu points, %lu calls ended by them\n",
	       (int)signals, ARRAY_SIZE(points), ended);
	printf("# %llu runs had, %llu KiB moved\n", self->granted,
	       d.moved / 1024);
	EXPECT_LT(0, signals);
	EXPECT_LT(0, self->granted);
	EXPECT_LT(0, d.moved);
}

/* What a stream waits for, until there were so many signals. */
struct hold {
	const struct client *c;
	__u64 id;
	int until;
};

static void *hold_end(void *arg)
{
	struct hold *h = arg;

	while (signals < h->until)
		usleep(100);
	timeline_signal(h->c, h->id, 1, VNPU_SIGNAL_ADVANCE);
	return NULL;
}

static int hold_begin(struct hold *h, pthread_t *thread)
{
	int ret;

	h->until = signals + 20;
	keep_signals(true);
	ret = -pthread_create(thread, NULL, hold_end, h);
	keep_signals(false);
	return ret;
}

/* A signal makes no room in a ring that is full: no task is lost. */
TEST_F(signals, ring_that_is_full)
{
	const __u64 tasks = VNPU_RING_TASKS + 8;
	struct hold h = { .c = &self->c };
	__u64 *done = ptr(self->c.base), n;
	struct stream *s = &self->s;
	pthread_t thread;

	memset(done, 0, tasks * sizeof(*done));
	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &h.id));
	stream_put(s, task_wait(h.id, 1));
	for (n = 0; n < tasks; n++) {
		if (s->last == VNPU_RING_TASKS) {
			ASSERT_EQ(0, stream_submit(s));
			ASSERT_EQ(0, hold_begin(&h, &thread));
			signals_every(1000);
		}
		stream_put(s, task_fill(addr(&done[n]), sizeof(*done), n + 1,
					sizeof(*done)));
	}
	pthread_join(thread, NULL);
	signals_every(0);
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	for (n = 0; n < tasks; n++)
		ASSERT_EQ(n + 1, done[n]);
	EXPECT_EQ(0, timeline_destroy(&self->c, h.id));
}

/*
 * The first client of a process, and the first memory that it registers, wait for
 * all locks of its address space, which the kernel gives up on any signal.
 */
TEST_F_TIMEOUT(signals, first_of_a_process, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(40);
	struct rng r = rng_init();
	uint64_t n;

	leave(self);
	for (n = 0; n < rounds; n++) {
		pid_t pid = fork_bound();
		int ret;

		if (!pid) {
			signals_every(100 + rng_below(&r, 500));
			ret = client_open_only(&self->c);
			if (!ret)
				ret = register_host(self);
			_exit(-ret);
		}
		rng_next(&r);
		ASSERT_EQ(0, child_wait(pid));
	}
}

/* The same calls in a process that is killed at any of them. */
TEST_F_TIMEOUT(signals, killed_at_every_point, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(3);
	const struct point *p;
	struct rival rivals[RIVALS];
	__u64 n;

	leave(self);
	for (p = points; p < points + ARRAY_SIZE(points); p++)
		for (n = 0; n < rounds; n++) {
			pid_t pid = fork_bound();

			if (!pid) {
				if (enter(self) || rivals_start(rivals, self, p))
					_exit(1);
				for (;;)
					p->fn(self);
			}
			usleep(3000 + 2000 * n % 30000);
			ASSERT_EQ(0, kill(pid, SIGKILL));
			ASSERT_EQ(256 + SIGKILL, child_wait(pid));
			ASSERT_STREQ("", calm_again(&self->calm) ?: "")
				TH_LOG("%s", p->name);
		}
}

TEST_HARNESS_MAIN
