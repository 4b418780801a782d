// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that are added and removed: their memory and numbers, and the effect
 * of a removal on their users.
 */
#include "hotplug.h"
#include "node.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#define CLASS		"/sys/class/vnpu"
#define NOBODY		65534
#define MAX_DEVICES	64

static bool is_in_class(int device)
{
	char path[64];

	snprintf(path, sizeof(path), CLASS "/vnpu%d", device);
	return !access(path, F_OK);
}

static int class_write(const char *name, const char *text)
{
	char path[64];
	int fd, ret = 0;

	snprintf(path, sizeof(path), CLASS "/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

TEST_F(hotplug, a_new_device_works)
{
	struct vnpu_device_query q;
	struct stream s;

	EXPECT_TRUE(is_in_class(self->device));
	EXPECT_LT(self->device, device_count(&self->c));
	ASSERT_EQ(0, device_query(&self->c, self->device, &q));
	EXPECT_EQ(SMALL, q.out_total);
	EXPECT_EQ(SMALL - MIB(4), q.out_free);

	ASSERT_EQ(0, stream_create(&s, &self->c, self->device));
	ASSERT_EQ(0, stream_do(&s, task_fill(self->va, KIB(64), 0x5a, 1)));
	EXPECT_TRUE(is_all(ptr(self->va), 0x5a, KIB(64)));
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_F(hotplug, a_removed_device_does_not_exist)
{
	struct vnpu_device_query q;
	struct stream s;

	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(-ENODEV, device_remove(self->device));
	EXPECT_FALSE(is_in_class(self->device));
	EXPECT_EQ(-ENODEV, device_query(&self->c, self->device, &q));
	EXPECT_EQ(-ENODEV, mem_alloc_at(&self->c, self->device, 0, 0, PAGE,
					self->va + MIB(64)));
	EXPECT_EQ(-ENODEV, stream_create_only(&s, &self->c, self->device, 0, 0,
					      0));
	EXPECT_EQ(-ENODEV, device_reset(self->device));
}

/* A slab that has room does not ask the device for memory. */
TEST_F(hotplug, no_slab_memory_of_a_removed_device)
{
	__u64 va;

	ASSERT_EQ(0, slab_window(&self->c, self->device, self->va + MIB(64),
				 MIB(1)));
	ASSERT_EQ(0, slab_alloc(&self->c, self->device, 64, &va, NULL));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(-ENODEV, slab_alloc(&self->c, self->device, 64, &va, NULL));
}

/* Also if a new device has taken its number. */
TEST_F(hotplug, losses_are_counted)
{
	__u64 lost = device_lost(&self->c, self->device);
	__u64 near = device_lost(&self->c, 0);
	struct client other;

	EXPECT_EQ(lost, device_lost(&self->c, self->device));
	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(0, device_remove(self->device));
	client_close(&self->c);
	self->c = other;
	ASSERT_EQ(self->device, device_add_at(SMALL, self->device));
	EXPECT_EQ(lost + 1, device_lost(&self->c, self->device));
	EXPECT_EQ(near, device_lost(&self->c, 0));
}

TEST_F(hotplug, memory_of_a_removed_device_is_inaccessible)
{
	__u8 *buffer = malloc(KIB(64));

	ASSERT_NE(NULL, buffer);
	/* Some pages are mapped, and some are not yet. */
	ASSERT_EQ(0, touch_write(self->va, 1));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(SIGBUS, touch_read(self->va));
	EXPECT_EQ(SIGBUS, touch_write(self->va, 2));
	EXPECT_EQ(SIGBUS, touch_read(self->va + MIB(2)));
	EXPECT_EQ(-ENODEV, copy(&self->c, self->va, addr(buffer), KIB(64)));
	EXPECT_EQ(-ENODEV, copy(&self->c, addr(buffer), self->va, KIB(64)));
	EXPECT_EQ(-ENODEV, copy(&self->c, self->near, self->va, KIB(64)));
	EXPECT_EQ(-ENODEV, fill(&self->c, self->va, KIB(64), 1, 1));
	/* It is freed as usual, and memory that belongs to no device stays. */
	EXPECT_EQ(0, va_unbind(&self->c, self->va, MIB(4)));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(0, touch_write(self->near, 3));
	free(buffer);
}

TEST_F(hotplug, tasks_of_its_streams_fail)
{
	struct stream runs, waits, idle;
	__u64 id;

	ASSERT_EQ(0, stream_create(&runs, &self->c, self->device));
	ASSERT_EQ(0, stream_create(&waits, &self->c, self->device));
	ASSERT_EQ(0, stream_create(&idle, &self->c, self->device));
	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	stream_put(&waits, task_wait(id, 1));
	stream_put(&waits, task_fill(self->near, 64, 1, 1));
	ASSERT_EQ(0, stream_submit(&waits));
	/* Far more tasks than are done until then. */
	while (runs.last < 256)
		stream_put(&runs, task_fill(self->va, MIB(4), 1, 1));
	ASSERT_EQ(0, stream_submit(&runs));

	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(0, stream_wait(&runs, 20000));
	EXPECT_EQ(ENODEV, runs.ring->error);
	EXPECT_EQ(0, stream_wait(&waits, 20000));
	EXPECT_EQ(ENODEV, waits.ring->error);
	EXPECT_EQ(2, waits.ring->errors);
	EXPECT_EQ(0, stream_run(&idle, task_fill(self->near, 64, 1, 1)));
	EXPECT_EQ(0, stream_wait(&idle, 20000));
	EXPECT_EQ(ENODEV, idle.ring->error);
	/* Tasks that take no time are not run either. */
	EXPECT_EQ(-ENODEV, stream_do(&idle, task_copy(self->near, self->near + 64,
						      64)));
	EXPECT_EQ(-ENODEV, stream_do(&idle, (struct vnpu_task){}));
	EXPECT_EQ(0, *(__u8 *)ptr(self->near));
	EXPECT_EQ(0, stream_destroy(&runs));
	EXPECT_EQ(0, stream_destroy(&waits));
	EXPECT_EQ(0, stream_destroy(&idle));
}

struct waiter {
	const struct stream *s;
	int ret;
};

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	w->ret = wait_point(w->s->c, w->s->id, w->s->last, in_ms(20000));
	return NULL;
}

TEST_F(hotplug, waiters_are_woken)
{
	struct fault hang = {
		.device = (__u32)self->device,
		.kind = VNPU_INJECT_KIND_ENGINE_HANG,
		.client = client_id(&self->c),
		.class = ANY_CLASS,
		.nth = 1,
	};
	struct waiter w = { .ret = 1 };
	struct stream hangs, other;
	pthread_t thread;

	ASSERT_EQ(0, stream_create(&hangs, &self->c, self->device));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, fault_change(&hang, false));
	ASSERT_EQ(0, stream_run(&hangs, task_fill(self->va, 64, 1, 1)));
	ASSERT_EQ(0, fault_wait((__u32)self->device, hang.kind));
	ASSERT_EQ(0, stream_run(&other, task_wait(hangs.id, 1)));
	w.s = &hangs;
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_it, &w));

	ASSERT_EQ(0, device_remove(self->device));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.ret);
	EXPECT_EQ(ENODEV, hangs.ring->error);
	EXPECT_EQ(0, stream_wait(&other, 20000));
	EXPECT_EQ(0, other.ring->errors);
	EXPECT_EQ(0, stream_destroy(&hangs));
	EXPECT_EQ(0, stream_destroy(&other));
}

