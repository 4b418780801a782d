// SPDX-License-Identifier: MIT
/*
 * The door to the kernel, see io.h.
 *
 * The file is opened once and stays open until the process ends: it is what
 * keeps the device memory.  A forked child inherits neither: the kernel would
 * refuse it (the file belongs to the address space that opened it), so the
 * child closes its copy at once and remembers that it is one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/vnpu.h>

#include "fork.h"
#include "io.h"
#include "util.h"
#include "va.h"

_Static_assert(VNPU_IO_MAX_DEVICES == VNPU_MAX_DEVICES, "device limit");
_Static_assert(VNPU_IO_SHIFT_4K == VNPU_PAGE_SHIFT_4K, "page class");
_Static_assert(VNPU_IO_SHIFT_2M == VNPU_PAGE_SHIFT_2M, "page class");
_Static_assert(VNPU_IO_SHIFT_1G == VNPU_PAGE_SHIFT_1G, "page class");
_Static_assert(VNPU_IO_ACCESS_NONE == VNPU_ACCESS_NONE, "access");
_Static_assert(VNPU_IO_ACCESS_READ == VNPU_ACCESS_READ, "access");
_Static_assert(VNPU_IO_ACCESS_READ_WRITE == VNPU_ACCESS_READ_WRITE, "access");
_Static_assert(VNPU_IO_SLAB_MAX == VNPU_SLAB_MAX_LENGTH, "longest object");

#define WINDOW_MAX	(8ULL << 40)
#define WINDOW_MAX_TSAN	(64ULL << 30)
#define WINDOW_MIN	(1ULL << 30)
#define WINDOW_ALIGN	(1ULL << 30)

/* There in programs that are built with -fsanitize=thread. */
void __tsan_init(void) __attribute__((weak));

static struct {
	pthread_mutex_t lock;		/* serialises opening */
	atomic_int fd;			/* -1 until the rest is set */
	atomic_bool forked;
	/* Constant once fd is set. */
	uint64_t window_start;
	uint64_t window_end;
	uint32_t alloc_flags;		/* VNPU_MEM_F_* that all memory has */
} io = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/*
 * Reserve the window.  It costs nothing but addresses, so a huge one is taken;
 * where the address space is limited, as much as there is.  One alignment unit
 * more than used lets the used part begin at a multiple of it.
 */
