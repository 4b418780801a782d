/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * vnpu - a software NPU: the interface of /dev/vnpu and /dev/vnpuN.
 *
 * This header is the whole ioctl and mmap ABI.  What can be seen of a device
 * from outside is in linux/vnpu_netlink.h.
 */
#ifndef _UAPI_LINUX_VNPU_H
#define _UAPI_LINUX_VNPU_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: The constitution
 *
 * These rules hold for every call below and for every call that is added.
 *
 * 1. Each ioctl takes a pointer to a struct that begins with @size and
 *    @flags.  @size is what the caller was compiled with.  A longer struct
 *    than the kernel knows is accepted when its unknown tail is zero, a
 *    shorter one when it holds all fields up to the last mandatory one; the
 *    fields that it lacks are taken as zero.  Structs only grow, at the end.
 * 2. Numbers are made with _IO(), so that the number does not change when a
 *    struct grows.  In this the ABI departs from ioctl.rst, as iommufd does.
 * 3. Zero means "the default" in every field.  Bits that are not defined in
 *    @flags and fields named __reserved must be zero, and this is checked.
 * 4. Fields named out_* are written by the kernel and never read by it.  They
 *    have a meaning only on success, or where a call says so.
 * 5. Only fixed-width types; every struct has the same layout in 32 and 64
 *    bits and has no hole.
 * 6. Ids are non-zero, and belong to one open file.
 * 7. A file belongs to the address space that opened it.  After fork() the
 *    child holds the file but may not use it (EPERM); when the owner's address
 *    space goes, or at the last close, whichever is first, all the client had
 *    is given back.
 *
 * DOC: Errors
 *
 * ==========  ==============================================================
 * ENOTTY      The ioctl number is not known.
 * EINVAL      @size is smaller than the mandatory part, or a value is wrong: also
 *             a file, or an object, of another kind than the call takes.
 * E2BIG       Unknown fields at the end of the struct are not zero, or @size
 *             is more than a page.
 * EOPNOTSUPP  The driver does not know what is asked for: a bit of @flags, a
 *             reserved field that is not zero, a topic; or does not do it with
 *             an object of this kind.
 * EFAULT      The struct or a host address in it cannot be read or written, or
 *             a device address in it is not in the window or not bound.
 * ENOENT      There is no such id; or nothing that the call is about: no binding at
 *             the address, no slab window, no ring, no request that failed.
 * EEXIST      The address range is already taken.
 * ENOSPC      The device's memory does not suffice.
 * EDQUOT      A quota, a limit of the module for each user, a resource limit, or
 *             the caller's share of what a device has, would be exceeded.
 * ENOMEM      The host's memory does not suffice.
 * EAGAIN      The device, or the client, has no more objects of this kind.
 * EOVERFLOW   An address, a length or the value of a timeline overflows.
 * EBADF       The file descriptor is not open.
 * EBUSY       What there is already forbids the call: the client's window, its slab
 *             window on the device, or a task that may wait for ever.
 * EINTR       A signal ended the call: a fatal one, if nothing else is said.
 * ETIMEDOUT   The time limit passed.
 * ENODEV      The device does not exist, is gone, or is not one that the client
 *             has.
 * EIO         The device, or what the call needs of it, has failed: its memory, a
 *             ring that its user broke, a fence or a buffer of another driver.
 * EPERM       The caller is not in the address space that opened the file, or
 *             lacks a right.
 * EACCES      The access that is needed was not granted; also to memory or a
 *             counter of a device that the client does not have, and by a key.
 * EMFILE      The process has too many open files; ENFILE: the system has.
 * ENXIO       The module is about to go; of open() alone.
 * ==========  ==============================================================
 *
 * The errors of tasks are in linux/vnpu_task.h.
 *
 * DOC: Nodes
 *
 * /dev/vnpu gives its client all devices, also those that are added later;
 * /dev/vnpuN gives it device N alone.  VNPU_IOCTL_ATTACH adds the devices of
 * another node, whose file shows that the caller may open it.  What a client was
 * given it has until it ends.
 *
 * A device that the client does not have does not exist for it: each call that
 * takes the index of a device fails with ENODEV.  Indexes are those of the
 * machine, the same for every client, in sysfs and in netlink, and so those of a
 * client need not begin at 0 or follow each other: VNPU_TOPIC_DEVICES of
 * VNPU_IOCTL_QUERY lists them.  When a device is gone and another gets its
 * index, a client of the first does not have the second.
 *
 * Opening /dev/vnpuN returns ENODEV when there is no such device, ENXIO when the
 * module is about to go.
 *
 * DOC: Limits
 *
 * Beside quotas (linux/vnpu_netlink.h) and the share of what a device has a
 * limited number of (struct vnpu_limits_query), parameters of the module limit
 * what each user may have, where the caller has no CAP_SYS_RESOURCE in the
 * initial user namespace: user_bindings the bindings of device addresses,
 * user_objects the ids of memory objects, timelines and counters, own and
 * imported, and keys, user_sync_files the fences that are not signalled and
 * released yet, host_quota the host memory, user_threads the clients that import
 * memory of other drivers.  The defaults are far above what programs use.  A quota
 * of the user replaces the parameter, also for a caller with that capability, and
 * a quota of the client applies in addition.  Each call that would exceed one fails
 * with EDQUOT.
 *
 * A client counts to the user that opened it.  In a user namespace it counts
 * instead to the user in charge of the outermost one: its owner or, where that is
 * root of the initial one, the user that is root inside.
 *
 * DOC: Device addresses
 *
 * A process reserves its device addresses by mapping a range of /dev/vnpu
 * (see VNPU_MMAP_WINDOW).  A device address is an address in this window: the
 * same number on host and device, and one space for all devices.  User space
 * decides which address is used for what; the kernel binds memory to it and
 * resolves it.  The host cannot touch a device address (SIGSEGV), except where
 * memory that was made with VNPU_MEM_F_HOST_ACCESS is bound.
 */

#define VNPU_IOCTL_TYPE		0xBB

/* Version of this ABI: it counts up with every addition. */
#define VNPU_ABI_VERSION	2

/*
 * The oldest version whose programs this driver still runs.  A program that was
 * made for version N works with a driver when its out_abi_oldest is at most N,
 * and its out_abi_version at least the version in which the newest thing came
 * that the program cannot do without.
 */
#define VNPU_ABI_OLDEST		2

/* The unit of device memory and of device addresses, 4 KiB. */
#define VNPU_PAGE_SHIFT		12
#define VNPU_PAGE_SIZE		(1ULL << VNPU_PAGE_SHIFT)

/* The page classes that device memory can be made of. */
#define VNPU_PAGE_SHIFT_4K	12
#define VNPU_PAGE_SHIFT_2M	21
#define VNPU_PAGE_SHIFT_1G	30

/* Device indexes run from 0 to VNPU_MAX_DEVICES - 1. */
#define VNPU_MAX_DEVICES	64

#define VNPU_DEVICE_NAME_LEN	32
#define VNPU_DEVICE_UUID_LEN	16
#define VNPU_DEVICE_BUS_ID_LEN	16

/**
 * DOC: mmap
 *
 * Offset VNPU_MMAP_WINDOW maps the window of device addresses.  It must be
 * MAP_SHARED, without PROT_EXEC (EACCES), a multiple of VNPU_PAGE_SIZE at an
 * address that is one; a client has at most one (EBUSY).  With PROT_NONE it
 * costs nothing but address space.  To touch memory that allows host access,
 * map or mprotect() the window accordingly.  A mapping is not inherited by
 * fork(), cannot grow, and is not dumped.  mremap() moves the view, not the
 * device addresses.  When all of the window is unmapped, nothing is bound and
 * there is no slab window, another can be mapped.
 *
 * Offset VNPU_MMAP_HOST, plus its id times VNPU_PAGE_SIZE, maps host memory
 * that VNPU_IOCTL_HOST_ALLOC made, from its beginning, in whole or in part
 * (EINVAL if longer; ENOENT if there is no such memory).  It must be MAP_SHARED,
 * without PROT_EXEC (EACCES).  It is a mapping of ordinary pages, which system
 * calls can read, write and pin as any memory; but it is not inherited by
 * fork(), cannot grow, and is not dumped.  A child that MADV_DOFORK gave the
 * mapping all the same cannot touch it (SIGSEGV).  It keeps the memory alive.
 *
 * Offsets from VNPU_MMAP_STREAM on map streams: vnpu_stream_create.out_mmap_offset
 * is that of a stream until it is destroyed, then maybe another's.  The length is
 * @out_map_size, no more and no less (EINVAL; ENOENT if there is no such stream),
 * see linux/vnpu_task.h.  The rest is as for host memory.  The first mapping makes
 * the ring, which is charged to the caller's memory cgroup.
 *
 * All offsets of streams, and those of the first 2^31 objects of host memory, can
 * be asked for by mmap2() of 32-bit programs.
 */
#define VNPU_MMAP_WINDOW	0ULL
#define VNPU_MMAP_STREAM	0x40000000000ULL
#define VNPU_MMAP_HOST		0x80000000000ULL

/*
 * Features, bits of vnpu_info.out_features.  A bit says that this driver, on the
 * kernel and the machine that it runs on, does something that drivers of the same
 * version need not do elsewhere.
 */
#define VNPU_FEATURE_HOST_MAP_2M (1ULL << 0)	/* maps 2 MiB to the host as one */

