// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kill processes at a random point of a random sequence of calls, several at
 * once. After the last one, the devices are as before the first: no memory in
 * use, no client listed, and the arena in one free run.
 *
 * VNPU_KILLS sets the number of processes, VNPU_STORM multiplies it. VNPU_SEED
 * repeats a run as far as the scheduler permits.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/resource.h>

#include "../storm/storm.h"
#include "../uapi/core.h"
#include "../uapi/sync.h"

#define PARALLEL	8
#define SLOTS		12
#define SLOT_SIZE	MIB(4)
#define MAX_LIFE_US	60000
#define STREAMS		3
#define MAX_BRANCHES	2	/* threads and children of one process */

struct program {
	struct client c;
	struct client other;	/* client that @c shares memory with */
	struct rng r;
	__u32 devices;
	__u32 id[SLOTS];
	int file[SLOTS];	/* exported memory, 0 for none */
	struct stream streams[STREAMS];
	struct core core;	/* of one device; its file is 0 for none */
	__u64 timeline;		/* that tasks wait for and signal */
	__u32 context;		/* the last one, which may not exist any more */
	__u32 branches;
	__u8 *host;
};

static __u64 random_va(struct program *p)
{
	return p->c.base + rng_below(&p->r, SLOTS) * SLOT_SIZE;
}

static __u64 random_length(struct program *p)
{
	return 1 + rng_below(&p->r, 1ULL << rng_below(&p->r, 21));
}

static __u32 random_flags(struct program *p)
{
	return rng_next(&p->r) & (VNPU_MEM_F_CONTIGUOUS |
				  VNPU_MEM_F_HOST_ACCESS);
}

/* Copy until the process is killed, together with its other threads. */
static void *copier(void *arg)
{
	struct program *p = arg;

	for (;;)
		copy(&p->c, p->c.base + SLOT_SIZE, p->c.base, SLOT_SIZE);
	return NULL;
}

/* A file outlives the id that it was exported from; both clients import it. */
static void share(struct program *p, __u32 slot)
{
	__u32 id;

	if (!p->file[slot]) {
		p->file[slot] = mem_export(&p->c, p->id[slot]);
		if (p->file[slot] < 0)
			p->file[slot] = 0;
	} else if (rng_below(&p->r, 3)) {
		if (!mem_import(&p->other, p->file[slot], &id))
			va_bind(&p->other, id,
				p->other.base + slot * SLOT_SIZE, PAGE, 0);
		if (!p->id[slot])
			mem_import(&p->c, p->file[slot], &p->id[slot]);
	} else {
		close(p->file[slot]);
		p->file[slot] = 0;
	}
}

/* A child that had a file would correctly keep the memory. */
static void close_files(struct program *p)
{
	__u32 slot;

	for (slot = 0; slot < SLOTS; slot++) {
		if (p->file[slot])
			close(p->file[slot]);
		p->file[slot] = 0;
	}
}

/* Any function and arguments: a launch may hang, fail, or end the core. */
static struct vnpu_task random_launch(struct program *p)
{
	return task_launch(rng_below(&p->r, CORE_LIE + 1), random_va(p),
			   3 * sizeof(__u64));
}

static struct vnpu_task random_task(struct program *p)
{
	__u64 length = random_length(p);

	switch (rng_below(&p->r, 7)) {
	case 0:
		return task_copy(random_va(p), random_va(p), length);
	case 1:
		return task_fill(random_va(p), length & -8, 1, 8);
	case 2:
		return task_wait(p->timeline, rng_below(&p->r, 50));
	case 3:
		return task_signal(p->timeline, rng_below(&p->r, 50),
				   VNPU_SIGNAL_ADVANCE);
	case 4:
		return task_wait(p->streams[rng_below(&p->r, STREAMS)].id,
				 rng_below(&p->r, 20));
	case 5:
		return random_launch(p);
	default:
		return (struct vnpu_task){};
	}
}

/* Any weight, or 0 for the default. */
static __u32 random_weight(struct program *p)
{
	return rng_below(&p->r, VNPU_CONTEXT_WEIGHT_MAX + 1);
}

/* Create a stream without a context, or in one of any weight, which may be urgent. */
static void begin_stream(struct program *p, struct stream *s)
{
	__u32 device = rng_below(&p->r, p->devices), context = 0;

	if (rng_below(&p->r, 3) &&
	    !context_create_as(&p->c, device, random_weight(p),
			       rng_below(&p->r, 2) ? VNPU_CONTEXT_F_URGENT : 0,
			       &context))
		p->context = context;
	if (!stream_create_only(s, &p->c, device,
				rng_below(&p->r, VNPU_STREAM_PRIORITIES),
				context, 0))
		stream_map(s);
	/* The stream keeps a context whose id is destroyed. */
	if (rng_below(&p->r, 2))
		context_destroy(&p->c, context);
}

