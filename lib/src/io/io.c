// SPDX-License-Identifier: MIT
/*
 * The interface to the kernel, see io.h.
 *
 * The library opens the file once and keeps it open until the process ends,
 * because the file owns the device memory.  A forked child inherits neither:
 * the file belongs to the address space that opened it, and the kernel refuses
 * other users.  So the child closes its copy at once and refuses all calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/vnpu.h>

#include "base/child.h"
#include "base/fork.h"
#include "base/util.h"
#include "io.h"
#include "io_call.h"
#include "io_engine.h"
#include "va.h"

#define WINDOW_MAX	(8ULL << 40)
#define WINDOW_MAX_TSAN	(64ULL << 30)
#define WINDOW_MAX_THREAD	(16ULL << 30)
#define WINDOW_MIN	(1ULL << 30)
#define WINDOW_ALIGN	(1ULL << 30)
#define RETRY_TRIES	10

/* The version with the newest feature that the library requires. */
#define ABI_NEEDED	2

/* Defined in programs that are built with -fsanitize=thread. */
void __tsan_init(void) __attribute__((weak));

static struct {
	pthread_mutex_t lock;		/* serialises opening */
	atomic_int fd;			/* -1 until all other members are set */
	/* Constant once fd is set. */
	uint32_t alloc_flags;		/* VNPU_MEM_F_* flags of all memory */
} io = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

struct vnpu_io_window vnpu_io_window;

/*
 * Map the window where the kernel places nothing by itself, because a core maps it
 * at the same addresses.  Otherwise map it anywhere.
 */
static void *window_map_at(int fd, int prot, uint64_t length)
{
	static const uint64_t places[] = {
		0x200000000000, 0x300000000000, 0x180000000000
	};
	const int flags = MAP_SHARED | MAP_NORESERVE;

	/* ThreadSanitizer allows few places. */
	for (size_t i = 0; !__tsan_init && i < ARRAY_SIZE(places); i++) {
		void *addr = mmap(vnpu_u64_to_ptr(places[i]), length, prot,
				  flags | MAP_FIXED_NOREPLACE, fd,
				  VNPU_MMAP_WINDOW);

		if (addr == vnpu_u64_to_ptr(places[i]))
			return addr;
		/* An old kernel takes the address as a hint. */
		if (addr != MAP_FAILED)
			munmap(addr, length);
	}
	return mmap(NULL, length, prot, flags, fd, VNPU_MMAP_WINDOW);
}

/* The size of the window, unless the address space is limited. */
static uint64_t window_max(void)
{
	/*
	 * ThreadSanitizer ends a program that maps more addresses than it
	 * allows.  Valgrind takes some time for each 64 KiB.
	 */
	if (__tsan_init)
		return WINDOW_MAX_TSAN;
	return vnpu_io_engine_is_here() ? WINDOW_MAX_THREAD : WINDOW_MAX;
}

/*
 * Reserve the window.  It only takes addresses, so it is huge; if the address
 * space is limited, it is as large as possible.  An additional alignment unit
 * allows the used part to begin at a multiple of it.
 */
static int window_map(int fd, bool host_access, uint64_t *used)
{
	int prot = host_access ? PROT_READ | PROT_WRITE : PROT_NONE;
	uint64_t size = window_max();

	for (; size >= WINDOW_MIN; size /= 2) {
		uint64_t length = size + WINDOW_ALIGN;
		void *addr = window_map_at(fd, prot, length);

		if (addr != MAP_FAILED) {
			vnpu_io_window.start = vnpu_ptr_to_u64(addr);
			*used = size;
			return 0;
		}
		if (errno != ENOMEM && errno != EAGAIN)
			return -errno;
	}
	return -ENOMEM;
}

static int abi_check(int fd)
{
	struct vnpu_info info = { .size = sizeof(info) };

	/* It is another driver, or it cannot answer at the moment. */
	if (ioctl(fd, VNPU_IOCTL_INFO, &info))
		return errno == EPERM || errno == EFAULT ? -errno : -EPROTO;
	/* Version 1 has no @out_abi_oldest. */
	if (info.out_abi_version < ABI_NEEDED)
		return -EPROTO;
	return info.out_abi_oldest > VNPU_ABI_VERSION ? -EPROTONOSUPPORT : 0;
}

/* Open the node of one device; returns it, or -errno. */
static int device_node_open(unsigned int device)
{
	char path[sizeof(VNPU_NODE) + 10];
	int fd;

	snprintf(path, sizeof(path), VNPU_NODE "%u", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Attach the devices of a file's node, which is the node of one device. */
static int device_node_attach(int fd, int node)
{
	struct vnpu_attach attach = { .size = sizeof(attach), .fd = node };
	int ret = ioctl(fd, VNPU_IOCTL_ATTACH, &attach) ? -errno : 0;

	/* The device was removed after the open; treat it as absent. */
	return ret == -ENODEV ? 0 : ret;
}

/*
 * Add the devices with nodes that this process may open.  If *fd is -1, opens
 * the first of them; it stays -1 if there is none.
 */
static int device_nodes_add(int *fd)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < VNPU_IO_MAX_DEVICES; i++) {
		int node = device_node_open(i);

		if (node < 0)
			continue;
		if (*fd < 0) {
			*fd = node;
			ret = abi_check(node);
			continue;
		}
		ret = device_node_attach(*fd, node);
		close(node);
	}
	return ret;
}

