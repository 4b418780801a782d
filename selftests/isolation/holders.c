// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of importing an object does not grow with the number of clients that
 * have imported it. An import holds a lock that other objects share.
 *
 * For a machine whose clock counts instructions (vnpu-vm --icount).
 */
#include "kselftest_harness.h"

#include "../uapi/client.h"
#include "../uapi/util.h"

#define ALICE	54321
#define FEW	8
#define MANY	1500
#define REPEATS	32

FIXTURE(holders)
{
	struct client owner;
	struct client others[MANY];
	int file;
};

FIXTURE_SETUP(holders)
{
	__u32 id;
	int i;

	for (i = 0; i < MANY; i++)
		self->others[i].fd = -1;
	client_allow_many();
	ASSERT_EQ(0, setresuid(ALICE, ALICE, ALICE));
	ASSERT_EQ(0, client_open_only(&self->owner));
	ASSERT_EQ(0, mem_alloc(&self->owner, 0, 0, 0, PAGE, &id));
	self->file = mem_export(&self->owner, id);
	ASSERT_LE(0, self->file);
}

FIXTURE_TEARDOWN(holders)
{
	int i;

	for (i = 0; i < MANY; i++)
		client_close(&self->others[i]);
	client_close(&self->owner);
	close(self->file);
}

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Return the least ns that an import and its end take the client, or 0. */
static __u64 time_import(const FIXTURE_DATA(holders) *self,
			 const struct client *c)
{
	__u64 least = 0, took;
	__u32 id;
	int i;

	for (i = 0; i < REPEATS; i++) {
		took = now_ns();
		if (mem_import(c, self->file, &id) || mem_free(c, id))
			return 0;
		took = now_ns() - took;
		least = !least || took < least ? took : least;
	}
	return least;
}

/* Open clients that do not import the object; the last is the one that will. */
static int add(FIXTURE_DATA(holders) *self, int from, int to)
{
	__u32 id;
	int i, ret;

	for (i = from; i < to; i++) {
		ret = client_open_only(&self->others[i]);
		if (!ret && i < to - 1)
			ret = mem_import(&self->others[i], self->file, &id);
		if (ret)
			return ret;
	}
	return 0;
}

TEST_F_TIMEOUT(holders, import_cost_is_constant, 300)
{
	__u64 few, many;

	ASSERT_EQ(0, add(self, 0, FEW));
	few = time_import(self, &self->others[FEW - 1]);
	ASSERT_NE(0, few);
	ASSERT_EQ(0, add(self, FEW, MANY));
	many = time_import(self, &self->others[MANY - 1]);
	ASSERT_NE(0, many);
	printf("# an import takes %llu ns with %d other clients, %llu with %d\n", few,
	       FEW, many, MANY);
	EXPECT_GE(few * 3 / 2, many);
}

TEST_HARNESS_MAIN
