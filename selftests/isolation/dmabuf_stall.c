// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks of one user work on memory of another driver that is slow to let the
 * CPU access it: it waits for fences, and the test adds some more at the moment
 * at which the tasks begin. driver/tests/slow.c always waits there. With vgem
 * and udmabuf it depends on timing whether a fence comes between the check for
 * fences and the wait for them. The fences expire after ten seconds. Meanwhile
 * another user's copies go on, no device is reset, and the end of the first
 * user's process does not wait for the fences.
 */
#define _GNU_SOURCE

#include "kselftest_harness.h"

#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <linux/vnpu_netlink.h>

#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "../uapi/param.h"
#include "../uapi/stream.h"
#include "../uapi/trouble.h"
#include "../uapi/util.h"
#include "../uapi/vgem.h"

/*
 * The first use of a udmabuf takes longer the larger it is, which widens the
 * gap. So does its end if the kernel checks freed memory.
 */
#define SIZE		KIB(512)
#define TRIES		12
/*
 * ns from the end of the first fence to the second, and how much each try adds.
 */
#define DELAY_NS	500000
#define DELAY_MORE_NS	100000
#define NOBODY		65534
#define NODE		"/dev/vnpu"

/* How many ms access takes, as text; a signal interrupts it. */
#define SLOW		"vnpu_slow"
#define SLOW_MS		"20000"

/*
 * ms for a copy of the other user, and for the end of the first user's process,
 * which comes when the fences have 6 seconds left.
 */
#define COPY_MS		2500
#define END_MS		5000
/* ms after which a hung engine resets the device. */
#define HANG_MS		2000
/* ms for which the other user goes on copying after all fences were added. */
#define AFTER_MS	3000

/* Create a dma-buf, and return it or -errno; @handle is its handle in vgem. */
struct source {
	int vgem;
	int udmabuf;
	int slow;
	int fence;	/* a pending sync_file, for udmabuf */
};

static int make_vgem(const struct source *from, __u32 *handle)
{
	return vgem_create(from->vgem, SIZE, handle) ?:
	       vgem_export(from->vgem, *handle, DRM_RDWR);
}

static int fence_vgem(const struct source *from, int fd, __u32 handle)
{
	__u32 fence;

	(void)fd;
	return vgem_fence_attach(from->vgem, handle, &fence);
}

static int gate_vgem(const struct source *from, int fd, __u32 handle,
		     __u32 *fence)
{
	(void)fd;
	return vgem_fence_attach(from->vgem, handle, fence);
}

