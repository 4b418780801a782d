// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose memory cgroup pays if one user's request for memory moves another
 * user's object: the list of the extents of an object grows when the object is
 * moved to scattered pages. That memory is charged to the cgroup of the owner
 * of the object.
 */
#include "kselftest_harness.h"

#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "../uapi/client.h"
#include "../uapi/util.h"

#define ALICE		54321
#define BOB		54322

#define AT		"/tmp/vnpu-charge"

/*
 * The pages of a unit: those of one object of Bob's, the free pages around it,
 * and twice as many single pages, of which every second is free.
 */
#define PART		64
#define AROUND		192
#define UNIT		(PART + AROUND + 2 * PART)
#define UNITS_MAX	160

/* Memory that the kernel may keep for other reasons. */
#define SLACK		((long long)KIB(48))

FIXTURE(charge)
{
	char group[2][64];	/* of Alice, of Bob */
	int to_alice[2];
	int to_bob[2];
	int to_test[2];
};

static int say(const char *group, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	if (fputs(text, f) < 0) {
		fclose(f);
		return -EIO;
	}
	return fclose(f) ? -errno : 0;
}

static int enter(const char *group)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	return say(group, "cgroup.procs", pid);
}

/*
 * Setting a limit of 0 for a moment returns what processors have charged in
 * advance.
 */
static __u64 charged(const char *group)
{
	if (say(group, "memory.high", "0") || say(group, "memory.high", "max"))
		return ~0ULL;
	return file_u64("%s/memory.current", group);
}

static __u64 units_of(const struct client *c)
{
	struct vnpu_device_query q;

	if (device_query(c, 0, &q))
		return 0;
	q.out_free /= UNIT * PAGE;
	return q.out_free < UNITS_MAX ? q.out_free : UNITS_MAX;
}

/* An object in parts with free memory between them, and free pages elsewhere. */
static int scatter(const struct client *c, __u64 units)
{
	__u64 parts = c->base, around = parts + units * PART * PAGE;
	__u64 singles = around + units * AROUND * PAGE;
	struct vnpu_device_query q;
	int ret = 0;
	__u32 id;
	__u64 i;

	for (i = 0; !ret && i < units; i++)
		ret = mem_alloc_at(c, 0, 0, 0, PART * PAGE,
				   parts + i * PART * PAGE) ?:
		      mem_alloc_at(c, 0, 0, 0, AROUND * PAGE,
				   around + i * AROUND * PAGE);
	for (i = 0; !ret && i < units * 2 * PART; i++)
		ret = mem_alloc_at(c, 0, 0, 0, PAGE, singles + i * PAGE);
	ret = ret ?: device_query(c, 0, &q);
	if (!ret && q.out_free)
		ret = mem_alloc(c, 0, 0, 0, q.out_free, &id);
	ret = ret ?: va_unbind(c, parts, units * PART * PAGE) ?:
		     mem_alloc(c, 0, 0, 0, units * PART * PAGE, &id) ?:
		     va_unbind(c, around, units * AROUND * PAGE);
	for (i = 0; !ret && i < units * 2 * PART; i += 2)
		ret = va_unbind(c, singles + i * PAGE, PAGE);
	return ret;
}

static int be_bob(FIXTURE_DATA(charge) * self)
{
	struct client c;
	int ret;

	if (enter(self->group[1]) || setresuid(BOB, BOB, BOB) ||
	    client_open_only(&c) ||
	    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE))
		return 100;
	ret = scatter(&c, units_of(&c));
	baton_pass(self->to_test[1]);
	baton_take(self->to_bob[0]);
	return -ret;
}

/* Request all pages of the parts and around them. */
static int be_alice(FIXTURE_DATA(charge) * self, __u64 units)
{
	struct client c;
	__u32 id;
	int ret;

	if (enter(self->group[0]) || setresuid(ALICE, ALICE, ALICE) ||
	    client_open_only(&c))
		return 100;
	baton_pass(self->to_test[1]);
	baton_take(self->to_alice[0]);
	ret = mem_alloc(&c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			units * (PART + AROUND) * PAGE, &id);
	baton_pass(self->to_test[1]);
	baton_take(self->to_alice[0]);
	return -ret;
}

FIXTURE_SETUP(charge)
{
	static const char *const names[] = { "alice", "bob" };
	int i;

	mkdir(AT, 0755);
	if (mount("none", AT, "cgroup2", 0, NULL) ||
	    say(AT, "cgroup.subtree_control", "+memory")) {
		umount(AT);
		SKIP(return, "no cgroup2 with memory");
	}
	for (i = 0; i < 2; i++) {
		snprintf(self->group[i], sizeof(self->group[i]),
			 AT "/%s-%d", names[i], getpid());
		ASSERT_EQ(0, mkdir(self->group[i], 0755));
	}
	ASSERT_EQ(0, pipe(self->to_bob));
	ASSERT_EQ(0, pipe(self->to_alice));
	ASSERT_EQ(0, pipe(self->to_test));
}

FIXTURE_TEARDOWN(charge)
{
	int i;

	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, rmdir(self->group[i]));
	umount(AT);
	rmdir(AT);
}

TEST_F_TIMEOUT(charge, owner_pays_for_a_move, 300)
{
	__u64 before[2], after[2], list, units;
	struct client c;
	pid_t alice, bob;
	int i;

	ASSERT_EQ(0, client_open_only(&c));
	units = units_of(&c);
	client_close(&c);
	bob = fork_bound();
	if (!bob)
		_exit(be_bob(self));
	baton_take(self->to_test[0]);
	alice = fork_bound();
	if (!alice)
		_exit(be_alice(self, units));
	baton_take(self->to_test[0]);
	for (i = 0; i < 2; i++)
		before[i] = charged(self->group[i]);
	baton_pass(self->to_alice[1]);
	baton_take(self->to_test[0]);
	for (i = 0; i < 2; i++)
		after[i] = charged(self->group[i]);
	baton_pass(self->to_alice[1]);
	baton_pass(self->to_bob[1]);
	EXPECT_EQ(0, child_wait(alice));
	EXPECT_EQ(0, child_wait(bob));

	list = units * PART * 16;
	TH_LOG("the list is %llu KiB longer, of which %lld are Alice's, %lld Bob's",
	       list >> 10, (long long)(after[0] - before[0]) / 1024,
	       (long long)(after[1] - before[1]) / 1024);
	EXPECT_GT(SLACK, (long long)(after[0] - before[0]));
	EXPECT_LT((long long)list - SLACK, (long long)(after[1] - before[1]));
	EXPECT_GT((long long)list + SLACK, (long long)(after[1] - before[1]));
}

TEST_HARNESS_MAIN
