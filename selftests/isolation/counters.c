// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts that the driver reports through netlink return to their former values:
 * objects, bindings, bytes and clients.
 */
#include "kselftest_harness.h"

#include "../uapi/client.h"
#include "../uapi/util.h"
#include "observe.h"

FIXTURE(counters)
{
	struct client c;
	struct observed_memory before;
};

FIXTURE_SETUP(counters)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, observe_memory(0, &self->before));
	ASSERT_EQ(1, observe_clients(NULL, 0));
}

FIXTURE_TEARDOWN(counters)
{
	client_close(&self->c);
	EXPECT_EQ(0, observe_clients(NULL, 0));
}

/* Find the client of process @pid, which must have exactly one. */
static void client_of(struct __test_metadata *_metadata, pid_t pid,
		      struct observed_client *out)
{
	struct observed_client list[16];
	int n = observe_clients(list, ARRAY_SIZE(list)), i, found = 0;

	ASSERT_LE(0, n);
	for (i = 0; i < n; i++) {
		if (list[i].pid != (__u32)pid)
			continue;
		*out = list[i];
		found++;
	}
	ASSERT_EQ(1, found);
}

TEST_F(counters, memory_and_bindings)
{
	struct observed_client me;
	struct observed_memory m;
	struct vnpu_info i;
	__u32 id;

	ASSERT_EQ(0, info(&self->c, &i));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 3 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->c.base, PAGE, 0));
	ASSERT_EQ(0, va_bind(&self->c, id, self->c.base + PAGE, PAGE, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
				  self->c.base + 2 * PAGE));

	ASSERT_EQ(0, observe_memory(0, &m));
	EXPECT_EQ(self->before.free - 4 * PAGE, m.free);
	EXPECT_EQ(self->before.objects + 2, m.objects);
	client_of(_metadata, getpid(), &me);
	EXPECT_EQ(i.out_client_id, me.id);
	EXPECT_STREQ("counters", me.name);
	EXPECT_EQ(3, me.bindings);
	EXPECT_EQ(4 * PAGE, me.used);
	EXPECT_EQ(2, me.objects);

	ASSERT_EQ(0, va_unbind(&self->c, self->c.base, 3 * PAGE));
	ASSERT_EQ(0, mem_free(&self->c, id));
	ASSERT_EQ(0, observe_memory(0, &m));
	EXPECT_EQ(0, memcmp(&self->before, &m, sizeof(m)));
	client_of(_metadata, getpid(), &me);
	EXPECT_EQ(0, me.bindings);
	EXPECT_EQ(0, me.used);
	EXPECT_EQ(0, me.objects);
}

/* Failed calls leave nothing behind, wherever they failed. */
TEST_F(counters, failures)
{
	struct observed_client me;
	struct observed_memory m;
	__u32 id = 0;
	int n;

	for (n = 0; n < 100; n++) {
		EXPECT_NE(0, mem_alloc(&self->c, 0, 0, 0,
				       self->before.total + 1, &id));
		EXPECT_NE(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				       self->before.total + 1, &id));
		EXPECT_NE(0, mem_alloc(&self->c, 0, 0, 0, 0, &id));
		EXPECT_NE(0, mem_alloc(&self->c, 0, 0, 13, PAGE, &id));
		EXPECT_NE(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, PAGE));
		EXPECT_NE(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
					  self->c.base + self->c.size));
		EXPECT_NE(0, va_bind(&self->c, 12345, self->c.base, PAGE, 0));
		EXPECT_NE(0, va_unbind(&self->c, self->c.base, 0));
		EXPECT_NE(0, copy(&self->c, self->c.base, addr(&m), PAGE));
		EXPECT_NE(0, fill(&self->c, self->c.base, PAGE, 0, 1));
	}
	ASSERT_EQ(0, observe_memory(0, &m));
	EXPECT_EQ(0, memcmp(&self->before, &m, sizeof(m)));
	client_of(_metadata, getpid(), &me);
	EXPECT_EQ(0, me.bindings + me.used + me.objects);
}

/* A client is listed from its open to its last close, under its own id. */
TEST_F(counters, clients_come_and_go)
{
	struct observed_client list[16];
	struct client other[8];
	int n;

	for (n = 0; n < 8; n++) {
		ASSERT_EQ(0, client_open(&other[n]));
		EXPECT_EQ(2 + n, observe_clients(NULL, 0));
	}
	ASSERT_EQ(9, observe_clients(list, ARRAY_SIZE(list)));
	for (n = 0; n < 9; n++) {
		EXPECT_EQ(getpid(), list[n].pid);
		for (int k = 0; k < n; k++) {
			EXPECT_NE(list[k].id, list[n].id);
		}
	}
	for (n = 0; n < 8; n++) {
		client_close(&other[n]);
		EXPECT_EQ(8 - n, observe_clients(NULL, 0));
	}
}

/*
 * A client whose process is dead, but whose file a child holds, has no memory.
 */
TEST_F(counters, dead_owner)
{
	struct observed_memory m;
	int ready[2], hold[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(hold));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;
		__u32 id;

		close(hold[1]);
		if (client_open(&c) ||
		    mem_alloc(&c, 0, 0, 0, KIB(64), &id) ||
		    va_bind(&c, id, c.base, KIB(64), 0) ||
		    mem_alloc_at(&c, 0, 0, 0, KIB(64), c.base + KIB(64)))
			_exit(1);
		if (!fork()) {
			baton_pass(ready[1]);
			_exit(read(hold[0], &byte, 1));
		}
		_exit(0);
	}
	close(hold[0]);
	baton_take(ready[0]);
	EXPECT_EQ(0, child_wait(pid));
	ASSERT_EQ(0, observe_memory(0, &m));
	EXPECT_EQ(0, memcmp(&self->before, &m, sizeof(m)));
	close(hold[1]);
	for (int i = 0; i < 2000 && observe_clients(NULL, 0) != 1; i++)
		usleep(10000);
	EXPECT_EQ(1, observe_clients(NULL, 0));
}

TEST_HARNESS_MAIN
