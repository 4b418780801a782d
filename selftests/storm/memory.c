// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lack of host memory, by the limit of a memory cgroup, for every kind of
 * object that uses some, and once with the device full as well. The limit is
 * reached after as many objects as fit: calls fail with ENOMEM or the kernel
 * kills the process. When it has ended, nothing is left and nothing is charged.
 */
#include "kselftest_harness.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include "../uapi/stream.h"
#include "storm.h"

#define LIMIT		MIB(4)
#define AT		"/tmp/vnpu-storm-cgroup"

FIXTURE(memory)
{
	struct calm calm;
	char group[128];
	__u64 *made;	/* set by the process in the group */
};

/*
 * Make one more object of each kind: 0 or -errno. Objects stay until the
 * process ends. @n counts from 0.
 */
typedef int more_fn(struct client *c, __u64 n);

FIXTURE_VARIANT(memory)
{
	more_fn *more;
	__u64 limit;
	__u64 most;	/* more than fit, if all memory is charged */
};

/* Write a line to a file of the group; false on failure. */
static bool say(FIXTURE_DATA(memory) * self, const char *file, __u64 value)
{
	char path[192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", self->group, file);
	f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "%llu\n", value);
	return !fclose(f);
}

static __u64 memory_current(FIXTURE_DATA(memory) * self)
{
	return file_u64("%s/memory.current", self->group);
}

/* Return how often memory was refused because of the limit. */
static __u64 times_met(FIXTURE_DATA(memory) * self)
{
	unsigned long long value;
	char path[192], line[64];
	__u64 met = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/memory.events", self->group);
	f = fopen(path, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "max %llu", &value) == 1)
			met = value;
	fclose(f);
	return met;
}

static bool controller(const char *root)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", root);
	f = fopen(path, "w");
	return f && fputs("+memory", f) >= 0 && !fclose(f);
}

FIXTURE_SETUP(memory)
{
	mkdir(AT, 0700);
	if (mount("none", AT, "cgroup2", 0, NULL) || !controller(AT)) {
		umount(AT);
		SKIP(return, "no cgroup2 with memory");
	}
	snprintf(self->group, sizeof(self->group), AT "/storm-%d", getpid());
	ASSERT_EQ(0, mkdir(self->group, 0755));
	ASSERT_TRUE(say(self, "memory.max", variant->limit));
	say(self, "memory.swap.max", 0);
	self->made = mmap(NULL, sizeof(*self->made), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->made);
	ASSERT_EQ(0, calm_begin(&self->calm));
}

FIXTURE_TEARDOWN(memory)
{
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
	EXPECT_EQ(0, rmdir(self->group));
	umount(AT);
	rmdir(AT);
}

static int more_objects(struct client *c, __u64 n)
{
	__u32 id;

	(void)n;
	return mem_alloc(c, 0, 0, 0, PAGE, &id);
}

static int more_bindings(struct client *c, __u64 n)
{
	static __u32 id;
	int ret = id ? 0 : mem_alloc(c, 0, 0, 0, PAGE, &id);

	return ret ? ret : va_bind(c, id, c->base + n * PAGE, PAGE, 0);
}

static int more_slabs(struct client *c, __u64 n)
{
	__u64 va;

	if (!n && slab_window(c, 0, c->base, GIB(2)))
		return -EPROTO;
	/* Six of these fill a slab, the smallest number of any slab. */
	return slab_alloc(c, 0, 2048, &va, NULL);
}

static int more_rings(struct client *c, __u64 n)
{
	struct stream s;

	(void)n;
	return stream_create(&s, c, 0);
}

static int more_timelines(struct client *c, __u64 n)
{
	__u64 id;

	(void)n;
	return timeline_create(c, 0, 0, 0, &id);
}

static int more_events(struct client *c, __u64 n)
{
	struct vnpu_event_alloc t = { .size = sizeof(t) };

	(void)n;
	return call(c->fd, VNPU_IOCTL_EVENT_ALLOC, &t);
}

static int more_host(struct client *c, __u64 n)
{
	__u32 id;

	(void)n;
	return host_alloc(c, MIB(1), &id);
}

/* A file each; the process may have many. */
static int more_clients(struct client *c, __u64 n)
{
	struct client another;

	(void)c;
	(void)n;
	return client_open_only(&another);
}