static int make_udmabuf(const struct source *from, __u32 *handle)
{
	struct udmabuf_create u = {
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.size = SIZE,
	};
	int ret;

	*handle = 0;
	u.memfd = memfd_create("vnpu", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (ftruncate(u.memfd, SIZE) ||
	    fcntl(u.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	ret = ioctl(from->udmabuf, UDMABUF_CREATE, &u);
	ret = ret < 0 ? -errno : ret;
	close(u.memfd);
	return ret;
}

static int add_fence(int fd, int fence)
{
	struct dma_buf_import_sync_file i = {
		.flags = DMA_BUF_SYNC_WRITE,
		.fd = fence,
	};

	return ioctl(fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &i) ? -errno : 0;
}

static int fence_udmabuf(const struct source *from, int fd, __u32 handle)
{
	(void)handle;
	return add_fence(fd, from->fence);
}

/* Add a fence, which is a file for udmabuf and a number for vgem. */
static int pending_fence(const struct source *from, __u32 *fence)
{
	struct dma_buf_export_sync_file e = { .flags = DMA_BUF_SYNC_READ };
	__u32 handle;
	int fd = make_vgem(from, &handle);
	int ret = fd < 0 ? fd : vgem_fence_attach(from->vgem, handle, fence);

	if (!ret && ioctl(fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &e))
		ret = -errno;
	close(fd);
	return ret ?: (int)e.fd;
}

static int gate_udmabuf(const struct source *from, int fd, __u32 handle,
			__u32 *fence)
{
	int file = pending_fence(from, fence);
	int ret = file < 0 ? file : add_fence(fd, file);

	(void)handle;
	close(file);
	return ret;
}

static int make_slow(const struct source *from, __u32 *handle)
{
	int fd = ioctl(from->slow, 0);

	*handle = 0;
	return fd < 0 ? -errno : fd;
}

/* The module for this kernel is in the driver's folder. */
static int load_slow(void)
{
	const char *build = getenv("B");
	struct utsname u;
	char path[256];
	int fd, ret;

	if (uname(&u))
		return -errno;
	snprintf(path, sizeof(path), "%s/kmod/%s/" SLOW ".ko",
		 build ? build : "build", u.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "delay_ms=" SLOW_MS, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* A dma-buf is released some time after the last file of it. */
static int unload_slow(void)
{
	__u64 end = now_ms() + 5000;
	int ret;

	do {
		ret = syscall(SYS_delete_module, SLOW, O_NONBLOCK);
	} while (ret && errno == EAGAIN && now_ms() < end && !usleep(10000));
	return ret ? -errno : 0;
}

FIXTURE(stall)
{
	struct source from;
	struct client other;
	struct stream probe;
	mode_t mode;
	unsigned int hang_timeout_ms;
	__u64 resets;
	__u64 copies;
	__u64 worst;	/* ms that the longest copy of the other user took */
	int pipes[2];
	pid_t pid;
};

FIXTURE_VARIANT(stall)
{
	int (*make)(const struct source *from, __u32 *handle);
	int (*fence)(const struct source *from, int fd, __u32 handle);
	int (*gate)(const struct source *from, int fd, __u32 handle,
		    __u32 *fence);
	unsigned int length;
	unsigned int tries;
};

FIXTURE_VARIANT_ADD(stall, slow)
{
	.make = make_slow,
	.length = PAGE,
	.tries = 8,
};

FIXTURE_VARIANT_ADD(stall, vgem)
{
	.make = make_vgem,
	.fence = fence_vgem,
	.gate = gate_vgem,
	.length = SIZE,
	.tries = TRIES,
};

FIXTURE_VARIANT_ADD(stall, udmabuf)
{
	.make = make_udmabuf,
	.fence = fence_udmabuf,
	.gate = gate_udmabuf,
	.length = SIZE,
	.tries = TRIES,
};

FIXTURE_SETUP(stall)
{
	struct stat node;

	self->pid = -1;
	self->other.fd = -1;
	ASSERT_EQ(0, param_get("hang_timeout_ms", &self->hang_timeout_ms));
	ASSERT_EQ(0, stat(NODE, &node));
	self->mode = node.st_mode & 07777;
	if (variant->make == make_slow) {
		if (load_slow())
			SKIP(return, "no " SLOW ".ko for this kernel");
		self->from.slow = open("/dev/" SLOW, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, self->from.slow);
	} else {
		self->from.vgem = vgem_open();
		if (self->from.vgem < 0)
			SKIP(return, "the kernel has no vgem");
	}
	if (variant->make == make_udmabuf) {
		if (system("modprobe -q udmabuf") < 0)
			SKIP(return, "no modprobe");
		self->from.udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
		if (self->from.udmabuf < 0)
			SKIP(return, "the kernel has no udmabuf");
	}
	ASSERT_EQ(0, chmod(NODE, 0666));
	ASSERT_EQ(0, param_set("hang_timeout_ms", HANG_MS));
	ASSERT_EQ(0, client_open(&self->other));
	ASSERT_EQ(0, mem_alloc_at(&self->other, 0, 0, 0, 2 * PAGE,
				  self->other.base));
	ASSERT_EQ(0, stream_create(&self->probe, &self->other, 0));
	ASSERT_EQ(0, pipe(self->pipes));
	self->resets = device_figure(0, VNPU_A_DEV_RESETS);
}

FIXTURE_TEARDOWN(stall)
{
	param_set("hang_timeout_ms", self->hang_timeout_ms);
	chmod(NODE, self->mode);
	client_close(&self->other);
	if (self->from.slow > 0) {
		close(self->from.slow);
		EXPECT_EQ(0, unload_slow());
	}
	if (self->from.vgem > 0)
		close(self->from.vgem);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(120);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/*
 * Submit a task that waits for one fence, and add another fence at about the
 * time when the task begins.
 */
static int attack_once(const FIXTURE_VARIANT(stall) *variant,
		       const struct source *from, struct client *c, int i)
{
	const __u64 va = c->base + GIB(1) + i * SIZE;
	struct vnpu_mem_import_dmabuf import;
	struct stream s;
	__u32 handle, gate;
	__u64 until;
	int fd = variant->make(from, &handle), ret;

	if (fd < 0)
		return fd;
	ret = mem_import_dmabuf(c, fd, &import) ?:
	      va_bind(c, import.out_id, va, variant->length, 0);
	if (!ret && variant->gate)
		ret = variant->gate(from, fd, handle, &gate);
	ret = ret ?:
	      stream_create(&s, c, 0) ?:
	      stream_run(&s, task_copy(c->base, va, PAGE));
	usleep(10000);
	if (ret || !variant->gate)
		return ret;
	ret = vgem_fence_signal(from->vgem, gate);
	until = now_ns() + DELAY_NS + (unsigned int)i * DELAY_MORE_NS;
	while (now_ns() < until)
		;
	return ret ?: variant->fence(from, fd, handle);
}

static void attack(const FIXTURE_VARIANT(stall) *variant,
		   struct source *from, int pipe)
{
	struct client c;
	int i, ret;

	become_nobody();
	ret = client_open(&c) ?: mem_alloc_at(&c, 0, 0, 0, PAGE, c.base);
	if (!ret && variant->make == make_udmabuf) {
		__u32 fence;

		from->fence = pending_fence(from, &fence);
		ret = from->fence < 0 ? from->fence : 0;
	}
	for (i = 0; !ret && i < variant->tries; i++)
		ret = attack_once(variant, from, &c, i);
	if (ret) {
		printf("# try %d: %d\n", i, ret);
		fflush(stdout);
		_exit(1);
	}
	baton_pass(pipe);
	for (;;)
		pause();
}

static int copy_once(FIXTURE_DATA(stall) *self)
{
	const __u64 va = self->other.base;
	__u64 from = now_ms(), took;
	int ret = stream_run(&self->probe, task_copy(va + PAGE, va, PAGE)) ?:
		  stream_wait(&self->probe, 60000);

	took = now_ms() - from;
	if (took > self->worst)
		self->worst = took;
	self->copies++;
	return ret;
}

TEST_F_TIMEOUT(stall, engines_do_not_wait_for_fences, 180)
{
	struct pollfd done = { .fd = self->pipes[0], .events = POLLIN };
	__u64 from, end;

	self->pid = fork();
	ASSERT_LE(0, self->pid);
	if (!self->pid)
		attack(variant, &self->from, self->pipes[1]);
	close(self->pipes[1]);
	while (!poll(&done, 1, 0))
		ASSERT_EQ(0, copy_once(self));
	baton_take(self->pipes[0]);
	for (end = now_ms() + AFTER_MS; now_ms() < end;)
		ASSERT_EQ(0, copy_once(self));

	from = now_ms();
	kill(self->pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(self->pid));
	from = now_ms() - from;
	printf("# %llu copies of the other user, the longest %llu ms; the end took %llu ms, %llu resets\n",
	       self->copies, self->worst, from,
	       device_figure(0, VNPU_A_DEV_RESETS) - self->resets);
	EXPECT_GT(COPY_MS, self->worst);
	EXPECT_GT(END_MS, from);
	EXPECT_EQ(self->resets, device_figure(0, VNPU_A_DEV_RESETS));
	EXPECT_EQ(0, self->probe.ring->errors);
}

TEST_HARNESS_MAIN
