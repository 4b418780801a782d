// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps of a program other than ioctls of the device: mappings, tasks in rings,
 * touches by this process and by the kernel, and operations on files.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#include "util.h"
#include "world.h"

/* The mapping that a byte selects, or NULL. */
static struct view *view_of(__u8 byte)
{
	return world.view_count ? &world.views[byte % world.view_count] : NULL;
}

static void map(int fd, __u64 offset, __u64 length, const struct step *s,
		__u64 stream)
{
	static const int prots[] = {
		PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE, PROT_NONE,
		PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	int flags = s->arg[1] >= 0xf0 ? MAP_PRIVATE : MAP_SHARED;
	unsigned int n = world.view_count;
	void *p;

	if (s->arg[2] >= 0xe0)
		flags |= MAP_POPULATE;
	if (length > MIB(64) || n == VIEWS_MAX)
		return;
	p = mmap(NULL, length, prots[s->arg[0] < 0xc0 ? 0 : s->arg[0] % 5],
		 flags, fd, (off_t)offset);
	if (p == MAP_FAILED)
		return;
	world.views[n] = (struct view){ p, length, stream };
	world.view_count = n + 1;
}

static void map_stream(const struct step *s)
{
	__u64 id = resource_of(RES_VNPU_STREAM_ID, s->arg[3]);
	const struct made_stream *made = stream_of(id);
	__u64 offset = VNPU_MMAP_STREAM + s->arg[3] * PAGE;

	map(world.client[s->how & 1].fd, made ? made->offset : offset,
	    made && s->arg[4] < 0xe0 ? made->size : length_of(s->arg[4]), s,
	    id);
}

static void map_host(const struct step *s)
{
	map(world.client[s->how & 1].fd, VNPU_MMAP_HOST +
	    resource_of(RES_VNPU_MEM_ID, s->arg[3]) * PAGE,
	    length_of(s->arg[4]), s, 0);
}

/* The ring of a stream, mapped now if it was not. */
static struct view *ring_of(__u8 byte)
{
	__u64 id = resource_of(RES_VNPU_STREAM_ID, byte);
	const struct step s = { .op = 0, .arg = { 0, 0, 0, byte } };
	const struct made_stream *made = stream_of(id);
	unsigned int i;

	if (!made)
		return NULL;
	for (i = 0; i < world.view_count; i++)
		if (world.views[i].stream == id &&
		    world.views[i].length == made->size)
			return &world.views[i];
	map_stream(&s);
	return i < world.view_count && world.views[i].stream == id ?
		&world.views[i] : NULL;
}

/* Tasks that have a timeline instead of an address. */
static bool is_timeline(__u8 op)
{
	return op == VNPU_TASK_WAIT || op == VNPU_TASK_SIGNAL ||
	       op == VNPU_TASK_COUNTER_WAIT;
}

static struct vnpu_task task_of(const struct step *s)
{
	struct vnpu_task t = {
		.op = s->arg[1] % (VNPU_TASK_GRAPH_UPDATE + 2),
		.flags = s->arg[2] >= 0xf0 ? s->arg[2] & 15 : 0,
		.mode = number_of(s->arg[3], 0x20),
		.timeout_ms = number_of(s->arg[4], 20),
		.length = length_of(s->arg[5]),
		.arg0 = number_of(s->arg[6], 16),
	};

	if (t.op == VNPU_TASK_REDUCE || t.op == VNPU_TASK_RANDOM)
		t.mode = (s->arg[3] & 3) | ((s->arg[3] >> 2) % 11) << 8;
	if (t.op == VNPU_TASK_LAUNCH)
		t.mode = s->arg[3] & 3;
	if (is_timeline(t.op)) {
		t.dst = resource_of(RES_VNPU_TIMELINE_ID, s->arg[7]);
		t.src = resource_of(RES_VNPU_TIMELINE_ID, s->arg[8]);
	} else {
		t.dst = address_of(s->arg[7]);
		t.src = address_of(s->arg[8]);
	}
	if (s->arg[9] >= 0x80) {
		t.arg1 = length_of(s->arg[9]);
		t.arg2 = length_of(s->arg[10]);
	}
	if (t.op == VNPU_TASK_REDUCE) {
		t.arg0 = s->arg[6] & 1 ? address_of(s->arg[6]) : 0;
		t.arg1 = s->arg[9] & 1 ? address_of(s->arg[9]) : 0;
		t.arg2 = s->arg[10] & 1 ? address_of(s->arg[10]) : 0;
	}
	if (t.op == VNPU_TASK_GRAPH)
		t.src = resource_of(RES_VNPU_GRAPH_ID, s->arg[8]);
	if (t.op == VNPU_TASK_GRAPH_UPDATE) {
		t.dst = resource_of(RES_VNPU_GRAPH_ID, s->arg[7]);
		t.length = number_of(s->arg[5], 4);
		t.arg0 = number_of(s->arg[6], 4);
		t.arg1 = number_of(s->arg[9], 4);
	}
	/* Fields that the operation does not use are refused if not zero. */
	if (s->arg[11] < 0xc0 && t.op != VNPU_TASK_FILL &&
	    t.op != VNPU_TASK_FILL_2D && t.op < VNPU_TASK_REDUCE)
		t.mode = 0;
	if (s->arg[11] < 0xc0 && t.op == VNPU_TASK_LAUNCH)
		t.dst = 0;
	if (s->arg[11] < 0xc0 && t.op == VNPU_TASK_GRAPH)
		t = (struct vnpu_task){
			.op = t.op, .src = t.src, .arg0 = t.arg0 & 3,
			.timeout_ms = t.timeout_ms,
		};
	if (s->arg[11] < 0xc0 && t.op == VNPU_TASK_WAIT)
		t = (struct vnpu_task){
			.op = t.op, .src = t.src, .arg0 = t.arg0 & 3,
			.timeout_ms = t.timeout_ms,
		};
	return t;
}

/* Different tasks, and waits for each other. */
__u64 graph_tasks(const struct step *s)
{
	struct vnpu_task *tasks = (void *)(world.host + MIB(3) + PAGE);
	struct step other = *s;
	__u8 i;

	for (i = 0; i < 8; i++) {
		other.arg[1] = s->arg[1] + s->arg[2 + i];
		other.arg[7] = s->arg[7 + i % 4];
		tasks[i] = task_of(&other);
		if (s->arg[3 + i] % 4 == 0)
			tasks[i] = (struct vnpu_task){
				.op = VNPU_TASK_WAIT,
				.flags = VNPU_TASK_F_GRAPH,
				.src = s->arg[4 + i] % 4,
				.arg0 = s->arg[5 + i] % 8,
			};
	}
	return addr(tasks);
}

__u64 graph_streams(const struct step *s)
{
	struct vnpu_graph_stream *streams = (void *)(world.host + MIB(3));
	__u64 tasks = graph_tasks(s);
	__u8 i;

	for (i = 0; i < 8; i++)
		streams[i] = (struct vnpu_graph_stream){
			.tasks = tasks + (s->arg[i] & 3) * sizeof(struct vnpu_task),
			.count = s->arg[i] >= 0xf0 ? number_of(s->arg[i], 64) :
				 s->arg[i] / 4 % 5,
		};
	return addr(streams);
}

static void submit(const struct step *s)
{
	struct vnpu_stream_doorbell bell = { .size = sizeof(bell) };
	struct view *view = ring_of(s->arg[0]);
	__u8 times = 1 + s->arg[12] % 4;
	const struct made_stream *made;
	struct vnpu_task *slots;
	struct vnpu_ring *ring;
	__u64 tail;

	made = view ? stream_of(view->stream) : NULL;
	if (!made || view->length < made->size)
		return;
	/* It may be mapped without read or write access. */
	ring = (void *)view->at;
	slots = (void *)(view->at + made->size) - made->tasks * sizeof(*slots);
	if (touch_read(addr(ring)) || touch_write(addr(&ring->__reserved), 0))
		return;
	for (tail = ring->tail; times; times--)
		slots[tail++ % made->tasks] = task_of(s);
	if (s->arg[13] >= 0xf8)
		tail = number_of(s->arg[13], ~0ULL);
	__atomic_store_n(&ring->tail, tail, __ATOMIC_SEQ_CST);
	bell.id = view->stream;
	ioctl(world.client[s->how & 1].fd, VNPU_IOCTL_STREAM_DOORBELL, &bell);
}

/* Any byte of any mapping, also while an engine reads it. */
static void poke(const struct step *s)
{
	struct view *view = view_of(s->arg[0]);
	size_t at = (s->arg[1] & 1 ? PAGE : 0) + s->arg[2] * 8 + s->arg[3] % 8;

	if (view && at < view->length)
		touch_write(addr(view->at) + at, s->arg[4]);
}

static void unmap(const struct step *s)
{
	struct view *view = view_of(s->arg[0]);

	if (s->arg[1] >= 0x80)
		munmap(ptr(address_of(s->arg[2]) & -PAGE),
		       length_of(s->arg[3]) & (MIB(64) - 1) & -PAGE);
	else if (view)
		munmap(view->at, view->length);
}

static void protect(const struct step *s)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_EXEC,
	};

	mprotect(ptr(address_of(s->arg[0] & 0x7f) & -PAGE),
		 length_of(s->arg[1]) & (MIB(64) - 1) & -PAGE,
		 prots[s->arg[2] & 3]);
}

