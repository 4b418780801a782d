// SPDX-License-Identifier: GPL-2.0-only
/*
 * The history of clients that have ended: a user who opens and closes many
 * files does not evict the entries of another user.
 */
#include "quota.h"

/* More clients than the history has entries. */
#define MANY	300

/* Open files and use the device with each; return the id of the last client. */
static __u64 open_and_close(uid_t uid, unsigned int count)
{
	__u64 *last = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork_bound();
	__u64 id;

	if (!pid) {
		struct client c;
		__u32 mem;

		if (become(uid))
			_exit(1);
		while (count--) {
			if (client_open_only(&c) ||
			    mem_alloc(&c, 0, 0, 0, PAGE, &mem))
				_exit(2);
			*last = client_id(&c);
			client_close(&c);
		}
		_exit(0);
	}
	id = child_wait(pid) ? 0 : *last;
	munmap(last, PAGE);
	return id;
}

struct tally {
	__u64 wanted;	/* client */
	bool found;
	unsigned int of_bob;
};

static int count(const struct nlmsghdr *head, void *arg)
{
	struct tally *t = arg;

	if (nl_u64(head, VNPU_A_CLIENT_ID) == t->wanted)
		t->found = true;
	t->of_bob += nl_u32(head, VNPU_A_CLIENT_UID) == BOB;
	return 0;
}

static struct tally remembered(__u64 id)
{
	struct tally t;
	int fd = nl_open();
	int ret;

	do {
		t = (struct tally){ .wanted = id };
		ret = nl_dump(fd, nl_family(fd), VNPU_CMD_HISTORY_GET, count, &t);
	} while (ret == -EINTR);
	close(fd);
	return t;
}

FIXTURE(exited)
{
	int mode;
};

FIXTURE_SETUP(exited)
{
	self->mode = node_open_to_all();
	ASSERT_LE(0, self->mode);
}

FIXTURE_TEARDOWN(exited)
{
	chmod(VNPU_NODE, self->mode);
}

TEST_F(exited, entries_of_another_user_stay)
{
	__u64 alice = open_and_close(ALICE, 1), bob;
	struct tally t;

	ASSERT_NE(0, alice);
	ASSERT_TRUE(remembered(alice).found);
	bob = open_and_close(BOB, MANY);
	ASSERT_NE(0, bob);
	EXPECT_TRUE(remembered(alice).found);
	/*
	 * The user's own last client is always listed, and the table is
	 * bounded.
	 */
	t = remembered(bob);
	EXPECT_TRUE(t.found);
	EXPECT_LE(1, t.of_bob);
	EXPECT_GT(MANY, t.of_bob);
}

TEST_HARNESS_MAIN