/* Words of vnpu_info.out_task_ops: an operation is a number below 256. */
#define VNPU_TASK_OP_WORDS	4

/**
 * struct vnpu_info - what this driver is
 * @size: sizeof(struct vnpu_info)
 * @flags: must be zero
 * @out_abi_version: VNPU_ABI_VERSION of the running driver
 * @out_abi_oldest: VNPU_ABI_OLDEST of the running driver
 * @out_device_count: how many devices the client has now
 * @out_node_device: index of the device whose node was opened, VNPU_DEVICE_ALL
 *	for /dev/vnpu
 * @out_page_shifts: bit N is set when the page class of 2^N bytes is offered
 * @out_client_id: identifies this open file in netlink dumps and events; never
 *	used again as long as the module is loaded
 * @out_features: VNPU_FEATURE_*: what of this header is more than its version
 *	implies
 * @out_task_ops: the operations of tasks that engines run: bit N modulo 64 of
 *	word N / 64 is set for operation N of linux/vnpu_task.h
 *
 * Every field is optional: @size may be 8.
 */
struct vnpu_info {
	__u32 size;
	__u32 flags;
	__u32 out_abi_version;
	__u32 out_abi_oldest;
	__u32 out_device_count;
	__u32 out_node_device;
	__aligned_u64 out_page_shifts;
	__aligned_u64 out_client_id;
	__aligned_u64 out_features;
	__aligned_u64 out_task_ops[VNPU_TASK_OP_WORDS];
};

#define VNPU_IOCTL_INFO		_IO(VNPU_IOCTL_TYPE, 0x00)

/* Values of vnpu_device_query.out_health. */
#define VNPU_HEALTH_OK		0
#define VNPU_HEALTH_WARNING	1
#define VNPU_HEALTH_ALARM	2
#define VNPU_HEALTH_CRITICAL	3
#define VNPU_HEALTH_UNKNOWN	4

/**
 * struct vnpu_device_query - what a device is, and its memory now
 * @size: sizeof(struct vnpu_device_query)
 * @flags: must be zero
 * @device: index of the device
 * @out_health: VNPU_HEALTH_*
 * @out_total: bytes of device memory
 * @out_free: bytes that are not allocated, nor promised to an allocation that is
 *	under way; no figure of free memory is more
 * @out_largest_free: bytes of the longest free run
 * @out_free_2m: bytes free in whole, aligned 2 MiB pages
 * @out_free_1g: bytes free in whole, aligned 1 GiB pages
 * @out_client_used: bytes that the calling client holds
 * @out_client_peak: the most it held at one time
 * @out_client_objects: the memory objects it holds
 * @out_name: product name, NUL-terminated
 * @out_uuid: the same for the same index of the same machine
 * @out_bus_id: an address in the form of PCI's, NUL-terminated; its domain is
 *	not one of a real bus
 * @out_lost_epoch: how often something that clients had on a device of this index
 *	may have been lost since the module was loaded
 *
 * @out_lost_epoch changes with each reset, which fails the tasks that engines work
 * on (ECONNRESET) and leaves all else alone; with each use of memory that has
 * an uncorrected error (EIO); and when the device is removed, with all that was in
 * its memory.  It has changed by the time that a call or a task reports any of
 * this.  As long as it is the same, nothing has been lost but by the client's own
 * doing; and a device with this index is the one that was there before.  What is
 * suspended loses nothing.
 */
struct vnpu_device_query {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_health;
	__aligned_u64 out_total;
	__aligned_u64 out_free;
	__aligned_u64 out_largest_free;
	__aligned_u64 out_free_2m;
	__aligned_u64 out_free_1g;
	__aligned_u64 out_client_used;
	__aligned_u64 out_client_peak;
	__aligned_u64 out_client_objects;
	__u8 out_name[VNPU_DEVICE_NAME_LEN];
	__u8 out_uuid[VNPU_DEVICE_UUID_LEN];
	__u8 out_bus_id[VNPU_DEVICE_BUS_ID_LEN];
	__aligned_u64 out_lost_epoch;
};

#define VNPU_IOCTL_DEVICE_QUERY	_IO(VNPU_IOCTL_TYPE, 0x01)

/* In place of a device's index, where a call says so. */
#define VNPU_DEVICE_HOST	0xffffffffU
#define VNPU_DEVICE_ALL		0xfffffffeU	/* every one, not the host */

/**
 * struct vnpu_attach - get the devices of another node
 * @size: sizeof(struct vnpu_attach)
 * @flags: must be zero
 * @fd: an open file of /dev/vnpu or /dev/vnpuN, opened by whatever process
 * @out_device: index of the device that this node stands for, or
 *	VNPU_DEVICE_ALL for /dev/vnpu
 *
 * The file is not needed afterwards.  What its own client has attached does not
 * count.  To attach what the client has already changes nothing.
 *
 * EBADF: no open file.  EINVAL: a file of another kind.  ENODEV: the node's device
 * is gone.
 */
struct vnpu_attach {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 out_device;
};

#define VNPU_IOCTL_ATTACH	_IO(VNPU_IOCTL_TYPE, 0x02)

/*
 * Topics of VNPU_IOCTL_QUERY: what the records are, and of which device.
 * 0 is no topic.
 */
#define VNPU_TOPIC_DEVICES	1	/* vnpu_device_record, VNPU_DEVICE_ALL */
#define VNPU_TOPIC_ENGINES	2	/* vnpu_engine_record, of one device */

/**
 * struct vnpu_query - a list of whatever there is several of
 * @size: sizeof(struct vnpu_query)
 * @flags: must be zero
 * @device: index of the device, or VNPU_DEVICE_ALL for a topic that is about all
 *	that the client has (EINVAL if the topic wants the other)
 * @topic: VNPU_TOPIC_* (EOPNOTSUPP for one that this driver does not know)
 * @buffer: address of room for the records
 * @length: bytes of it; 0 to learn how many are needed
 * @out_length: bytes of all records; more than @length if not all were written
 * @out_count: how many records there are
 * @out_stride: bytes from one to the next: the size of the record that the
 *	driver knows
 *
 * As many records are written as fit in whole.  Records grow at their end as
 * structs do: a program steps by @out_stride, and takes the fields of its own
 * record that lie within it; those beyond are zero.
 *
 * ENODEV.  EFAULT: the buffer cannot be written.  ENOMEM.
 */
struct vnpu_query {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 topic;
	__aligned_u64 buffer;
	__aligned_u64 length;
	__aligned_u64 out_length;
	__u32 out_count;
	__u32 out_stride;
};

#define VNPU_IOCTL_QUERY	_IO(VNPU_IOCTL_TYPE, 0x03)

/**
 * struct vnpu_device_record - VNPU_TOPIC_DEVICES: a device that the client has
 * @index: its index; records are in ascending order of it
 * @health: VNPU_HEALTH_*
 * @serial: a number that no other device gets as long as the module is loaded:
 *	another device with the same index has another
 */
struct vnpu_device_record {
	__u32 index;
	__u32 health;
	__aligned_u64 serial;
};

/* Classes of engines. */
#define VNPU_ENGINE_CLASS_COPY		0
#define VNPU_ENGINE_CLASS_VECTOR	1

/**
 * struct vnpu_engine_record - VNPU_TOPIC_ENGINES: the engines of a class of a
 *	device
 * @engine_class: VNPU_ENGINE_CLASS_*
 * @count: how many there are; 0 until the device's first stream is made
 * @busy_ns: how long they have run tasks, all together, since then
 */
struct vnpu_engine_record {
	__u32 engine_class;
	__u32 count;
	__aligned_u64 busy_ns;
};

/* Flags of vnpu_mem_alloc; all but VNPU_MEM_F_TRY come back in queries. */
#define VNPU_MEM_F_CONTIGUOUS	(1U << 0)	/* one physical run */
#define VNPU_MEM_F_HOST_ACCESS	(1U << 1)	/* the host may touch it */
#define VNPU_MEM_F_BIND		(1U << 2)	/* bind at once, no id */
#define VNPU_MEM_F_NO_COMPACT	(1U << 3)	/* do not move others for it */
#define VNPU_MEM_F_SLAB		(1U << 4)	/* an object below a page */
#define VNPU_MEM_F_TRY		(1U << 8)	/* if it fails, say no more */

/* Objects below a page: the longest, and what their addresses are aligned to */
#define VNPU_SLAB_MAX_LENGTH	3584
#define VNPU_SLAB_ALIGNMENT	64