static void remap(const struct step *s)
{
	__u64 length = length_of(s->arg[1]) & (MIB(64) - 1) & -PAGE;
	struct view *view = view_of(s->arg[0]);
	void *p;

	if (s->arg[2] & 1)
		mremap(ptr(address_of(s->arg[3] & 0x7f) & -PAGE), length,
		       length_of(s->arg[4]) & (MIB(64) - 1), MREMAP_MAYMOVE);
	if (!view)
		return;
	p = mremap(view->at, view->length, view->length, MREMAP_MAYMOVE);
	if (p != MAP_FAILED)
		view->at = p;
}

static void advise(const struct step *s)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_REMOVE,
		MADV_WILLNEED, MADV_HUGEPAGE, MADV_COLD, MADV_PAGEOUT,
		MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_DODUMP,
		MADV_FREE, MADV_MERGEABLE, MADV_WIPEONFORK, 25 /* MADV_COLLAPSE */,
		MADV_DONTDUMP,
	};

	madvise(ptr(address_of(s->arg[0]) & -PAGE),
		length_of(s->arg[1]) & (MIB(4) - 1) & -PAGE,
		advices[s->arg[2] & 15]);
}

static void touch_memory(const struct step *s)
{
	__u64 at = address_of(s->arg[0] & 0xbf);

	if (s->arg[1] & 1)
		touch_write(at, s->arg[2]);
	else
		touch_read(at);
}

