// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes of single devices: how they are created and removed, which devices
 * their clients can use, and the effect of removing the device.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "node.h"
#include "stream.h"
#include "trouble.h"
#include "util.h"

#define SMALL		MIB(8)
#define STALE		"/dev/vnpu_stale"
#define RACE_MS		3000

FIXTURE(node)
{
	int device;	/* an added device, which is the last */
	struct client all;	/* of /dev/vnpu */
	struct client one;	/* of its node */
};

FIXTURE_SETUP(node)
{
	self->device = device_add(SMALL);
	ASSERT_LT(0, self->device);
	ASSERT_EQ(0, client_open_only(&self->all));
	ASSERT_EQ(0, node_open(&self->one, self->device));
}

FIXTURE_TEARDOWN(node)
{
	int device = self->device;

	device_remove((__u32)device);
	client_close(&self->one);
	client_close(&self->all);
	/* The device has no reference left, as its index is free again. */
	EXPECT_EQ(device, device_add_at(SMALL, device));
	EXPECT_EQ(0, device_remove((__u32)device));
}

/* Read the device number from sysfs. */
static dev_t node_number(int device)
{
	unsigned int major = 0, minor = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/vnpu/vnpu%d/dev", device);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%u:%u", &major, &minor) != 2)
		major = 0;
	fclose(f);
	return makedev(major, minor);
}

TEST_F(node, exists_as_long_as_the_device)
{
	char path[32];
	struct stat st;

	ASSERT_EQ(0, stat(node_path(path, self->device), &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0660, st.st_mode & 07777);
	EXPECT_NE(0, st.st_rdev);
	EXPECT_EQ(node_number(self->device), st.st_rdev);
	ASSERT_EQ(0, device_remove((__u32)self->device));
	EXPECT_EQ(-1, stat(path, &st));
	EXPECT_EQ(ENOENT, errno);
}

TEST_F(node, grants_its_device_only)
{
	struct vnpu_device_record records[VNPU_MAX_DEVICES];
	struct vnpu_info i;
	struct stream s;
	__u32 id;

	ASSERT_EQ(0, info(&self->one, &i));
	EXPECT_EQ(1, i.out_device_count);
	EXPECT_EQ(self->device, i.out_node_device);
	ASSERT_EQ(1, devices_of(&self->one, records));
	EXPECT_EQ(self->device, records[0].index);
	EXPECT_TRUE(has_device(&self->one, (__u32)self->device));
	EXPECT_FALSE(has_device(&self->one, 0));
	EXPECT_EQ(0, mem_alloc(&self->one, (__u32)self->device, 0, 0, PAGE,
			       &id));
	EXPECT_EQ(-ENODEV, mem_alloc(&self->one, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(0, stream_create_only(&s, &self->one, (__u32)self->device, 0,
					0, 0));
	EXPECT_EQ(-ENODEV, stream_create_only(&s, &self->one, 0, 0, 0, 0));

	ASSERT_EQ(0, info(&self->all, &i));
	EXPECT_EQ(VNPU_DEVICE_ALL, i.out_node_device);
	EXPECT_LE(2, i.out_device_count);
	EXPECT_EQ(i.out_device_count, devices_of(&self->all, records));
}

TEST_F(node, node_of_another_device_can_be_attached)
{
	struct client other;
	__u32 device = 1;

	/* A client gets devices from nodes, not from other clients. */
	ASSERT_EQ(0, node_open(&other, 0));
	EXPECT_EQ(0, attach(&other, self->all.fd, &device));
	EXPECT_EQ(VNPU_DEVICE_ALL, device);
	EXPECT_TRUE(has_device(&other, (__u32)self->device));
	EXPECT_EQ(0, attach(&self->one, other.fd, &device));
	EXPECT_EQ(0, device);
	EXPECT_EQ(0, attach(&self->one, other.fd, &device));
	client_close(&other);
	EXPECT_TRUE(has_device(&self->one, 0));
	EXPECT_TRUE(has_device(&self->one, (__u32)self->device));
	EXPECT_EQ(2, device_count(&self->one));
}

TEST_F(node, other_files_cannot_be_attached)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC), memory;
	__u32 device, id;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, attach(&self->one, fd, &device));
	close(fd);
	EXPECT_EQ(-EBADF, attach(&self->one, fd, &device));
	EXPECT_EQ(-EBADF, attach(&self->one, -1, &device));
	ASSERT_EQ(0, mem_alloc(&self->all, 0, 0, 0, PAGE, &id));
	memory = mem_export(&self->all, id);
	ASSERT_LE(0, memory);
	EXPECT_EQ(-EINVAL, attach(&self->one, memory, &device));
	close(memory);
	EXPECT_EQ(1, device_count(&self->one));
}