/**
 * struct vnpu_mem_alloc - allocate device memory
 * @size: sizeof(struct vnpu_mem_alloc)
 * @flags: VNPU_MEM_F_*
 * @device: index of the device
 * @page_shift: page class, VNPU_PAGE_SHIFT_*, or 0 for 4 KiB; the memory
 *	consists of whole, aligned pages of this class and of no others
 * @length: bytes, at least 1; rounded up to the page class, and to a multiple of
 *	@alignment
 * @alignment: with VNPU_MEM_F_CONTIGUOUS, a power of two up to 1 GiB to which
 *	the run is aligned in device memory, or 0 for the page class; else 0
 * @va: with VNPU_MEM_F_BIND, the device address to bind it at, a multiple of
 *	VNPU_PAGE_SIZE inside the window; else 0
 * @out_id: id of the memory object; 0 with VNPU_MEM_F_BIND
 * @__reserved: must be zero
 * @out_length: @length rounded up: what it costs
 * @out_va: where it is bound; 0 if it is not
 *
 * The memory holds zeros or what this client left in memory that it freed:
 * never what another client wrote.
 *
 * With VNPU_MEM_F_BIND the binding is all that keeps the memory: it is freed
 * by VNPU_IOCTL_VA_UNBIND.
 *
 * Where there is enough free memory, but not in one run or in pages of this
 * class, other memory is moved to make it so, unless that is in use by a copy, or
 * is contiguous and there is no free run for it elsewhere, or
 * VNPU_MEM_F_NO_COMPACT is set.  Each lack of memory or quota
 * is reported to whoever watches the device, and can be asked for by
 * VNPU_IOCTL_OOM_QUERY, unless VNPU_MEM_F_TRY says that the caller has another
 * way.
 *
 * With VNPU_MEM_F_SLAB, with which there can only be VNPU_MEM_F_TRY, it is an
 * object of at most VNPU_SLAB_MAX_LENGTH bytes that shares pages with others of
 * this client: the kernel finds a place for it in the client's slab window on
 * the device (see VNPU_IOCTL_SLAB_WINDOW), @va must be 0, and @size must reach
 * to the end of @out_va (EINVAL).  @length is rounded up to a size class, a
 * multiple of VNPU_SLAB_ALIGNMENT.  A lack of memory is told of the whole slab.
 * It is freed by VNPU_IOCTL_VA_UNBIND with a length of 0.
 * The host cannot touch it, it never has an id, and access to it cannot be
 * restricted.  Nothing tells when a copy or fill goes beyond an object within
 * the memory that slabs hold.  The client is charged for a slab, of 1 to 8
 * pages, as for one memory object, for as long as there is an object in it.
 *
 * ENOSPC: not enough free memory, or not in one run or in pages of this class;
 * with VNPU_MEM_F_SLAB also: not enough for another slab, or the slab window is
 * full.  EDQUOT: a quota of the client, of its user or of a cgroup that it was
 * opened in does not allow so much; VNPU_IOCTL_OOM_QUERY tells which.
 * ENOENT: the client has no slab window on the device.
 * ENODEV, EINVAL, EOVERFLOW; with VNPU_MEM_F_BIND also what VNPU_IOCTL_VA_BIND
 * returns.  Nothing is allocated then, nor counted in the peak.
 */
struct vnpu_mem_alloc {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 page_shift;
	__aligned_u64 length;
	__aligned_u64 alignment;
	__aligned_u64 va;
	__u32 out_id;
	__u32 __reserved;
	__aligned_u64 out_length;
	__aligned_u64 out_va;
};

#define VNPU_IOCTL_MEM_ALLOC	_IO(VNPU_IOCTL_TYPE, 0x10)

/**
 * struct vnpu_mem_free - give up the id of a memory object
 * @size: sizeof(struct vnpu_mem_free)
 * @flags: must be zero
 * @id: the object
 * @__reserved: must be zero
 *
 * The memory itself is freed when nothing is bound to it any more.
 *
 * ENOENT: no such id.
 */
struct vnpu_mem_free {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 __reserved;
};

#define VNPU_IOCTL_MEM_FREE	_IO(VNPU_IOCTL_TYPE, 0x11)

/* Values of out_mem_kind: what a memory object is made of. */
#define VNPU_MEM_KIND_DEVICE	0	/* a device's memory */
#define VNPU_MEM_KIND_HOST	1	/* pages of the host */
#define VNPU_MEM_KIND_DMABUF	2	/* see VNPU_IOCTL_MEM_IMPORT_DMABUF */

/**
 * struct vnpu_mem_query - what a memory object is
 * @size: sizeof(struct vnpu_mem_query)
 * @flags: must be zero
 * @id: the object
 * @out_device: index of its device, VNPU_DEVICE_HOST if it has none
 * @out_length: bytes
 * @out_page_shift: page class
 * @out_mem_flags: VNPU_MEM_F_* that it was allocated with
 * @out_bindings: how often it is bound
 * @out_extents: physical runs that it consists of; 0 with VNPU_MEM_KIND_DMABUF
 * @out_mem_kind: VNPU_MEM_KIND_*
 * @out_clients: clients that have ids or bindings of it
 *
 * ENOENT: no such id.
 */
struct vnpu_mem_query {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 out_device;
	__aligned_u64 out_length;
	__u32 out_page_shift;
	__u32 out_mem_flags;
	__u32 out_bindings;
	__u32 out_extents;
	__u32 out_mem_kind;
	__u32 out_clients;
};

#define VNPU_IOCTL_MEM_QUERY	_IO(VNPU_IOCTL_TYPE, 0x12)

/**
 * struct vnpu_mem_open - make an id for memory that is bound
 * @size: sizeof(struct vnpu_mem_open)
 * @flags: must be zero
 * @va: any device address of the binding
 * @out_id: a new id of its memory object
 * @__reserved: must be zero
 *
 * ENOENT: nothing is bound there.  EOPNOTSUPP: slabs are bound there.
 */
struct vnpu_mem_open {
	__u32 size;
	__u32 flags;
	__aligned_u64 va;
	__u32 out_id;
	__u32 __reserved;
};

#define VNPU_IOCTL_MEM_OPEN	_IO(VNPU_IOCTL_TYPE, 0x13)

/**
 * struct vnpu_mem_export - make a file that stands for a memory object
 * @size: sizeof(struct vnpu_mem_export)
 * @flags: must be zero
 * @id: the object
 * @out_fd: a new file descriptor, close-on-exec
 *
 * Who has the file can import the memory.  It keeps the memory alive.
 *
 * ENOENT: no such id.  EOPNOTSUPP: not device memory.
 */
struct vnpu_mem_export {
	__u32 size;
	__u32 flags;
	__u32 id;
	__s32 out_fd;
};

#define VNPU_IOCTL_MEM_EXPORT	_IO(VNPU_IOCTL_TYPE, 0x14)

/**
 * struct vnpu_mem_import - make an id for memory that a file stands for
 * @size: sizeof(struct vnpu_mem_import)
 * @flags: must be zero
 * @fd: made by VNPU_IOCTL_MEM_EXPORT, by whatever client
 * @out_id: a new id of the memory object
 * @out_length: bytes
 * @out_device: index of its device
 * @out_page_shift: page class
 *
 * Memory that several clients have is accounted to the first of them, and when
 * that one gives it up, to the next.
 *
 * EBADF: no open file.  EINVAL: a file of another kind.  EACCES: memory of a
 * device that the client does not have.
 */
struct vnpu_mem_import {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 out_id;
	__aligned_u64 out_length;
	__u32 out_device;
	__u32 out_page_shift;
};

#define VNPU_IOCTL_MEM_IMPORT	_IO(VNPU_IOCTL_TYPE, 0x15)

/* Flags of vnpu_va_bind. */
#define VNPU_VA_BIND_F_NO_ACCESS	(1U << 0)	/* until it is granted */
#define VNPU_VA_BIND_F_NO_HOST_ACCESS	(1U << 1)	/* the same for the host */

/**
 * struct vnpu_va_bind - bind part of a memory object to a device address
 * @size: sizeof(struct vnpu_va_bind)
 * @flags: VNPU_VA_BIND_F_*
 * @mem_id: the memory object
 * @__reserved: must be zero
 * @va: device address, a multiple of VNPU_PAGE_SIZE
 * @length: bytes, a multiple of VNPU_PAGE_SIZE, at least one
 * @offset: into the object, a multiple of VNPU_PAGE_SIZE
 *
 * The range must lie in the window (EFAULT) and be free (EEXIST), outside of
 * slab windows, the part in the object (EINVAL).  The binding keeps the memory alive.
 *
 * Every device, and the host as far as the memory allows it, may read and
 * write there, with VNPU_VA_BIND_F_NO_HOST_ACCESS every device alone, or with
 * VNPU_VA_BIND_F_NO_ACCESS nobody; see VNPU_IOCTL_VA_PROTECT.
 */
struct vnpu_va_bind {
	__u32 size;
	__u32 flags;
	__u32 mem_id;
	__u32 __reserved;
	__aligned_u64 va;
	__aligned_u64 length;
	__aligned_u64 offset;
};

#define VNPU_IOCTL_VA_BIND	_IO(VNPU_IOCTL_TYPE, 0x18)

/* Flags of vnpu_va_unbind. */
#define VNPU_VA_UNBIND_F_FREE	(1U << 0)	/* only what F_BIND bound */

/**
 * struct vnpu_va_unbind - take bindings back
 * @size: sizeof(struct vnpu_va_unbind)
 * @flags: VNPU_VA_UNBIND_F_*
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @out_length: the bytes that were bound
 * @out_bindings: number of bindings taken back
 * @out_page_shift: page class of the memory that was bound at the lowest
 *	address; 0 if that was an object of VNPU_MEM_F_SLAB
 *
 * All bindings in the range go; none may reach out of it (EINVAL), and with
 * VNPU_VA_UNBIND_F_FREE none may have been made by VNPU_IOCTL_VA_BIND (EINVAL).
 * Host mappings of the memory are gone when the call returns.  A copy that is
 * under way ends properly, and the memory is freed after it.
 *
 * Objects of VNPU_MEM_F_SLAB are freed one by one, with a @length of 0; a range
 * may not have any in it (EINVAL).
 *
 * ENOENT: nothing is bound in the range, or no binding begins at @va.
 */