static int window_map(int fd, bool host_access, uint64_t *used)
{
	int prot = host_access ? PROT_READ | PROT_WRITE : PROT_NONE;
	/* ThreadSanitizer ends a program that maps more than it has left. */
	uint64_t size = __tsan_init ? WINDOW_MAX_TSAN : WINDOW_MAX;

	for (; size >= WINDOW_MIN; size /= 2) {
		uint64_t length = size + WINDOW_ALIGN;
		void *addr = mmap(NULL, length, prot,
				  MAP_SHARED | MAP_NORESERVE, fd,
				  VNPU_MMAP_WINDOW);

		if (addr != MAP_FAILED) {
			io.window_start = vnpu_ptr_to_u64(addr);
			io.window_end = io.window_start + length;
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

	if (ioctl(fd, VNPU_IOCTL_INFO, &info))
		return errno == EPERM ? -EPERM : -EPROTO;
	return info.out_abi_version < VNPU_ABI_VERSION ? -EPROTO : 0;
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

	fd = open(VNPU_IO_NODE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	ret = abi_check(fd);
	if (!ret)
		ret = window_map(fd, host_access, &size);
	if (!ret)
		ret = vnpu_fork_watch();
	if (ret) {
		close(fd);
		return ret;
	}

	if (host_access)
		io.alloc_flags = VNPU_MEM_F_HOST_ACCESS;
	vnpu_va_init(vnpu_align_up(io.window_start, WINDOW_ALIGN), size);
	atomic_store(&io.fd, fd);
	return 0;
}

int vnpu_io_open(void)
{
	int ret = 0;

	if (vnpu_io_is_open())
		return 0;
	if (vnpu_io_is_forked())
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

bool vnpu_io_is_forked(void)
{
	return atomic_load_explicit(&io.forked, memory_order_relaxed);
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
		atomic_store(&io.forked, true);
		close(fd);
	}
}

bool vnpu_io_is_device_address(uint64_t addr)
{
	return vnpu_io_is_open() && addr >= io.window_start &&
	       addr < io.window_end;
}

static int io_call(unsigned long request, void *arg)
{
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	return ioctl(atomic_load(&io.fd), request, arg) ? -errno : 0;
}

int vnpu_io_info(uint32_t *devices, uint64_t *client_id)
{
	struct vnpu_info info = { .size = sizeof(info) };
	int ret = io_call(VNPU_IOCTL_INFO, &info);

	if (!ret) {
		*devices = info.out_device_count;
		*client_id = info.out_client_id;
	}
	return ret;
}

int vnpu_io_device_query(uint32_t device, struct vnpu_io_device *out)
{
	struct vnpu_device_query query = {
		.size = sizeof(query),
		.device = device,
	};
	int ret = io_call(VNPU_IOCTL_DEVICE_QUERY, &query);

	if (ret)
		return ret;

	memset(out, 0, sizeof(*out));
	out->healthy = query.out_health <= VNPU_HEALTH_WARNING;
	out->total = query.out_total;
	out->free = query.out_free;
	out->largest_free = query.out_largest_free;
	out->free_2m = query.out_free_2m;
	out->free_1g = query.out_free_1g;
	out->used = query.out_client_used;
	out->peak = query.out_client_peak;
	out->objects = query.out_client_objects;
	memcpy(out->uuid, query.out_uuid, sizeof(out->uuid));
	memcpy(out->bus_id, query.out_bus_id, sizeof(query.out_bus_id));
	return 0;
}

int vnpu_io_mem_alloc(uint32_t device, unsigned int page_shift,
		      uint64_t length, uint64_t va, bool host_access,
		      bool is_try)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		.flags = io.alloc_flags | VNPU_MEM_F_BIND |
			 (host_access ? VNPU_MEM_F_HOST_ACCESS : 0) |
			 (is_try ? VNPU_MEM_F_TRY : 0),
		.device = device,
		.page_shift = page_shift,
		.length = length,
		.va = va,
	};

	return io_call(VNPU_IOCTL_MEM_ALLOC, &alloc);
}

int vnpu_io_slab_window(uint32_t device, uint64_t va, uint64_t length)
{
	struct vnpu_slab_window window = {
		.size = sizeof(window),
		.device = device,
		.va = va,
		.length = length,
	};
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	if (io.alloc_flags & VNPU_MEM_F_HOST_ACCESS)
		return -EOPNOTSUPP;
	return io_call(VNPU_IOCTL_SLAB_WINDOW, &window);
}

int vnpu_io_slab_alloc(uint32_t device, uint64_t length, uint64_t *va)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		/* Pages are the other way. */
		.flags = VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY,
		.device = device,
		.length = length,
	};
	int ret = io_call(VNPU_IOCTL_MEM_ALLOC, &alloc);

	if (!ret)
		*va = alloc.out_va;
	return ret;
}

int vnpu_io_mem_free(uint64_t va, uint64_t *length, unsigned int *page_shift)
{
	struct vnpu_va_unbind unbind = {
		.size = sizeof(unbind),
		.flags = VNPU_VA_UNBIND_F_FREE,
		.va = va,
	};
	int ret = io_call(VNPU_IOCTL_VA_UNBIND, &unbind);

	if (!ret) {
		*length = unbind.out_length;
		*page_shift = unbind.out_page_shift;
	}
	return ret;
}

static void holder_take(struct vnpu_io_holder *holder, uint64_t used,
			uint32_t pid, const uint8_t name[VNPU_OOM_NAME_LEN])
{
	holder->used = used;
	holder->pid = pid;
	memcpy(holder->name, name, VNPU_OOM_NAME_LEN);
}