/* Page tables of the window belong to the process: one for each 2 MiB. */
static int more_touched(struct client *c, __u64 n)
{
	const __u64 va = c->base + n * MIB(2);
	static __u32 id;
	int ret = id ? 0 : mem_alloc(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				     &id);

	if (!ret)
		ret = va_bind(c, id, va, PAGE, 0);
	if (ret)
		return ret;
	return touch_write(va, 1) ? -EFAULT : 0;
}

/* The device is full before the host is, and requests continue meanwhile. */
static int more_with_device_full(struct client *c, __u64 n)
{
	struct vnpu_device_query q;
	__u64 id;
	__u32 mem;
	int ret;

	if (!n) {
		ret = device_query(c, 0, &q);
		if (!ret)
			ret = mem_alloc(c, 0, 0, 0, q.out_free, &mem);
		if (ret)
			return ret;
	}
	if (n % 64 == 0) {
		ret = mem_alloc(c, 0, 0, 0, PAGE, &mem);
		if (ret != -ENOSPC)
			return ret ? ret : -EPROTO;
	}
	return timeline_create(c, 0, 0, 0, &id);
}

/* At most twice the number that fitted on 6.12. */
/* clang-format off */
FIXTURE_VARIANT_ADD(memory, objects)
{ .more = more_objects, .limit = LIMIT, .most = 32000 };
FIXTURE_VARIANT_ADD(memory, bindings)
{ .more = more_bindings, .limit = LIMIT, .most = 72000 };
FIXTURE_VARIANT_ADD(memory, slabs)
{ .more = more_slabs, .limit = LIMIT, .most = 100000 };
FIXTURE_VARIANT_ADD(memory, rings)
{ .more = more_rings, .limit = LIMIT, .most = 60 };
FIXTURE_VARIANT_ADD(memory, timelines)
{ .more = more_timelines, .limit = LIMIT, .most = 56000 };
/* All of a device's objects need less than the process and 600 KiB. */
FIXTURE_VARIANT_ADD(memory, events)
{ .more = more_events, .limit = KIB(512), .most = VNPU_MAX_EVENTS };
FIXTURE_VARIANT_ADD(memory, host)
{ .more = more_host, .limit = LIMIT, .most = 8 };
FIXTURE_VARIANT_ADD(memory, clients)
{ .more = more_clients, .limit = LIMIT, .most = 1200 };
FIXTURE_VARIANT_ADD(memory, touched)
{ .more = more_touched, .limit = LIMIT, .most = 2000 };
FIXTURE_VARIANT_ADD(memory, with_device_full)
{ .more = more_with_device_full, .limit = LIMIT, .most = 56000 };
/* clang-format on */

/* How the process in the group ends. */
enum { ENOUGH, REFUSED, WRONG, NOT_STARTED };

static void taker(FIXTURE_DATA(memory) * self, more_fn *more, __u64 most)
{
	struct client c;
	int ret = 0;

	client_allow_many();
	if (!say(self, "cgroup.procs", getpid()))
		_exit(NOT_STARTED);
	if (client_open_only(&c) ||
	    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE))
		_exit(NOT_STARTED);
	for (*self->made = 0; *self->made < most; ++*self->made) {
		ret = more(&c, *self->made);
		if (ret)
			break;
	}
	_exit(!ret ? ENOUGH : ret == -ENOMEM ? REFUSED : WRONG);
}

TEST_F_TIMEOUT(memory, has_a_limit, STORM_SECONDS)
{
	const uint64_t times = storm_times(1);
	uint64_t n, met, killed = 0, refused = 0;

	for (n = 0; n < times; n++) {
		int status;
		pid_t pid;

		*self->made = 0;
		met = times_met(self);
		pid = fork_bound();
		if (!pid)
			taker(self, variant->more, variant->most);
		status = child_wait(pid);
		killed += status == 256 + SIGKILL;
		refused += status == REFUSED;
		EXPECT_TRUE(status == REFUSED || status == 256 + SIGKILL)
			TH_LOG("%d, after %llu", status, *self->made);
		EXPECT_LT(met, times_met(self));
		EXPECT_LT(0, *self->made);
		EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	}
	printf("# refused %llu times, killed %llu, of %llu, after %llu\n",
	       (unsigned long long)refused, (unsigned long long)killed,
	       (unsigned long long)times, *self->made);
	/* Nothing of a client is still charged to its group. */
	for (n = 0; n < 100 && memory_current(self) > LIMIT / 2; n++)
		usleep(50000);
	EXPECT_GT(LIMIT / 2, memory_current(self));
}

TEST_HARNESS_MAIN
