// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of resources that belong to no device, but use the host's memory: for
 * each user by a module parameter, or by a quota of the user or the client.
 */
#include "make.h"
#include "share.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/udmabuf.h>

#include "../uapi/host_quota.h"
#include "../uapi/param.h"

/* The limit in all of these tests, and in pages for memory. */
#define LIMIT	10

FIXTURE(limit)
{
	struct takers t;
	pid_t pids[8];
	int nr;
	__u64 before;
	int mode;
};

FIXTURE_VARIANT(limit)
{
	const char *param;
	__u32 resource;
	__u64 unit;
	int (*make)(struct maker *m);
};

/* clang-format off */
FIXTURE_VARIANT_ADD(limit, bindings)
{ "user_bindings", VNPU_QUOTA_RESOURCE_BINDINGS, 1, make_binding };
FIXTURE_VARIANT_ADD(limit, objects)
{ "user_objects", VNPU_QUOTA_RESOURCE_OBJECTS, 1, make_object };
FIXTURE_VARIANT_ADD(limit, sync_files)
{ "user_sync_files", VNPU_QUOTA_RESOURCE_SYNC_FILES, 1, make_sync_file };
FIXTURE_VARIANT_ADD(limit, host_memory)
{ "host_quota", VNPU_QUOTA_RESOURCE_HOST_MEMORY, PAGE, make_host_memory };
/* clang-format on */

static int limit_param_get(const FIXTURE_VARIANT(limit) * variant, __u64 *value)
{
	unsigned int number = 0;
	int ret = 0;

	if (variant->unit == PAGE)
		*value = host_quota_get();
	else
		ret = param_get(variant->param, &number);
	if (variant->unit != PAGE)
		*value = number;
	return ret;
}

static int limit_param_set(const FIXTURE_VARIANT(limit) * variant, __u64 value)
{
	return variant->unit == PAGE ? host_quota_set(value) :
				       param_set(variant->param, value);
}

FIXTURE_SETUP(limit)
{
	ASSERT_EQ(0, limit_param_get(variant, &self->before));
	ASSERT_EQ(0, limit_param_set(variant, LIMIT * variant->unit));
	self->mode = node_open_to_all();
	ASSERT_LE(0, self->mode);
	ASSERT_EQ(0, pipe2(self->t.report, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(self->t.end, O_CLOEXEC));
}

static int limit_quota(const FIXTURE_VARIANT(limit) * variant, __u32 scope,
		       __u64 id, __u64 number)
{
	uint64_t limit = number * variant->unit;

	return quota_set_of(QUOTA_NO_DEVICE, variant->resource, scope, id,
			    &limit);
}

static int limit_quota_remove(const FIXTURE_VARIANT(limit) * variant,
			      __u32 scope, __u64 id)
{
	return quota_set_of(QUOTA_NO_DEVICE, variant->resource, scope, id,
			    NULL);
}

static int limit_quota_get(const FIXTURE_VARIANT(limit) * variant, __u32 scope,
			   __u64 id, struct quota *q)
{
	int ret = quota_get_of(QUOTA_NO_DEVICE, variant->resource, scope, id,
			       q);

	q->used /= variant->unit;
	q->limit /= variant->unit;
	return ret;
}

FIXTURE_TEARDOWN(limit)
{
	struct quota q;
	int i;

	close(self->t.end[1]);
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(0, child_wait(self->pids[i]));
	limit_quota_remove(variant, UID, ALICE);
	limit_quota_remove(variant, UID, SUBORDINATES + 3);
	/*
	 * Wait until all objects are freed; fences are freed after a grace
	 * period.
	 */
	EXPECT_EQ(0, limit_quota(variant, UID, ALICE, LIMIT));
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, limit_quota_get(variant, UID, ALICE, &q));
		if (!q.used)
			break;
		usleep(10000);
	}
	EXPECT_EQ(0, q.used);
	EXPECT_EQ(0, limit_quota_remove(variant, UID, ALICE));
	limit_param_set(variant, self->before);
	chmod(VNPU_NODE, self->mode);
}

/* In a new process: make at most @most objects, report, and hold them. */
static void make_and_hold(const struct takers *t, int (*make)(struct maker *m),
			  __u64 most)
{
	struct maker m = { };
	struct report r = { };
	char ignored;

	close(t->end[1]);
	r.error = client_open(&m.c);
	while (r.taken < most && !r.error) {
		r.error = make(&m);
		r.taken += !r.error;
	}
	if (write(t->report[1], &r, sizeof(r)) != sizeof(r))
		_exit(22);
	_exit(read(t->end[0], &ignored, 1) == 0 ? 0 : 23);
}

static struct report make_as(FIXTURE_DATA(limit) * self,
			     const FIXTURE_VARIANT(limit) * variant, uid_t uid,
			     __u64 most)
{
	pid_t pid = fork_bound();

	if (!pid) {
		if (become(uid))
			_exit(19);
		make_and_hold(&self->t, variant->make, most);
	}
	self->pids[self->nr++] = pid;
	return taker_report(&self->t);
}

