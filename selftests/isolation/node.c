// SPDX-License-Identifier: GPL-2.0-only
/*
 * A container with the node of one device has access to that device only, even
 * if it receives files of others. It is a process of another user, in a mount
 * namespace in which that node is /dev/vnpu and /dev has nothing else.
 */
#include "kselftest_harness.h"

#include "../uapi/node.h"
#include "../uapi/node_space.h"
#include "../uapi/stream.h"
#include "../uapi/trouble.h"
#include "../uapi/util.h"

#define SMALL	MIB(8)

FIXTURE(node)
{
	int device;	/* an added device, whose node is passed in */
	char path[32];
	struct client c;	/* root's client, with all devices */
	int memory, dmabuf, view;	/* exported memory of device 0 */
	int counter, stream;	/* an exported counter and stream on it */
	int watched;	/* the counter, exported for waiting only */
	__u64 counter_id;
	int zero;	/* the node of device 0, open */
};

FIXTURE_SETUP(node)
{
	struct stream s;
	__u32 id;
	__u64 counter;

	self->device = device_add(SMALL);
	ASSERT_LT(0, self->device);
	node_path(self->path, self->device);
	/* As a udev rule would permit this user, which is in no group here. */
	ASSERT_EQ(0, chmod(self->path, 0666));
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	self->memory = mem_export(&self->c, id);
	self->dmabuf = mem_export_dmabuf(&self->c, 0, id);
	self->view = mem_export_dmabuf(&self->c,
				       VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY, id);
	ASSERT_LE(0, self->memory);
	ASSERT_LE(0, self->dmabuf);
	ASSERT_LE(0, self->view);
	ASSERT_EQ(0, timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER, 0, 0,
				     &counter));
	self->counter = timeline_export(&self->c, counter, 0);
	ASSERT_LE(0, self->counter);
	self->watched = timeline_export_as(&self->c, counter, 0,
					   VNPU_TIMELINE_EXPORT_F_WAIT_ONLY);
	ASSERT_LE(0, self->watched);
	self->counter_id = counter;
	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	self->stream = timeline_export(&self->c, s.id, 0);
	ASSERT_LE(0, self->stream);
	self->zero = open("/dev/vnpu0", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->zero);
}

FIXTURE_TEARDOWN(node)
{
	close(self->zero);
	close(self->stream);
	close(self->watched);
	close(self->counter);
	close(self->view);
	close(self->dmabuf);
	close(self->memory);
	client_close(&self->c);
	EXPECT_EQ(0, device_remove((__u32)self->device));
}

/* Run @test in the container, as another user, and return its result. */
static int inside(FIXTURE_DATA(node) * self,
		  int (*test)(FIXTURE_DATA(node) * self))
{
	const struct node_given given[] = { { self->path, "vnpu" }, { } };
	pid_t pid = fork_bound();

	if (!pid) {
		if (node_space_enter(given) || become_nobody())
			_exit(1);
		_exit(test(self));
	}
	return child_wait(pid);
}

/* Return the number of the line at which a check fails. */
#define CHECK(condition) do { if (!(condition)) return __LINE__ % 256; } while (0)

static int all_nodes_open_the_same_driver(FIXTURE_DATA(node) * self)
{
	struct vnpu_device_record records[VNPU_MAX_DEVICES];
	struct vnpu_info i;
	struct client c;
	__u32 device;

	CHECK(access("/dev/vnpu0", F_OK) && errno == ENOENT);
	CHECK(access("/dev/null", F_OK) && errno == ENOENT);
	CHECK(!client_open(&c));
	CHECK(!info(&c, &i));
	CHECK(i.out_device_count == 1);
	CHECK(i.out_node_device == (__u32)self->device);
	CHECK(devices_of(&c, records) == 1);
	CHECK(records[0].index == (__u32)self->device);
	for (device = 0; device < VNPU_MAX_DEVICES + 1; device++)
		CHECK(has_device(&c, device) == (device == i.out_node_device));
	return 0;
}