TEST_F(hotplug, another_device_cannot_use_its_memory)
{
	struct stream s;

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, va_protect(&self->c, self->va, MIB(4), 0,
				VNPU_ACCESS_READ_WRITE));
	ASSERT_EQ(0, stream_do(&s, task_copy(self->near, self->va, 64)));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(-ENODEV, stream_do(&s, task_copy(self->near, self->va, 64)));
	EXPECT_EQ(-ENODEV, stream_do(&s, task_copy(self->va, self->near,
						   KIB(512))));
	EXPECT_EQ(0, stream_do(&s, task_fill(self->near, 64, 1, 1)));
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_F(hotplug, its_number_stays_taken_while_it_has_users)
{
	struct vnpu_event_alloc take = {
		.size = sizeof(take),
		.device = (__u32)self->device,
	};
	struct vnpu_event_free give = {
		.size = sizeof(give),
		.device = (__u32)self->device,
	};
	struct client other;
	int next;

	/* An event alone is a user. */
	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, call(other.fd, VNPU_IOCTL_EVENT_ALLOC, &take));
	ASSERT_EQ(0, device_remove(self->device));
	ASSERT_EQ(0, va_unbind(&self->c, self->va, MIB(4)));
	client_close(&self->c);
	next = device_add(SMALL);
	EXPECT_GT(next, 0);
	EXPECT_NE(self->device, next);
	give.number = take.out_number;
	EXPECT_EQ(0, call(other.fd, VNPU_IOCTL_EVENT_FREE, &give));
	EXPECT_EQ(-ENODEV, call(other.fd, VNPU_IOCTL_EVENT_FREE, &give));
	EXPECT_EQ(0, device_remove(next));
	client_close(&other);
}

