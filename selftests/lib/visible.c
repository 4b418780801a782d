// SPDX-License-Identifier: GPL-2.0-only
/*
 * ASCEND_RT_VISIBLE_DEVICES: which devices a process sees, and their numbers.
 *
 * These are the rules of the AscendCL page of the variable: a list of numbers,
 * in the order in which they are renumbered from 0. It ends before the first
 * invalid entry.
 */
#include "acl-test.h"

#define VARIABLE	"ASCEND_RT_VISIBLE_DEVICES"

/* Numbers of existing devices, without the variable. */
static uint32_t real_count(void)
{
	int fds[2];
	uint32_t n;
	pid_t pid;

	if (pipe(fds))
		abort();
	pid = fork_bound();
	if (!pid) {
		unsetenv(VARIABLE);
		n = device_count();
		_exit(write(fds[1], &n, sizeof(n)) != sizeof(n));
	}
	if (read(fds[0], &n, sizeof(n)) != sizeof(n) || child_wait(pid))
		abort();
	return n;
}

TEST(unset_shows_all)
{
	int32_t id = -1;

	unsetenv(VARIABLE);
	OK(aclrtGetPhyDevIdByUserDevId(0, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetLogicDevIdByUserDevId(0, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetUserDevIdByLogicDevId(0, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetLogicDevIdByPhyDevId(0, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetPhyDevIdByLogicDevId(0, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetUserDevIdByPhyDevId(0, &id));
	EXPECT_EQ(0, id);
}

TEST(the_one_device)
{
	setenv(VARIABLE, "0", 1);
	EXPECT_EQ(1, device_count());
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(1));
}

TEST(only_an_invalid_device)
{
	uint32_t count = 99;

	setenv(VARIABLE, "1000", 1);
	EXPECT_NE(ACL_SUCCESS, aclrtSetDevice(0));
	if (aclrtGetDeviceCount(&count) == ACL_SUCCESS) {
		EXPECT_EQ(0, count);
	}
}

TEST(list_ends_at_the_first_wrong_entry)
{
	setenv(VARIABLE, "0,1000,0", 1);
	EXPECT_EQ(1, device_count());
	OK(aclrtSetDevice(0));
}

TEST(no_device_twice)
{
	setenv(VARIABLE, "0,0", 1);
	EXPECT_EQ(1, device_count());
}

TEST(a_blank_is_no_part_of_a_number)
{
	setenv(VARIABLE, "0, 1", 1);
	EXPECT_EQ(1, device_count());
}

TEST(garbage_shows_nothing)
{
	setenv(VARIABLE, "card", 1);
	EXPECT_EQ(0, device_count());
	EXPECT_NE(ACL_SUCCESS, aclrtSetDevice(0));
}

TEST(renumbers)
{
	int32_t id = -1;

	if (real_count() < 4)
		SKIP(return, "needs 4 devices");
	setenv(VARIABLE, "2,0", 1);
	EXPECT_EQ(2, device_count());
	OK(aclrtSetDevice(1));
	EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(2));
	OK(aclrtGetDevice(&id));
	EXPECT_EQ(1, id);
	OK(aclrtGetPhyDevIdByUserDevId(0, &id));
	EXPECT_EQ(2, id);
	OK(aclrtGetPhyDevIdByUserDevId(1, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetUserDevIdByPhyDevId(2, &id));
	EXPECT_EQ(0, id);
	OK(aclrtGetUserDevIdByLogicDevId(0, &id));
	EXPECT_EQ(1, id);
	EXPECT_ACL(BAD_DEVICE, aclrtGetUserDevIdByPhyDevId(1, &id));
	EXPECT_ACL(BAD_DEVICE, aclrtGetPhyDevIdByUserDevId(2, &id));
}

TEST(memory_is_on_the_selected_device)
{
	aclrtPtrAttributes attributes;
	size_t before[2];
	void *p;

	if (real_count() < 2)
		SKIP(return, "needs 2 devices");
	setenv(VARIABLE, "1,0", 1);
	OK(aclrtSetDevice(1));
	before[1] = free_bytes();
	OK(aclrtSetDevice(0));
	before[0] = free_bytes();
	OK(aclrtMalloc(&p, 8 * MIB - 64, ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(before[0] - 8 * MIB, free_bytes());
	OK(aclrtPointerGetAttributes(p, &attributes));
	EXPECT_EQ(0, attributes.location.id);
	OK(aclrtSetDevice(1));
	EXPECT_EQ(before[1], free_bytes());
}

TEST(numbers_refuse)
{
	int32_t id;

	EXPECT_ACL(NULL_OR_ZERO, aclrtGetPhyDevIdByUserDevId(0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetLogicDevIdByUserDevId(0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetUserDevIdByLogicDevId(0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetLogicDevIdByPhyDevId(0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetPhyDevIdByLogicDevId(0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetUserDevIdByPhyDevId(0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtGetPhyDevIdByUserDevId(1000, &id));
	EXPECT_ACL(BAD_DEVICE, aclrtGetLogicDevIdByUserDevId(-1, &id));
	EXPECT_ACL(BAD_DEVICE, aclrtGetUserDevIdByLogicDevId(1000, &id));
	EXPECT_ACL(BAD_DEVICE, aclrtGetLogicDevIdByPhyDevId(1000, &id));
	EXPECT_ACL(BAD_DEVICE, aclrtGetPhyDevIdByLogicDevId(-1, &id));
	EXPECT_ACL(BAD_DEVICE, aclrtGetUserDevIdByPhyDevId(1000, &id));
}

TEST_HARNESS_MAIN