int vnpu_io_oom_query(struct vnpu_io_oom *out)
{
	struct vnpu_oom_query query = { .size = sizeof(query) };
	int ret = io_call(VNPU_IOCTL_OOM_QUERY, &query);

	if (ret)
		return ret;

	memset(out, 0, sizeof(*out));
	out->device = query.out_device;
	out->length = query.out_length;
	out->frag_index = query.out_frag_index;
	out->compaction_helps = query.out_compaction_helps;
	out->holders = query.out_holders;
	if (out->holders > ARRAY_SIZE(out->holder))
		out->holders = ARRAY_SIZE(out->holder);
	holder_take(&out->holder[0], query.out_holder0_used,
		    query.out_holder0_pid, query.out_holder0_name);
	holder_take(&out->holder[1], query.out_holder1_used,
		    query.out_holder1_pid, query.out_holder1_name);
	holder_take(&out->holder[2], query.out_holder2_used,
		    query.out_holder2_pid, query.out_holder2_name);
	return 0;
}

int vnpu_io_va_query(uint64_t va, bool next, struct vnpu_io_binding *out)
{
	struct vnpu_va_query query = {
		.size = sizeof(query),
		.flags = next ? VNPU_VA_QUERY_F_NEXT : 0,
	};
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	if (next && va < io.window_start)
		va = io.window_start;
	if (!vnpu_io_is_device_address(va))
		return -ENOENT;
	query.va = va;
	ret = io_call(VNPU_IOCTL_VA_QUERY, &query);

	if (!ret) {
		out->va = query.out_va;
		out->length = query.out_length;
		out->offset = query.out_offset;
		out->device = query.out_device;
		out->page_shift = query.out_page_shift;
		out->is_host = query.out_device == VNPU_DEVICE_HOST;
		out->has_id = query.out_mem_id;
		out->host_access = VNPU_ACCESS_NONE;
		if (query.out_mem_flags & VNPU_MEM_F_HOST_ACCESS)
			out->host_access = query.out_host_access;
		out->read_devices = query.out_read_devices;
		out->write_devices = query.out_write_devices;
	}
	return ret;
}

int vnpu_io_mem_create(uint32_t device, unsigned int page_shift,
		       uint64_t length, struct vnpu_io_mem *mem)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		.device = device,
		.page_shift = page_shift,
		.length = length,
	};
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	alloc.flags = io.alloc_flags;
	ret = io_call(VNPU_IOCTL_MEM_ALLOC, &alloc);
	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = alloc.out_id,
			.device = device,
			.page_shift = page_shift,
			.length = alloc.out_length,
		};
	return ret;
}

int vnpu_io_mem_open(uint64_t va, uint32_t *id)
{
	struct vnpu_mem_open open = { .size = sizeof(open), .va = va };
	int ret = io_call(VNPU_IOCTL_MEM_OPEN, &open);

	if (!ret)
		*id = open.out_id;
	return ret;
}

int vnpu_io_mem_close(uint32_t id)
{
	struct vnpu_mem_free free = { .size = sizeof(free), .id = id };

	return io_call(VNPU_IOCTL_MEM_FREE, &free);
}

int vnpu_io_mem_export(uint32_t id, int *fd)
{
	struct vnpu_mem_export export = { .size = sizeof(export), .id = id };
	int ret = io_call(VNPU_IOCTL_MEM_EXPORT, &export);

	if (!ret)
		*fd = export.out_fd;
	return ret;
}

int vnpu_io_mem_export_dmabuf(uint32_t id, bool read_only, int *fd)
{
	struct vnpu_mem_export_dmabuf export = {
		.size = sizeof(export),
		.flags = read_only ? VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY : 0,
		.id = id,
	};
	int ret = io_call(VNPU_IOCTL_MEM_EXPORT_DMABUF, &export);

	if (!ret)
		*fd = export.out_fd;
	return ret;
}

int vnpu_io_mem_import_dmabuf(int fd, struct vnpu_io_mem *mem)
{
	struct vnpu_mem_import_dmabuf import = {
		.size = sizeof(import),
		.fd = fd,
	};
	int ret = io_call(VNPU_IOCTL_MEM_IMPORT_DMABUF, &import);

	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = import.out_id,
			.device = import.out_device,
			.page_shift = import.out_page_shift,
			.length = import.out_length,
			.is_host = import.out_device == VNPU_DEVICE_HOST,
		};
	return ret;
}