TEST_F(hotplug, exported_memory_is_stale)
{
	struct client other;
	void *map;
	__u32 id;
	int fd;

	ASSERT_EQ(0, mem_open(&self->c, self->va, &id));
	fd = mem_export_dmabuf(&self->c, 0, id);
	ASSERT_GE(fd, 0);
	map = mmap(NULL, MIB(4), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, touch_write(addr(map), 1));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(SIGBUS, touch_read(addr(map)));
	EXPECT_EQ(SIGBUS, touch_read(addr(map) + MIB(2)));
	munmap(map, MIB(4));
	close(fd);

	fd = mem_export(&self->c, id);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, client_open(&other));
	EXPECT_EQ(-ENODEV, mem_import(&other, fd, &id));
	client_close(&other);
	close(fd);
}

/* A read-only import is an object of its own. */
TEST_F(hotplug, read_only_memory_is_stale)
{
	const __u64 view = self->c.base + MIB(8);
	struct vnpu_mem_import_dmabuf i;
	struct stream s;
	__u64 value;
	__u32 id;
	int fd;

	ASSERT_EQ(0, mem_open(&self->c, self->va, &id));
	fd = mem_export_dmabuf(&self->c, VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY,
			       id);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, mem_import_dmabuf(&self->c, fd, &i));
	close(fd);
	ASSERT_EQ(0, va_bind(&self->c, i.out_id, view, MIB(4), 0));
	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, copy(&self->c, addr(&value), view, sizeof(value)));
	ASSERT_EQ(0, stream_do(&s, task_copy(self->near, view, 64)));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(-ENODEV, copy(&self->c, addr(&value), view, sizeof(value)));
	EXPECT_EQ(-ENODEV, copy(&self->c, self->near, view, 64));
	EXPECT_EQ(-ENODEV, stream_do(&s, task_copy(self->near, view, 64)));
	EXPECT_EQ(0, stream_do(&s, task_fill(self->near, 64, 1, 1)));
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST(invalid_requests_are_refused)
{
	static const __u64 sizes[] = {
		1, KIB(4), MIB(1), MIB(3), MIB(2) + 1, 1ULL << 63, ~0ULL,
		GIB(512) + MIB(2),
	};
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		EXPECT_EQ(-EINVAL, device_add(sizes[i]));
	EXPECT_EQ(-ENOMEM, device_add(GIB(512)));
	EXPECT_EQ(-ENODEV, device_remove(MAX_DEVICES));
	EXPECT_EQ(-ENODEV, device_remove(~0U));
}

