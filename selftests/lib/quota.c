// SPDX-License-Identifier: GPL-2.0-only
/* A quota that refuses memory: the error of each allocating call. */
#include "acl-test.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "nl_quota.h"

/* A user without other processes. */
#define ALICE	54321

FIXTURE(quota) {
};

FIXTURE_SETUP(quota)
{
	ASSERT_EQ(0, quota_set(0, VNPU_QUOTA_SCOPE_UID, ALICE, 8 * MIB));
	/* The process that sets quotas stays the administrator. */
	ASSERT_EQ(0, setresuid(ALICE, 0, 0));
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(quota)
{
	struct quota q;

	aclrtResetDeviceForce(0);
	EXPECT_EQ(0, quota_get(0, VNPU_QUOTA_SCOPE_UID, ALICE, &q));
	EXPECT_EQ(0, q.used);
	EXPECT_EQ(0, quota_remove(0, VNPU_QUOTA_SCOPE_UID, ALICE));
}

/* Out of memory, with each of these words in the message. */
#define EXPECT_REFUSED(call, ...)					\
	do {								\
		const char *const words[] = { __VA_ARGS__, NULL };	\
		const char *const *word;				\
		const char *message;					\
									\
		EXPECT_EQ(OUT_OF_MEMORY, (call));			\
		message = recent();					\
		for (word = words; *word; word++) {			\
			EXPECT_NE(NULL, strstr(message, *word)) {	\
				TH_LOG("%s: %s", *word, message);	\
			}						\
		}							\
	} while (0)

TEST_F(quota, the_message_names_the_quota)
{
	void *p, *q;

	OK(aclrtMalloc(&p, 5 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_REFUSED(aclrtMalloc(&q, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
		       "aclrtMalloc", "3145728", "quota of user 54321",
		       "device 0", "of 8.0 MiB, 6.0 MiB are used",
		       "administrator");
	EXPECT_EQ(OUT_OF_MEMORY, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	OK(aclrtFree(p));
	OK(aclrtMalloc(&q, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(q));
}

TEST_F(quota, each_policy)
{
	static const aclrtMemMallocPolicy policies[] = {
		ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY,
		ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_FIRST_P2P,
		ACL_MEM_MALLOC_HUGE_ONLY_P2P, ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
	};
	size_t i;
	void *p;

	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		EXPECT_REFUSED(aclrtMalloc(&p, 9 * MIB, policies[i]),
			       "quota of user 54321", "8.0 MiB");
}

/* If huge pages exceed the quota, small ones may fit. */
TEST_F(quota, huge_first_falls_back)
{
	void *p, *q;

	OK(aclrtMalloc(&p, 5 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_REFUSED(aclrtMalloc(&q, 2 * MIB + 1, ACL_MEM_MALLOC_HUGE_ONLY),
		       "quota of user 54321");
	OK(aclrtMalloc(&q, 2 * MIB + 1, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(q));
	OK(aclrtFree(p));
}

/* To the last page; slabs request more of them than one. */
TEST_F(quota, small_memory)
{
	void *p, *q;

	OK(aclrtMalloc(&p, 8 * MIB - 2 * PAGE_SIZE,
		       ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc(&q, 3000, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_REFUSED(aclrtMalloc(&q, PAGE_SIZE, ACL_MEM_MALLOC_HUGE_FIRST),
		       "quota of user 54321", "of 8.0 MiB");
}

TEST_F(quota, other_calls)
{
	aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle handle;
	void *p;

	EXPECT_REFUSED(aclrtMallocPhysical(&handle, 10 * MIB, &prop, 0),
		       "aclrtMallocPhysical", "quota of user 54321");
	EXPECT_REFUSED(aclrtMemAllocManaged(&p, 10 * MIB,
					    ACL_RT_MEM_ATTACH_GLOBAL),
		       "aclrtMemAllocManaged", "quota of user 54321");
	EXPECT_REFUSED(aclrtMallocAlign32(&p, 10 * MIB,
					  ACL_MEM_MALLOC_HUGE_FIRST),
		       "aclrtMallocAlign32", "quota of user 54321");
	EXPECT_REFUSED(aclrtMallocWithCfg(&p, 10 * MIB,
					  ACL_MEM_MALLOC_HUGE_FIRST, NULL),
		       "aclrtMallocWithCfg", "quota of user 54321");
}

static int take_own(const struct nlmsghdr *head, void *arg)
{
	if (nl_u32(head, VNPU_A_CLIENT_PID) == (uint32_t)getpid())
		*(uint64_t *)arg = nl_u64(head, VNPU_A_CLIENT_ID);
	return 0;
}

TEST_F(quota, of_this_process)
{
	uint64_t id = 0;
	int fd = nl_open();
	void *p;

	nl_dump(fd, nl_family(fd), VNPU_CMD_CLIENT_GET, take_own, &id);
	close(fd);
	ASSERT_NE(0, id);
	ASSERT_EQ(0, quota_set(0, VNPU_QUOTA_SCOPE_CLIENT, id, 4 * MIB));
	EXPECT_REFUSED(aclrtMalloc(&p, 6 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
		       "quota of this process", "of 4.0 MiB, 0 bytes are used");
	EXPECT_EQ(0, quota_remove(0, VNPU_QUOTA_SCOPE_CLIENT, id));
	OK(aclrtMalloc(&p, 6 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
}

/* In a child, which opens the device in its new cgroup. */
TEST(of_a_cgroup)
{
	char path[64] = "/sys/fs/cgroup/vnpu-lib-XXXXXX", procs[96];
	struct stat st;
	pid_t pid;

	if (!mkdtemp(path))
		SKIP(return, "no cgroup2 at /sys/fs/cgroup");
	ASSERT_EQ(0, stat(path, &st));
	ASSERT_EQ(0, quota_set(0, VNPU_QUOTA_SCOPE_CGROUP, st.st_ino,
			       2 * MIB));
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		int fd = open(procs, O_WRONLY);
		char expected[64];
		void *p;

		if (fd < 0 || write(fd, "0", 1) != 1 || aclrtSetDevice(0) ||
		    aclrtMalloc(&p, 3 * MIB, 0) != OUT_OF_MEMORY)
			_exit(1);
		snprintf(expected, sizeof(expected), "quota of cgroup %ju",
			 (uintmax_t)st.st_ino);
		_exit(strstr(recent(), expected) ? 0 : 2);
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, quota_remove(0, VNPU_QUOTA_SCOPE_CGROUP, st.st_ino));
	EXPECT_EQ(0, rmdir(path));
}

TEST_HARNESS_MAIN
