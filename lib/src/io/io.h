/* SPDX-License-Identifier: MIT */
/*
 * The interface to the kernel: the process's only open file of /dev/vnpu, to
 * which the nodes of single devices are attached if it does not have all
 * devices, and its window of device addresses.  Only io.c calls ioctl(), and
 * only io.c and io_*.c use the structures of linux/vnpu.h.
 *
 * Any thread may call these functions.  They open the device on first use, and
 * return 0 or -errno.  In a child that was forked after the device was opened,
 * all return -EPERM.
 */
#ifndef VNPU_LIB_IO_H
#define VNPU_LIB_IO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNPU_IO_ANY_NUMA	(-1)
#define VNPU_IO_MAX_DEVICES	64

#define VNPU_IO_SHIFT_4K	12
#define VNPU_IO_SHIFT_2M	21
#define VNPU_IO_SHIFT_1G	30

/* The largest object of a slab. */
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
	char soc[33];		/* empty if the driver does not report it */
};

struct vnpu_io_binding {
	uint64_t va;
	uint64_t length;
	uint64_t offset;	/* in the memory object */
	uint32_t device;
	uint32_t page_shift;
	bool is_host;		/* host memory, of no device */
	bool has_id;		/* from a memory object with an id */
	uint32_t host_access;	/* VNPU_IO_ACCESS_*, rights of the host */
	uint64_t read_devices;	/* bit N: device N may read */
	uint64_t write_devices;
};

/* A memory object that has an id. */
struct vnpu_io_mem {
	uint32_t id;
	uint32_t device;	/* not valid for host memory */
	uint32_t page_shift;
	uint64_t length;
	bool is_host;		/* host memory, of no device */
};

#define VNPU_IO_ACCESS_NONE		0
#define VNPU_IO_ACCESS_READ		1
#define VNPU_IO_ACCESS_READ_WRITE	3

struct vnpu_io_holder {
	uint64_t used;
	uint32_t pid;		/* 0 if it is not visible here */
	char name[17];
};

/* The scope of the quota that refused a request. */
enum vnpu_io_quota {
	VNPU_IO_QUOTA_NONE,
	VNPU_IO_QUOTA_CLIENT,
	VNPU_IO_QUOTA_UID,
	VNPU_IO_QUOTA_CGROUP,
	VNPU_IO_QUOTA_SHARE,	/* no quota, but the default share */
};

/* The reason why an allocation of device memory failed. */
struct vnpu_io_oom {
	uint64_t report;	/* number of this report */
	unsigned int frag_index;	/* permille */
	bool compaction_helps;
	unsigned int holders;
	struct vnpu_io_holder holder[3];	/* the processes with most
						 * memory */
	enum vnpu_io_quota quota;
	uint64_t quota_id;	/* of the client, user or cgroup */
	uint64_t quota_limit;
	uint64_t quota_used;
};

/*
 * Open the device. -EPROTO: the driver is too old for the library;
 * -EPROTONOSUPPORT: the library is too old for the driver; -EPERM in a forked
 * child, see vnpu_is_forked(); otherwise the error of open() or mmap().
 */
int vnpu_io_open(void);
bool vnpu_io_is_open(void);

/* The window of device addresses; only io.c writes it. */
struct vnpu_io_window {
	uint64_t start;			/* constant while length is not 0 */
	_Atomic uint64_t length;	/* 0 unless the device is open */
};

extern __attribute__((visibility("hidden")))
struct vnpu_io_window vnpu_io_window;

/*
 * Check whether an address is in the window; false before it exists.  Inlined,
 * because each copy calls it.
 */
static inline bool vnpu_io_is_device_address(uint64_t addr)
{
	uint64_t length = atomic_load_explicit(&vnpu_io_window.length,
					       memory_order_acquire);

	return addr - vnpu_io_window.start < length;
}

int vnpu_io_client_id(uint64_t *id);

/*
 * Get the indexes of the devices of this process, in ascending order: at most
 * VNPU_IO_MAX_DEVICES.
 */
int vnpu_io_devices(uint32_t *indexes, uint32_t *count);
int vnpu_io_device_query(uint32_t device, struct vnpu_io_device *out);

#define VNPU_IO_ALLOC_HOST_ACCESS	(1U << 0)	/* for the host, too */
#define VNPU_IO_ALLOC_TRY		(1U << 1)	/* the caller has a */
						/* fallback: no report */
#define VNPU_IO_ALLOC_CONTIGUOUS	(1U << 2)	/* one physical run */
#define VNPU_IO_ALLOC_NO_COMPACT	(1U << 3)	/* migrate no memory */

/*
 * Allocate @length bytes and bind them at @va; @flags: VNPU_IO_ALLOC_*.
 * @report: number of the driver's report on a failure, 0 if there is none; may
 * be NULL with VNPU_IO_ALLOC_TRY.
 */
int vnpu_io_mem_alloc(uint32_t device, unsigned int page_shift,
		      uint64_t length, uint64_t va, unsigned int flags,
		      uint64_t *report);

/*
 * Set the address range for the slabs of a device; -EBUSY if it was set before;
 * -EOPNOTSUPP if the host may access memory, which excludes slabs.
 */
int vnpu_io_slab_window(uint32_t device, uint64_t va, uint64_t length);

/*
 * Allocate at most VNPU_IO_SLAB_MAX bytes in a slab, at an address of its
 * choice.
 */
int vnpu_io_slab_alloc(uint32_t device, uint64_t length, uint64_t *va);