int vnpu_io_mem_import(int fd, struct vnpu_io_mem *mem)
{
	struct vnpu_mem_import import = { .size = sizeof(import), .fd = fd };
	int ret = io_call(VNPU_IOCTL_MEM_IMPORT, &import);

	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = import.out_id,
			.device = import.out_device,
			.page_shift = import.out_page_shift,
			.length = import.out_length,
		};
	return ret;
}

int vnpu_io_window_open(uint64_t start, uint64_t length)
{
	return mprotect(vnpu_u64_to_ptr(start), length,
			PROT_READ | PROT_WRITE) ? -errno : 0;
}

int vnpu_io_host_alloc(uint64_t length, void **addr)
{
	struct vnpu_host_alloc alloc = {
		.size = sizeof(alloc),
		.length = length,
	};
	int ret = io_call(VNPU_IOCTL_HOST_ALLOC, &alloc);

	if (ret)
		return ret;
	*addr = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED,
		     atomic_load(&io.fd),
		     VNPU_MMAP_HOST + alloc.out_id * VNPU_PAGE_SIZE);
	if (*addr == MAP_FAILED)
		ret = -errno;
	/* From here on the mapping is what keeps it. */
	vnpu_io_mem_close(alloc.out_id);
	return ret;
}

void vnpu_io_host_free(void *addr, uint64_t length)
{
	munmap(addr, length);
}

int vnpu_io_host_register(const void *addr, uint64_t length, bool read_only,
			  uint32_t *id)
{
	struct vnpu_host_register reg = {
		.size = sizeof(reg),
		.flags = read_only ? VNPU_HOST_REGISTER_F_READ_ONLY : 0,
		.addr = vnpu_ptr_to_u64(addr),
		.length = length,
	};
	int ret = io_call(VNPU_IOCTL_HOST_REGISTER, &reg);

	if (!ret)
		*id = reg.out_id;
	return ret;
}

int vnpu_io_bind(uint32_t id, uint64_t va, uint64_t length, uint64_t offset,
		 bool no_access)
{
	struct vnpu_va_bind bind = {
		.size = sizeof(bind),
		.flags = no_access ? VNPU_VA_BIND_F_NO_ACCESS : 0,
		.mem_id = id,
		.va = va,
		.length = length,
		.offset = offset,
	};

	return io_call(VNPU_IOCTL_VA_BIND, &bind);
}

int vnpu_io_unbind(uint64_t va)
{
	struct vnpu_va_unbind unbind = { .size = sizeof(unbind), .va = va };

	return io_call(VNPU_IOCTL_VA_UNBIND, &unbind);
}

int vnpu_io_protect(uint64_t va, uint64_t length, uint32_t device,
		    uint32_t access)
{
	struct vnpu_va_protect protect = {
		.size = sizeof(protect),
		.va = va,
		.length = length,
		.device = device,
		.access = access,
	};

	return io_call(VNPU_IOCTL_VA_PROTECT, &protect);
}

int vnpu_io_protect_host(uint64_t va, uint64_t length, uint32_t access)
{
	return vnpu_io_protect(va, length, VNPU_DEVICE_HOST, access);
}

int vnpu_io_copy(uint64_t dst, uint64_t src, uint64_t length)
{
	struct vnpu_copy copy = {
		.size = sizeof(copy),
		.dst = dst,
		.src = src,
		.length = length,
	};
	int ret;

	/* What was done is at the end where a copy is done from there. */
	while ((ret = io_call(VNPU_IOCTL_COPY, &copy)) == -EINTR) {
		if (dst <= src || dst - src >= copy.length) {
			copy.dst += copy.out_done;
			copy.src += copy.out_done;
		}
		copy.length -= copy.out_done;
	}
	return ret;
}

int vnpu_io_fill(uint64_t dst, uint64_t length, uint64_t value,
		 unsigned int value_size)
{
	struct vnpu_fill fill = {
		.size = sizeof(fill),
		.dst = dst,
		.length = length,
		.value = value,
		.value_size = value_size,
	};
	int ret;

	do {
		ret = io_call(VNPU_IOCTL_FILL, &fill);
	} while (ret == -EINTR);
	return ret;
}