TEST_F(limit, limit_of_each_user)
{
	struct report r = make_as(self, variant, ALICE, 2 * LIMIT);

	EXPECT_EQ(LIMIT, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
	/*
	 * The limit applies to the user, not to the client, and not to another
	 * user.
	 */
	EXPECT_EQ(0, make_as(self, variant, ALICE, 1).taken);
	EXPECT_EQ(LIMIT, make_as(self, variant, BOB, 2 * LIMIT).taken);
	/* Root may exceed it. */
	EXPECT_EQ(2 * LIMIT, make_as(self, variant, 0, 2 * LIMIT).taken);
}

TEST_F(limit, quota_replaces_the_parameter)
{
	struct report r;
	struct quota q;

	/*
	 * A quota may be higher than the parameter, and counts existing
	 * objects.
	 */
	EXPECT_EQ(LIMIT - 2, make_as(self, variant, ALICE, LIMIT - 2).taken);
	ASSERT_EQ(0, limit_quota(variant, UID, ALICE, LIMIT + 3));
	r = make_as(self, variant, ALICE, 2 * LIMIT);
	EXPECT_EQ(5, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
	ASSERT_EQ(0, limit_quota_get(variant, UID, ALICE, &q));
	EXPECT_EQ(LIMIT + 3, q.limit);
	EXPECT_EQ(LIMIT + 3, q.used);
	EXPECT_EQ(1, q.refused);
	/* For another user the parameter applies. */
	EXPECT_EQ(LIMIT, make_as(self, variant, BOB, 2 * LIMIT).taken);
	/* Without the quota the parameter applies again. */
	ASSERT_EQ(0, limit_quota_remove(variant, UID, ALICE));
	EXPECT_EQ(-ENOENT, limit_quota_remove(variant, UID, ALICE));
	EXPECT_EQ(0, make_as(self, variant, ALICE, 1).taken);
}

TEST_F(limit, quota_may_be_lower)
{
	struct report r;

	ASSERT_EQ(0, limit_quota(variant, UID, ALICE, 3));
	r = make_as(self, variant, ALICE, LIMIT);
	EXPECT_EQ(3, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
}

TEST_F(limit, quota_of_a_client)
{
	struct maker m = { }, other = { };
	struct quota q;
	__u64 id;
	int i;

	ASSERT_EQ(0, client_open(&m.c));
	ASSERT_EQ(0, client_open(&other.c));
	id = client_id(&m.c);
	EXPECT_EQ(0, variant->make(&m));
	/* The quota limits root as well. */
	ASSERT_EQ(0, limit_quota(variant, CLIENT, id, 4));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, variant->make(&m));
	EXPECT_EQ(-EDQUOT, variant->make(&m));
	ASSERT_EQ(0, limit_quota_get(variant, CLIENT, id, &q));
	EXPECT_EQ(4, q.limit);
	EXPECT_EQ(4, q.used);
	EXPECT_EQ(1, q.refused);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(0, variant->make(&other));
	client_close(&other.c);
	/* Mapped objects count as well. */
	if (m.s.id)
		EXPECT_EQ(0, stream_destroy(&m.s));
	client_close(&m.c);
	/* The quota has ended with the client. */
	EXPECT_EQ(-ENOENT, limit_quota_get(variant, CLIENT, id, &q));
	EXPECT_EQ(-ENOENT, limit_quota(variant, CLIENT, id, 4));
}

struct subordinate {
	const struct takers *t;
	int (*make)(struct maker *m);
};

static void make_as_subordinate(void *arg)
{
	const struct subordinate *s = arg;

	make_and_hold(s->t, s->make, 2 * LIMIT);
}

TEST_F(limit, subordinate_ids_count_for_the_user)
{
	struct subordinate s = { &self->t, variant->make };
	struct report r;
	struct quota q;
	int i;

	ASSERT_EQ(0, limit_quota(variant, UID, ALICE, LIMIT + 3));
	ASSERT_EQ(0, limit_quota(variant, UID, SUBORDINATES + 3, 4));
	for (i = 3; i < 5; i++) {
		self->pids[self->nr] = subordinate_start(i, make_as_subordinate,
							 &s);
		if (self->pids[self->nr] < 0)
			SKIP(return, "no user namespaces");
		self->nr++;
		r = taker_report(&self->t);
		EXPECT_EQ(-EDQUOT, r.error);
		/*
		 * One id has a quota of its own; the other shares the rest of
		 * Alice's.
		 */
		EXPECT_EQ(i == 3 ? 4 : LIMIT - 1, r.taken);
	}
	ASSERT_EQ(0, limit_quota_get(variant, UID, ALICE, &q));
	EXPECT_EQ(LIMIT + 3, q.used);
	ASSERT_EQ(0, limit_quota_get(variant, UID, SUBORDINATES + 3, &q));
	EXPECT_EQ(4, q.used);
	EXPECT_EQ(1, q.refused);
}

TEST_F(limit, invalid_requests)
{
	uint64_t limit = 1;

	EXPECT_EQ(-EINVAL, quota_set_of(0, variant->resource, UID, ALICE,
					&limit));
	EXPECT_EQ(-EINVAL, quota_set_of(0, variant->resource, UID, ALICE,
					NULL));
	EXPECT_EQ(-EOPNOTSUPP, limit_quota(variant, CGROUP, 1, 1));
	EXPECT_EQ(-EOPNOTSUPP, limit_quota_remove(variant, CGROUP, 1));
	EXPECT_EQ(-ENOENT, limit_quota(variant, CLIENT, 0, 1));
	EXPECT_EQ(-ENOENT, limit_quota_remove(variant, UID, BOB));
	EXPECT_EQ(-EINVAL, limit_quota(variant, UID, 1ULL << 32, 1));
}

/* Create a dma-buf of one page in another driver; return it or -errno. */
static int foreign_buffer(void)
{
	struct udmabuf_create u = {
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.size = PAGE,
	};
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int ret;

	if (dev < 0)
		return -errno;
	u.memfd = memfd_create("vnpu", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	ret = ftruncate(u.memfd, PAGE) ||
	      fcntl(u.memfd, F_ADD_SEALS, F_SEAL_SHRINK) ? -1 :
	      ioctl(dev, UDMABUF_CREATE, &u);
	ret = ret < 0 ? -errno : ret;
	close(u.memfd);
	close(dev);
	return ret;
}

/* Return how many clients of a process of Alice's can import it. */
static int importers(int fd, int most)
{
	pid_t pid = fork_bound();
	int made = 0, ret = 0;

	if (pid)
		return child_wait(pid);
	if (become(ALICE))
		_exit(98);
	while (made < most) {
		struct vnpu_mem_import_dmabuf i;
		struct client c;

		ret = client_open_only(&c) ?: mem_import_dmabuf(&c, fd, &i);
		if (ret)
			break;
		made++;
	}
	_exit(ret && ret != -EDQUOT ? 99 : made);
}

/* A client that imports has a kernel thread, which no cgroup limits. */
TEST(kernel_threads_of_a_user)
{
	const __u32 threads = VNPU_QUOTA_RESOURCE_THREADS;
	int fd = foreign_buffer(), mode;
	uint64_t limit = 13;

	if (fd < 0)
		SKIP(return, "no udmabuf");
	mode = node_open_to_all();
	ASSERT_LE(0, mode);
	ASSERT_EQ(0, param_set("user_threads", LIMIT));
	EXPECT_EQ(LIMIT, importers(fd, 2 * LIMIT));
	ASSERT_EQ(0, quota_set_of(QUOTA_NO_DEVICE, threads, UID, ALICE,
				  &limit));
	EXPECT_EQ(13, importers(fd, 2 * LIMIT));
	ASSERT_EQ(0, quota_set_of(QUOTA_NO_DEVICE, threads, UID, ALICE, NULL));
	ASSERT_EQ(0, param_set("user_threads", 0));
	EXPECT_EQ(80, importers(fd, 80));
	chmod(VNPU_NODE, mode);
	close(fd);
}

/* Two threads request the last object at the same moment, for this many ms. */
#define RACE_MS	1500

struct race {
	struct client c;
	__u64 end;
	atomic_bool is_over;
	atomic_uint arrived;
	atomic_uint had;
	unsigned int lost;
};

static void meet(struct race *r, unsigned int count)
{
	atomic_fetch_add(&r->arrived, 1);
	while (atomic_load(&r->arrived) < count)
		sched_yield();
}

static void *ask_for_the_last(void *arg)
{
	struct race *r = arg;
	unsigned int i;

	for (i = 0; !atomic_load(&r->is_over); i++) {
		__u64 id = 0;
		int ret;

		meet(r, 6 * i + 2);
		ret = timeline_create(&r->c, 0, 0, 0, &id);
		if (!ret)
			atomic_fetch_add(&r->had, 1);
		meet(r, 6 * i + 4);
		if (!ret)
			timeline_destroy(&r->c, id);
		if (atomic_load(&r->had) == 0)
			__atomic_fetch_add(&r->lost, 1, __ATOMIC_RELAXED);
		/*
		 * Both threads see the stop flag at the end of the same round.
		 */
		if (now_ms() > r->end)
			atomic_store(&r->is_over, true);
		meet(r, 6 * i + 6);
		atomic_store(&r->had, 0);
	}
	return NULL;
}

static int race_for_the_last(void)
{
	struct race r = { .end = now_ms() + RACE_MS };
	pthread_t thread;

	if (become(ALICE) || client_open(&r.c) ||
	    pthread_create(&thread, NULL, ask_for_the_last, &r))
		return 98;
	ask_for_the_last(&r);
	if (pthread_join(thread, NULL))
		return 97;
	return r.lost ? 1 : 0;
}

TEST(one_thread_gets_the_last)
{
	int mode = node_open_to_all();
	unsigned int before;
	pid_t pid;

	ASSERT_LE(0, mode);
	ASSERT_EQ(0, param_get("user_objects", &before));
	ASSERT_EQ(0, param_set("user_objects", 1));
	pid = fork_bound();
	if (!pid)
		_exit(race_for_the_last());
	EXPECT_EQ(0, child_wait(pid));
	param_set("user_objects", before);
	chmod(VNPU_NODE, mode);
}

TEST_HARNESS_MAIN