TEST_F(node, node_of_a_removed_device)
{
	dev_t number = node_number(self->device);
	struct client late;
	__u32 device;

	ASSERT_EQ(0, mknod(STALE, S_IFCHR | 0600, number));
	EXPECT_EQ(0, node_open_path(&late, STALE));
	client_close(&late);
	ASSERT_EQ(0, device_remove((__u32)self->device));
	/* An open file does not keep a device that it did not use. */
	EXPECT_EQ(-ENODEV, node_open_path(&late, STALE));
	EXPECT_FALSE(has_device(&self->one, (__u32)self->device));
	EXPECT_EQ(0, device_count(&self->one));
	EXPECT_EQ(-ENODEV, attach(&self->all, self->one.fd, &device));

	/*
	 * The next device is a different one, to which the file gives no
	 * access.
	 */
	ASSERT_EQ(self->device, device_add_at(SMALL, self->device));
	EXPECT_TRUE(has_device(&self->all, (__u32)self->device));
	EXPECT_FALSE(has_device(&self->one, (__u32)self->device));
	EXPECT_EQ(-ENODEV, attach(&self->all, self->one.fd, &device));
	EXPECT_EQ(0, node_open_path(&late, STALE));
	EXPECT_EQ(0, attach(&self->one, late.fd, &device));
	EXPECT_TRUE(has_device(&self->one, (__u32)self->device));
	client_close(&late);
	EXPECT_EQ(0, unlink(STALE));
}

static int module_references(void)
{
	FILE *f = fopen("/sys/module/vnpu/refcnt", "re");
	int count = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%d", &count) != 1)
		count = -1;
	fclose(f);
	return count;
}

TEST_F(node, keeps_the_module)
{
	int before = module_references();
	struct client c;

	ASSERT_EQ(0, node_open(&c, 0));
	EXPECT_LT(before, module_references());
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vnpu", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	client_close(&c);
	EXPECT_EQ(before, module_references());
}

/* Threads open, attach and use a node while its device is added and removed. */
struct race {
	struct client all;
	int device;
	atomic_bool end;
	atomic_uint opened, attached, refused, wrong;
};

static void race_count(struct race *r, int ret, atomic_uint *good)
{
	if (!ret)
		atomic_fetch_add(good, 1);
	else if (ret == -ENODEV || ret == -ENOENT || ret == -ENXIO)
		atomic_fetch_add(&r->refused, 1);
	else
		atomic_fetch_add(&r->wrong, 1);
}

static void *race_run(void *arg)
{
	struct race *r = arg;

	while (!atomic_load(&r->end)) {
		struct client c, zero;
		__u32 device, id;
		int ret = node_open(&c, r->device);

		race_count(r, ret, &r->opened);
		if (ret)
			continue;
		if (!mem_alloc(&c, (__u32)r->device, 0, 0, PAGE, &id))
			mem_free(&c, id);
		if (!node_open(&zero, 0)) {
			ret = attach(&zero, c.fd, &device);
			race_count(r, ret, &r->attached);
			devices_of(&zero, (struct vnpu_device_record
						   [VNPU_MAX_DEVICES]){ });
			client_close(&zero);
		}
		client_close(&c);
	}
	return NULL;
}

TEST(opened_while_added_and_removed)
{
	struct race r = { .device = device_add(SMALL) };
	uint64_t end = now_ms() + RACE_MS;
	pthread_t threads[3];
	int i, rounds = 0;

	ASSERT_LT(0, r.device);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, race_run, &r));
	do {
		EXPECT_EQ(0, device_remove((__u32)r.device));
		EXPECT_EQ(r.device, device_add_at(SMALL, r.device));
		rounds++;
	} while (now_ms() < end || !atomic_load(&r.attached));
	atomic_store(&r.end, true);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	TH_LOG("%d rounds, %u opened, %u attached, %u refused", rounds,
	       r.opened, r.attached, r.refused);
	EXPECT_EQ(0, r.wrong);
	EXPECT_EQ(0, device_remove((__u32)r.device));
	EXPECT_EQ(r.device, device_add_at(SMALL, r.device));
	EXPECT_EQ(0, device_remove((__u32)r.device));
}

TEST_HARNESS_MAIN