struct vnpu_va_unbind {
	__u32 size;
	__u32 flags;
	__aligned_u64 va;
	__aligned_u64 length;
	__aligned_u64 out_length;
	__u32 out_bindings;
	__u32 out_page_shift;
};

#define VNPU_IOCTL_VA_UNBIND	_IO(VNPU_IOCTL_TYPE, 0x19)

/* Values of vnpu_va_protect.access. */
#define VNPU_ACCESS_NONE	0
#define VNPU_ACCESS_READ	1
#define VNPU_ACCESS_READ_WRITE	3

/**
 * struct vnpu_va_protect - say who may do what at bound addresses
 * @size: sizeof(struct vnpu_va_protect)
 * @flags: must be zero
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @device: index of a device, VNPU_DEVICE_ALL or VNPU_DEVICE_HOST
 * @access: VNPU_ACCESS_*
 *
 * Holds for all bindings in the range, none of which may reach out of it or be
 * of VNPU_MEM_F_SLAB (EINVAL).  The host cannot be granted what the memory does not allow it.
 *
 * A copy or fill is done by the device of its destination, or where that is
 * host memory, of its source, or where that is host memory too, by the host;
 * what it may not do is refused with EACCES and nothing is changed.  The host's
 * own loads and stores get SIGSEGV.
 *
 * ENOENT: nothing is bound in the range.  ENODEV: no device can have this
 * index.
 */
struct vnpu_va_protect {
	__u32 size;
	__u32 flags;
	__aligned_u64 va;
	__aligned_u64 length;
	__u32 device;
	__u32 access;
};

#define VNPU_IOCTL_VA_PROTECT	_IO(VNPU_IOCTL_TYPE, 0x1b)

/* Flags of vnpu_va_query. */
#define VNPU_VA_QUERY_F_NEXT	(1U << 0)	/* or the next one above @va */

/**
 * struct vnpu_va_query - what is bound at a device address
 * @size: sizeof(struct vnpu_va_query)
 * @flags: VNPU_VA_QUERY_F_*
 * @va: any device address
 * @out_va: where the binding begins, or with VNPU_MEM_F_SLAB the object
 * @out_length: its bytes
 * @out_offset: where it begins in its memory object
 * @out_device: index of the memory's device, VNPU_DEVICE_HOST if it has none
 * @out_mem_id: id by which the memory was bound, 0 if by none; it may have
 *	been given up since
 * @out_page_shift: page class of the memory
 * @out_mem_flags: VNPU_MEM_F_* that it was allocated with
 * @out_read_devices: bit N is set if device N may read
 * @out_write_devices: bit N is set if device N may write
 * @out_host_access: VNPU_ACCESS_*, of what the host was granted
 * @out_mem_kind: VNPU_MEM_KIND_*
 *
 * ENOENT: nothing is bound there; with VNPU_VA_QUERY_F_NEXT, nor above.
 */
struct vnpu_va_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 va;
	__aligned_u64 out_va;
	__aligned_u64 out_length;
	__aligned_u64 out_offset;
	__u32 out_device;
	__u32 out_mem_id;
	__u32 out_page_shift;
	__u32 out_mem_flags;
	__aligned_u64 out_read_devices;
	__aligned_u64 out_write_devices;
	__u32 out_host_access;
	__u32 out_mem_kind;
};

#define VNPU_IOCTL_VA_QUERY	_IO(VNPU_IOCTL_TYPE, 0x1a)

/* The unit of a slab window: where it has place for one slab, 32 KiB. */
#define VNPU_SLAB_PLACE		32768

/**
 * struct vnpu_slab_window - say where a client's slabs of a device are to be
 * @size: sizeof(struct vnpu_slab_window)
 * @flags: must be zero
 * @device: index of the device
 * @__reserved: must be zero
 * @va: device address, a multiple of VNPU_PAGE_SIZE
 * @length: bytes, a multiple of VNPU_PAGE_SIZE, at least one
 *
 * From now on VNPU_MEM_F_SLAB can be allocated on this device.  The range is
 * the kernel's until the client ends, and stays a part of the window even where
 * that is not mapped any more.  It has place for as many slabs as there are
 * whole VNPU_SLAB_PLACE in it.  As a slab can be as small as a page, a window
 * of eight times the device's memory is never full.
 *
 * EFAULT: not in the window.  EEXIST: something is bound there, or it is a part
 * of another slab window.  EBUSY: there is one on this device.
 * ENODEV, EOVERFLOW.
 */
struct vnpu_slab_window {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 __reserved;
	__aligned_u64 va;
	__aligned_u64 length;
};

#define VNPU_IOCTL_SLAB_WINDOW	_IO(VNPU_IOCTL_TYPE, 0x1c)

/**
 * struct vnpu_copy - copy memory, and wait for it
 * @size: sizeof(struct vnpu_copy)
 * @flags: must be zero
 * @dst: device or host address
 * @src: device or host address; at least one of them is a device address
 *	(EINVAL)
 * @length: bytes; 0 does nothing
 * @out_done: bytes copied; also written when the call fails with EFAULT, EACCES,
 *	EINTR or EIO
 *
 * An address in the window is a device address.  Any alignment and length is
 * allowed, a range may span bindings and devices.  Device ranges that overlap
 * are copied as by memmove(), which is a matter of their addresses: where one
 * memory object is bound at two, or the host has an address of its own for it,
 * what a copy between the two leaves where they overlap in the object is not
 * defined.
 *
 * EACCES: see VNPU_IOCTL_VA_PROTECT; nothing was copied, unless the right went
 * while the copy was under way.
 *
 * EFAULT: a part of a device range is not bound, or bound to registered memory
 * that is not mapped any more (then nothing was copied), or
 * host memory could not be accessed: then the first @out_done bytes are
 * copied and no others are changed.  A device copy whose ranges overlap with
 * @dst above @src is done from the end; it does not fail half-way.
 *
 * EIO: device memory has an uncorrected error, which is met before any byte of
 * the piece at hand has moved; or, as on any signal EINTR, see
 * VNPU_IOCTL_MEM_IMPORT_DMABUF.
 */
struct vnpu_copy {
	__u32 size;
	__u32 flags;
	__aligned_u64 dst;
	__aligned_u64 src;
	__aligned_u64 length;
	__aligned_u64 out_done;
};

#define VNPU_IOCTL_COPY		_IO(VNPU_IOCTL_TYPE, 0x20)

/**
 * struct vnpu_fill - fill device memory with a value, and wait for it
 * @size: sizeof(struct vnpu_fill)
 * @flags: must be zero
 * @dst: device address, any alignment
 * @length: bytes, a multiple of @value_size; 0 does nothing
 * @value: the value, in the host's byte order; bits above @value_size must be
 *	zero
 * @value_size: 1, 2, 4 or 8 bytes; 0 for 1
 * @__reserved: must be zero
 * @out_done: bytes filled; also written when the call fails with EFAULT, EACCES,
 *	EINTR or EIO
 *
 * EFAULT: a part of the range is not bound, or bound to registered memory that
 * is not mapped any more; EACCES: see VNPU_IOCTL_VA_PROTECT;
 * nothing was filled, unless that came about while it was under way.  EIO: as
 * VNPU_IOCTL_COPY.
 */
struct vnpu_fill {
	__u32 size;
	__u32 flags;
	__aligned_u64 dst;
	__aligned_u64 length;
	__aligned_u64 value;
	__u32 value_size;
	__u32 __reserved;
	__aligned_u64 out_done;
};

#define VNPU_IOCTL_FILL		_IO(VNPU_IOCTL_TYPE, 0x21)

/* Flags of vnpu_host_alloc. */
#define VNPU_HOST_ALLOC_F_NODE	(1U << 0)	/* of this NUMA node alone */

/**
 * struct vnpu_host_alloc - allocate host memory
 * @size: sizeof(struct vnpu_host_alloc)
 * @flags: VNPU_HOST_ALLOC_F_*
 * @length: bytes, at least 1; rounded up to VNPU_PAGE_SIZE
 * @out_id: id of the memory object
 * @__reserved: must be zero
 * @out_length: @length rounded up: what it costs
 * @node: with VNPU_HOST_ALLOC_F_NODE the NUMA node, one that has memory
 *	(EINVAL); else 0
 *
 * The memory holds zeros.  The host reaches it by mmap(), see VNPU_MMAP_HOST,
 * and devices where it is bound; it has VNPU_MEM_F_HOST_ACCESS.  It cannot be
 * exported.  It stays until it has no id, no binding and no mapping.
 *
 * It is charged to the caller's memory cgroup, and to the user who opened the
 * file, whose limit is the module's parameter host_quota (EDQUOT).  A caller
 * with CAP_SYS_RESOURCE may exceed that.
 *
 * ENOMEM, EOVERFLOW, EINTR.
 */
struct vnpu_host_alloc {
	__u32 size;
	__u32 flags;
	__aligned_u64 length;
	__u32 out_id;
	__u32 __reserved;
	__aligned_u64 out_length;
	__aligned_u64 node;
};

#define VNPU_IOCTL_HOST_ALLOC	_IO(VNPU_IOCTL_TYPE, 0x30)

/* Flags of vnpu_host_register. */
#define VNPU_HOST_REGISTER_F_READ_ONLY	(1U << 0)	/* for devices */