/* Start a core, or kill it, or close its file while its process goes on. */
static void use_core(struct program *p)
{
	struct core *k = &p->core;

	if (!k->fd) {
		core_start(k, &p->c, rng_below(&p->r, p->devices),
			   1 + rng_below(&p->r, 4));
		return;
	}
	if (k->pid > 0 && rng_below(&p->r, 2))
		kill(k->pid, SIGKILL);
	if (rng_below(&p->r, 2)) {
		close(k->fd);
		*k = (struct core){ 0 };
	}
}

/* A stream may be left, whose tasks may wait for ever. */
static void use_stream(struct program *p)
{
	struct vnpu_event_alloc t = { .size = sizeof(t) };
	struct stream *s = &p->streams[rng_below(&p->r, STREAMS)];
	int i, fd;

	if (!s->ring) {
		if (!p->timeline)
			timeline_create(&p->c, rng_below(&p->r, 2) ?
					VNPU_TIMELINE_F_COUNTER : 0,
					0, 0, &p->timeline);
		begin_stream(p, s);
		return;
	}
	switch (rng_below(&p->r, 10)) {
	case 0:
		stream_destroy(s);
		break;
	case 1:
		stream_abort(s, NULL);
		break;
	case 2:
		fd = sync_export(&p->c, s->id, s->last);
		if (fd >= 0)
			close(fd);
		break;
	case 3:
		timeline_signal(&p->c, p->timeline, rng_below(&p->r, 50),
				VNPU_SIGNAL_ADVANCE);
		break;
	case 4:
		stream_wait(s, 1);
		break;
	case 5:
		call(p->c.fd, VNPU_IOCTL_EVENT_ALLOC, &t);
		break;
	case 6:
		context_set_weight(&p->c, p->context, random_weight(p));
		break;
	case 7:
		use_core(p);
		break;
	default:
		/* Submitting to a full ring would wait. */
		for (i = 0; i < 20 && s->last - stream_completed(s) <
			    VNPU_RING_TASKS; i++)
			stream_put(s, random_task(p));
		stream_submit(s);
	}
}

/* Any call may be refused: the test only checks that it does no harm. */
static void step(struct program *p)
{
	__u32 slot = rng_below(&p->r, SLOTS);
	__u64 va = random_va(p), length = random_length(p);
	pthread_t thread;

	switch (rng_below(&p->r, 18)) {
	case 0:
	case 1:
		if (!p->id[slot])
			mem_alloc(&p->c, rng_below(&p->r, p->devices),
				  random_flags(p), 0, length, &p->id[slot]);
		break;
	case 2:
	case 3:
		mem_alloc_at(&p->c, rng_below(&p->r, p->devices),
			     random_flags(p),
			     rng_below(&p->r, 4) ? 0 : VNPU_PAGE_SHIFT_2M,
			     length, va);
		break;
	case 4:
		va_bind(&p->c, p->id[slot], va, (length + PAGE) & -PAGE, 0);
		break;
	case 5:
		copy(&p->c, va, addr(p->host), length);
		break;
	case 6:
		copy(&p->c, addr(p->host), va, length);
		break;
	case 7:
		copy(&p->c, va, random_va(p), length);
		fill(&p->c, va, length, slot, 1);
		break;
	case 8:
		if (!touch_read(va))
			touch_write(va, slot);
		break;
	case 9:
		if (!mem_free(&p->c, p->id[slot]))
			p->id[slot] = 0;
		break;
	case 10:
		va_unbind(&p->c, va, rng_below(&p->r, 2) ? 0 : SLOT_SIZE);
		break;
	case 11:
	case 12:
		share(p, slot);
		break;
	case 13:
		va_protect(&p->c, va, 0, VNPU_DEVICE_HOST,
			   rng_below(&p->r, 2) ? VNPU_ACCESS_READ :
						 VNPU_ACCESS_READ_WRITE);
		if (!p->id[slot])
			mem_open(&p->c, va, &p->id[slot]);
		break;
	case 14:
	case 15:
	case 16:
		use_stream(p);
		break;
	default:
		if (rng_below(&p->r, 4) || p->branches++ >= MAX_BRANCHES)
			break;
		if (rng_below(&p->r, 2)) {
			pthread_create(&thread, NULL, copier, p);
			break;
		}
		close_files(p);
		if (!fork_bound()) {
			/* Hold the file, and outlive the parent for a while. */
			prctl(PR_SET_PDEATHSIG, 0);
			usleep(1 + rng_below(&p->r, 20000));
			_exit(0);
		}
	}
}

