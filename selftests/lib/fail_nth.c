// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of every family with what they need failing, the first time, the
 * second, and so on, until a call needs no more of it: allocations of the kernel
 * and copies from and to the process, and allocations of the heap.
 *
 * A call that fails says so by one of few errors, and has changed nothing; what
 * it is for works afterwards, and no memory, file or block of the heap is left.
 */
#include <dirent.h>
#include <stdatomic.h>

#include "../isolation/observe.h"
#include "fail_nth.h"
#include "fail_nth_memory.h"
#include "fail_nth_share.h"
#include "fail_nth_stream.h"
#include "fail_nth_work.h"

#define LIMIT		3000	/* no call needs that many */
#define MAX_CLIENTS	16

/* What must be the same after a call that failed as it was before it. */
struct state {
	uint64_t used, objects, bindings;
	uint32_t streams, events;
	long files, blocks;
};

FIXTURE(fail_nth) {
	struct world w;
};

FIXTURE_VARIANT(fail_nth) {
	enum nth_kind kind;
};

FIXTURE_VARIANT_ADD(fail_nth, kernel) {
	.kind = NTH_KERNEL,
};

FIXTURE_VARIANT_ADD(fail_nth, heap) {
	.kind = NTH_HEAP,
};

FIXTURE_SETUP(fail_nth)
{
	struct world *w = &self->w;

	if (!nth_begin(variant->kind))
		SKIP(return, "the kernel has no fault injection");
	w->file = -1;
	w->own = aligned_alloc(PAGE_SIZE, AREA);
	ASSERT_NE(NULL, w->own);
	memset(w->own, 1, AREA);
	OK(work_init(&w->work));
	ASSERT_EQ(0, vnpu_client_id(&w->client));
}

FIXTURE_TEARDOWN(fail_nth)
{
	nth_end();
	aclrtResetDeviceForce(0);
	free(self->w.own);
}

static long count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static struct state look(const struct world *w)
{
	struct observed_client clients[MAX_CLIENTS];
	int i, count = observe_clients(clients, MAX_CLIENTS);
	struct state s = { 0 };

	for (i = 0; i < count && i < MAX_CLIENTS; i++) {
		if (clients[i].id != w->client)
			continue;
		s.used = clients[i].used;
		s.objects = clients[i].objects;
		s.bindings = clients[i].bindings;
	}
	if (aclrtGetStreamAvailableNum(&s.streams) ||
	    aclrtGetEventAvailNum(&s.events))
		abort();
	s.files = count_files();
	s.blocks = nth_blocks();
	return s;
}

/*
 * Nothing has come to what there was in @a. A thread of the library may have had
 * a file or block for a moment then.
 */
static bool is_same(const struct state *a, const struct state *b)
{
	return a->used == b->used && a->objects == b->objects &&
	       a->bindings == b->bindings && a->streams == b->streams &&
	       a->events == b->events && a->files >= b->files &&
	       a->blocks >= b->blocks;
}

/* What there is, when such threads are done. */
static struct state look_until(const struct world *w, const struct state *start)
{
	uint64_t end = now_ms() + 10000;
	struct state s = look(w);

	while (!is_same(start, &s) && now_ms() < end) {
		usleep(1000);
		s = look(w);
	}
	return s;
}

static const char *difference(const struct state *a, const struct state *b)
{
	static char text[160];

	snprintf(text, sizeof(text),
		 "%+ld bytes %+ld objects %+ld bindings %+d streams %+d events %+ld files %+ld blocks",
		 (long)(b->used - a->used), (long)(b->objects - a->objects),
		 (long)(b->bindings - a->bindings),
		 (int)(b->streams - a->streams), (int)(b->events - a->events),
		 b->files - a->files, b->blocks - a->blocks);
	return text;
}

/* No host memory; no way to what the caller has; and what has no code. */
static bool is_documented(aclError err)
{
	return err == ACL_ERROR_RT_MEMORY_ALLOCATION ||
	       err == ACL_ERROR_RT_DRV_INTERNAL_ERROR ||
	       err == ACL_ERROR_RT_PARAM_INVALID ||
	       err == ACL_ERROR_RT_RESOURCE_ALLOC_FAIL ||
	       err == ACL_ERROR_BAD_ALLOC;
}

/* Once with the @n-th failing; whether it came to that. */
static bool fail_once(struct __test_metadata *_metadata, struct world *w,
		      const struct sweep *s, unsigned int n, unsigned int *failed)
{
	struct state before, after;
	aclError err;
	bool hit;

	ASSERT_EQ(ACL_SUCCESS, s->before ? s->before(w) : 0);
	before = look(w);
	nth_arm(n);
	err = s->call(w);
	hit = nth_disarm();
	if (!err)
		return hit;
	after = s->is_partial ? look(w) : look_until(w, &before);
	++*failed;
	EXPECT_TRUE(hit && is_documented(err)) {
		TH_LOG("%s, failure %u: %d, %s", s->name, n, err, recent());
	}
	EXPECT_TRUE(s->is_partial || is_same(&before, &after)) {
		TH_LOG("%s, failure %u, changed %s", s->name, n,
		       difference(&before, &after));
	}
	return hit;
}