/**
 * struct vnpu_host_register - make a memory object of the caller's own memory
 * @size: sizeof(struct vnpu_host_register)
 * @flags: VNPU_HOST_REGISTER_F_*
 * @addr: host address, a multiple of VNPU_PAGE_SIZE
 * @length: bytes, at least 1; rounded up to VNPU_PAGE_SIZE
 * @out_id: id of the memory object
 * @__reserved: must be zero
 * @out_length: @length rounded up
 *
 * The memory must be mapped for writing, also with
 * VNPU_HOST_REGISTER_F_READ_ONLY, and be anonymous, shared or of huge pages, or
 * memory of VNPU_IOCTL_HOST_ALLOC; not of a file or a device, nor in the window
 * (EFAULT).  Devices reach it where it is bound; with that flag they and all
 * copies may only read it there (EACCES).  The host has its own address for it,
 * and gets SIGSEGV where it is bound.  It cannot be exported.
 *
 * Its pages are pinned until it has no id and no binding.  They count towards
 * RLIMIT_MEMLOCK, together with all that the process has pinned for devices,
 * unless the caller has CAP_IPC_LOCK (EDQUOT).
 *
 * After munmap(), mremap() or a new mapping in its place, of any part of it,
 * uses by device addresses fail with EFAULT, for good; those that are under way
 * end properly.  Pages that the process replaces without that, as by
 * MADV_DONTNEED, are lost to the device, which keeps the old ones.
 *
 * ENOMEM, EOVERFLOW, EINTR.
 */
struct vnpu_host_register {
	__u32 size;
	__u32 flags;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 out_id;
	__u32 __reserved;
	__aligned_u64 out_length;
};

#define VNPU_IOCTL_HOST_REGISTER	_IO(VNPU_IOCTL_TYPE, 0x31)

/* Flags of vnpu_mem_export_dmabuf. */
#define VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY	(1U << 0)

/**
 * struct vnpu_mem_export_dmabuf - make a dma-buf of device memory
 * @size: sizeof(struct vnpu_mem_export_dmabuf)
 * @flags: VNPU_MEM_EXPORT_DMABUF_F_*
 * @id: the object
 * @out_fd: a new file descriptor, close-on-exec, open for reading and writing,
 *	or with VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY for reading
 *
 * Who has the file has the memory: can map all of it or a part, whether or not
 * it has VNPU_MEM_F_HOST_ACCESS and whatever VNPU_IOCTL_VA_PROTECT said of its
 * device addresses, and import it.  It keeps the memory alive.  Each call makes
 * another dma-buf.
 *
 * A mapping must be MAP_SHARED (EINVAL), without PROT_EXEC, and of a file that
 * is open for reading without PROT_WRITE (EACCES).  It is not inherited by
 * fork(), cannot grow, and is not dumped.  It does not keep the memory from
 * being moved for others, a mapping of the kernel does.  The memory is coherent:
 * DMA_BUF_IOCTL_SYNC succeeds and has nothing to do.
 *
 * No device can be attached to it: drivers that ask for that are told
 * EOPNOTSUPP.
 *
 * ENOENT: no such id.  EOPNOTSUPP: not device memory.  ENOMEM.
 */
struct vnpu_mem_export_dmabuf {
	__u32 size;
	__u32 flags;
	__u32 id;
	__s32 out_fd;
};

#define VNPU_IOCTL_MEM_EXPORT_DMABUF	_IO(VNPU_IOCTL_TYPE, 0x32)

/**
 * struct vnpu_mem_import_dmabuf - make a memory object of a dma-buf
 * @size: sizeof(struct vnpu_mem_import_dmabuf)
 * @flags: must be zero
 * @fd: a dma-buf of whatever driver
 * @out_id: a new id of the memory object
 * @out_length: bytes
 * @out_device: index of its device, VNPU_DEVICE_HOST if it has none
 * @out_page_shift: page class
 * @out_mem_kind: VNPU_MEM_KIND_*
 * @out_access: VNPU_ACCESS_READ if @fd is open for reading only, else
 *	VNPU_ACCESS_READ_WRITE: what devices may do at most
 *
 * A dma-buf that VNPU_IOCTL_MEM_EXPORT_DMABUF made is the memory that it was
 * made of, and is accounted as with VNPU_IOCTL_MEM_IMPORT; if it may only be
 * read, it is an object of VNPU_MEM_KIND_DMABUF all the same.
 *
 * One of another driver is mapped by the kernel for as long as it has an id or a
 * binding, and is memory of the host: it is not accounted to a device.  Each
 * import counts against the user's share of host memory, as VNPU_IOCTL_HOST_ALLOC
 * does (EDQUOT), since that mapping keeps the memory where it is.  Each
 * copy or fill waits for what other devices do with it, which EINTR ends, as any
 * signal does; EIO says that its driver failed to make it ready.  A task waits
 * as well, without an engine, until it is cancelled or its time limit passes.
 *
 * An object of VNPU_MEM_KIND_DMABUF cannot be exported, and the host gets
 * SIGSEGV where it is bound: it can map the dma-buf.  /proc/PID/mem does not
 * show one of another driver.
 *
 * EBADF: no open file.  EINVAL: no dma-buf.  EOPNOTSUPP: its driver does not
 * map it for the kernel, or it is no memory, or its length is not a multiple of
 * VNPU_PAGE_SIZE.  EIO: its driver failed to map it.  EACCES: it is memory of a
 * device that the client does not have; as any file of memory, it can be mapped
 * all the same.  EDQUOT.  ENOMEM.  EINTR.
 */
struct vnpu_mem_import_dmabuf {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 out_id;
	__aligned_u64 out_length;
	__u32 out_device;
	__u32 out_page_shift;
	__u32 out_mem_kind;
	__u32 out_access;
};

#define VNPU_IOCTL_MEM_IMPORT_DMABUF	_IO(VNPU_IOCTL_TYPE, 0x33)

#define VNPU_OOM_NAME_LEN	16

/* Whom a quota counts. */
#define VNPU_QUOTA_SCOPE_NONE	0	/* there is no quota */
#define VNPU_QUOTA_SCOPE_CLIENT	1
#define VNPU_QUOTA_SCOPE_UID	2
#define VNPU_QUOTA_SCOPE_CGROUP	3	/* with all below it */
/* No quota, but what is left for a client where none is set. */
#define VNPU_QUOTA_SCOPE_SHARE	4

/**
 * struct vnpu_oom_holder - a client that held device memory
 * @out_client: its id
 * @out_used: bytes that it held
 * @out_pid: its process in the caller's pid namespace, or 0
 * @out_reserved: 0
 * @out_name: name of the process, NUL-terminated; empty if @out_pid is 0
 */
struct vnpu_oom_holder {
	__aligned_u64 out_client;
	__aligned_u64 out_used;
	__u32 out_pid;
	__u32 out_reserved;
	__u8 out_name[VNPU_OOM_NAME_LEN];
};

/**
 * struct vnpu_oom_query - why device memory was not to be had
 * @size: sizeof(struct vnpu_oom_query)
 * @flags: must be zero
 * @holders: address of an array of struct vnpu_oom_holder, which is filled with
 *	the clients that held most, the largest first
 * @count: how many there is room for; 0 if @holders is not to be filled
 * @stride: bytes from one to the next, at least 40 and a multiple of 8; 0 for
 *	sizeof(struct vnpu_oom_holder) (EINVAL)
 * @out_count: how many requests of this client have failed with ENOSPC or
 *	EDQUOT; the other fields describe the last
 * @out_length: bytes that were asked for
 * @out_alignment: as it was asked for
 * @out_total: bytes of device memory
 * @out_free: bytes that were not allocated
 * @out_free_2m: bytes free in whole, aligned 2 MiB pages
 * @out_free_1g: bytes free in whole, aligned 1 GiB pages
 * @out_largest: bytes of the longest free run
 * @out_largest_2m: the same of whole, aligned 2 MiB pages
 * @out_largest_1g: the same of whole, aligned 1 GiB pages
 * @out_device: index of the device
 * @out_page_shift: page class that was asked for
 * @out_mem_flags: VNPU_MEM_F_* that were asked for
 * @out_frag_index: permille of the free memory that were not in the longest run
 * @out_compaction_helps: 1 if moving others would have made room, without those
 *	that are contiguous, else 0; also 0 where that was being found out for
 *	another request at the same time
 * @out_holders: how many holders the driver has kept, which may be more than
 *	@count; 3 at most. Where a quota was the reason, they are of those whom it
 *	counts.
 * @out_quota_scope: VNPU_QUOTA_SCOPE_* of the quota that did not allow it, or
 *	VNPU_QUOTA_SCOPE_NONE if the memory did not suffice
 * @out_reserved: 0
 * @out_quota_id: of the client; of the user in the caller's user namespace; or
 *	of the cgroup
 * @out_quota_limit: bytes that it allowed
 * @out_quota_used: bytes that were charged to it
 *
 * Requests with VNPU_MEM_F_TRY are not counted.  Every field is optional: @size
 * may be 8.  Of the array, elements from @out_holders on are not written.
 *
 * A quota limits what a client, a user or a cgroup may have of a device's
 * memory.  The administrator sets it by netlink, see linux/vnpu_netlink.h.  It
 * counts memory where that is accounted; no quota refuses an import.
 *
 * ENOENT: no request has failed; EFAULT.
 */
