/* SPDX-License-Identifier: MIT */
/*
 * The door to the kernel: the process's one open file of /dev/vnpu, to which the
 * nodes of single devices are attached where it is not of all, and its window of device addresses.  Only io.c calls ioctl(), and only it and its
 * parts io_*.c know the structures of linux/vnpu.h.
 *
 * Everything here may be called from any thread, opens the device at the first
 * need, and returns 0 or -errno.  In a child that was forked after the device
 * was opened, everything returns -EPERM.
 */
#ifndef VNPU_LIB_IO_H
#define VNPU_LIB_IO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNPU_IO_NODE		"/dev/vnpu"
#define VNPU_IO_ANY_NUMA	(-1)
#define VNPU_IO_MAX_DEVICES	64

#define VNPU_IO_SHIFT_4K	12
#define VNPU_IO_SHIFT_2M	21
#define VNPU_IO_SHIFT_1G	30

/* The longest object of a slab. */
#define VNPU_IO_SLAB_MAX	3584

struct vnpu_io_device {
	bool healthy;
	uint64_t total;
	uint64_t free;
	uint64_t largest_free;
	uint64_t free_2m;
	uint64_t free_1g;
	uint64_t used;		/* by this process */
	uint64_t peak;		/* by this process */
	uint64_t objects;	/* of this process */
	uint64_t lost_epoch;	/* grows with each loss on this index */
	uint8_t uuid[16];
	char bus_id[17];
};

struct vnpu_io_binding {
	uint64_t va;
	uint64_t length;
	uint64_t offset;	/* in the memory object */
	uint32_t device;
	uint32_t page_shift;
	bool is_host;		/* the host's memory, of no device */
	bool has_id;		/* made of a memory object with an id */
	uint32_t host_access;	/* VNPU_IO_ACCESS_*, what the host may do */
	uint64_t read_devices;	/* bit N: device N may read */
	uint64_t write_devices;
};

/* A memory object that has an id. */
struct vnpu_io_mem {
	uint32_t id;
	uint32_t device;	/* unless it is the host's */
	uint32_t page_shift;
	uint64_t length;
	bool is_host;		/* the host's memory, of no device */
};

#define VNPU_IO_ACCESS_NONE		0
#define VNPU_IO_ACCESS_READ		1
#define VNPU_IO_ACCESS_READ_WRITE	3

struct vnpu_io_holder {
	uint64_t used;
	uint32_t pid;		/* 0 if it is not visible here */
	char name[17];
};

/* Whose quota did not allow it. */
enum vnpu_io_quota {
	VNPU_IO_QUOTA_NONE,
	VNPU_IO_QUOTA_CLIENT,
	VNPU_IO_QUOTA_UID,
	VNPU_IO_QUOTA_CGROUP,
	VNPU_IO_QUOTA_SHARE,	/* none, but what is left without one */
};

/* Why device memory was not to be had. */
struct vnpu_io_oom {
	uint32_t device;
	uint64_t length;	/* bytes that were asked for */
	unsigned int frag_index;	/* permille */
	bool compaction_helps;
	unsigned int holders;
	struct vnpu_io_holder holder[3];	/* who held most */
	enum vnpu_io_quota quota;
	uint64_t quota_id;	/* of the client, user or cgroup */
	uint64_t quota_limit;
	uint64_t quota_used;
};

/*
 * -EPROTO: the driver is older than this library needs; -EPROTONOSUPPORT: it
 * does not run programs as old as this library any more; -EPERM in a
 * forked child, see vnpu_io_is_forked(); else what open() or mmap() said.
 */
int vnpu_io_open(void);
bool vnpu_io_is_open(void);
bool vnpu_io_is_forked(void);

/* Of device addresses; only io.c writes it. */
struct vnpu_io_window {
	uint64_t start;			/* constant while there is a length */
	_Atomic uint64_t length;	/* 0 unless the device is open */
};

extern __attribute__((visibility("hidden")))
struct vnpu_io_window vnpu_io_window;

/*
 * Whether an address lies in the window: false before it is open.  It is asked
 * for each copy, and so in the caller.
 */
static inline bool vnpu_io_is_device_address(uint64_t addr)
{
	uint64_t length = atomic_load_explicit(&vnpu_io_window.length,
					       memory_order_acquire);

	return addr - vnpu_io_window.start < length;
}

int vnpu_io_client_id(uint64_t *id);

/*
 * The indexes of the devices that this process has, in ascending order: at most
 * VNPU_IO_MAX_DEVICES.
 */
int vnpu_io_devices(uint32_t *indexes, uint32_t *count);
int vnpu_io_device_query(uint32_t device, struct vnpu_io_device *out);

#define VNPU_IO_ALLOC_HOST_ACCESS	(1U << 0)	/* the host may touch it */
#define VNPU_IO_ALLOC_TRY		(1U << 1)	/* there is another way: */
							/* no report of a failure */
#define VNPU_IO_ALLOC_CONTIGUOUS	(1U << 2)	/* one physical run */
#define VNPU_IO_ALLOC_NO_COMPACT	(1U << 3)	/* move nothing for it */

/* Allocate @length bytes and bind them at @va; @flags: VNPU_IO_ALLOC_*. */
int vnpu_io_mem_alloc(uint32_t device, unsigned int page_shift,
		      uint64_t length, uint64_t va, unsigned int flags);

