// SPDX-License-Identifier: GPL-2.0-only
/*
 * No more memory: of the host, by the limit of a memory cgroup, for every kind of
 * object that costs some; and of the device at the same time. Calls fail with the
 * errno that the header names or the kernel kills the process, and when it has
 * ended nothing is left and nothing is charged.
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
};

/* One line to a file of the group; false if it cannot be. */
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

static __u64 told(FIXTURE_DATA(memory) * self, const char *file)
{
	unsigned long long value = ~0ULL;
	char path[192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", self->group, file);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%llu", &value) != 1)
			value = ~0ULL;
		fclose(f);
	}
	return value;
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
	ASSERT_TRUE(say(self, "memory.max", LIMIT));
	say(self, "memory.swap.max", 0);
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

/*
 * Of each kind one more: 0 or -errno. What it makes stays until the process
 * ends. @n counts from 0.
 */
typedef int more_fn(struct client *c, __u64 n);

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
	return slab_alloc(c, 0, 64, &va, NULL);
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
	struct vnpu_event_take t = { .size = sizeof(t) };

	(void)n;
	return call(c->fd, VNPU_IOCTL_EVENT_TAKE, &t);
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

/* Page tables of the window are the process's own. */
static int more_touched(struct client *c, __u64 n)
{
	int ret = n ? 0 : mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				       MIB(64), c->base);

	if (ret)
		return ret;
	return touch_write(c->base + n * PAGE % MIB(64), 1) ? -EFAULT : 0;
}

FIXTURE_VARIANT(memory)
{
	more_fn *more;
	__u64 most;	/* where it may end without a lack */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(memory, objects)
{ .more = more_objects, .most = 50000 };
FIXTURE_VARIANT_ADD(memory, bindings)
{ .more = more_bindings, .most = 50000 };
FIXTURE_VARIANT_ADD(memory, slabs)
{ .more = more_slabs, .most = 50000 };
FIXTURE_VARIANT_ADD(memory, rings)
{ .more = more_rings, .most = VNPU_MAX_STREAMS };
FIXTURE_VARIANT_ADD(memory, timelines)
{ .more = more_timelines, .most = 50000 };
FIXTURE_VARIANT_ADD(memory, events)
{ .more = more_events, .most = 20000 };
FIXTURE_VARIANT_ADD(memory, host)
{ .more = more_host, .most = 1000 };
FIXTURE_VARIANT_ADD(memory, clients)
{ .more = more_clients, .most = 20000 };
FIXTURE_VARIANT_ADD(memory, touched)
{ .more = more_touched, .most = 20000 };
/* clang-format on */

/* What a lack may look like from inside. */
static bool is_lack(int ret)
{
	return ret == -ENOMEM || ret == -ENOSPC || ret == -EAGAIN ||
	       ret == -EMFILE || ret == -ENFILE;
}

static void taker(FIXTURE_DATA(memory) * self, more_fn *more, __u64 most)
{
	struct client c;
	int ret = 0;
	__u64 n;

	if (!say(self, "cgroup.procs", getpid()))
		_exit(10);
	if (client_open_only(&c) ||
	    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE))
		_exit(11);
	for (n = 0; n < most && !ret; n++)
		ret = more(&c, n);
	_exit(!ret ? 0 : is_lack(ret) ? 1 : 2);
}

TEST_F_TIMEOUT(memory, has_a_limit, STORM_SECONDS)
{
	const uint64_t times = storm_times(1);
	uint64_t n, killed = 0, refused = 0;

	for (n = 0; n < times; n++) {
		pid_t pid = fork_bound();
		int status;

		if (!pid)
			taker(self, variant->more, variant->most);
		status = child_wait(pid);
		killed += status == 256 + SIGKILL;
		refused += status == 1;
		ASSERT_TRUE(status == 0 || status == 1 ||
			    status == 256 + SIGKILL)
			TH_LOG("%d", status);
		ASSERT_STREQ("", calm_again(&self->calm) ?: "");
	}
	printf("# refused %llu times, killed %llu, of %llu\n",
	       (unsigned long long)refused, (unsigned long long)killed,
	       (unsigned long long)times);
	/* Nothing that a client had is still charged to its group. */
	for (n = 0; n < 100 && told(self, "memory.current") > LIMIT / 2; n++)
		usleep(50000);
	EXPECT_GT(LIMIT / 2, told(self, "memory.current"));
}

TEST_HARNESS_MAIN