static void sweep(struct __test_metadata *_metadata, struct world *w,
		  const struct sweep *s)
{
	unsigned int n, failed = 0;
	struct state start, end;
	bool hit = true;

	/* What is made once and kept is made now. */
	for (n = 0; n < 2; n++) {
		ASSERT_EQ(ACL_SUCCESS, s->before ? s->before(w) : 0);
		ASSERT_EQ(ACL_SUCCESS, s->call(w)) {
			TH_LOG("%s: %s", s->name, recent());
		}
		world_clean(w);
	}
	start = look(w);
	for (n = 1; hit; n++) {
		ASSERT_GT(LIMIT, n);
		hit = fail_once(_metadata, w, s, n, &failed);
		world_clean(w);
		/* The library's note of what it was not told to be gone. */
		if (s->is_partial)
			start.blocks = look(w).blocks;
		end = look_until(w, &start);
		EXPECT_TRUE(is_same(&start, &end)) {
			TH_LOG("%s, failure %u, left %s", s->name, n,
			       difference(&start, &end));
		}
		start = end;
	}
	printf("# %s: %u injected, %u calls failed\n", s->name, n - 2, failed);
	fflush(stdout);
}

#define SWEEPS(family)							\
TEST_F_TIMEOUT(fail_nth, family, 600)					\
{									\
	for (size_t i = 0; family##_calls[i].name; i++)			\
		sweep(_metadata, &self->w, &family##_calls[i]);		\
}

SWEEPS(device)
SWEEPS(stream)
SWEEPS(event)
SWEEPS(memory)
SWEEPS(copy)
SWEEPS(vmm)
SWEEPS(pool)
SWEEPS(share)
SWEEPS(work)

/*
 * The thread that runs functions for streams goes on when it had no memory for
 * a moment.
 */
TEST(functions_without_memory)
{
	aclrtStream stream;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&stream));
	OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
	OK(aclrtSynchronizeStream(stream));
	nth_arm_others();
	/* When it has run this one it looks for the next. */
	OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
	while (nth_is_armed_for_others())
		usleep(1000);
	OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
	EXPECT_ACL(ACL_SUCCESS,
		   aclrtSynchronizeStreamWithTimeout(stream, 20000));
	OK(aclrtDestroyStream(stream));
}

static atomic_int failures;

static void on_failure(aclrtExceptionInfo *info)
{
	(void)info;
	failures++;
}

/* The thread that tells of failures tells later then. */
TEST(failures_without_memory)
{
	aclrtStream stream;
	uint64_t *gate;
	void *dev;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&stream));
	OK(aclrtExceptionInfoCallbackRegister(on_failure));
	OK(aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(gate, 64, 0, 64));
	OK(aclrtMalloc(&dev, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	OK(aclrtMemsetAsync(dev, MIB, 0, MIB, stream));
	OK(aclrtFree(dev));
	nth_arm_others();
	OK(aclrtValueWrite(gate, 1, 0, NULL));
	while (nth_is_armed_for_others())
		usleep(1000);
	while (!failures)
		usleep(1000);
	EXPECT_EQ(1, failures);
	OK(aclrtDestroyStream(stream));
}

/* All that a program does at first; it may have done a part before. */
static aclError use(void)
{
	aclrtStream stream = NULL;
	void *dev = NULL;
	aclError err = aclInit(NULL);

	if (err == ACL_ERROR_REPEAT_INITIALIZE)
		err = ACL_SUCCESS;
	if (!err)
		err = aclrtSetDevice(0);
	if (!err)
		err = aclrtCreateStream(&stream);
	if (!err)
		err = aclrtMalloc(&dev, AREA, ACL_MEM_MALLOC_HUGE_FIRST);
	if (!err)
		err = aclrtMemsetAsync(dev, AREA, 1, AREA, stream);
	if (!err)
		err = aclrtSynchronizeStream(stream);
	return err;
}

enum { AGAIN = 0, OVER = 1, UNDOCUMENTED = 2, BROKEN = 3 };

/* In a process that has not used the library before. */
static int use_first(unsigned int n)
{
	aclError err;
	bool hit;

	nth_arm(n);
	err = use();
	hit = nth_disarm();
	if (err && !(hit && is_documented(err))) {
		printf("# failure %u: %d, %s\n", n, err, recent());
		fflush(stdout);
		return UNDOCUMENTED;
	}
	err = err ? use() : ACL_SUCCESS;
	if (err) {
		printf("# after failure %u: %d, %s\n", n, err, recent());
		fflush(stdout);
		return BROKEN;
	}
	return hit ? AGAIN : OVER;
}

FIXTURE(first) {
};

FIXTURE_VARIANT(first) {
	enum nth_kind kind;
};

FIXTURE_VARIANT_ADD(first, kernel) {
	.kind = NTH_KERNEL,
};

FIXTURE_VARIANT_ADD(first, heap) {
	.kind = NTH_HEAP,
};

FIXTURE_SETUP(first)
{
	if (!nth_begin(variant->kind))
		SKIP(return, "the kernel has no fault injection");
}

FIXTURE_TEARDOWN(first)
{
	nth_end();
}

TEST_F_TIMEOUT(first, of_all, 600)
{
	unsigned int n;
	int status;

	for (n = 1; n < LIMIT; n++) {
		pid_t pid = fork_bound();

		ASSERT_LE(0, pid);
		if (!pid)
			_exit(use_first(n));
		status = child_wait(pid);
		if (status == OVER)
			break;
		EXPECT_EQ(AGAIN, status);
	}
	printf("# first use: %u injected\n", n - 1);
	EXPECT_LT(n, LIMIT);
}

TEST_HARNESS_MAIN