/*
 * Say where the slabs of a device are to be; -EBUSY if that was said before.
 * There are none where the host may access memory: -EOPNOTSUPP.
 */
int vnpu_io_slab_window(uint32_t device, uint64_t va, uint64_t length);

/* Allocate at most VNPU_IO_SLAB_MAX bytes in a slab, which says where. */
int vnpu_io_slab_alloc(uint32_t device, uint64_t length, uint64_t *va);

/*
 * Free what is allocated at @va; tells what it was.  @page_shift is 0 for an
 * object of a slab, whose address is not the caller's.
 */
int vnpu_io_mem_free(uint64_t va, uint64_t *length, unsigned int *page_shift);

/* The last allocation that failed by -ENOSPC or -EDQUOT; -ENOENT if none did. */
int vnpu_io_oom_query(struct vnpu_io_oom *out);

/* The binding at @va, or with @next the first one at or above. */
int vnpu_io_va_query(uint64_t va, bool next, struct vnpu_io_binding *out);

/*
 * Allocate @length bytes that are bound nowhere yet; fills @mem.  The host may
 * be granted access to them.
 */
int vnpu_io_mem_create(uint32_t device, unsigned int page_shift,
		       uint64_t length, struct vnpu_io_mem *mem);

/*
 * The same of the host's memory, of any NUMA node or of @node alone: -EINVAL if
 * that has none.
 */
int vnpu_io_mem_create_host(int64_t node, uint64_t length,
			    struct vnpu_io_mem *mem);

/* Make an id for the memory that is bound at @va. */
int vnpu_io_mem_open(uint64_t va, uint32_t *id);

/* Give an id up; the memory lives as long as anything else holds it. */
int vnpu_io_mem_close(uint32_t id);

/* A file that stands for the memory, for other processes; close-on-exec. */
int vnpu_io_mem_export(uint32_t id, int *fd);

/* -EINVAL if @fd is no such file. */
int vnpu_io_mem_import(int fd, struct vnpu_io_mem *mem);

/* A dma-buf of the memory; close-on-exec. */
int vnpu_io_mem_export_dmabuf(uint32_t id, bool read_only, int *fd);

/* -EINVAL if @fd is no dma-buf, -EOPNOTSUPP if it cannot be reached. */
int vnpu_io_mem_import_dmabuf(int fd, struct vnpu_io_mem *mem);

/* What other processes are to open by a key, see struct vnpu_key_create. */
struct vnpu_io_key_spec {
	int fd;			/* stays the caller's */
	uint32_t kind;
	uint64_t data[2];
	bool any_process;
	bool is_short;		/* key[1] is 0 */
};

/* Create a key; 0 or -errno. */
int vnpu_io_key_create(const struct vnpu_io_key_spec *spec, uint64_t key[2]);

/* Have a key open nothing any more; 0, or -ENOENT if this process has no such key. */
int vnpu_io_key_destroy(const uint64_t key[2]);

/*
 * Let processes open a key; 0, -ENOENT as above, or -ENOMEM.  An id below 1 names no
 * process, and is skipped.
 */
int vnpu_io_key_allow(const uint64_t key[2], const int32_t *pids, size_t count);

/*
 * Open the file of a key, of any process; 0; -ENOENT: there is no such key of this
 * kind; -EACCES: this process may not open it; another -errno.
 */
int vnpu_io_key_open(const uint64_t key[2], uint32_t kind, int *fd,
		     uint64_t data[2]);

/* Who may touch what is bound, until that is changed. */
enum vnpu_io_users { VNPU_IO_NOBODY, VNPU_IO_DEVICES, VNPU_IO_ALL };

/*
 * Bind @length bytes of the memory.  Where host access was asked for by the
 * environment, devices are never alone.
 */
int vnpu_io_bind(uint32_t id, uint64_t va, uint64_t length, uint64_t offset,
		 enum vnpu_io_users users);

/* Take the binding that begins at @va back. */
int vnpu_io_unbind(uint64_t va);

/* What a device may do in a range of whole bindings: VNPU_IO_ACCESS_*. */
int vnpu_io_protect(uint64_t va, uint64_t length, uint32_t device,
		    uint32_t access);

/* The same for the host, which is granted nothing the memory does not allow. */
int vnpu_io_protect_host(uint64_t va, uint64_t length, uint32_t access);

/* Let the host touch a part of the window, as far as memory there allows it. */
int vnpu_io_window_open(uint64_t start, uint64_t length);

/* The same for all of it. */
int vnpu_io_window_open_all(void);

/*
 * Memory of the host, @length bytes in whole pages, zeroed and mapped.  The
 * mapping keeps it; the id is the caller's.
 */
int vnpu_io_host_alloc(uint64_t length, void **addr, uint32_t *id);
void vnpu_io_host_free(void *addr, uint64_t length);

/* Pin memory of this process; until the id is free and nothing bound to it. */
int vnpu_io_host_register(const void *addr, uint64_t length, bool read_only,
			  uint32_t *id);

/*
 * At least one of the addresses is a device address. Signals that interrupt the
 * wait for another device's fence do not end it.
 */
int vnpu_io_copy(uint64_t dst, uint64_t src, uint64_t length);

/* @length is a multiple of @value_size. */
int vnpu_io_fill(uint64_t dst, uint64_t length, uint64_t value,
		 unsigned int value_size);

#endif /* VNPU_LIB_IO_H */