struct vnpu_oom_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 holders;
	__u32 count;
	__u32 stride;
	__aligned_u64 out_count;
	__aligned_u64 out_length;
	__aligned_u64 out_alignment;
	__aligned_u64 out_total;
	__aligned_u64 out_free;
	__aligned_u64 out_free_2m;
	__aligned_u64 out_free_1g;
	__aligned_u64 out_largest;
	__aligned_u64 out_largest_2m;
	__aligned_u64 out_largest_1g;
	__u32 out_device;
	__u32 out_page_shift;
	__u32 out_mem_flags;
	__u32 out_frag_index;
	__u32 out_compaction_helps;
	__u32 out_holders;
	__u32 out_quota_scope;
	__u32 out_reserved;
	__aligned_u64 out_quota_id;
	__aligned_u64 out_quota_limit;
	__aligned_u64 out_quota_used;
};

#define VNPU_IOCTL_OOM_QUERY	_IO(VNPU_IOCTL_TYPE, 0x40)

/**
 * DOC: Timelines
 *
 * A timeline is a 64-bit value that only grows, and on which can be waited.
 * A stream is one: its value is the number of the last task that is complete.
 * Others are made by VNPU_IOCTL_TIMELINE_CREATE and advanced by signals, from
 * the host or by tasks.  A counter is made by it too: its value goes either way,
 * and it is waited for by tasks alone.
 *
 * Streams, timelines and counters share their ids, which are never used again
 * by the client.  A timeline that was there and is gone has reached every
 * value: what its stream was to do is done, or will never be.
 */

/* A client has at most this many contexts. */
#define VNPU_MAX_CONTEXTS	4096

/**
 * struct vnpu_context_create - make a context
 * @size: sizeof(struct vnpu_context_create)
 * @flags: must be zero
 * @device: index of the device that its streams run on
 * @out_id: id of the context
 *
 * A context is what streams of one client and device have in common: they stop
 * together, and the first error of any of them is kept.
 *
 * EAGAIN: the client has VNPU_MAX_CONTEXTS.  ENODEV, ENOMEM.
 */
struct vnpu_context_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_id;
};

#define VNPU_IOCTL_CONTEXT_CREATE	_IO(VNPU_IOCTL_TYPE, 0x68)

/**
 * struct vnpu_context_destroy - give up the id of a context
 * @size: sizeof(struct vnpu_context_destroy)
 * @flags: must be zero
 * @id: the context
 * @__reserved: must be zero
 *
 * Streams of the context go on, and still stop together.
 *
 * ENOENT.
 */
struct vnpu_context_destroy {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 __reserved;
};

#define VNPU_IOCTL_CONTEXT_DESTROY	_IO(VNPU_IOCTL_TYPE, 0x69)

/* Flags of vnpu_context_set: what it does. */
#define VNPU_CONTEXT_SET_F_CLEAR_ERROR	(1U << 0)	/* the next is the first */

/**
 * struct vnpu_context_set - change a context
 * @size: sizeof(struct vnpu_context_set)
 * @flags: VNPU_CONTEXT_SET_F_*
 * @id: the context
 * @__reserved: must be zero
 *
 * To clear the error lets no stream go on: VNPU_IOCTL_STREAM_ABORT does, for
 * each.
 *
 * ENOENT.
 */
struct vnpu_context_set {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 __reserved;
};

#define VNPU_IOCTL_CONTEXT_SET		_IO(VNPU_IOCTL_TYPE, 0x6a)

/**
 * struct vnpu_context_query - the streams of a context, and their first error
 * @size: sizeof(struct vnpu_context_query)
 * @flags: must be zero
 * @id: the context
 * @out_device: index of its device
 * @out_streams: how many streams it has
 * @out_errors: how many of their tasks have failed, without those that were
 *	cancelled
 * @out_error: why the first that failed has, as a positive errno; 0 if none has
 *	since the context was made or its error cleared
 * @out_error_op: its operation
 * @out_error_stream: id of its stream, which may have ended
 * @out_error_seq: its number there
 * @out_error_addr: the device address that it failed at, or 0
 *
 * ENOENT.
 */
struct vnpu_context_query {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 out_device;
	__u32 out_streams;
	__u32 out_errors;
	__u32 out_error;
	__u32 out_error_op;
	__aligned_u64 out_error_stream;
	__aligned_u64 out_error_seq;
	__aligned_u64 out_error_addr;
};

#define VNPU_IOCTL_CONTEXT_QUERY	_IO(VNPU_IOCTL_TYPE, 0x6b)

/* Flags of vnpu_stream_create. */
#define VNPU_STREAM_F_STOP	(1U << 0)	/* at the first task that fails */

/*
 * Priorities run from 0, the first to be served, to this minus one. They count among
 * the streams of a client; what clients and users get does not depend on them.
 */
#define VNPU_STREAM_PRIORITIES	8

/* A device has at most this many of each. */
#define VNPU_MAX_STREAMS	1984
#define VNPU_MAX_EVENTS		65536
#define VNPU_MAX_COUNTERS	8192

/**
 * struct vnpu_stream_create - make a stream
 * @size: sizeof(struct vnpu_stream_create)
 * @flags: VNPU_STREAM_F_*
 * @device: index of the device whose engines run it
 * @priority: below VNPU_STREAM_PRIORITIES (EINVAL)
 * @context: id of a context of the same device (EINVAL), with whose streams it
 *	stops; 0 for a stream that stops alone
 * @ring_tasks: how many tasks it holds that are not complete, a power of two from
 *	VNPU_RING_TASKS_MIN to VNPU_RING_TASKS_MAX (EINVAL); 0 for
 *	VNPU_RING_TASKS.  Set to how many it does hold.
 * @task_size: sizeof(struct vnpu_task) (EINVAL), or 0 for that.  Set to the size
 *	of a slot.
 * @out_number: the lowest number that no stream of the device has
 * @out_id: id of the stream and of its timeline
 * @out_mmap_offset: at which mmap() maps it, see VNPU_MMAP_STREAM
 * @out_map_size: the length of that mapping
 *
 * EAGAIN: the device has VNPU_MAX_STREAMS.  EDQUOT: a quota, or the caller's
 * share, see struct vnpu_limits_query.  ENOENT: no such context.  ENODEV, ENOMEM,
 * EINTR.
 */
struct vnpu_stream_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 priority;
	__u32 context;
	__u32 ring_tasks;
	__u32 task_size;
	__u32 out_number;
	__aligned_u64 out_id;
	__aligned_u64 out_mmap_offset;
	__aligned_u64 out_map_size;
};

#define VNPU_IOCTL_STREAM_CREATE	_IO(VNPU_IOCTL_TYPE, 0x50)

/**
 * struct vnpu_stream_destroy - end a stream
 * @size: sizeof(struct vnpu_stream_destroy)
 * @flags: must be zero
 * @id: the stream
 *
 * Tasks that are not complete are cancelled; when the call returns, none is
 * running.  Who waits for it is woken.  The mapping stays, and leads nowhere.
 *
 * ENOENT.
 */
struct vnpu_stream_destroy {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
};

#define VNPU_IOCTL_STREAM_DESTROY	_IO(VNPU_IOCTL_TYPE, 0x51)

/**
 * struct vnpu_stream_doorbell - have the ring of a stream looked at
 * @size: sizeof(struct vnpu_stream_doorbell)
 * @flags: must be zero
 * @id: the stream
 *
 * Harmless when it was not needed.
 *
 * ENOENT: no such stream, or it was never mapped; EIO: it is broken.
 */
struct vnpu_stream_doorbell {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
};

#define VNPU_IOCTL_STREAM_DOORBELL	_IO(VNPU_IOCTL_TYPE, 0x52)

/**
 * struct vnpu_stream_abort - cancel what a stream has yet to do
 * @size: sizeof(struct vnpu_stream_abort)
 * @flags: must be zero
 * @id: the stream
 * @out_completed: the number of the last task that was submitted by then, which
 *	like all before it is complete
 *
 * The task that runs ends early.  Then the stream goes on with what is
 * submitted later, also if it had been stopped.
 *
 * ENOENT, EINTR, EIO (it is broken).
 */
struct vnpu_stream_abort {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 out_completed;
};

#define VNPU_IOCTL_STREAM_ABORT		_IO(VNPU_IOCTL_TYPE, 0x53)

/* Flags of vnpu_stream_set: which fields count. */
#define VNPU_STREAM_SET_F_PRIORITY	(1U << 0)
#define VNPU_STREAM_SET_F_STOP		(1U << 1)
#define VNPU_STREAM_SET_F_TIMEOUT	(1U << 2)

/**
 * struct vnpu_stream_set - change a stream
 * @size: sizeof(struct vnpu_stream_set)
 * @flags: VNPU_STREAM_SET_F_*
 * @id: the stream
 * @priority: below VNPU_STREAM_PRIORITIES (EINVAL)
 * @stop: 1 to stop at the first task that fails, 0 to go on (EINVAL)
 * @timeout_ms: how long a task that works may take, 0 for as long as it takes
 * @__reserved: must be zero
 *
 * It counts from the next task on.
 *
 * ENOENT.
 */
struct vnpu_stream_set {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__u32 priority;
	__u32 stop;
	__u32 timeout_ms;
	__u32 __reserved;
};

#define VNPU_IOCTL_STREAM_SET		_IO(VNPU_IOCTL_TYPE, 0x54)

