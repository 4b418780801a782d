// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may see and do what: the table of Documentation/isolation.md, a variant
 * for each line of it, in which a process of that kind looks at a client of
 * root's in the first namespaces.
 */
#include "kselftest_harness.h"

#include <grp.h>
#include <sched.h>
#include <sys/stat.h>

#include "../tool/nl.h"
#include "../uapi/client.h"
#include "../uapi/util.h"

#define NOBODY	65534
#define HELD	KIB(64)

/* What takes an administrator, and what does not. */
static const __u8 admin[] = {
	VNPU_CMD_COMPACT, VNPU_CMD_QUOTA_SET, VNPU_CMD_QUOTA_REMOVE,
	VNPU_CMD_INJECT_SET, VNPU_CMD_RESET, VNPU_CMD_DEV_ADD,
	VNPU_CMD_DEV_REMOVE,
};

static const __u8 dumps[] = {
	VNPU_CMD_DEV_GET, VNPU_CMD_MEM_GET, VNPU_CMD_CLIENT_GET,
	VNPU_CMD_SLAB_GET, VNPU_CMD_QUOTA_GET, VNPU_CMD_STREAM_GET,
	VNPU_CMD_ENGINE_GET,
};

/* What a process of some kind has seen; shared with it. */
struct seen {
	int use;	/* of the client's file, which it has */
	int import;	/* of memory, by a client of its own, from a file */
	int admin[ARRAY_SIZE(admin)];
	int faults;	/* to list them */
	int dumps[ARRAY_SIZE(dumps)];
	__u64 client;	/* whom it looks for */
	bool found;
	__u32 pid, uid;
	char name[16];
};

FIXTURE(who)
{
	struct client c;
	int memory;	/* a file of the client's */
	struct seen *seen;
};

FIXTURE_VARIANT(who)
{
	int spaces;	/* that it goes into before it looks */
	bool is_nobody;
	bool is_admin;
	bool sees_process;
	__u32 uid;	/* of the client, as it sees it */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(who, its_child)
{ .is_admin = true, .sees_process = true };
FIXTURE_VARIANT_ADD(who, another_user)
{ .is_nobody = true, .sees_process = true };
FIXTURE_VARIANT_ADD(who, root_of_a_user_namespace)
{ .spaces = CLONE_NEWUSER | CLONE_NEWNET, .is_nobody = true,
  .sees_process = true, .uid = NOBODY };
FIXTURE_VARIANT_ADD(who, in_a_pid_namespace)
{ .spaces = CLONE_NEWPID, .is_admin = true };
FIXTURE_VARIANT_ADD(who, in_a_network_namespace)
{ .spaces = CLONE_NEWNET, .is_admin = true, .sees_process = true };
FIXTURE_VARIANT_ADD(who, in_a_container)
{ .spaces = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID, .is_nobody = true,
  .uid = NOBODY };
/* clang-format on */

FIXTURE_SETUP(who)
{
	struct vnpu_info i;
	__u32 id;

	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, HELD, &id));
	self->memory = mem_export(&self->c, id);
	ASSERT_LE(0, self->memory);
	self->seen = mmap(NULL, sizeof(*self->seen), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->seen);
	ASSERT_EQ(0, info(&self->c, &i));
	self->seen->client = i.out_client_id;
}

FIXTURE_TEARDOWN(who)
{
	close(self->memory);
	client_close(&self->c);
}

static int take_client(const struct nlmsghdr *head, void *arg)
{
	struct seen *seen = arg;
	const char *name;
	__u16 size;

	if (nl_u64(head, VNPU_A_CLIENT_ID) != seen->client)
		return 0;
	seen->found = true;
	seen->pid = nl_u32(head, VNPU_A_CLIENT_PID);
	seen->uid = nl_u32(head, VNPU_A_CLIENT_UID);
	name = nl_attr(head, VNPU_A_CLIENT_NAME, &size);
	if (name)
		strncpy(seen->name, name, sizeof(seen->name) - 1);
	return 0;
}

/* A list may change while it is read. */
static int dump(int fd, int family, __u8 command,
		int (*each)(const struct nlmsghdr *head, void *arg), void *arg)
{
	int ret;

	do
		ret = nl_dump(fd, family, command, each, arg);
	while (ret == -EINTR);
	return ret;
}

/* No such device, so that who may ask for it does no harm. */
static int ask_for_nothing(int fd, int family, __u8 command)
{
	static __u8 answer[NL_BUFFER];
	struct nl_msg m;

	nl_init(&m, (__u16)family, 0, command);
	nl_put_u32(&m, VNPU_A_DEV_ID, VNPU_MAX_DEVICES);
	return nl_ask(fd, &m, answer);
}

static void look(FIXTURE_DATA(who) * self, struct seen *seen)
{
	int fd = nl_open(), family = nl_family(fd);
	struct vnpu_info i;
	struct client own;
	__u32 id;
	size_t n;

	seen->use = info(&self->c, &i);
	for (n = 0; n < ARRAY_SIZE(admin); n++)
		seen->admin[n] = ask_for_nothing(fd, family, admin[n]);
	seen->faults = dump(fd, family, VNPU_CMD_INJECT_GET, NULL, NULL);
	for (n = 0; n < ARRAY_SIZE(dumps); n++)
		seen->dumps[n] = dump(fd, family, dumps[n], NULL, NULL);
	dump(fd, family, VNPU_CMD_CLIENT_GET, take_client, seen);
	seen->import = client_open_only(&own);
	if (!seen->import)
		seen->import = mem_import(&own, self->memory, &id);
}

TEST_F(who, may_do_what)
{
	struct seen *seen = self->seen;
	struct stat st;
	pid_t pid;
	size_t n;

	ASSERT_EQ(0, stat(VNPU_NODE, &st));
	pid = fork_bound();
	if (!pid) {
		if (variant->is_nobody &&
		    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		     setresuid(NOBODY, NOBODY, NOBODY)))
			_exit(1);
		if (unshare(variant->spaces))
			_exit(2);
		/* A pid namespace is its children's. */
		pid = fork_bound();
		if (!pid) {
			look(self, seen);
			_exit(0);
		}
		_exit(child_wait(pid));
	}
	n = child_wait(pid);
	if (n == 2)
		SKIP(return, "no such namespaces");
	ASSERT_EQ(0, n);

	/* A file is of use to its owner alone, whoever has it. */
	EXPECT_EQ(-EPERM, seen->use);
	/* But memory is for who has a file of it, and may open the node. */
	EXPECT_EQ(!variant->is_nobody || st.st_mode & 0006 ? 0 : -EACCES,
		  seen->import);
	for (n = 0; n < ARRAY_SIZE(admin); n++) {
		EXPECT_EQ(!variant->is_admin, seen->admin[n] == -EPERM)
			TH_LOG("command %u: %d", admin[n], seen->admin[n]);
	}
	EXPECT_EQ(variant->is_admin ? 0 : -EPERM, seen->faults);
	for (n = 0; n < ARRAY_SIZE(dumps); n++) {
		EXPECT_LE(0, seen->dumps[n])
			TH_LOG("command %u", dumps[n]);
	}
	ASSERT_TRUE(seen->found);
	EXPECT_EQ(variant->sees_process ? getpid() : 0, seen->pid);
	EXPECT_STREQ(variant->sees_process ? "who" : "", seen->name);
	EXPECT_EQ(variant->uid, seen->uid);
}

TEST_HARNESS_MAIN