/*
 * Free the memory at @va, and return its properties.  @page_shift is 0 for an
 * object of a slab; then the caller must not reuse the address.
 */
int vnpu_io_mem_free(uint64_t va, uint64_t *length, unsigned int *page_shift);

/*
 * Get the report on the last allocation that failed with -ENOSPC or -EDQUOT;
 * -ENOENT if none has failed.
 */
int vnpu_io_oom_query(struct vnpu_io_oom *out);

/* Get the binding at @va, or with @next the first one at or above. */
int vnpu_io_va_query(uint64_t va, bool next, struct vnpu_io_binding *out);

/*
 * Allocate @length bytes without binding them; fills @mem.  The host may be
 * granted access to them.  @report: as for vnpu_io_mem_alloc().
 */
int vnpu_io_mem_create(uint32_t device, unsigned int page_shift,
		       uint64_t length, struct vnpu_io_mem *mem,
		       uint64_t *report);

/*
 * Allocate host memory, of any NUMA node or of @node only: -EINVAL if that has
 * no memory.
 */
int vnpu_io_mem_create_host(int64_t node, uint64_t length,
			    struct vnpu_io_mem *mem);

/* Create an id for the memory that is bound at @va. */
int vnpu_io_mem_open(uint64_t va, uint32_t *id);

/* Free an id; the memory lives as long as it is referenced otherwise. */
int vnpu_io_mem_close(uint32_t id);

/*
 * Create a file that refers to the memory, for other processes; close-on-exec.
 */
int vnpu_io_mem_export(uint32_t id, int *fd);

/* Import the memory of a file; -EINVAL if @fd is not such a file. */
int vnpu_io_mem_import(int fd, struct vnpu_io_mem *mem);

/* Create a dma-buf of the memory; close-on-exec. */
int vnpu_io_mem_export_dmabuf(uint32_t id, bool read_only, int *fd);

/*
 * Import a dma-buf; -EINVAL if @fd is not one, -EOPNOTSUPP if it is
 * inaccessible.
 */
int vnpu_io_mem_import_dmabuf(int fd, struct vnpu_io_mem *mem);

/* The object that other processes open by a key, see struct vnpu_key_create. */
struct vnpu_io_key_spec {
	int fd;			/* stays the caller's */
	uint32_t kind;
	uint64_t data[2];
	bool any_process;
	bool is_short;		/* key[1] is 0 */
};

/* Create a key; 0 or -errno. */
int vnpu_io_key_create(const struct vnpu_io_key_spec *spec, uint64_t key[2]);

/*
 * Have a key open nothing any more; 0, or -ENOENT if this process has no such
 * key.
 */
int vnpu_io_key_destroy(const uint64_t key[2]);

/*
 * Let processes open a key; 0, -ENOENT as above, or -ENOMEM.  An id below 1
 * names no process, and is skipped.
 */
int vnpu_io_key_allow(const uint64_t key[2], const int32_t *pids, size_t count);

/*
 * Open the file of a key, of any process; 0; -ENOENT: there is no such key of
 * this kind; -EACCES: this process may not open it; another -errno.
 */
int vnpu_io_key_open(const uint64_t key[2], uint32_t kind, int *fd,
		     uint64_t data[2]);

/*
 * The initial access rights of a binding: for none, all devices, or host too.
 */
enum vnpu_io_users { VNPU_IO_NOBODY, VNPU_IO_DEVICES, VNPU_IO_ALL };

/*
 * Bind @length bytes of the memory.  If the environment asks for host access,
 * the host always has the rights of the devices.
 */
int vnpu_io_bind(uint32_t id, uint64_t va, uint64_t length, uint64_t offset,
		 enum vnpu_io_users users);

/* Remove the binding that begins at @va. */
int vnpu_io_unbind(uint64_t va);

/* Set a device's rights to a range of whole bindings: VNPU_IO_ACCESS_*. */
int vnpu_io_protect(uint64_t va, uint64_t length, uint32_t device,
		    uint32_t access);

/* Set the host's rights, which cannot exceed those of the memory. */
int vnpu_io_protect_host(uint64_t va, uint64_t length, uint32_t access);

/* Let the host access a part of the window, as far as the memory allows it. */
int vnpu_io_window_open(uint64_t start, uint64_t length);

/* Let the host access the whole window. */
int vnpu_io_window_open_all(void);

/*
 * Map the window again, where the mapping of a core has replaced it.  The host can
 * access all of it then, as far as the memory allows it.
 */
int vnpu_io_window_restore(void);

/*
 * Allocate host memory: @length bytes in whole pages, zeroed and mapped.  The
 * mapping keeps the memory alive; the id belongs to the caller.
 */
int vnpu_io_host_alloc(uint64_t length, void **addr, uint32_t *id);
void vnpu_io_host_free(void *addr, uint64_t length);

/* Pin memory of this process until the id and all its bindings are gone. */
int vnpu_io_host_register(const void *addr, uint64_t length, bool read_only,
			  uint32_t *id);

/*
 * Copy, where at least one address is a device address.  A signal that
 * interrupts the wait for the fence of another device does not end the copy.
 */
int vnpu_io_copy(uint64_t dst, uint64_t src, uint64_t length);

/* Fill memory; @length is a multiple of @value_size. */
int vnpu_io_fill(uint64_t dst, uint64_t length, uint64_t value,
		 unsigned int value_size);

#endif /* VNPU_LIB_IO_H */