/**
 * struct vnpu_stream_query - what a stream has done
 * @size: sizeof(struct vnpu_stream_query)
 * @flags: must be zero
 * @id: the stream
 * @out_completed: the number of the last task that is complete
 * @out_busy_ns: how long its tasks have run
 * @out_errors: how many have failed
 * @out_cancelled: how many were cancelled
 * @out_error: why the last that failed has, as a positive errno, or 0
 * @out_error_op: its operation
 * @out_error_seq: its number
 * @out_error_addr: the device address that it failed at, or 0
 * @out_state: VNPU_RING_*
 * @out_device: index of the device
 *
 * It tells what the kernel knows; the stream's mapping, what it was told last.
 *
 * ENOENT.
 */
struct vnpu_stream_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 out_completed;
	__aligned_u64 out_busy_ns;
	__u32 out_errors;
	__u32 out_cancelled;
	__u32 out_error;
	__u32 out_error_op;
	__aligned_u64 out_error_seq;
	__aligned_u64 out_error_addr;
	__u32 out_state;
	__u32 out_device;
};

#define VNPU_IOCTL_STREAM_QUERY		_IO(VNPU_IOCTL_TYPE, 0x55)

/* Flags of vnpu_timeline_create. */
#define VNPU_TIMELINE_F_COUNTER	(1U << 0)	/* its value goes either way */

/**
 * struct vnpu_timeline_create - make a timeline or a counter
 * @size: sizeof(struct vnpu_timeline_create)
 * @flags: VNPU_TIMELINE_F_*
 * @device: index of the device that a counter counts for; 0 for a timeline
 * @out_number: of a counter: the lowest that no counter of the device has
 * @value: what it begins with
 * @out_id: its id
 *
 * EAGAIN: the device has VNPU_MAX_COUNTERS.  EDQUOT: a quota, or the caller's
 * share, see struct vnpu_limits_query.  ENODEV, ENOMEM, EINVAL.
 */
struct vnpu_timeline_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_number;
	__aligned_u64 value;
	__aligned_u64 out_id;
};

#define VNPU_IOCTL_TIMELINE_CREATE	_IO(VNPU_IOCTL_TYPE, 0x58)

/**
 * struct vnpu_timeline_destroy - give the id of a timeline or counter up
 * @size: sizeof(struct vnpu_timeline_destroy)
 * @flags: must be zero
 * @id: not of a stream (EINVAL)
 *
 * When nothing else can signal it, its waiters are woken.
 *
 * ENOENT.
 */
struct vnpu_timeline_destroy {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
};

#define VNPU_IOCTL_TIMELINE_DESTROY	_IO(VNPU_IOCTL_TYPE, 0x59)

/**
 * struct vnpu_point - a value of a timeline
 * @id: the timeline
 * @value: what it is to reach
 */
struct vnpu_point {
	__aligned_u64 id;
	__aligned_u64 value;
};

/* How many points one call waits for at most. */
#define VNPU_WAIT_MAX		4096

/* Flags of vnpu_wait. */
#define VNPU_WAIT_F_ALL		(1U << 0)	/* rather than any of them */

/**
 * struct vnpu_wait - wait for timelines
 * @size: sizeof(struct vnpu_wait)
 * @flags: VNPU_WAIT_F_*
 * @points: address of an array of struct vnpu_point
 * @count: how many, 1 to VNPU_WAIT_MAX (EINVAL)
 * @stride: bytes from one to the next, at least 16 and a multiple of 8; 0 for
 *	sizeof(struct vnpu_point)
 * @timeout_ns: until when, CLOCK_MONOTONIC; U64_MAX for ever, 0 not at all
 * @out_index: the lowest that was found to be reached; 0 with VNPU_WAIT_F_ALL
 * @__reserved: must be zero
 *
 * ETIMEDOUT; EINTR for any signal, and the call is restarted after handlers that
 * ask for it; ENOENT: there has never been such a timeline; EINVAL: one is a
 * counter; EIO: a stream is broken, or a sync_file failed; EFAULT, ENOMEM.
 */
struct vnpu_wait {
	__u32 size;
	__u32 flags;
	__aligned_u64 points;
	__u32 count;
	__u32 stride;
	__aligned_u64 timeout_ns;
	__u32 out_index;
	__u32 __reserved;
};

#define VNPU_IOCTL_WAIT			_IO(VNPU_IOCTL_TYPE, 0x5a)

/**
 * struct vnpu_signal - change a timeline or counter
 * @size: sizeof(struct vnpu_signal)
 * @flags: must be zero
 * @id: not of a stream or sync_file, nor for waiting only (EACCES)
 * @value: see @mode
 * @mode: VNPU_SIGNAL_*: ADVANCE for a timeline, which never goes back; ADD for a
 *	timeline, too, which is to stay below U64_MAX (EOVERFLOW); the others for
 *	a counter (EINVAL)
 * @__reserved: must be zero
 *
 * When this returns, all waiters that the change concerns are woken.  So they are
 * when a task that does this is complete.
 *
 * ENOENT; EINTR.
 */
struct vnpu_signal {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 value;
	__u32 mode;
	__u32 __reserved;
};

#define VNPU_IOCTL_SIGNAL		_IO(VNPU_IOCTL_TYPE, 0x5b)

/**
 * struct vnpu_timeline_query - where a timeline or counter stands
 * @size: sizeof(struct vnpu_timeline_query)
 * @flags: must be zero
 * @id: it, or a stream
 * @out_value: its value; U64_MAX if it is gone
 *
 * ENOENT, EIO.
 */
struct vnpu_timeline_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 out_value;
};

#define VNPU_IOCTL_TIMELINE_QUERY	_IO(VNPU_IOCTL_TYPE, 0x5c)

/* Flags of vnpu_timeline_export, and of what vnpu_timeline_import returns. */
#define VNPU_TIMELINE_EXPORT_F_WAIT_ONLY	(1U << 0)

/**
 * struct vnpu_timeline_export - make a file of a timeline or counter
 * @size: sizeof(struct vnpu_timeline_export)
 * @flags: VNPU_TIMELINE_EXPORT_F_*
 * @id: it, or a stream, which importers can only wait for
 * @value: what a timeline is to have reached for poll() to say POLLIN; must be
 *	zero for a counter, whose file is never ready
 * @out_fd: the file, O_CLOEXEC
 * @__reserved: must be zero
 *
 * Ids that are imported from a file with VNPU_TIMELINE_EXPORT_F_WAIT_ONLY are for
 * waiting: to signal one, or to clear it by a task, is EACCES.  Files that are
 * made of such an id are of this kind, too, whether @flags says so or not.  These
 * ids and files do not keep a timeline: when the last of all others is gone, so is
 * what could advance it, and its waiters are woken.  The flag changes nothing for
 * streams and sync_files, which no id can signal.
 *
 * ENOENT, EINVAL, ENOMEM, EMFILE, ENFILE.
 */
struct vnpu_timeline_export {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 value;
	__s32 out_fd;
	__u32 __reserved;
};

#define VNPU_IOCTL_TIMELINE_EXPORT	_IO(VNPU_IOCTL_TYPE, 0x5d)

/* What vnpu_timeline_import.out_kind tells. */
#define VNPU_TIMELINE_KIND_TIMELINE	0
#define VNPU_TIMELINE_KIND_COUNTER	1
#define VNPU_TIMELINE_KIND_STREAM	2
#define VNPU_TIMELINE_KIND_FENCE	3	/* of VNPU_IOCTL_SYNC_IMPORT */

/**
 * struct vnpu_timeline_import - make an id of such a file
 * @size: sizeof(struct vnpu_timeline_import)
 * @flags: must be zero
 * @fd: the file (EBADF; EINVAL if it is another)
 * @out_kind: VNPU_TIMELINE_KIND_*
 * @out_id: an id of its own, to be given up by VNPU_IOCTL_TIMELINE_DESTROY, also
 *	for a stream
 * @out_flags: VNPU_TIMELINE_EXPORT_F_* of the file
 * @out_reserved: zero
 *
 * EACCES: a counter of a device that the client does not have.  Timelines are of
 * no device, and a stream of any can be waited for.  ENOMEM.
 */
struct vnpu_timeline_import {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 out_kind;
	__aligned_u64 out_id;
	__u32 out_flags;
	__u32 out_reserved;
};

#define VNPU_IOCTL_TIMELINE_IMPORT	_IO(VNPU_IOCTL_TYPE, 0x5e)

/**
 * struct vnpu_event_take - take the number of an event, of which a device has
 *	VNPU_MAX_EVENTS
 * @size: sizeof(struct vnpu_event_take)
 * @flags: must be zero
 * @device: index of the device
 * @out_number: the lowest that is free
 * @out_available: how many more the caller can take after that
 * @__reserved: must be zero
 *
 * The driver knows events only by number: to record one is to remember the
 * number of a task, to wait for it is to wait for that task.
 *
 * EAGAIN: none is free.  EDQUOT: a quota, or the caller's share, see struct
 * vnpu_limits_query.  ENODEV, ENOMEM.
 */
struct vnpu_event_take {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_number;
	__u32 out_available;
	__u32 __reserved;
};

#define VNPU_IOCTL_EVENT_TAKE		_IO(VNPU_IOCTL_TYPE, 0x60)

/**
 * struct vnpu_event_give - give the number of an event back
 * @size: sizeof(struct vnpu_event_give)
 * @flags: must be zero
 * @device: index of the device
 * @number: a number that this client has taken there (ENOENT)
 *
 * ENODEV.
 */
struct vnpu_event_give {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 number;
};

