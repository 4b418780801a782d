// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library in a container with some of the devices: AscendCL numbers these
 * from 0, whatever their indexes on the machine.
 */
#include "acl-test.h"

#include "node_space.h"
#include "trouble.h"

#define SMALL	(16 * MIB)

FIXTURE(container) {
	int device;	/* the added device */
	char path[32];	/* its node */
};

FIXTURE_SETUP(container)
{
	self->device = device_add(SMALL);
	ASSERT_LT(0, self->device);
	snprintf(self->path, sizeof(self->path), "/dev/vnpu%d", self->device);
}

FIXTURE_TEARDOWN(container)
{
	aclrtResetDeviceForce(0);
	device_remove((uint32_t)self->device);
}

static void works(struct __test_metadata *_metadata, int32_t user, int index)
{
	int32_t physical = -1, back = -1;
	uint32_t byte = 0;
	void *p;

	OK(aclrtSetDevice(user));
	OK(aclrtGetPhyDevIdByUserDevId(user, &physical));
	EXPECT_EQ(index, physical);
	OK(aclrtGetUserDevIdByPhyDevId(index, &back));
	EXPECT_EQ(user, back);
	OK(aclrtMalloc(&p, PAGE_SIZE, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(p, PAGE_SIZE, 0x5a, PAGE_SIZE));
	OK(aclrtMemcpy(&byte, 1, p, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0x5a, byte);
	OK(aclrtFree(p));
	OK(aclrtResetDevice(user));
}

TEST_F(container, with_one_device_as_the_node_of_all)
{
	ASSERT_EQ(0, node_space_enter((struct node_given[]){
		{ self->path, "vnpu" }, { } }));
	EXPECT_EQ(1, device_count());
	works(_metadata, 0, self->device);
	EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(1));
	EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(self->device));
}

TEST_F(container, with_the_nodes_of_two)
{
	ASSERT_EQ(0, node_space_enter((struct node_given[]){
		{ "/dev/vnpu0", "vnpu0" }, { self->path, "vnpu63" }, { } }));
	EXPECT_EQ(2, device_count());
	works(_metadata, 0, 0);
	works(_metadata, 1, self->device);
}

TEST_F(container, with_one_as_all_and_another_node)
{
	ASSERT_EQ(0, node_space_enter((struct node_given[]){
		{ self->path, "vnpu" }, { "/dev/vnpu0", "vnpu0" }, { } }));
	EXPECT_EQ(2, device_count());
	works(_metadata, 0, 0);
	works(_metadata, 1, self->device);
}

TEST_F(container, some_of_the_devices_are_visible)
{
	ASSERT_EQ(0, node_space_enter((struct node_given[]){
		{ "/dev/vnpu0", "vnpu0" }, { self->path, "vnpu1" }, { } }));
	setenv("ASCEND_RT_VISIBLE_DEVICES", "1", 1);
	EXPECT_EQ(1, device_count());
	works(_metadata, 0, self->device);
}

TEST_F(container, without_a_node)
{
	ASSERT_EQ(0, node_space_enter((struct node_given[]){ { } }));
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(0));
	EXPECT_NE(NULL, strstr(recent(), "cannot find /dev/vnpu"));
}

TEST_HARNESS_MAIN
