/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a call is made to fail: with the first, second and each further operation
 * failing that it needs, until it succeeds.  These operations are allocations
 * of the kernel, copies from and to the process, and allocations of the heap.
 *
 * A failing call returns one of few errors, and has changed nothing. The same
 * call works afterwards, and no memory, file or block of the heap is leaked.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_SWEEP_H
#define SELFTESTS_LIB_FAIL_NTH_SWEEP_H

#include "../isolation/observe.h"
#include "fail_nth.h"
#include "fail_nth_calls.h"
#include "host_charge.h"

#include <limits.h>
#include <link.h>
#include <linux/magic.h>
#include <mntent.h>
#include <sys/vfs.h>

#define LIMIT		3000	/* more than any call needs */
#define MAX_CLIENTS	16
#define WARM_UP		2	/* iterations after which caches are filled */
/* time after which memory that is still missing is lost */
#define SETTLE_MS	60000

/* State that must be the same before and after a failed call. */
struct state {
	uint64_t used, objects, bindings;
	uint32_t streams, events;
	long files, blocks;
	long pinned;		/* KiB */
	uint64_t charged;	/* pages of host memory */
	int clients;
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
	w->kind = variant->kind;
	w->file = -1;
	w->own = aligned_alloc(PAGE_SIZE, AREA);
	ASSERT_NE(NULL, w->own);
	w->probe = open(HOST_QUOTA_NODE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, w->probe);
	memset(w->own, 1, AREA);
	OK(work_init(&w->work));
	ASSERT_EQ(0, vnpu_client_id(&w->client));
}

FIXTURE_TEARDOWN(fail_nth)
{
	nth_end();
	aclrtResetDeviceForce(0);
	close(self->w.probe);
	free(self->w.own);
}

/* Return whether a thread of this process is working, or ending. */
static bool is_awake(const char *thread)
{
	char path[64], text[256];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	state = strstr(text, ") ");
	return state && state[2] != 'S';
}

static bool are_others_awake(void)
{
	DIR *dir = opendir("/proc/self/task");
	bool is_one = false;
	struct dirent *entry;

	while (dir && !is_one && (entry = readdir(dir)))
		is_one = entry->d_name[0] != '.' &&
			 atoi(entry->d_name) != gettid() &&
			 is_awake(entry->d_name);
	if (dir)
		closedir(dir);
	return is_one;
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

/*
 * Threads of the library allocate and free memory for a moment, so the state is
 * taken while all of them sleep.
 */
static struct state look(const struct world *w)
{
	struct observed_client clients[MAX_CLIENTS];
	struct state s = { 0 };
	int i, count;

	while (are_others_awake())
		usleep(1000);
	count = observe_clients(clients, MAX_CLIENTS);
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
	s.pinned = pinned_kib();
	s.charged = host_charge(w->probe);
	s.clients = count;
	s.blocks = nth_blocks();
	return s;
}

/* Return whether nothing was added to the state @a. */
static bool is_same(const struct state *a, const struct state *b)
{
	return a->used == b->used && a->objects == b->objects &&
	       a->bindings == b->bindings && a->streams == b->streams &&
	       a->events == b->events && a->pinned == b->pinned &&
	       a->charged == b->charged && a->clients == b->clients &&
	       a->files >= b->files && a->blocks >= b->blocks;
}

/* Return the state once memory that the driver frees later is free. */
static struct state look_until(const struct world *w, const struct state *start)
{
	uint64_t end = now_ms() + SETTLE_MS;
	struct state s = look(w);

	while (!is_same(start, &s) && now_ms() < end) {
		usleep(1000);
		s = look(w);
	}
	return s;
}

static const char *difference(const struct state *a, const struct state *b)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 "%+ld bytes %+ld objects %+ld bindings %+d streams %+d events %+ld KiB pinned %+ld pages charged %+d clients %+ld files %+ld blocks",
		 (long)(b->used - a->used), (long)(b->objects - a->objects),
		 (long)(b->bindings - a->bindings),
		 (int)(b->streams - a->streams), (int)(b->events - a->events),
		 b->pinned - a->pinned, (long)(b->charged - a->charged),
		 b->clients - a->clients,
		 b->files - a->files, b->blocks - a->blocks);
	return text;
}

/*
 * No host memory; no access to the caller's memory; and errors without a code.
 */
static inline bool is_documented(aclError err)
{
	return err == ACL_ERROR_RT_MEMORY_ALLOCATION ||
	       err == ACL_ERROR_RT_DRV_INTERNAL_ERROR ||
	       err == ACL_ERROR_RT_PARAM_INVALID ||
	       err == ACL_ERROR_RT_RESOURCE_ALLOC_FAIL ||
	       err == ACL_ERROR_GE_MEMORY_ALLOCATION ||
	       err == ACL_ERROR_BAD_ALLOC;
}

