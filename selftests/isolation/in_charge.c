// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users behind two nested user namespaces: which users are charged for a
 * client, and which of them is responsible for it.
 */
#include "make.h"
#include "share.h"

#include "../uapi/param.h"

#define LEVELS	2

/*
 * Ids in the first namespace are subordinate ids of Alice's unless a comment
 * says otherwise.
 */
#define SUBORDINATE(id)	(SUBORDINATES + (id))

/* Bindings that the parameter allows, and bindings that a quota allows. */
#define DEFAULT	3
#define MORE	7

/**
 * struct level - how a process enters one more user namespace
 * @uid: user and group that it takes before, as seen in the parent namespace
 * @map: the id map of the new namespace, for users and groups
 */
struct level {
	unsigned int uid;
	const char *map;
};

/**
 * struct nest - a process in nested user namespaces, the outermost first
 * @levels: the namespaces
 * @uid: user and group that it takes in the innermost
 * @fn: called there; its result is the exit status
 */
struct nest {
	struct level levels[LEVELS];
	unsigned int uid;
	int (*fn)(void);
};

/*
 * Make /proc/PID the process's own again; after a change of user it belongs to
 * root.
 */
static int become_here(unsigned int id)
{
	return setresgid(id, id, id) ?: setresuid(id, id, id) ?:
	       prctl(PR_SET_DUMPABLE, 1);
}

static int nest_run(const struct nest *n, int level);

/* In the child: enter a namespace, for which the parent writes the id maps. */
static int nest_enter(const struct nest *n, int level, const int ready[2],
		      const int go[2])
{
	char c = 0;

	/* If the parent fails, it closes the other end of the pipe. */
	close(go[1]);
	if (become_here(n->levels[level].uid) || unshare(CLONE_NEWUSER))
		return 90;
	if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
		return 91;
	if (level + 1 < LEVELS)
		return nest_run(n, level + 1);
	return become_here(n->uid) ? 92 : n->fn();
}

/*
 * Run the rest in a child of a process that has all rights at this level;
 * return its exit status.
 */
static int nest_run(const struct nest *n, int level)
{
	int ready[2], go[2], ret;
	char c = 0;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		return 93;
	pid = fork_bound();
	if (!pid)
		_exit(nest_enter(n, level, ready, go));
	close(ready[1]);
	ret = 94;
	if (read(ready[0], &c, 1) == 1 &&
	    !map_write(pid, "gid_map", n->levels[level].map) &&
	    !map_write(pid, "uid_map", n->levels[level].map) &&
	    write(go[1], &c, 1) == 1)
		ret = 0;
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	return child_wait(pid) ?: ret;
}

static int nest_start(const struct nest *n)
{
	pid_t pid = fork_bound();

	if (!pid)
		_exit(setgroups(0, NULL) ? 95 : nest_run(n, 0));
	return child_wait(pid);
}

/* Return 1 if a quota refuses memory. */
static int is_refused(void)
{
	struct client c;
	__u32 id;
	int ret;

	if (client_open_only(&c))
		return 96;
	ret = mem_alloc(&c, 0, 0, 0, MIB(1), &id);
	return ret == -EDQUOT ? 1 : ret ? 97 : 0;
}

/* Return how many bindings the process can make. */
static int bindings(void)
{
	struct maker m = { };

	if (client_open(&m.c))
		return 96;
	while (m.nr <= 2 * MORE && !make_binding(&m))
		;
	return m.nr - 1;
}

FIXTURE(in_charge)
{
	unsigned int before;
	int mode;
};

/**
 * @nest: the namespaces, without @fn
 * @counted: the users that the client counts for, up to a 0
 * @others: some that it does not count for, up to a NONE
 * @answers: the user that is responsible
 */
FIXTURE_VARIANT(in_charge)
{
	struct nest nest;
	unsigned int counted[5];
	unsigned int others[4];
	unsigned int answers;
};

#define NONE	(~0U)

/* clang-format off */

/*
 * Alice created the first namespace, and one of her subordinate ids the second.
 */
FIXTURE_VARIANT_ADD(in_charge, a_subordinate_made_the_second)
{
	.nest = {
		.levels = {
			{ ALICE, "0 200000 65536" },
			{ 7, "0 1000 100" },
		},
		.uid = 9,
	},
	.counted = { SUBORDINATE(1009), SUBORDINATE(7), ALICE },
	.others = { 0, BOB, SUBORDINATE(0), NONE },
	.answers = ALICE,
};

/* Alice is root in the first namespace, and created the second in it. */
FIXTURE_VARIANT_ADD(in_charge, the_same_user_made_both)
{
	.nest = {
		.levels = {
			{ ALICE, "0 54321 1" },
			{ 0, "0 0 1" },
		},
		.uid = 0,
	},
	.counted = { ALICE },
	.others = { 0, BOB, NONE },
	.answers = ALICE,
};

/* A service of the system created the first namespace, for ids of its own. */
FIXTURE_VARIANT_ADD(in_charge, root_made_the_first)
{
	.nest = {
		.levels = {
			{ 0, "0 200000 65536" },
			{ 7, "0 1000 100" },
		},
		.uid = 9,
	},
	.counted = { SUBORDINATE(1009), SUBORDINATE(7), SUBORDINATE(0) },
	.others = { 0, ALICE, BOB, NONE },
	.answers = SUBORDINATE(0),
};