static void run(struct rng r, __u64 *steps)
{
	struct program p = { .r = r };

	setpriority(PRIO_PROCESS, 0, 0);
	p.host = malloc(MIB(2));
	if (!p.host || client_open_only(&p.c) || client_open(&p.other))
		_exit(1);
	if (window_map(&p.c, 2 * SLOTS * SLOT_SIZE, PROT_READ | PROT_WRITE))
		_exit(2);
	p.devices = device_count(&p.c);
	if (!p.devices)
		_exit(3);
	for (;;) {
		step(&p);
		__atomic_fetch_add(steps, 1, __ATOMIC_RELAXED);
	}
}

struct victim {
	pid_t pid;
	uint64_t until;	/* in microseconds */
	bool killed;
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

FIXTURE(storm)
{
	struct calm calm;
	__u64 *steps;	/* of all victims */
};

FIXTURE_SETUP(storm)
{
	ASSERT_EQ(0, calm_begin(&self->calm));
	self->steps = mmap(NULL, sizeof(*self->steps), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->steps);
}

FIXTURE_TEARDOWN(storm)
{
	calm_end(&self->calm);
}

static pid_t spawn(FIXTURE_DATA(storm) * self, struct rng *r)
{
	struct rng own = { rng_next(r) | 1 };
	pid_t pid = fork_bound();

	if (!pid) {
		calm_end(&self->calm);
		run(own, self->steps);
	}
	return pid;
}

/* Reap the processes that have ended; a victim may end by our signal only. */
static int reap(struct __test_metadata *_metadata, struct victim *victims)
{
	int status, i, reaped = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < PARALLEL; i++) {
			if (victims[i].pid != pid)
				continue;
			ASSERT_TRUE(victims[i].killed);
			ASSERT_TRUE(WIFSIGNALED(status));
			ASSERT_EQ(SIGKILL, WTERMSIG(status));
			victims[i].pid = 0;
			reaped++;
		}
	}
	return reaped;
}

TEST_F_TIMEOUT(storm, killed_anywhere, 3600)
{
	const uint64_t kills = env_u64("VNPU_KILLS", storm_times(500));
	struct victim victims[PARALLEL] = {}, *v;
	uint64_t started = 0, reaped = 0, start = now_ms();
	struct rng r = rng_init();

	/* Victims' children become children of this process. */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	/*
	 * Let this process kill and victims die without queueing behind busy
	 * ones.
	 */
	setpriority(PRIO_PROCESS, 0, -15);
	/*
	 * On a slow machine start more processes, until they have made enough
	 * calls.
	 */
	while (reaped < started || started < kills || *self->steps <= kills) {
		for (v = victims; v < victims + PARALLEL; v++) {
			if (!v->pid &&
			    (started < kills || *self->steps <= kills)) {
				v->killed = false;
				v->until = now_us() +
					   rng_below(&r, MAX_LIFE_US);
				v->pid = spawn(self, &r);
				ASSERT_LT(0, v->pid);
				started++;
			} else if (v->pid && !v->killed &&
				   now_us() >= v->until) {
				v->killed = true;
				setpriority(PRIO_PROCESS, v->pid, -10);
				kill(v->pid, SIGKILL);
			}
		}
		reaped += reap(_metadata, victims);
		usleep(100);
	}
	/*
	 * Victims' files may still be held, but all their memory is free by
	 * now.
	 */
	EXPECT_STREQ("", calm_devices(&self->calm) ?: "");
	while (waitpid(-1, NULL, 0) > 0)
		;
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	/* Most victims must have got past their first calls. */
	EXPECT_LT(kills, *self->steps);
	printf("# %llu processes killed in %llu ms, after %llu steps\n",
	       (unsigned long long)started,
	       (unsigned long long)(now_ms() - start),
	       (unsigned long long)*self->steps);
}

/*
 * Kill the whole process group at once, as a terminal or a cgroup does:
 * parents, children and threads end in any order.
 */
TEST_F_TIMEOUT(storm, killed_as_a_group, 120)
{
	struct rng r = rng_init();
	int round, i, alive;
	pid_t leader;

	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	for (round = 0; round < 5; round++) {
		leader = fork_bound();
		ASSERT_LE(0, leader);
		if (!leader) {
			setpgid(0, 0);
			for (i = 0; i < PARALLEL; i++)
				spawn(self, &r);
			pause();
		}
		/* The process may be killed before it gets this far. */
		ASSERT_EQ(0, setpgid(leader, leader));
		rng_next(&r);
		usleep(30000);
		ASSERT_EQ(0, kill(-leader, SIGKILL));
		for (alive = 0; waitpid(-1, NULL, 0) > 0; alive++)
			;
		EXPECT_LT(0, alive);
		EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	}
}

TEST_HARNESS_MAIN