static int other_devices_are_hidden(FIXTURE_DATA(node) * self)
{
	struct vnpu_limits_query limits = { .size = sizeof(limits) };
	struct vnpu_event_alloc take = { .size = sizeof(take) };
	struct vnpu_event_free give = { .size = sizeof(give) };
	struct vnpu_query q;
	struct stream s;
	struct client c;
	__u64 counter;
	__u32 id;

	(void)self;
	CHECK(!client_open(&c));
	CHECK(mem_alloc(&c, 0, 0, 0, PAGE, &id) == -ENODEV);
	CHECK(mem_alloc_at(&c, 0, 0, 0, PAGE, c.base) == -ENODEV);
	CHECK(slab_window(&c, 0, c.base, MIB(2)) == -ENODEV);
	CHECK(stream_create_only(&s, &c, 0, 0, 0, 0) == -ENODEV);
	CHECK(timeline_create(&c, VNPU_TIMELINE_F_COUNTER, 0, 0, &counter) ==
	      -ENODEV);
	CHECK(call(c.fd, VNPU_IOCTL_LIMITS_QUERY, &limits) == -ENODEV);
	CHECK(call(c.fd, VNPU_IOCTL_EVENT_ALLOC, &take) == -ENODEV);
	CHECK(call(c.fd, VNPU_IOCTL_EVENT_FREE, &give) == -ENODEV);
	CHECK(context_create(&c, 0, &id) == -ENODEV);
	CHECK(query(&c, 0, VNPU_TOPIC_ENGINES, NULL, 0, &q) == -ENODEV);
	CHECK(va_protect(&c, c.base, PAGE, 0, VNPU_ACCESS_READ) == -ENODEV);
	return 0;
}

static int files_of_other_devices_are_refused(FIXTURE_DATA(node) * self)
{
	struct vnpu_mem_import_dmabuf dmabuf;
	struct client c;
	__u32 id, kind, i;
	__u64 timeline;

	CHECK(!client_open(&c));
	CHECK(mem_import(&c, self->memory, &id) == -EACCES);
	CHECK(mem_import_dmabuf(&c, self->dmabuf, &dmabuf) == -EACCES);
	CHECK(mem_import_dmabuf(&c, self->view, &dmabuf) == -EACCES);
	CHECK(timeline_import(&c, self->counter, &timeline, &kind) == -EACCES);
	for (i = 0; i < 10; i++)
		CHECK(timeline_import(&c, self->watched, &timeline, &kind) ==
		      -EACCES);
	/* Waiting for a stream needs no access to its device. */
	CHECK(!timeline_import(&c, self->stream, &timeline, &kind));
	CHECK(kind == VNPU_TIMELINE_KIND_STREAM);
	return 0;
}

static int its_own_device_works(FIXTURE_DATA(node) * self)
{
	struct stream s;
	struct client c;
	__u8 bytes[64];

	CHECK(!client_open(&c));
	CHECK(!mem_alloc_at(&c, (__u32)self->device, 0, 0, PAGE, c.base));
	CHECK(!stream_create(&s, &c, (__u32)self->device));
	CHECK(!stream_do(&s, task_fill(c.base, PAGE, 0x5a, 1)));
	CHECK(!copy(&c, addr(bytes), c.base, sizeof(bytes)));
	CHECK(is_all(bytes, 0x5a, sizeof(bytes)));
	CHECK(!va_protect(&c, c.base, PAGE, (__u32)self->device,
			  VNPU_ACCESS_READ));
	CHECK(!va_protect(&c, c.base, PAGE, VNPU_DEVICE_ALL,
			  VNPU_ACCESS_READ_WRITE));
	return 0;
}

/* Passing the file of a node grants access to the device. */
static int a_node_file_grants_the_device(FIXTURE_DATA(node) * self)
{
	struct client c;
	__u32 device, id;

	CHECK(!client_open(&c));
	CHECK(!has_device(&c, 0));
	CHECK(!attach(&c, self->zero, &device));
	CHECK(!device);
	CHECK(has_device(&c, 0));
	CHECK(device_count(&c) == 2);
	CHECK(!mem_import(&c, self->memory, &id));
	CHECK(!mem_alloc(&c, 0, 0, 0, PAGE, &id));
	return 0;
}

#define TEST_INSIDE(name) \
TEST_F(node, name) \
{ \
	EXPECT_EQ(0, inside(self, name)); \
}

TEST_INSIDE(all_nodes_open_the_same_driver)
TEST_INSIDE(other_devices_are_hidden)
TEST_F(node, files_of_other_devices_are_refused)
{
	__u64 value;

	EXPECT_EQ(0, inside(self, files_of_other_devices_are_refused));
	/* Refused imports have not ended the counter. */
	EXPECT_EQ(0, timeline_value(&self->c, self->counter_id, &value));
	EXPECT_EQ(0, value);
}

TEST_INSIDE(its_own_device_works)
TEST_INSIDE(a_node_file_grants_the_device)

TEST_HARNESS_MAIN