/*
 * Open /dev/vnpu.  If that is one device, as in a container, or does not exist,
 * the process has the devices of the other nodes.
 */
static int nodes_open(int *fd)
{
	struct vnpu_info info = { .size = sizeof(info) };
	int ret;

	*fd = open(VNPU_NODE, O_RDWR | O_CLOEXEC);
	if (*fd < 0) {
		int err = errno;

		ret = err == ENOENT ? device_nodes_add(fd) : 0;
		return *fd < 0 ? -err : ret;
	}
	ret = abi_check(*fd);
	if (!ret && ioctl(*fd, VNPU_IOCTL_INFO, &info))
		ret = -errno;
	if (!ret && info.out_node_device != VNPU_DEVICE_ALL)
		ret = device_nodes_add(fd);
	return ret;
}

static bool env_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && !strcmp(value, "1");
}

static int open_locked(void)
{
	bool host_access = env_is_set("VNPU_HOST_ACCESS");
	uint64_t size = 0;
	int fd, ret;

	ret = nodes_open(&fd);
	if (fd < 0)
		return ret;
	if (!ret)
		ret = window_map(fd, host_access, &size);
	if (ret)
		goto err_close;
	ret = vnpu_fork_watch();
	if (!ret)
		ret = vnpu_va_set_window(vnpu_align_up(vnpu_io_window.start,
						 WINDOW_ALIGN), size);
	if (ret)
		goto err_unmap;

	if (host_access)
		io.alloc_flags = VNPU_MEM_F_HOST_ACCESS;
	atomic_store(&vnpu_io_window.length, size + WINDOW_ALIGN);
	atomic_store(&io.fd, fd);
	return 0;

err_unmap:
	munmap(vnpu_u64_to_ptr(vnpu_io_window.start), size + WINDOW_ALIGN);
err_close:
	close(fd);
	return ret;
}

int vnpu_io_open(void)
{
	int ret = 0;

	if (vnpu_io_is_open())
		return 0;
	if (vnpu_is_forked())
		return -EPERM;

	pthread_mutex_lock(&io.lock);
	if (!vnpu_io_is_open())
		ret = open_locked();
	pthread_mutex_unlock(&io.lock);
	return ret;
}

bool vnpu_io_is_open(void)
{
	return atomic_load_explicit(&io.fd, memory_order_acquire) >= 0;
}

void vnpu_io_lock(void)
{
	pthread_mutex_lock(&io.lock);
}

void vnpu_io_unlock(void)
{
	pthread_mutex_unlock(&io.lock);
}

void vnpu_io_disown(void)
{
	int fd = atomic_exchange(&io.fd, -1);

	if (fd >= 0) {
		atomic_store(&vnpu_io_window.length, 0);
		vnpu_set_forked();
		close(fd);
	}
}

int vnpu_io_call(unsigned long request, void *arg)
{
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	return ioctl(atomic_load(&io.fd), request, arg) ? -errno : 0;
}

int vnpu_io_retry(unsigned long request, void *arg)
{
	int ret, tries = RETRY_TRIES;

	/*
	 * The arguments are valid, so copying them only fails for lack of
	 * memory.
	 */
	do
		ret = vnpu_io_call(request, arg);
	while ((ret == -ENOMEM || ret == -EFAULT) && --tries);
	return ret;
}

uint32_t vnpu_io_alloc_flags(void)
{
	return io.alloc_flags;
}

uint64_t vnpu_io_window_start(void)
{
	return vnpu_io_window.start;
}

int vnpu_io_window_open(uint64_t start, uint64_t length)
{
	return mprotect(vnpu_u64_to_ptr(start), length,
			PROT_READ | PROT_WRITE) ? -errno : 0;
}

int vnpu_io_window_open_all(void)
{
	return vnpu_io_window_open(vnpu_io_window.start,
				   atomic_load(&vnpu_io_window.length));
}

int vnpu_io_window_restore(void)
{
	void *got = mmap(vnpu_u64_to_ptr(vnpu_io_window.start),
			 atomic_load(&vnpu_io_window.length),
			 PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
			 atomic_load(&io.fd), VNPU_MMAP_WINDOW);

	return got == MAP_FAILED ? -errno : 0;
}

void *vnpu_io_map(uint64_t length, uint64_t offset)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED,
		    atomic_load(&io.fd), offset);
}