/*
 * Root inside the first namespace created the second, and is responsible for
 * both.
 */
FIXTURE_VARIANT_ADD(in_charge, root_inside_made_the_second)
{
	.nest = {
		.levels = {
			{ 0, "0 200000 65536" },
			{ 0, "0 1000 100" },
		},
		.uid = 9,
	},
	.counted = { SUBORDINATE(1009), SUBORDINATE(0) },
	.others = { 0, SUBORDINATE(1000), NONE },
	.answers = SUBORDINATE(0),
};

/*
 * If root inside is root outside, no user is responsible; Alice created the
 * second namespace there.
 */
FIXTURE_VARIANT_ADD(in_charge, root_is_root_in_the_first)
{
	.nest = {
		.levels = {
			{ 0, "0 0 65536" },
			{ ALICE, "0 1000 100" },
		},
		.uid = 9,
	},
	.counted = { 1009, ALICE },
	.others = { 0, 1000, BOB, NONE },
	.answers = ALICE,
};

/* No user is responsible for either namespace, so the process's own user is. */
FIXTURE_VARIANT_ADD(in_charge, root_is_root_in_both)
{
	.nest = {
		.levels = {
			{ 0, "0 0 65536" },
			{ 0, "0 0 65536" },
		},
		.uid = BOB,
	},
	.counted = { BOB },
	.others = { 0, ALICE, NONE },
	.answers = BOB,
};

/*
 * Alice has an id in the second namespace as well. As the outermost user she is
 * responsible, and is counted once.
 */
FIXTURE_VARIANT_ADD(in_charge, the_owner_of_the_first_is_in_the_second)
{
	.nest = {
		.levels = {
			{ ALICE, "0 200000 1000\n1000 54321 1" },
			{ 7, "0 0 1000\n1000 1000 1" },
		},
		.uid = 1000,
	},
	.counted = { ALICE, SUBORDINATE(7) },
	.others = { 0, SUBORDINATE(0), BOB, NONE },
	.answers = ALICE,
};

/* clang-format on */

FIXTURE_SETUP(in_charge)
{
	ASSERT_EQ(0, param_get("user_bindings", &self->before));
	self->mode = node_open_to_all();
	ASSERT_LE(0, self->mode);
}

FIXTURE_TEARDOWN(in_charge)
{
	param_set("user_bindings", self->before);
	chmod(VNPU_NODE, self->mode);
}

static struct nest nest_of(const FIXTURE_VARIANT(in_charge) * variant,
			   int (*fn)(void))
{
	struct nest n = variant->nest;

	n.fn = fn;
	return n;
}

static int refused_by(const struct nest *n, unsigned int uid)
{
	int ret = quota_set(0, UID, uid, MIB(1) - 1);

	if (ret)
		return ret;
	ret = nest_start(n);
	return quota_remove(0, UID, uid) ?: ret;
}

TEST_F(in_charge, users_that_a_client_counts_for)
{
	struct nest n = nest_of(variant, is_refused);
	const unsigned int *uid;
	int ret = nest_start(&n);

	if (ret == 90)
		SKIP(return, "no user namespaces: %d", ret);
	ASSERT_EQ(0, ret);
	for (uid = variant->counted; *uid; uid++)
		EXPECT_EQ(1, refused_by(&n, *uid)) {
			TH_LOG("of user %u", *uid);
		}
	for (uid = variant->others; *uid != NONE; uid++)
		EXPECT_EQ(0, refused_by(&n, *uid)) {
			TH_LOG("of user %u", *uid);
		}
}

/* No user is counted twice. */
TEST_F(in_charge, counts_once)
{
	struct nest n = nest_of(variant, is_refused);
	const unsigned int *uid;
	int ret = nest_start(&n);

	if (ret == 90)
		SKIP(return, "no user namespaces: %d", ret);
	for (uid = variant->counted; *uid; uid++)
		ASSERT_EQ(0, quota_set(0, UID, *uid, MIB(1)));
	EXPECT_EQ(0, nest_start(&n));
	for (uid = variant->counted; *uid; uid++)
		ASSERT_EQ(0, quota_remove(0, UID, *uid));
}

/* A quota replaces the parameter only for the responsible user. */
TEST_F(in_charge, responsible_user)
{
	struct nest n = nest_of(variant, bindings);
	const unsigned int *uid;
	uint64_t more = MORE;
	int ret;

	ASSERT_EQ(0, param_set("user_bindings", DEFAULT));
	ret = nest_start(&n);
	if (ret == 90)
		SKIP(return, "no user namespaces: %d", ret);
	EXPECT_EQ(DEFAULT, ret);
	for (uid = variant->counted; *uid; uid++) {
		ASSERT_EQ(0, quota_set_of(QUOTA_NO_DEVICE,
					  VNPU_QUOTA_RESOURCE_BINDINGS, UID,
					  *uid, &more));
		EXPECT_EQ(*uid == variant->answers ? MORE : DEFAULT,
			  nest_start(&n)) {
			TH_LOG("of user %u", *uid);
		}
		ASSERT_EQ(0, quota_set_of(QUOTA_NO_DEVICE,
					  VNPU_QUOTA_RESOURCE_BINDINGS, UID,
					  *uid, NULL));
	}
}

TEST_HARNESS_MAIN