TEST(number_of_devices_is_limited)
{
	int devices[MAX_DEVICES], count = 0, i;

	while (count < MAX_DEVICES) {
		devices[count] = device_add(MIB(2));
		if (devices[count] < 0)
			break;
		count++;
	}
	ASSERT_LT(count, MAX_DEVICES);
	EXPECT_EQ(-ENOSPC, devices[count]);
	EXPECT_EQ(MAX_DEVICES - 1, devices[count - 1]);
	for (i = 0; i < count; i++)
		EXPECT_EQ(0, device_remove(devices[i]));
}

TEST(through_sysfs)
{
	struct vnpu_device_query q;
	struct client c;
	char number[16];
	int device;

	ASSERT_EQ(0, client_open(&c));
	device = (int)device_count(&c);
	snprintf(number, sizeof(number), "%d\n", device);
	ASSERT_EQ(0, class_write("new_device", "4M\n"));
	ASSERT_EQ(0, device_query(&c, device, &q));
	EXPECT_EQ(MIB(4), q.out_total);
	ASSERT_EQ(0, class_write("del_device", number));
	EXPECT_EQ(-ENODEV, class_write("del_device", number));
	EXPECT_EQ(-EINVAL, class_write("del_device", "none"));
	EXPECT_EQ(-EINVAL, class_write("new_device", "3M"));
	EXPECT_EQ(-EINVAL, class_write("new_device", "4M and a long rest of words"));
	EXPECT_EQ(-EINVAL, class_write("new_device", "many"));
	client_close(&c);
}

TEST(listeners_are_notified)
{
	__u8 *buffer = malloc(NL_BUFFER);
	int fd, device;

	ASSERT_NE(NULL, buffer);
	fd = nl_open_events(buffer);
	ASSERT_GE(fd, 0);
	device = device_add(MIB(2));
	ASSERT_GT(device, 0);
	ASSERT_EQ(0, event_wait(fd, VNPU_CMD_DEV_ADD_NTF, buffer));
	EXPECT_EQ(device, nl_u32((void *)buffer, VNPU_A_DEV_ID));
	EXPECT_EQ(MIB(2), nl_u64((void *)buffer, VNPU_A_DEV_MEM_TOTAL));
	ASSERT_EQ(0, device_remove(device));
	ASSERT_EQ(0, event_wait(fd, VNPU_CMD_DEV_REMOVE_NTF, buffer));
	EXPECT_EQ(device, nl_u32((void *)buffer, VNPU_A_DEV_ID));
	close(fd);
	free(buffer);
}

/* Return the result of open() as soon as the node exists. */
static int open_at_first_sight(const char *path)
{
	__u64 end = now_ms() + 20000;
	int fd;

	do {
		fd = open(path, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == ENOENT && now_ms() < end);
	return fd < 0 ? errno : 0;
}

TEST(a_new_node_can_be_opened)
{
	int device = device_add(SMALL), i, refused = 0;
	__u64 end = now_ms() + 5000;
	char path[32];
	pid_t pid;

	ASSERT_LT(0, device);
	node_path(path, device);
	for (i = 0; i < 30 && now_ms() < end; i++) {
		int ret;

		ASSERT_EQ(0, device_remove((__u32)device));
		pid = fork_bound();
		if (!pid)
			_exit(open_at_first_sight(path));
		ASSERT_EQ(device, device_add_at(SMALL, device));
		ret = child_wait(pid);
		EXPECT_TRUE(!ret || ret == ENODEV);
		refused += !!ret;
	}
	EXPECT_EQ(0, refused);
	EXPECT_EQ(0, device_remove((__u32)device));
}

TEST(only_an_administrator_can)
{
	pid_t pid = fork_bound();

	ASSERT_GE(pid, 0);
	if (!pid) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(1);
		if (device_add(MIB(2)) != -EPERM || device_remove(0) != -EPERM)
			_exit(2);
		_exit(class_write("new_device", "2M") == -EACCES ? 0 : 3);
	}
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
