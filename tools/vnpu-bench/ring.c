// SPDX-License-Identifier: GPL-2.0-only
/* vnpu-bench: a stream's ring in the kernel's format, see linux/vnpu_task.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "measure.h"
#include "ring.h"

#define WINDOW_BYTES	(4ULL * RING_BYTES)
#define CLIENT_BYTES	(2ULL << 20)

/* Spinning is only useful if an engine can run at the same time. */
#define SPIN_NS		20000

static struct {
	int fd;
	uint64_t stream;
	struct vnpu_ring *ring;
	struct vnpu_task *slots;
	uint64_t memory;	/* of the device: twice RING_BYTES */
	uint64_t last;		/* number of the last task */
	uint64_t spin_ns;	/* how long to poll the ring */
} r;

static int call(int fd, unsigned long nr, void *arg)
{
	return ioctl(fd, nr, arg) ? -errno : 0;
}

static void *map(int fd, uint64_t bytes, int prot, uint64_t offset)
{
	void *at = mmap(NULL, bytes, prot, MAP_SHARED, fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

/* Memory at the start of a window. */
static int alloc_at(int fd, uint32_t device, const void *window, uint64_t bytes)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		.flags = VNPU_MEM_F_BIND,
		.device = device,
		.length = bytes,
		.va = (uintptr_t)window,
	};

	return call(fd, VNPU_IOCTL_MEM_ALLOC, &alloc);
}

static int open_memory(uint32_t device)
{
	void *window = map(r.fd, WINDOW_BYTES, PROT_NONE, VNPU_MMAP_WINDOW);

	if (!window)
		return -errno;
	r.memory = (uintptr_t)window;
	return alloc_at(r.fd, device, window, 2 * RING_BYTES);
}

int ring_client_open(uint32_t device, void **client)
{
	int fd = open("/dev/vnpu", O_RDWR | O_CLOEXEC);
	void *window;
	int ret;

	if (fd < 0)
		return -errno;
	window = map(fd, CLIENT_BYTES, PROT_NONE, VNPU_MMAP_WINDOW);
	ret = window ? alloc_at(fd, device, window, VNPU_PAGE_SIZE) : -errno;
	/* From here on the mapping keeps the file alive. */
	close(fd);
	if (window && ret)
		ring_client_close(window);
	*client = window;
	return ret;
}

void ring_client_close(void *client)
{
	munmap(client, CLIENT_BYTES);
}

static int open_stream(uint32_t device)
{
	struct vnpu_stream_create create = {
		.size = sizeof(create),
		.device = device,
		.ring_tasks = VNPU_RING_TASKS,
		.task_size = sizeof(struct vnpu_task),
	};
	int ret = call(r.fd, VNPU_IOCTL_STREAM_CREATE, &create);

	if (ret)
		return ret;
	r.stream = create.out_id;
	r.ring = map(r.fd, create.out_map_size, PROT_READ | PROT_WRITE,
		     create.out_mmap_offset);
	if (!r.ring)
		return -errno;
	r.slots = (struct vnpu_task *)((char *)r.ring + r.ring->tasks_offset);
	return 0;
}

int ring_open(uint32_t device)
{
	int ret;

	if (r.ring)
		return 0;
	r.fd = open("/dev/vnpu", O_RDWR | O_CLOEXEC);
	if (r.fd < 0)
		return -errno;
	r.spin_ns = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? SPIN_NS : 0;
	ret = open_memory(device);
	return ret ? ret : open_stream(device);
}

/* The previous batch is complete, so there is room. */
static void write_tasks(enum ring_task task, unsigned int count, uint64_t bytes)
{
	unsigned int i;

	for (i = 0; i < count; i++, r.last++) {
		struct vnpu_task *slot = &r.slots[r.last % VNPU_RING_TASKS];
		uint64_t src = r.memory + i * bytes;

		if (task == RING_NOP)
			*slot = (struct vnpu_task){ .op = VNPU_TASK_NOP };
		else
			*slot = (struct vnpu_task){
				.op = VNPU_TASK_COPY,
				.dst = src + RING_BYTES,
				.src = src,
				.length = bytes,
			};
	}
}

static int publish(void)
{
	struct vnpu_stream_doorbell doorbell = {
		.size = sizeof(doorbell),
		.id = r.stream,
	};

	__atomic_store_n(&r.ring->tail, r.last, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!(__atomic_load_n(&r.ring->state, __ATOMIC_RELAXED) &
	      VNPU_RING_NEED_DOORBELL))
		return 0;
	return call(r.fd, VNPU_IOCTL_STREAM_DOORBELL, &doorbell);
}

static bool is_done(void)
{
	return __atomic_load_n(&r.ring->completed, __ATOMIC_ACQUIRE) >= r.last;
}

static int wait_for_last(void)
{
	const struct vnpu_point point = { .id = r.stream, .value = r.last };
	struct vnpu_wait wait = {
		.size = sizeof(wait),
		.points = (uintptr_t)&point,
		.count = 1,
		.timeout_ns = UINT64_MAX,
	};
	uint64_t end = now_ns() + r.spin_ns;

	while (!is_done())
		if (now_ns() >= end)
			return call(r.fd, VNPU_IOCTL_WAIT, &wait);
	return 0;
}

int ring_run(enum ring_task task, unsigned int count, uint64_t bytes)
{
	uint32_t errors = __atomic_load_n(&r.ring->errors, __ATOMIC_RELAXED);
	int ret;

	write_tasks(task, count, bytes);
	ret = publish();
	if (!ret)
		ret = wait_for_last();
	if (!ret && __atomic_load_n(&r.ring->errors,
				    __ATOMIC_RELAXED) != errors)
		ret = -EIO;
	return ret;
}