/* The kernel accesses it, for a system call. */
static void kernel_touches(const struct step *s)
{
	void *at = ptr(address_of(s->arg[0]));
	size_t length = length_of(s->arg[1]) & 0xffff;
	int pipes[2];

	if (pipe2(pipes, O_NONBLOCK | O_CLOEXEC))
		return;
	if (write(pipes[1], at, length) > 0 &&
	    read(pipes[0], ptr(address_of(s->arg[2])), length) < 0)
		errno = 0;
	close(pipes[0]);
	close(pipes[1]);
}

static void poll_file(const struct step *s)
{
	struct pollfd p = { .fd = file_of(s->arg[0]), .events = s->arg[1] };

	poll(&p, 1, s->arg[2] % 3);
}

static void close_file(const struct step *s)
{
	close(file_of(s->arg[0]));
}

static void map_file(const struct step *s)
{
	map(file_of(s->arg[5]), length_of(s->arg[3]) & -PAGE,
	    length_of(s->arg[4]) & -PAGE, s, 0);
}

static void ioctl_file(const struct step *s)
{
	static const unsigned long numbers[] = {
		DMA_BUF_IOCTL_SYNC, DMA_BUF_SET_NAME_B, SYNC_IOC_MERGE,
		SYNC_IOC_FILE_INFO, DMA_BUF_IOCTL_EXPORT_SYNC_FILE,
		DMA_BUF_IOCTL_IMPORT_SYNC_FILE, FIONBIO, FIOASYNC,
	};
	__u64 arg[8] = { number_of(s->arg[2], 8) };
	unsigned long nr = numbers[s->arg[1] & 7];

	if (nr == SYNC_IOC_MERGE || nr == DMA_BUF_IOCTL_IMPORT_SYNC_FILE ||
	    nr == DMA_BUF_IOCTL_EXPORT_SYNC_FILE) {
		((__s32 *)arg)[nr == SYNC_IOC_MERGE ? 8 : 1] =
			file_of(s->arg[3]);
	}
	if (ioctl(file_of(s->arg[0]), nr, arg))
		return;
	if (nr == SYNC_IOC_MERGE)
		resource_add(RES_FD_VNPU_SYNC, ((__s32 *)arg)[9]);
	else if (nr == DMA_BUF_IOCTL_EXPORT_SYNC_FILE)
		resource_add(RES_FD_VNPU_SYNC, ((__s32 *)arg)[1]);
}

/*
 * Calls for objects that have numbers there: the call does not exist, or takes
 * no name.
 */
static void any_ioctl(const struct step *s)
{
	__u64 arg[16] = { 8 + s->arg[2] % 128 };

	ioctl(world.client[s->how & 1].fd,
	      _IO(VNPU_IOCTL_TYPE, s->arg[0]) | (__u32)s->arg[1] << 16, arg);
}

static void fork_child(const struct step *s)
{
	struct vnpu_info i = { .size = sizeof(i) };
	pid_t pid = fork_bound();

	if (!pid) {
		ioctl(world.client[s->how & 1].fd, VNPU_IOCTL_INFO, &i);
		touch_read(address_of(s->arg[0]));
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

static void read_fdinfo(const struct step *s)
{
	char path[64], text[256];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d",
		 file_of(s->arg[0]));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

static void seek_file(const struct step *s)
{
	int fd = file_of(s->arg[0]);
	char byte;

	lseek(fd, number_of(s->arg[1], ~0ULL), s->arg[2] % 5);
	if (read(fd, &byte, 1) < 0 && pwrite(fd, &byte, 1, 0) < 0)
		fallocate(fd, s->arg[3] & 3, 0, PAGE);
}

static void pause_a_while(const struct step *s)
{
	usleep(s->arg[0] * 8);
}

typedef void step_fn(const struct step *s);

void step_other(const struct step *s)
{
	static step_fn *const fns[OP_COUNT] = {
		submit, map_stream, map_host, unmap, protect, remap, advise,
		touch_memory, kernel_touches, poll_file, close_file, map_file,
		ioctl_file, any_ioctl, fork_child, read_fdinfo, seek_file,
		pause_a_while, poke, submit,
	};

	fns[(s->op - OP_FIRST) % OP_COUNT](s);
}