#define VNPU_IOCTL_EVENT_GIVE		_IO(VNPU_IOCTL_TYPE, 0x61)

/* What a device has a limited number of: vnpu_limits_query.kind. */
#define VNPU_LIMIT_STREAMS	0
#define VNPU_LIMIT_EVENTS	1
#define VNPU_LIMIT_COUNTERS	2

/**
 * struct vnpu_limits_query - how many more of each the caller can take
 * @size: sizeof(struct vnpu_limits_query)
 * @flags: must be zero
 * @device: index of the device
 * @out_streams: streams that can be made
 * @out_events: event numbers that can be taken
 * @out_counters: counters that can be made
 * @kind: VNPU_LIMIT_*: which of them is explained by what follows (EINVAL)
 * @out_scope: what allows no more: VNPU_QUOTA_SCOPE_* of a quota,
 *	VNPU_QUOTA_SCOPE_SHARE, or VNPU_QUOTA_SCOPE_NONE where the caller can take
 *	all that the device has left
 * @out_id: where it is a quota: of the client; of the user in the caller's user
 *	namespace; or of the cgroup
 * @out_limit: how many the quota allows, the caller can have by its share, or the
 *	device has
 * @out_used: how many are charged to the quota, the caller has, or are taken
 *
 * The administrator may limit them for a client, a user or a cgroup by quotas,
 * see linux/vnpu_netlink.h.  Where no quota of the client or its user is set, a
 * caller without CAP_SYS_RESOURCE in the initial user namespace has a share: it
 * can take another one while what the client has, and what all clients of its
 * user have, are together less than what the device has left.  So a client
 * alone gets a third, a user nearly half, and some are left for other users.
 * A client in a user namespace counts to the owner of the outermost one; if
 * that is root, to the user that is root inside.
 *
 * Other clients take and give back at any time: the answer promises nothing.
 *
 * ENODEV, ENOMEM.
 */
struct vnpu_limits_query {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_streams;
	__u32 out_events;
	__u32 out_counters;
	__u32 kind;
	__u32 out_scope;
	__aligned_u64 out_id;
	__aligned_u64 out_limit;
	__aligned_u64 out_used;
};

#define VNPU_IOCTL_LIMITS_QUERY		_IO(VNPU_IOCTL_TYPE, 0x62)

/**
 * struct vnpu_sync_export - make a sync_file of a task, for other drivers
 * @size: sizeof(struct vnpu_sync_export)
 * @flags: must be zero
 * @id: a stream that this client made; or any timeline that has reached @value
 * @value: the number of the task, which has to be submitted (EINVAL)
 * @out_fd: the sync_file, O_CLOEXEC
 * @__reserved: must be zero
 *
 * The sync_file is signalled when the task is complete.  Its error is that of
 * the last task up to this one that failed since it was made: an errno as in
 * linux/vnpu_task.h, ECANCELED also when the stream is destroyed or its client
 * ends, EIO when it breaks.  If the task itself had failed by then, it is that of
 * the stream's last task that failed, as long as all between the two did.  It is
 * ETIMEDOUT if the task takes longer than the module's parameter
 * fence_timeout_ms, from the call; the task goes on.
 *
 * The task and all before it are taken in: what is written to their slots of
 * the ring from now on has no effect.  They have to be bounded: EBUSY if one
 * that is not complete may wait for ever.  These are WAIT for a value that a
 * timeline has not reached, or that another client's stream has not, or for an
 * id that there has never been; VALUE_WAIT and COUNTER_WAIT; and those whose
 * addresses are bound to a dma-buf of another driver at the time of the call
 * (if they are later, or only those are that the task finds in memory, it fails
 * with EBUSY).  A time limit of a task makes no difference.  WAIT for a task of
 * another stream of this client is bounded if that task is, which is then taken
 * in likewise; for tasks that wait for each other, or that are not submitted, it
 * is not.  WAIT for a sync_file is bounded.  What was taken in stays so if the
 * call fails.
 *
 * ENOENT, EIO (the stream is broken, or the timeline has failed), EINTR,
 * ENOMEM, EMFILE, ENFILE; EINVAL also for a counter.
 */
struct vnpu_sync_export {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 value;
	__s32 out_fd;
	__u32 __reserved;
};

#define VNPU_IOCTL_SYNC_EXPORT		_IO(VNPU_IOCTL_TYPE, 0x5f)

/**
 * struct vnpu_sync_import - make a timeline of a sync_file
 * @size: sizeof(struct vnpu_sync_import)
 * @flags: must be zero
 * @fd: the sync_file, of any driver (EBADF; EINVAL if it is another file)
 * @__reserved: must be zero
 * @out_id: a timeline at 0, to be given up by VNPU_IOCTL_TIMELINE_DESTROY
 *
 * It gets to 1 when the sync_file is signalled.  If that has an error, who waits
 * for the timeline gets EIO, and so do tasks.
 *
 * ENOMEM.
 */
struct vnpu_sync_import {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 __reserved;
	__aligned_u64 out_id;
};

#define VNPU_IOCTL_SYNC_IMPORT		_IO(VNPU_IOCTL_TYPE, 0x63)

/* Flags of vnpu_key_create. */
#define VNPU_KEY_F_ANY_PROCESS	(1U << 0)	/* any process may open it */
#define VNPU_KEY_F_SHORT	(1U << 1)	/* out_key[1] is 0 */

/**
 * struct vnpu_key_create - let other processes open a file by a key
 * @size: sizeof(struct vnpu_key_create)
 * @flags: VNPU_KEY_F_*
 * @fd: a file that stands for memory or a timeline (VNPU_IOCTL_MEM_EXPORT,
 *	VNPU_IOCTL_TIMELINE_EXPORT), or a file of memfd_create() in small pages.
 *	EBADF; EINVAL if it is another file.
 * @kind: a number of the caller's choice, which VNPU_IOCTL_KEY_OPEN has to pass, too
 * @data: two numbers of the caller's choice, which VNPU_IOCTL_KEY_OPEN returns
 * @out_key: the key: 128 random bits, or 64 with VNPU_KEY_F_SHORT
 *
 * By a key a process passes memory, a timeline or a page to a process that it has
 * no socket to, for instance as text.  Without VNPU_KEY_F_ANY_PROCESS only the
 * process that opened the client and those that VNPU_IOCTL_KEY_ALLOW names can open
 * it.  The driver keeps the file open until VNPU_IOCTL_KEY_DESTROY, or until the
 * client ends; a process that has opened the key keeps what it has.
 *
 * EAGAIN: the client has 8192 keys; EDQUOT: a key counts as an object of its user;
 * ENOMEM.
 */
struct vnpu_key_create {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 kind;
	__aligned_u64 data[2];
	__aligned_u64 out_key[2];
};

#define VNPU_IOCTL_KEY_CREATE		_IO(VNPU_IOCTL_TYPE, 0x70)

/**
 * struct vnpu_key_destroy - have a key open nothing any more
 * @size: sizeof(struct vnpu_key_destroy)
 * @flags: must be zero
 * @key: a key that this client created (ENOENT)
 */
struct vnpu_key_destroy {
	__u32 size;
	__u32 flags;
	__aligned_u64 key[2];
};

#define VNPU_IOCTL_KEY_DESTROY		_IO(VNPU_IOCTL_TYPE, 0x71)

/* The most processes that one call allows. */
#define VNPU_KEY_ALLOW_MAX	4096

/**
 * struct vnpu_key_allow - let processes open a key
 * @size: sizeof(struct vnpu_key_allow)
 * @flags: must be zero
 * @key: a key that this client created (ENOENT)
 * @pids: address of an array of process ids, each __s32 and positive (EINVAL), in
 *	the pid namespace of the process that created the key
 * @count: the number of ids, 1 to VNPU_KEY_ALLOW_MAX (EINVAL)
 * @stride: bytes from one id to the next, a multiple of 4 (EINVAL); 0 for 4
 *
 * The processes are allowed in addition to those of earlier calls.  The id is compared
 * when a process opens the key: it need not be in use yet, and a process that gets
 * the id later is allowed.  If the call fails, some of them may be allowed.
 *
 * EDQUOT: a key has 4096 ids at most, and each counts as an object of the user;
 * EFAULT, ENOMEM.
 */
struct vnpu_key_allow {
	__u32 size;
	__u32 flags;
	__aligned_u64 key[2];
	__aligned_u64 pids;
	__u32 count;
	__u32 stride;
};

#define VNPU_IOCTL_KEY_ALLOW		_IO(VNPU_IOCTL_TYPE, 0x72)

/**
 * struct vnpu_key_open - open the file of a key
 * @size: sizeof(struct vnpu_key_open)
 * @flags: must be zero
 * @key: the key, of any client
 * @kind: the kind with which it was created
 * @out_fd: a new descriptor of the file, O_CLOEXEC
 * @out_data: the numbers with which it was created
 *
 * ENOENT: no key of this kind is known; EACCES: the calling process is not allowed to
 * open it, or a security module refuses the file.  EMFILE, ENOMEM.
 */
struct vnpu_key_open {
	__u32 size;
	__u32 flags;
	__aligned_u64 key[2];
	__u32 kind;
	__s32 out_fd;
	__aligned_u64 out_data[2];
};

#define VNPU_IOCTL_KEY_OPEN		_IO(VNPU_IOCTL_TYPE, 0x73)

#endif /* _UAPI_LINUX_VNPU_H */