static bool is_of_files(const struct sweep *s, aclError err)
{
	bool is_open = err == ACL_ERROR_INVALID_FILE ||
		       err == ACL_ERROR_RT_FILE_OPEN ||
		       err == ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID;
	bool is_write = err == ACL_ERROR_WRITE_FILE ||
			err == ACL_ERROR_RT_FILE_WRITE;

	return ((s->flags & FILES_OPEN) && is_open) ||
	       ((s->flags & FILES_WRITE) && is_write);
}

static void expect_same(struct __test_metadata *_metadata,
			const struct sweep *s, unsigned int n,
			const struct state *a, const struct state *b)
{
	EXPECT_TRUE(is_same(a, b)) {
		TH_LOG("%s, failure %u, left %s", s->name, n, difference(a, b));
	}
}

/*
 * Make the call with the @n-th operation failing, or none for 0, and again if
 * this made it fail. Return whether the @n-th operation was reached. All calls
 * come from one place, as profiles record callers.
 */
static __attribute__((noinline)) bool
fail_once(struct __test_metadata *_metadata, struct world *w,
	  const struct sweep *s, unsigned int n, unsigned int *failed)
{
	struct state before = { 0 }, after;
	unsigned int armed = n;
	bool is_hit = false;
	aclError err;

	ASSERT_EQ(ACL_SUCCESS, s->before ? s->before(w) : 0) {
		TH_LOG("%s, before failure %u: %s", s->name, n, recent());
	}
	if (n)
		before = look(w);
	if (s->flags & KEEPS_ROOM)
		before.blocks = LONG_MAX;
	for (;;) {
		nth_arm(armed);
		err = s->call(w);
		if (nth_disarm() && armed)
			is_hit = true;
		if (!err || !armed)
			break;
		++*failed;
		EXPECT_TRUE(is_hit &&
			    (is_documented(err) || is_of_files(s, err))) {
			TH_LOG("%s, failure %u: %d, %s", s->name, n, err,
			       recent());
		}
		if (s->is_partial)
			return is_hit;
		after = look_until(w, &before);
		expect_same(_metadata, s, n, &before, &after);
		armed = 0;
	}
	EXPECT_EQ(ACL_SUCCESS, err) {
		TH_LOG("%s, after failure %u: %s", s->name, n, recent());
	}
	return is_hit;
}

static bool is_with_9p(void)
{
	FILE *file = setmntent("/proc/self/mounts", "r");
	struct mntent *mount;
	bool found = false;

	while (file && !found && (mount = getmntent(file)))
		found = !strcmp(mount->mnt_type, "9p");
	if (file)
		endmntent(file);
	return found;
}

/*
 * Return non-zero for an object in a file that is not in memory: @arg is its
 * name.
 */
static int is_on_disk(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = *info->dlpi_name ? info->dlpi_name :
					      "/proc/self/exe";
	struct statfs fs;

	(void)size;
	*(const char **)arg = name;
	return *name == '/' && (statfs(name, &fs) || fs.f_type != TMPFS_MAGIC);
}

static void sweep(struct __test_metadata *_metadata, struct world *w,
		  const struct sweep *s)
{
	unsigned int turn, n = 0, failed = 0;
	struct state start, end;
	const char *object;
	bool is_hit = true;

	if (s->flags & OPENS_OBJECTS && w->kind == NTH_KERNEL &&
	    is_with_9p() && dl_iterate_phdr(is_on_disk, &object)) {
		printf("# %s: not where there is 9p, with %s\n", s->name,
		       object);
		return;
	}
	for (turn = 0; is_hit || !n; turn++) {
		n = turn < WARM_UP ? 0 : turn - WARM_UP + 1;
		ASSERT_GT(LIMIT, n);
		is_hit = fail_once(_metadata, w, s, n, &failed);
		world_clean(w);
		if (!n) {
			start = look(w);
			continue;
		}
		/*
		 * The library's message about objects whose removal was not
		 * reported.
		 */
		if (s->is_partial)
			start.blocks = look(w).blocks;
		end = look_until(w, &start);
		expect_same(_metadata, s, n, &start, &end);
		if (!is_same(&start, &end))
			start = end;
	}
	printf("# %s: %u injected, %u calls failed\n", s->name, n - 1, failed);
	fflush(stdout);
}

#define SWEEPS(family)							\
TEST_F_TIMEOUT(fail_nth, family, 600)					\
{									\
	for (size_t i = 0; family##_calls[i].name; i++)			\
		sweep(_metadata, &self->w, &family##_calls[i]);		\
}

#endif
