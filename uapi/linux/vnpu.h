/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * vnpu - a software NPU: the interface of /dev/vnpu and /dev/vnpuN.
 *
 * This header is the ioctl and mmap ABI, with linux/vnpu_graph.h for graphs of
 * tasks.  linux/vnpu_task.h describes the ring that a stream shares with user
 * space, and linux/vnpu_netlink.h how to monitor and administer devices.
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
 * 1. Each ioctl takes a pointer to a struct that begins with @size and @flags.
 *    The caller sets @size to the size of the struct that it was compiled with.
 *    The kernel accepts a longer struct than it knows if the unknown tail is
 *    zero.  It accepts a shorter one if all fields up to the last mandatory one
 *    are present, and takes the missing fields as zero.  Structs only grow, at
 *    the end.
 * 2. Numbers are made with _IO(), so that a number does not change when its
 *    struct grows.  The ABI departs from ioctl.rst in this, as iommufd does.
 * 3. A field that is missing is zero, so zero never requests anything new.  It
 *    means the default, none, or index 0, as the field's description says, and is
 *    invalid where a value is required.  Undefined bits of @flags and fields named
 *    __reserved must be zero; the kernel checks this.
 * 4. The kernel writes fields named out_* and never reads them.  They are valid
 *    only if the call succeeds, unless its description says otherwise.
 * 5. Only fixed-width types are used.  Every struct has the same layout in 32
 *    and 64 bits, and no hole.
 * 6. An open file is called a client.  Ids are non-zero and belong to one
 *    client.
 * 7. A client belongs to the address space that opened the file.  After fork()
 *    the child holds the file but may not use it (EPERM).  The driver frees
 *    everything that the client has when the owner's address space ends or the
 *    file is closed for the last time, whichever comes first.
 */

/**
 * DOC: Errors
 *
 * The description of a call gives a reason for an errno only where it adds to
 * this table.  An errno in parentheses after a requirement is returned if the
 * requirement is not met.
 *
 * ==========  ==============================================================
 * ENOTTY      The ioctl number is unknown.
 * EINVAL      @size is smaller than the mandatory part, a value is invalid, or
 *             a file or object is not of the kind that the call takes.
 * E2BIG       Unknown fields at the end of the struct are not zero, or @size
 *             is larger than a page.
 * EOPNOTSUPP  The driver does not support the request: an unknown bit of @flags
 *             is set, a reserved field is not zero, the topic is unknown,
 *             objects of this kind do not support the operation, or the kernel
 *             lacks what it needs (see VNPU_FEATURE_*).
 * EFAULT      The struct, or a host address in it, cannot be read or written,
 *             or a device address in it is outside the window; for a copy, a
 *             fill or a task also: a part of the range is not bound.
 * ENOENT      The id does not exist, or the subject of the call does not: there
 *             is no binding at the address that VNPU_IOCTL_VA_* or
 *             VNPU_IOCTL_MEM_OPEN names, no slab window, no ring, or no failed
 *             request.
 * EEXIST      The address range is already in use.
 * ENOSPC      There is not enough device memory.
 * EDQUOT      The call would exceed a quota, a limit of the module for each
 *             user, a resource limit, or the caller's share of a limited
 *             resource.
 * ENOMEM      There is not enough host memory.
 * EAGAIN      The device or the client already has the maximum number of
 *             objects of this kind.
 * EOVERFLOW   An address, a length or the value of a timeline overflows.
 * EBADF       The file descriptor is not open.
 * EBUSY       The state forbids the call: the client has a window, or a slab
 *             window on the device, a graph runs, or a task may wait for ever.
 * EINTR       A signal ended the call: a fatal one, unless the description of
 *             the call says otherwise.
 * ETIMEDOUT   The time limit passed.
 * ENODEV      The device does not exist, has been removed, or was not given to
 *             this client.
 * EIO         The device, or something that the call needs, has failed: its
 *             memory, a ring that its user broke, or a fence or buffer of
 *             another driver.
 * EPERM       The caller is not in the address space that opened the file, or
 *             lacks a privilege.
 * EACCES      The required access was not granted, or the memory or counter
 *             belongs to a device that was not given to this client, or a key
 *             does not admit the calling process.
 * EMFILE      The process has too many open files.
 * ENFILE      The system has too many open files.
 * ENXIO       The module is being unloaded; open() only.  Or the client has no
 *             window; VNPU_IOCTL_ENGINE_ATTACH only.
 * ==========  ==============================================================
 *
 * The errors of tasks are in linux/vnpu_task.h.
 */

/**
 * DOC: Nodes
 *
 * A client of /dev/vnpu has all devices, including those added later.  A client
 * of /dev/vnpuN has device N alone.  VNPU_IOCTL_ATTACH adds the devices of
 * another node; the caller passes an open file of that node as proof that it
 * may open it.  A client keeps the devices that it was given until it ends.
 *
 * Every call that takes a device index fails with ENODEV if the client does not
 * have that device.  Indexes are those of the machine: they are the same for
 * every client, in sysfs and in netlink.  The indexes of a client therefore
 * need not begin at 0 or be consecutive; VNPU_TOPIC_DEVICES of VNPU_IOCTL_QUERY
 * lists them.  If a device is removed and another gets its index, a client that
 * was given the first does not have the second.
 *
 * open() of /dev/vnpuN fails with ENODEV if there is no such device, and with
 * ENXIO if the module is being unloaded.
 */

/**
 * DOC: Limits
 *
 * Three kinds of limits apply to a client: quotas (linux/vnpu_netlink.h), its
 * share of limited resources (struct vnpu_limits_query), and the following
 * module parameters, each of which limits a user.  A caller with
 * CAP_SYS_RESOURCE in the initial user namespace may exceed the parameters, but
 * no quota.  A quota of the user replaces the parameter, and a quota of the
 * client applies in addition.
 *
 * =================  =======================================================
 * user_bindings      Bindings of device addresses.
 * user_objects       Ids of memory objects, timelines and counters, both own
 *                    and imported; graphs and their streams; and keys, and the
 *                    process ids they admit.
 * user_sync_files    Fences that are not yet signalled and released.
 * host_quota         Bytes of host memory.
 * user_threads       Clients that import memory of other drivers.
 * =================  =======================================================
 *
 * The defaults are far above the needs of ordinary programs.  A call that would
 * exceed a limit fails with EDQUOT.
 *
 * A client is charged to the user that opened it.  In a user namespace it is
 * charged instead to the user responsible for the outermost namespace.  That is
 * the namespace's owner or, if the owner is root of the initial namespace, the
 * user that is root inside.
 */

/**
 * DOC: Device addresses
 *
 * A process reserves device addresses by mapping a range of /dev/vnpu, its
 * window (see VNPU_MMAP_WINDOW).  A device address is an address in this
 * window.  It is the same number on the host and on every device: all devices
 * share one address space.  User space chooses the addresses; the kernel binds
 * memory to them and translates them.  If the host accesses a device address,
 * it gets SIGSEGV, unless memory made with VNPU_MEM_F_HOST_ACCESS is bound
 * there.
 */

#define VNPU_IOCTL_TYPE		0xBB

/* Version of this ABI.  Every addition increments it. */
#define VNPU_ABI_VERSION	3

/*
 * The oldest ABI version that this driver still supports.
 *
 * A program that was compiled for version N and needs nothing newer than
 * version M works with a driver if its out_abi_oldest is at most N and its
 * out_abi_version is at least M.
 */
#define VNPU_ABI_OLDEST		2

/* The unit of device memory and of device addresses, 4 KiB. */
#define VNPU_PAGE_SHIFT		12
#define VNPU_PAGE_SIZE		(1ULL << VNPU_PAGE_SHIFT)

/* The page classes of device memory. */
#define VNPU_PAGE_SHIFT_4K	12
#define VNPU_PAGE_SHIFT_2M	21
#define VNPU_PAGE_SHIFT_1G	30

/* Device indexes run from 0 to VNPU_MAX_DEVICES - 1. */
#define VNPU_MAX_DEVICES	64

#define VNPU_DEVICE_NAME_LEN	32
#define VNPU_DEVICE_UUID_LEN	16
#define VNPU_DEVICE_BUS_ID_LEN	16
#define VNPU_DEVICE_SOC_LEN	32

/**
 * DOC: mmap
 *
 * A mapping of any kind must be MAP_SHARED and without PROT_EXEC (EACCES).  It
 * is not inherited by fork(), cannot grow, and is not part of core dumps.
 *
 * Offset VNPU_MMAP_WINDOW maps the window of device addresses.  Address and
 * length must be multiples of VNPU_PAGE_SIZE.  A client has at most one window
 * (EBUSY).  With PROT_NONE the mapping costs nothing but address space.  To
 * access memory that allows host access, map or mprotect() the window
 * accordingly.  mremap() moves the view of the host; device addresses stay the
 * same.  After the client has unmapped all of its window, it can map the same
 * addresses again, or another window if nothing is bound and there is no slab
 * window.
 *
 * Offset VNPU_MMAP_HOST, plus the id of a memory object times VNPU_PAGE_SIZE,
 * maps host memory that VNPU_IOCTL_HOST_ALLOC made, from its beginning, in
 * whole or in part (EINVAL if longer; ENOENT if there is no such memory).
 * System calls can read, write and pin these pages like any ordinary memory.
 * If MADV_DOFORK makes a child inherit the mapping, the child gets SIGSEGV when
 * it accesses the pages.  The mapping keeps the memory alive.
 *
 * Offsets from VNPU_MMAP_STREAM on map the rings of streams, see
 * linux/vnpu_task.h.  vnpu_stream_create.out_mmap_offset is the offset of a
 * stream until the stream is destroyed; another stream may get it afterwards.
 * The length must be exactly @out_map_size (EINVAL; ENOENT if there is no such
 * stream).  A child that inherits the mapping by MADV_DOFORK cannot access it
 * either.  The first mapping allocates the ring, which is charged to the
 * caller's memory cgroup.
 *
 * mmap2() of a 32-bit program can express the offsets of all streams and of the
 * first 2^31 objects of host memory.
 */
#define VNPU_MMAP_WINDOW	0ULL
#define VNPU_MMAP_STREAM	0x40000000000ULL
#define VNPU_MMAP_HOST		0x80000000000ULL

/*
 * Features: bits of vnpu_info.out_features.  A bit says that this driver, on
 * this kernel and machine, has an ability that drivers of the same ABI version
 * may lack elsewhere.
 */
#define VNPU_FEATURE_HOST_MAP_2M (1ULL << 0)	/* 2 MiB host mappings */
#define VNPU_FEATURE_SYNC_FILE	(1ULL << 1)	/* export and import of sync_files */

/* Words of vnpu_info.out_task_ops: operations are numbers below 256. */
#define VNPU_TASK_OP_WORDS	4

/**
 * struct vnpu_info - describe the driver
 * @size: sizeof(struct vnpu_info)
 * @flags: must be zero
 * @out_abi_version: VNPU_ABI_VERSION of the running driver
 * @out_abi_oldest: VNPU_ABI_OLDEST of the running driver
 * @out_device_count: number of devices that the client has now
 * @out_node_device: index of the device, if its node was opened;
 *	VNPU_DEVICE_ALL for /dev/vnpu
 * @out_page_shifts: bit N is set if the page class of 2^N bytes is available
 * @out_client_id: id of this client in netlink dumps and events; not reused
 *	while the module is loaded
 * @out_features: VNPU_FEATURE_*, abilities that the version does not imply
 * @out_task_ops: task operations that the engines run: operation N of
 *	linux/vnpu_task.h is bit N % 64 of word N / 64
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
 * struct vnpu_device_query - describe a device and the use of its memory
 * @size: sizeof(struct vnpu_device_query)
 * @flags: must be zero
 * @device: index of the device
 * @out_health: VNPU_HEALTH_*
 * @out_total: bytes of device memory
 * @out_free: bytes that are neither allocated nor promised to an allocation in
 *	progress; no other count of free memory exceeds it
 * @out_largest_free: bytes of the longest free run
 * @out_free_2m: bytes free in whole, aligned 2 MiB pages
 * @out_free_1g: bytes free in whole, aligned 1 GiB pages
 * @out_client_used: bytes charged to the calling client
 * @out_client_peak: highest value of @out_client_used so far
 * @out_client_objects: number of memory objects charged to the calling client
 * @out_name: product name, NUL-terminated
 * @out_uuid: always the same for the same index of the same machine
 * @out_bus_id: an address in PCI notation, NUL-terminated; its domain is not
 *	that of a real bus
 * @out_lost_epoch: number of times since the module was loaded that clients may
 *	have lost something on a device of this index
 * @out_soc: name of the chip that the device emulates, such as "Ascend910B1",
 *	NUL-terminated
 * @out_ai_cores: number of its AI cores: of cube cores, or of cores that have
 *	both a cube and a vector unit
 * @out_vector_cores: number of its vector cores
 *
 * @out_lost_epoch increases
 *
 * - at each reset, which fails the tasks that engines work on (ECONNRESET) and
 *   affects nothing else,
 * - at each use of memory that has an uncorrected error (EIO), and
 * - when the device is removed, together with the contents of its memory.
 *
 * The increase is visible before a call or task reports any of these.  While
 * the value stays the same, the client has lost nothing except by its own
 * doing, and the device of this index is still the same device.  Suspend loses
 * nothing.
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
	__u8 out_soc[VNPU_DEVICE_SOC_LEN];
	__u32 out_ai_cores;
	__u32 out_vector_cores;
};

#define VNPU_IOCTL_DEVICE_QUERY	_IO(VNPU_IOCTL_TYPE, 0x01)

/* In place of a device index, where the description of a call allows it. */
#define VNPU_DEVICE_HOST	0xffffffffU
#define VNPU_DEVICE_ALL		0xfffffffeU	/* all devices, not the host */

/**
 * struct vnpu_attach - add the devices of another node to the client
 * @size: sizeof(struct vnpu_attach)
 * @flags: must be zero
 * @fd: an open file of /dev/vnpu or /dev/vnpuN; any process may have opened it
 * @out_device: index of the device of this node, or VNPU_DEVICE_ALL for
 *	/dev/vnpu
 *
 * The caller may close @fd afterwards.  The call adds the devices of the node
 * itself, not those that the client of @fd has attached.  It is not an error if
 * the caller has them already.
 *
 * EBADF.  EINVAL: @fd is a file of another kind.  ENODEV: the device of the
 * node has been removed.
 */
struct vnpu_attach {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 out_device;
};

#define VNPU_IOCTL_ATTACH	_IO(VNPU_IOCTL_TYPE, 0x02)

/*
 * Topics of VNPU_IOCTL_QUERY, each with the @device that it takes.  0 is not a
 * topic.
 */
#define VNPU_TOPIC_DEVICES	1	/* VNPU_DEVICE_ALL */
#define VNPU_TOPIC_ENGINES	2	/* index of a device */

/**
 * struct vnpu_query - list the records of a topic
 * @size: sizeof(struct vnpu_query)
 * @flags: must be zero
 * @device: index of a device or VNPU_DEVICE_ALL, whichever the topic takes
 *	(EINVAL)
 * @topic: VNPU_TOPIC_* (EOPNOTSUPP if the driver does not know it)
 * @buffer: address of a buffer for the records
 * @length: bytes of the buffer; 0 to ask how many are needed
 * @out_length: bytes of all records; larger than @length if the buffer was too
 *	short
 * @out_count: number of records, including those that did not fit
 * @out_stride: bytes from one record to the next: the size of the record in
 *	this version of the driver
 *
 * The call writes as many whole records as fit.  Records grow at the end as
 * structs do: a program advances by @out_stride, uses the fields of its own
 * record that lie within @out_stride bytes, and takes the others as zero.
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
 * struct vnpu_device_record - a device of the client (VNPU_TOPIC_DEVICES)
 * @index: index of the device; records are sorted by it
 * @health: VNPU_HEALTH_*
 * @serial: identifies the device; not reused while the module is loaded, even
 *	if another device gets the same index
 */
struct vnpu_device_record {
	__u32 index;
	__u32 health;
	__aligned_u64 serial;
};

/* Classes of engines. */
#define VNPU_ENGINE_CLASS_COPY		0
#define VNPU_ENGINE_CLASS_VECTOR	1
#define VNPU_ENGINE_CLASS_AICORE	2	/* see linux/vnpu_engine.h */

/**
 * struct vnpu_engine_record - the engines of one class (VNPU_TOPIC_ENGINES)
 * @engine_class: VNPU_ENGINE_CLASS_*
 * @count: number of engines; 0 until the first stream of the device is created.
 *	Number of engine files that have not ended for VNPU_ENGINE_CLASS_AICORE.
 * @busy_ns: total time for which these engines have run tasks, in ns; time for
 *	which at least one of them had a launch for VNPU_ENGINE_CLASS_AICORE
 */
struct vnpu_engine_record {
	__u32 engine_class;
	__u32 count;
	__aligned_u64 busy_ns;
};

/* Flags of vnpu_mem_alloc.  Queries return all of them but VNPU_MEM_F_TRY. */
#define VNPU_MEM_F_CONTIGUOUS	(1U << 0)	/* one physical run */
#define VNPU_MEM_F_HOST_ACCESS	(1U << 1)	/* the host may access it */
#define VNPU_MEM_F_BIND		(1U << 2)	/* bind it and return no id */
#define VNPU_MEM_F_NO_COMPACT	(1U << 3)	/* do not move other memory */
#define VNPU_MEM_F_SLAB		(1U << 4)	/* an object below a page */
#define VNPU_MEM_F_TRY		(1U << 8)	/* do not report a failure */

/* Limits of VNPU_MEM_F_SLAB: maximum length, alignment of the addresses. */
#define VNPU_SLAB_MAX_LENGTH	3584
#define VNPU_SLAB_ALIGNMENT	64

/**
 * struct vnpu_mem_alloc - allocate device memory
 * @size: sizeof(struct vnpu_mem_alloc)
 * @flags: VNPU_MEM_F_*
 * @device: index of the device
 * @page_shift: page class, VNPU_PAGE_SHIFT_*, or 0 for 4 KiB; the memory
 *	consists only of whole, aligned pages of this class
 * @length: bytes, at least 1; rounded up to the page class and to a multiple of
 *	@alignment
 * @alignment: with VNPU_MEM_F_CONTIGUOUS, alignment of the run in device
 *	memory, a power of two up to 1 GiB, or 0 for that of the page class;
 *	else 0
 * @va: with VNPU_MEM_F_BIND, the device address to bind the memory at, a
 *	multiple of VNPU_PAGE_SIZE inside the window; else 0
 * @out_id: id of the memory object; 0 with VNPU_MEM_F_BIND and VNPU_MEM_F_SLAB
 * @__reserved: must be zero
 * @out_length: @length rounded up: the bytes charged
 * @out_va: device address of the memory; 0 if it is not bound
 * @out_report: number of the driver's report if the call fails and the driver
 *	reports it; else 0
 *
 * The memory holds zeros or data that this client left in memory it freed, and
 * never the data of another client.
 *
 * With VNPU_MEM_F_BIND, the memory has no id.  VNPU_IOCTL_VA_UNBIND frees it,
 * unless VNPU_IOCTL_MEM_OPEN has made an id that exists, or something else keeps
 * the memory alive (see VNPU_IOCTL_MEM_FREE).
 *
 * If there is enough free memory, but not in one run or in pages of this class,
 * the driver moves other memory to make room, unless VNPU_MEM_F_NO_COMPACT is
 * set.  It moves neither memory that a copy is using nor contiguous memory for
 * which there is no other free run.
 *
 * The driver reports each failure for lack of memory or quota to the listeners
 * of the netlink family, and to the caller by VNPU_IOCTL_OOM_QUERY.  The call
 * then writes @out_report: VNPU_IOCTL_OOM_QUERY returns this report as long as
 * its @out_count is that number.  VNPU_MEM_F_TRY suppresses the report, for
 * callers that can do without the memory.
 *
 * VNPU_MEM_F_SLAB allocates an object of at most VNPU_SLAB_MAX_LENGTH bytes
 * that shares pages with other objects of this client:
 *
 * - The kernel chooses its address in the client's slab window on the device
 *   (see VNPU_IOCTL_SLAB_WINDOW).  @va must be 0, @page_shift 0 or 12, and
 *   @size must include @out_va (EINVAL).  The only other flag allowed is
 *   VNPU_MEM_F_TRY.
 * - @length is rounded up to a size class, a multiple of VNPU_SLAB_ALIGNMENT.
 * - VNPU_IOCTL_VA_UNBIND with a length of 0 frees it.
 * - It has no id, the host cannot access it, and access to it cannot be
 *   restricted.  A copy or fill that runs past its end is not detected as long
 *   as it stays within memory that slabs occupy.
 * - The client is charged for the slab, which has 1 to 8 pages, as for one
 *   memory object, until its last object is freed.
 * - If no new slab can be allocated, the report describes the slab, not the
 *   object.
 *
 * If the call fails, nothing is allocated or counted in the peak.
 *
 * ENOSPC: there is not enough free memory, or not in one run or in pages of
 * this class; with VNPU_MEM_F_SLAB also: there is no memory for another slab,
 * or the slab window is full.  EDQUOT: a quota of the client, of its user or of
 * a cgroup that it was opened in would be exceeded; VNPU_IOCTL_OOM_QUERY
 * returns which.  ENOENT: the client has no slab window on the device.  ENODEV,
 * EINVAL, EOVERFLOW.  With VNPU_MEM_F_BIND also the errors of
 * VNPU_IOCTL_VA_BIND.
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
	__aligned_u64 out_report;
};

#define VNPU_IOCTL_MEM_ALLOC	_IO(VNPU_IOCTL_TYPE, 0x10)

/**
 * struct vnpu_mem_free - give up the id of a memory object
 * @size: sizeof(struct vnpu_mem_free)
 * @flags: must be zero
 * @id: id of the object
 * @__reserved: must be zero
 *
 * Bindings, other ids, exported files and mappings of host memory keep the
 * memory itself alive.  The driver frees it when the last of these is gone.
 *
 * ENOENT.
 */
struct vnpu_mem_free {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 __reserved;
};

#define VNPU_IOCTL_MEM_FREE	_IO(VNPU_IOCTL_TYPE, 0x11)

/* Values of out_mem_kind: the kind of memory that an object consists of. */
#define VNPU_MEM_KIND_DEVICE	0	/* memory of a device */
#define VNPU_MEM_KIND_HOST	1	/* pages of the host */
#define VNPU_MEM_KIND_DMABUF	2	/* see VNPU_IOCTL_MEM_IMPORT_DMABUF */

/**
 * struct vnpu_mem_query - describe a memory object
 * @size: sizeof(struct vnpu_mem_query)
 * @flags: must be zero
 * @id: id of the object
 * @out_device: index of its device, VNPU_DEVICE_HOST if it has none
 * @out_length: bytes
 * @out_page_shift: page class
 * @out_mem_flags: VNPU_MEM_F_* that it was allocated with
 * @out_bindings: number of bindings
 * @out_extents: number of physical runs; 0 for VNPU_MEM_KIND_DMABUF
 * @out_mem_kind: VNPU_MEM_KIND_*
 * @out_clients: number of clients that have ids or bindings of it
 *
 * ENOENT.
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
 * @out_id: a new id of the memory object that is bound there
 * @__reserved: must be zero
 *
 * ENOENT: nothing is bound at @va.  EOPNOTSUPP: @va is an address of slabs.
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
 * @id: id of the object
 * @out_fd: a new file descriptor, close-on-exec
 *
 * Any client that receives the file can import the memory.  The file keeps the
 * memory alive.
 *
 * ENOENT.  EOPNOTSUPP: the object is not device memory.
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
 * @fd: a file that any client made by VNPU_IOCTL_MEM_EXPORT
 * @out_id: a new id of the memory object
 * @out_length: bytes
 * @out_device: index of its device
 * @out_page_shift: page class
 *
 * Memory that several clients have is charged to the first of them and, when
 * that client gives it up, to the next.
 *
 * EBADF.  EINVAL: @fd is a file of another kind.  EACCES: the memory belongs to
 * a device that the client does not have.
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

/* Flags of vnpu_va_bind.  VNPU_IOCTL_VA_PROTECT can grant access later. */
#define VNPU_VA_BIND_F_NO_ACCESS	(1U << 0)	/* no access */
#define VNPU_VA_BIND_F_NO_HOST_ACCESS	(1U << 1)	/* only for devices */

/**
 * struct vnpu_va_bind - bind part of a memory object to a device address
 * @size: sizeof(struct vnpu_va_bind)
 * @flags: VNPU_VA_BIND_F_*
 * @mem_id: id of the memory object
 * @__reserved: must be zero
 * @va: device address, a multiple of VNPU_PAGE_SIZE
 * @length: bytes, a multiple of VNPU_PAGE_SIZE, at least one
 * @offset: first byte in the object, a multiple of VNPU_PAGE_SIZE
 *
 * The address range must lie in the window (EFAULT), have no bindings and be
 * outside of slab windows (EEXIST).  The part must lie in the object (EINVAL).
 * The binding keeps the memory alive.
 *
 * By default all devices, and the host if the memory allows it, may read and
 * write there.  VNPU_VA_BIND_F_NO_HOST_ACCESS grants access to the devices
 * alone, VNPU_VA_BIND_F_NO_ACCESS to neither.  VNPU_IOCTL_VA_PROTECT changes it
 * later.
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
#define VNPU_VA_UNBIND_F_FREE	(1U << 0)	/* only VNPU_MEM_F_BIND */

/**
 * struct vnpu_va_unbind - remove bindings
 * @size: sizeof(struct vnpu_va_unbind)
 * @flags: VNPU_VA_UNBIND_F_*
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @out_length: number of bytes that were bound
 * @out_bindings: number of bindings removed
 * @out_page_shift: page class of the memory that was bound at the lowest
 *	address; 0 for an object of VNPU_MEM_F_SLAB
 *
 * The call removes all bindings in the range.  None of them may extend beyond
 * the range (EINVAL).  With VNPU_VA_UNBIND_F_FREE all of them must have been
 * made by VNPU_MEM_F_BIND, not by VNPU_IOCTL_VA_BIND (EINVAL).  When the call
 * returns, the memory is no longer mapped to the host.  A copy in progress
 * completes normally and keeps the memory until then.
 *
 * Objects of VNPU_MEM_F_SLAB are freed one at a time, with a @length of 0.  A
 * range must not contain any (EINVAL).
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
 * struct vnpu_va_protect - set the access rights of bindings
 * @size: sizeof(struct vnpu_va_protect)
 * @flags: must be zero
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @device: index of a device, VNPU_DEVICE_ALL or VNPU_DEVICE_HOST
 * @access: VNPU_ACCESS_*
 *
 * The call changes all bindings in the range.  None of them may extend beyond
 * the range or be of VNPU_MEM_F_SLAB (EINVAL).  Rights granted to the host have
 * no effect if the memory does not allow host access.
 *
 * The rights of a copy or fill are those of the destination's device; those of
 * the source's device if the destination is host memory; and those of the host
 * if both are.  A copy or fill that lacks a right at its start fails with
 * EACCES and changes nothing.  Loads and stores of the host that lack a right
 * get SIGSEGV.
 *
 * ENOENT: nothing is bound in the range, or no binding begins at @va.  ENODEV:
 * the client was never given a device of this index.
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
 * struct vnpu_va_query - describe the binding at a device address
 * @size: sizeof(struct vnpu_va_query)
 * @flags: VNPU_VA_QUERY_F_*
 * @va: any device address
 * @out_va: first address of the binding or, with VNPU_MEM_F_SLAB, of the object
 * @out_length: bytes of the binding or object
 * @out_offset: offset in the memory object at which the binding begins
 * @out_device: index of the memory's device, VNPU_DEVICE_HOST if it has none
 * @out_mem_id: id that the memory was bound by, which may have been given up
 *	since; 0 if it was bound without an id
 * @out_page_shift: page class of the memory
 * @out_mem_flags: VNPU_MEM_F_* that the memory was allocated with
 * @out_read_devices: bit N is set if device N may read
 * @out_write_devices: bit N is set if device N may write
 * @out_host_access: VNPU_ACCESS_* that was granted to the host
 * @out_mem_kind: VNPU_MEM_KIND_*
 *
 * ENOENT: nothing is bound at @va; with VNPU_VA_QUERY_F_NEXT: nor above it.
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

/* The space that a slab window reserves for each slab, 32 KiB. */
#define VNPU_SLAB_PLACE		32768

/**
 * struct vnpu_slab_window - set the addresses of a client's slabs on a device
 * @size: sizeof(struct vnpu_slab_window)
 * @flags: must be zero
 * @device: index of the device
 * @__reserved: must be zero
 * @va: device address, a multiple of VNPU_PAGE_SIZE
 * @length: bytes, a multiple of VNPU_PAGE_SIZE, at least one
 *
 * The client can allocate VNPU_MEM_F_SLAB objects on this device from now on.
 * The kernel owns the range until the client ends, even after the client unmaps
 * that part of its window.  The range has room for one slab per whole
 * VNPU_SLAB_PLACE.  A slab can be as small as one page; a slab window of eight
 * times the device's memory therefore never becomes full.
 *
 * EFAULT: the range is not in the window.  EEXIST: something is bound in the
 * range, or it overlaps another slab window.  EBUSY: the client already has a
 * slab window on this device.  ENODEV, EOVERFLOW.
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
 * struct vnpu_copy - copy memory and wait for completion
 * @size: sizeof(struct vnpu_copy)
 * @flags: must be zero
 * @dst: device or host address
 * @src: device or host address; at least one of the two must be a device
 *	address (EINVAL)
 * @length: bytes; 0 does nothing
 * @out_done: bytes copied; also written if the call fails with EFAULT, EACCES,
 *	EINTR or EIO
 *
 * Addresses in the window are device addresses, all others are host addresses.
 * They may have any alignment, and a range may span bindings and devices.
 * Device ranges that overlap by address are copied as by memmove().  The result
 * is undefined where the ranges overlap in a memory object but not by address:
 * if the object is bound twice, or if the host has another address for it.
 *
 * The driver checks all device ranges before it copies anything.  It copies
 * nothing if part of a range is not bound (EFAULT), is bound to registered
 * memory that is no longer mapped (EFAULT), or may not be accessed (EACCES, see
 * VNPU_IOCTL_VA_PROTECT), unless this changes during the copy.
 *
 * If host memory cannot be accessed (EFAULT), the first @out_done bytes have
 * been copied and no other byte has changed.
 *
 * If device ranges overlap and @dst is above @src, the driver copies from the
 * end, and @out_done counts from there.
 *
 * EIO: device memory has an uncorrected error.  The driver detects it before it
 * moves any byte of the affected piece.  For a dma-buf of another driver also
 * EIO, and EINTR for any signal: see VNPU_IOCTL_MEM_IMPORT_DMABUF.
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
 * struct vnpu_fill - fill device memory with a value and wait for completion
 * @size: sizeof(struct vnpu_fill)
 * @flags: must be zero
 * @dst: device address, of any alignment
 * @length: bytes, a multiple of @value_size; 0 does nothing
 * @value: the value, in the host's byte order; bits above @value_size must be
 *	zero
 * @value_size: 1, 2, 4 or 8 bytes; 0 for 1
 * @__reserved: must be zero
 * @out_done: bytes filled; also written if the call fails with EFAULT, EACCES,
 *	EINTR or EIO
 *
 * The driver checks the range before it fills anything, and reports the same
 * errors, as for VNPU_IOCTL_COPY.
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
#define VNPU_HOST_ALLOC_F_NODE	(1U << 0)	/* only from NUMA node @node */

/**
 * struct vnpu_host_alloc - allocate host memory
 * @size: sizeof(struct vnpu_host_alloc)
 * @flags: VNPU_HOST_ALLOC_F_*
 * @length: bytes, at least 1; rounded up to VNPU_PAGE_SIZE
 * @out_id: id of the memory object
 * @__reserved: must be zero
 * @out_length: @length rounded up: the bytes charged
 * @node: with VNPU_HOST_ALLOC_F_NODE, a NUMA node that has memory (EINVAL);
 *	else 0
 *
 * The memory holds zeros.  The host accesses it by mmap(), see VNPU_MMAP_HOST.
 * Devices access it where it is bound; it has VNPU_MEM_F_HOST_ACCESS.  It
 * cannot be exported.  Ids, bindings and mappings keep it alive.
 *
 * It is charged to the caller's memory cgroup and to the user that opened the
 * file.  The module parameter host_quota limits the bytes of a user (EDQUOT).
 * A caller with CAP_SYS_RESOURCE in the initial user namespace may exceed it.
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
 * The memory must be anonymous, shared, of huge pages or made by
 * VNPU_IOCTL_HOST_ALLOC.  Memory of a file or device is refused, and so are
 * addresses in the window (EFAULT).  The memory must be mapped for writing,
 * even with VNPU_HOST_REGISTER_F_READ_ONLY.
 *
 * Devices access it where it is bound.  With VNPU_HOST_REGISTER_F_READ_ONLY,
 * devices and all copies may only read it there (EACCES).  The host uses its
 * own address; it gets SIGSEGV at the device address.  The object cannot be
 * exported.
 *
 * The pages stay pinned as long as the object has an id or a binding.  They
 * count towards RLIMIT_MEMLOCK, with everything else that the process has
 * pinned for devices, unless the caller has CAP_IPC_LOCK (EDQUOT).
 *
 * If the process unmaps, remaps or replaces the mapping of any part of the
 * memory, later uses of its device addresses fail with EFAULT, permanently;
 * uses in progress complete normally.  If the process replaces pages without
 * that, as MADV_DONTNEED does, the device keeps the old pages.
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
 * @id: id of the object
 * @out_fd: a new file descriptor, close-on-exec, open for reading and writing
 *	or, with VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY, for reading
 *
 * Any process that has the file can import the memory and can map all or part
 * of it.  This depends neither on VNPU_MEM_F_HOST_ACCESS nor on the rights that
 * VNPU_IOCTL_VA_PROTECT set for its device addresses.  The file keeps the
 * memory alive.  Each call makes another dma-buf.
 *
 * A mapping must be MAP_SHARED (EINVAL) and without PROT_EXEC (EACCES).  If the
 * file is open for reading only, it must be without PROT_WRITE (EACCES).  It is
 * not inherited by fork(), cannot grow, and is not part of core dumps.  The
 * driver can still move the memory while user space maps it, but not while the
 * kernel does (vmap).  The memory is coherent: DMA_BUF_IOCTL_SYNC succeeds and
 * does nothing.
 *
 * Devices cannot attach to the dma-buf: a driver that tries gets EOPNOTSUPP.
 *
 * ENOENT.  EOPNOTSUPP: the object is not device memory.  ENOMEM.
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
 * @fd: a dma-buf of any driver
 * @out_id: a new id of the memory object
 * @out_length: bytes
 * @out_device: index of its device, VNPU_DEVICE_HOST if it has none
 * @out_page_shift: page class
 * @out_mem_kind: VNPU_MEM_KIND_*
 * @out_access: the most that devices may do: VNPU_ACCESS_READ if @fd is open
 *	for reading only, else VNPU_ACCESS_READ_WRITE
 *
 * A dma-buf of VNPU_IOCTL_MEM_EXPORT_DMABUF gives the memory that it was made
 * of, charged as by VNPU_IOCTL_MEM_IMPORT.  If it is read-only, the object is
 * of VNPU_MEM_KIND_DMABUF nevertheless.
 *
 * A dma-buf of another driver gives an object of VNPU_MEM_KIND_DMABUF.  The
 * kernel maps it, and so keeps it in place, as long as the object has an id or
 * a binding.  It is host memory and is not charged to a device.  Instead, each
 * import counts towards host_quota, as VNPU_IOCTL_HOST_ALLOC does (EDQUOT).
 * Each copy or fill waits for other devices' work on it.  Any signal ends that
 * wait (EINTR).  EIO says that its driver failed to prepare it for access.  A
 * task waits as well, without occupying an engine, until it is cancelled or its
 * time limit passes.
 *
 * An object of VNPU_MEM_KIND_DMABUF cannot be exported.  The host gets SIGSEGV
 * where it is bound; it can map the dma-buf instead.  /proc/PID/mem does not
 * show the contents of a dma-buf of another driver.
 *
 * EBADF.  EINVAL: @fd is not a dma-buf.  EOPNOTSUPP: its driver cannot map it
 * for the kernel, it is not memory, or its length is not a multiple of
 * VNPU_PAGE_SIZE.  EIO: its driver failed to map it.  EACCES: it is memory of a
 * device that the client does not have; mmap() of @fd works nevertheless.
 * EDQUOT, ENOMEM, EINTR.
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

/* Scope of a quota: what it limits. */
#define VNPU_QUOTA_SCOPE_NONE	0	/* no quota applies */
#define VNPU_QUOTA_SCOPE_CLIENT	1
#define VNPU_QUOTA_SCOPE_UID	2
#define VNPU_QUOTA_SCOPE_CGROUP	3	/* and all its descendants */
/* Not a quota: the share of a client for which no quota is set. */
#define VNPU_QUOTA_SCOPE_SHARE	4

/**
 * struct vnpu_oom_holder - a client that held device memory
 * @out_client: id of the client
 * @out_used: bytes charged to it
 * @out_pid: its process in the caller's pid namespace; 0 if the caller may not
 *	see the process
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
 * struct vnpu_oom_query - explain why an allocation of device memory failed
 * @size: sizeof(struct vnpu_oom_query)
 * @flags: must be zero
 * @holders: address of an array of struct vnpu_oom_holder, which receives the
 *	clients that held most, the largest first
 * @count: number of elements that the array has room for; may be 0
 * @stride: bytes from one element to the next, at least 40 and a multiple of 8
 *	(EINVAL); 0 for sizeof(struct vnpu_oom_holder)
 * @out_count: number of requests of this client that have failed with ENOSPC or
 *	EDQUOT, which is the number of the last one's report; the other fields
 *	describe that one
 * @out_length: requested bytes
 * @out_alignment: requested alignment
 * @out_total: bytes of device memory
 * @out_free: bytes that were not allocated
 * @out_free_2m: bytes free in whole, aligned 2 MiB pages
 * @out_free_1g: bytes free in whole, aligned 1 GiB pages
 * @out_largest: bytes of the longest free run
 * @out_largest_2m: the same for whole, aligned 2 MiB pages
 * @out_largest_1g: the same for whole, aligned 1 GiB pages
 * @out_device: index of the device
 * @out_page_shift: requested page class
 * @out_mem_flags: VNPU_MEM_F_* of the request
 * @out_frag_index: fragmentation: permille of the free memory outside of the
 *	longest free run
 * @out_compaction_helps: 1 if moving other memory, except contiguous objects,
 *	would have made room; else 0.  Also 0 if the driver was computing this
 *	for another request at the same time.
 * @out_holders: number of holders that the driver recorded, at most 3; may be
 *	larger than @count.  If a quota was the reason, only clients that the
 *	quota counts are recorded.
 * @out_quota_scope: VNPU_QUOTA_SCOPE_* of the quota that refused the request,
 *	or VNPU_QUOTA_SCOPE_NONE if there was not enough memory
 * @out_reserved: 0
 * @out_quota_id: id of the client, of the user in the caller's user namespace,
 *	or of the cgroup
 * @out_quota_limit: bytes that the quota allowed
 * @out_quota_used: bytes that were charged to the quota
 *
 * Requests with VNPU_MEM_F_TRY are neither counted nor described.  Every field
 * is optional: @size may be 8.  The call does not write elements of the array
 * from @out_holders on.
 *
 * A quota limits how much of a device's memory a client, a user or a cgroup may
 * have.  The administrator sets it by netlink, see linux/vnpu_netlink.h.
 * Memory counts towards the quotas of the client that it is charged to.  No
 * quota refuses an import.
 *
 * ENOENT: no request has failed.  EFAULT.
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
 * A timeline is a 64-bit value that only grows and that threads and tasks can
 * wait for.  Every stream is a timeline; its value is the number of its last
 * complete task.  VNPU_IOCTL_TIMELINE_CREATE makes other timelines; the host
 * and tasks advance their values by signals.  It also makes counters: the
 * value of a counter can grow and shrink, and only tasks can wait for it.
 *
 * Streams, timelines and counters share one space of ids.  These ids are never
 * reused within a client.  A timeline that existed and is gone counts as having
 * reached every value: the work of its stream is done, or never will be.
 */

/* Maximum number of contexts of a client. */
#define VNPU_MAX_CONTEXTS	4096

/**
 * DOC: Shares of the engines
 *
 * The engines of a class share their time equally among users.  The clients of
 * a user share the user's time by the nice values of the threads that opened
 * them.  The contexts of a client share the client's time by weight: if two
 * contexts keep all engines busy, the one with twice the weight gets twice the
 * time.  The client's streams without a context share like the streams of one
 * context of VNPU_CONTEXT_WEIGHT.  Users, clients and contexts share the time
 * that another one of their kind does not use.
 *
 * The rules above do not apply to contexts with VNPU_CONTEXT_F_URGENT.  Engines
 * serve urgent contexts before all others, of every client and user, as soon as
 * they have completed the current chunk of a task.  Urgent contexts of all
 * clients share their time by weight, and the time is charged to no client and
 * no user.  While other streams wait, these get one part in 17 of the time of
 * all engines of the class, after at most 100 ms of engine time in which they
 * may get none, and share it by the rules above.
 *
 * CAP_SYS_NICE in the initial user namespace is required to make an urgent
 * context and to change its weight.  Using the context requires no capability:
 * the client keeps the context, and can make streams in it, after the process
 * drops the capability.
 */

/* Weights of contexts. */
#define VNPU_CONTEXT_WEIGHT_MIN	1
#define VNPU_CONTEXT_WEIGHT	100	/* the default */
#define VNPU_CONTEXT_WEIGHT_MAX	10000

/* Flags of vnpu_context_create. */
#define VNPU_CONTEXT_F_URGENT	(1U << 0)	/* served before all others */

/**
 * struct vnpu_context_create - make a context
 * @size: sizeof(struct vnpu_context_create)
 * @flags: VNPU_CONTEXT_F_*
 * @device: index of the device that its streams run on
 * @out_id: id of the context
 * @weight: weight of the context among the contexts of the client, or among
 *	urgent contexts, from VNPU_CONTEXT_WEIGHT_MIN to VNPU_CONTEXT_WEIGHT_MAX
 *	(EINVAL); 0 for VNPU_CONTEXT_WEIGHT
 * @__reserved: must be zero
 *
 * A context groups streams of one client on one device.  The streams share the
 * time of their context and stop together, and the context records the first
 * error of any of them.
 *
 * EPERM: VNPU_CONTEXT_F_URGENT without CAP_SYS_NICE in the initial user
 * namespace.
 * EAGAIN: the client has VNPU_MAX_CONTEXTS.  ENODEV, ENOMEM.
 */
struct vnpu_context_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_id;
	__u32 weight;
	__u32 __reserved;
};

#define VNPU_IOCTL_CONTEXT_CREATE	_IO(VNPU_IOCTL_TYPE, 0x68)

/**
 * struct vnpu_context_destroy - give up the id of a context
 * @size: sizeof(struct vnpu_context_destroy)
 * @flags: must be zero
 * @id: id of the context
 * @__reserved: must be zero
 *
 * Streams of the context continue, and still stop together.
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

/* Flags of vnpu_context_set: the actions to take. */
#define VNPU_CONTEXT_SET_F_CLEAR_ERROR	(1U << 0)
#define VNPU_CONTEXT_SET_F_WEIGHT	(1U << 1)

/**
 * struct vnpu_context_set - change a context
 * @size: sizeof(struct vnpu_context_set)
 * @flags: VNPU_CONTEXT_SET_F_*
 * @id: id of the context
 * @weight: new weight, as in struct vnpu_context_create, with
 *	VNPU_CONTEXT_SET_F_WEIGHT; must be zero without (EINVAL)
 *
 * The weight applies to the time that engines charge from now on, and to time
 * that the context has taken in advance of others.  Clearing the error does not
 * restart stopped streams.  VNPU_IOCTL_STREAM_ABORT does so for each stream.  A
 * call that fails changes nothing.
 *
 * EPERM: VNPU_CONTEXT_SET_F_WEIGHT for an urgent context, without CAP_SYS_NICE
 * in the initial user namespace.  ENOENT.
 */
struct vnpu_context_set {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 weight;
};

#define VNPU_IOCTL_CONTEXT_SET		_IO(VNPU_IOCTL_TYPE, 0x6a)

/**
 * struct vnpu_context_query - read the state and first error of a context
 * @size: sizeof(struct vnpu_context_query)
 * @flags: must be zero
 * @id: id of the context
 * @out_device: index of its device
 * @out_streams: number of its streams
 * @out_errors: number of failed tasks of its streams, without cancelled ones
 * @out_error: positive errno of the first failed task since the context was
 *	made or its error was cleared; 0 if there is none
 * @out_error_op: operation of that task
 * @out_error_stream: id of its stream, which may have ended
 * @out_error_seq: number of the task in the stream
 * @out_error_addr: device address that it failed at, or 0
 * @out_weight: weight of the context
 * @out_context_flags: VNPU_CONTEXT_F_* of the context
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
	__u32 out_weight;
	__u32 out_context_flags;
};

#define VNPU_IOCTL_CONTEXT_QUERY	_IO(VNPU_IOCTL_TYPE, 0x6b)

/* Flags of vnpu_stream_create. */
#define VNPU_STREAM_F_STOP	(1U << 0)	/* stop at the first failure */

/*
 * Priorities run from 0, which is served first, to VNPU_STREAM_PRIORITIES - 1.
 * They order the streams of one context, or the client's streams without a
 * context.  They do not affect how engines are shared between contexts, clients
 * and users.
 */
#define VNPU_STREAM_PRIORITIES	8

/* Maximum number of each on a device. */
#define VNPU_MAX_STREAMS	1984
#define VNPU_MAX_EVENTS		65536
#define VNPU_MAX_COUNTERS	8192

/**
 * struct vnpu_stream_create - make a stream
 * @size: sizeof(struct vnpu_stream_create)
 * @flags: VNPU_STREAM_F_*
 * @device: index of the device that runs it
 * @priority: below VNPU_STREAM_PRIORITIES (EINVAL)
 * @context: id of a context of the same device (EINVAL); it stops with, and
 *	shares time with, the streams of this context; 0 for a stream without a
 *	context, which stops alone
 * @ring_tasks: maximum number of incomplete tasks, a power of two from
 *	VNPU_RING_TASKS_MIN to VNPU_RING_TASKS_MAX (EINVAL); 0 for
 *	VNPU_RING_TASKS.  The kernel sets it to the actual number.
 * @task_size: sizeof(struct vnpu_task) (EINVAL); 0 for the same.  The kernel
 *	sets it to the size of a slot.
 * @out_number: number of the stream on its device, the lowest one that was free
 * @out_id: id of the stream and of its timeline
 * @out_mmap_offset: offset at which mmap() maps its ring, see VNPU_MMAP_STREAM
 * @out_map_size: length of that mapping
 *
 * EAGAIN: the device has VNPU_MAX_STREAMS.  EDQUOT: a quota or the caller's
 * share would be exceeded, see struct vnpu_limits_query.  ENOENT: no such
 * context.  ENODEV, ENOMEM, EINTR.
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
 * @id: id of the stream
 *
 * The driver cancels all incomplete tasks; none is running when the call
 * returns.  If a core runs a launch of the stream, the call waits until the
 * core has stopped it or was killed, about VNPU_ENGINE_STOP_MS at most.  Only a
 * fatal signal ends this wait early.  Waiters for the stream are woken.  A
 * mapping of the ring remains, but the kernel no longer reads it.
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
 * struct vnpu_stream_doorbell - make an engine look at the ring of a stream
 * @size: sizeof(struct vnpu_stream_doorbell)
 * @flags: must be zero
 * @id: id of the stream
 *
 * A call that is not needed does no harm.
 *
 * ENOENT: no such stream, or its ring was never mapped.  EIO: the stream is
 * broken.
 */
struct vnpu_stream_doorbell {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
};

#define VNPU_IOCTL_STREAM_DOORBELL	_IO(VNPU_IOCTL_TYPE, 0x52)

/**
 * struct vnpu_stream_abort - cancel the incomplete tasks of a stream
 * @size: sizeof(struct vnpu_stream_abort)
 * @flags: must be zero
 * @id: id of the stream
 * @out_completed: number of the last task submitted before the call; it and all
 *	tasks before it are complete
 *
 * The running task ends early.  The stream then continues with tasks that are
 * submitted later, even if it was stopped before.
 *
 * ENOENT, EINTR.  EIO: the stream is broken.
 */
struct vnpu_stream_abort {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 out_completed;
};

#define VNPU_IOCTL_STREAM_ABORT		_IO(VNPU_IOCTL_TYPE, 0x53)

/* Flags of vnpu_stream_set: the fields to apply. */
#define VNPU_STREAM_SET_F_PRIORITY	(1U << 0)
#define VNPU_STREAM_SET_F_STOP		(1U << 1)
#define VNPU_STREAM_SET_F_TIMEOUT	(1U << 2)

/**
 * struct vnpu_stream_set - change the settings of a stream
 * @size: sizeof(struct vnpu_stream_set)
 * @flags: VNPU_STREAM_SET_F_*
 * @id: id of the stream
 * @priority: below VNPU_STREAM_PRIORITIES (EINVAL)
 * @stop: 1 to stop at the first task that fails, 0 to continue (EINVAL)
 * @timeout_ms: default time limit of tasks that do work rather than wait, 0 for
 *	none
 * @__reserved: must be zero
 *
 * The change applies from the next task on.
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
 * struct vnpu_stream_query - read the progress and last error of a stream
 * @size: sizeof(struct vnpu_stream_query)
 * @flags: must be zero
 * @id: id of the stream
 * @out_completed: number of the last complete task
 * @out_busy_ns: total time for which engines have run its tasks, in ns
 * @out_errors: number of failed tasks
 * @out_cancelled: number of cancelled tasks
 * @out_error: positive errno of the last failed task, or 0
 * @out_error_op: operation of that task
 * @out_error_seq: number of that task
 * @out_error_addr: device address that it failed at, or 0
 * @out_state: VNPU_RING_*
 * @out_device: index of the device
 *
 * The values come from the kernel's own records.  The copies in the stream's
 * mapping may lag behind them.
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
#define VNPU_TIMELINE_F_COUNTER	(1U << 0)	/* make a counter */

/**
 * struct vnpu_timeline_create - make a timeline or a counter
 * @size: sizeof(struct vnpu_timeline_create)
 * @flags: VNPU_TIMELINE_F_*
 * @device: for a counter, index of the device that it belongs to; 0 for a
 *	timeline
 * @out_number: for a counter, its number on the device, the lowest one that was
 *	free
 * @value: initial value
 * @out_id: id of the timeline or counter
 *
 * EAGAIN: the device has VNPU_MAX_COUNTERS.  EDQUOT: a quota or the caller's
 * share would be exceeded, see struct vnpu_limits_query.  ENODEV, ENOMEM,
 * EINVAL.
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
 * struct vnpu_timeline_destroy - give up the id of a timeline or counter
 * @size: sizeof(struct vnpu_timeline_destroy)
 * @flags: must be zero
 * @id: id of a timeline or counter, or an imported id of a stream; not the id
 *	that VNPU_IOCTL_STREAM_CREATE returned (EINVAL)
 *
 * When no id or file remains that could signal it, its waiters are woken.
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
 * @id: id of the timeline
 * @value: value that the timeline must reach
 */
struct vnpu_point {
	__aligned_u64 id;
	__aligned_u64 value;
};

/* Maximum number of points in one call. */
#define VNPU_WAIT_MAX		4096

/* Flags of vnpu_wait. */
#define VNPU_WAIT_F_ALL		(1U << 0)	/* wait for all points */

/**
 * struct vnpu_wait - wait until timelines reach values
 * @size: sizeof(struct vnpu_wait)
 * @flags: VNPU_WAIT_F_*
 * @points: address of an array of struct vnpu_point
 * @count: number of points, 1 to VNPU_WAIT_MAX (EINVAL)
 * @stride: bytes from one point to the next, at least 16 and a multiple of 8
 *	(EINVAL); 0 for sizeof(struct vnpu_point)
 * @timeout_ns: absolute time limit, CLOCK_MONOTONIC; U64_MAX to wait forever, 0
 *	not to wait
 * @out_index: lowest index of a point that was found reached; 0 with
 *	VNPU_WAIT_F_ALL
 * @__reserved: must be zero
 *
 * Any signal ends the wait (EINTR).  The call is restarted if the handler asks
 * for it (SA_RESTART).
 *
 * ETIMEDOUT.  ENOENT: a timeline has never existed.  EINVAL: an id is that of a
 * counter.  EIO: a stream is broken, or a sync_file failed.  EFAULT, ENOMEM.
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
 * struct vnpu_signal - change the value of a timeline or counter
 * @size: sizeof(struct vnpu_signal)
 * @flags: must be zero
 * @id: id of a timeline or counter; not of a stream or sync_file, and not a
 *	wait-only id (EACCES)
 * @value: operand of @mode
 * @mode: VNPU_SIGNAL_*.  A timeline takes ADVANCE, which never lowers its
 *	value, and ADD, as long as the result is below U64_MAX (EOVERFLOW).  A
 *	counter takes all but ADVANCE (EINVAL).
 * @__reserved: must be zero
 *
 * When the call returns, all waiters that the change concerns are woken.  The
 * same holds when a VNPU_TASK_SIGNAL is complete.
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
 * struct vnpu_timeline_query - read the value of a timeline, stream or counter
 * @size: sizeof(struct vnpu_timeline_query)
 * @flags: must be zero
 * @id: id of the timeline, stream or counter
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

/* Flags of vnpu_timeline_export, and of vnpu_timeline_import.out_flags. */
#define VNPU_TIMELINE_EXPORT_F_WAIT_ONLY	(1U << 0)

/**
 * struct vnpu_timeline_export - make a file of a timeline, stream or counter
 * @size: sizeof(struct vnpu_timeline_export)
 * @flags: VNPU_TIMELINE_EXPORT_F_*
 * @id: id of the timeline, stream or counter
 * @value: value of a timeline or stream from which on poll() reports POLLIN;
 *	must be zero for a counter; its file never becomes ready
 * @out_fd: the file, O_CLOEXEC
 * @__reserved: must be zero
 *
 * Other clients import the file by VNPU_IOCTL_TIMELINE_IMPORT.  Importers of a
 * stream or sync_file can only wait for it.
 *
 * With VNPU_TIMELINE_EXPORT_F_WAIT_ONLY, ids that are imported from the file
 * are wait-only.  Signalling such an id, or clearing it by a task, fails with
 * EACCES.  A file made of a wait-only id is always wait-only, regardless of
 * @flags.  Wait-only ids and files do not keep a timeline alive: when the last
 * other id or file is gone, nothing can advance the timeline, and its waiters
 * are woken.  The flag has no effect on streams and sync_files, which no id can
 * signal.
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

/* Values of vnpu_timeline_import.out_kind. */
#define VNPU_TIMELINE_KIND_TIMELINE	0
#define VNPU_TIMELINE_KIND_COUNTER	1
#define VNPU_TIMELINE_KIND_STREAM	2
#define VNPU_TIMELINE_KIND_FENCE	3	/* of VNPU_IOCTL_SYNC_IMPORT */

/**
 * struct vnpu_timeline_import - make an id for an exported timeline or counter
 * @size: sizeof(struct vnpu_timeline_import)
 * @flags: must be zero
 * @fd: a file of VNPU_IOCTL_TIMELINE_EXPORT (EBADF; EINVAL for another file)
 * @out_kind: VNPU_TIMELINE_KIND_*
 * @out_id: a new id, also for a stream; VNPU_IOCTL_TIMELINE_DESTROY gives it up
 * @out_flags: VNPU_TIMELINE_EXPORT_F_* of the file
 * @out_reserved: zero
 *
 * EACCES: the counter belongs to a device that the client does not have.
 * Timelines belong to no device, and any client can wait for a stream of any
 * device.  ENOMEM.
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
 * struct vnpu_event_alloc - allocate the number of an event
 * @size: sizeof(struct vnpu_event_alloc)
 * @flags: must be zero
 * @device: index of the device
 * @out_number: number of the event, the lowest one that was free
 * @out_available: how many more events the caller can allocate
 * @__reserved: must be zero
 *
 * A device has VNPU_MAX_EVENTS numbers.  The driver knows nothing of an event
 * but its number.  To record an event, user space remembers the number of a
 * task; to wait for the event, it waits for that task.
 *
 * EAGAIN: no number is free.  EDQUOT: a quota or the caller's share would be
 * exceeded, see struct vnpu_limits_query.  ENODEV, ENOMEM.
 */
struct vnpu_event_alloc {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 out_number;
	__u32 out_available;
	__u32 __reserved;
};

#define VNPU_IOCTL_EVENT_ALLOC		_IO(VNPU_IOCTL_TYPE, 0x60)

/**
 * struct vnpu_event_free - free the number of an event
 * @size: sizeof(struct vnpu_event_free)
 * @flags: must be zero
 * @device: index of the device
 * @number: a number that this client allocated on the device (ENOENT)
 *
 * ENODEV.
 */
struct vnpu_event_free {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 number;
};

#define VNPU_IOCTL_EVENT_FREE		_IO(VNPU_IOCTL_TYPE, 0x61)

/* Values of vnpu_limits_query.kind: the limited resources of a device. */
#define VNPU_LIMIT_STREAMS	0
#define VNPU_LIMIT_EVENTS	1
#define VNPU_LIMIT_COUNTERS	2

/**
 * struct vnpu_limits_query - query the remaining streams, events and counters
 * @size: sizeof(struct vnpu_limits_query)
 * @flags: must be zero
 * @device: index of the device
 * @out_streams: how many more streams the caller can make
 * @out_events: how many more event numbers the caller can allocate
 * @out_counters: how many more counters the caller can make
 * @kind: VNPU_LIMIT_*, the resource that the following fields describe (EINVAL)
 * @out_scope: what limits the caller: VNPU_QUOTA_SCOPE_* of a quota,
 *	VNPU_QUOTA_SCOPE_SHARE, or VNPU_QUOTA_SCOPE_NONE if the caller can take
 *	all that the device has left
 * @out_id: if a quota limits the caller, id of the client, of the user in the
 *	caller's user namespace, or of the cgroup
 * @out_limit: what the quota allows, the total of the caller's share, or the
 *	total of the device
 * @out_used: what is charged to the quota, what the caller has, or what is in
 *	use on the device
 *
 * The administrator can limit these resources for a client, a user or a cgroup
 * by quotas, see linux/vnpu_netlink.h.  If neither the client nor its user has
 * a quota, a caller without CAP_SYS_RESOURCE in the initial user namespace is
 * limited to a share.  It can take another one while the number that the client
 * has plus the number that all clients of its user have is less than the number
 * that the device has left.  A single client thus gets a third and a user
 * nearly half, and some are left for other users.  For clients in a user
 * namespace, DOC: Limits says which user that is.
 *
 * The answer promises nothing: other clients may allocate and free at any time.
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
 * @id: id of a stream that this client made, or of any timeline that has
 *	reached @value (EBUSY)
 * @value: number of the task, which must have been submitted (EINVAL)
 * @out_fd: the sync_file, O_CLOEXEC
 * @__reserved: must be zero
 *
 * The sync_file is signalled when the task completes.  Its error is
 *
 * - that of the last task, up to this one, that failed or was cancelled after
 *   the call was made: an errno of linux/vnpu_task.h;
 * - if this task had failed or was cancelled before the call: that of the
 *   stream's last such task, provided that all tasks in between failed or were
 *   cancelled, too;
 * - ECANCELED if the stream is destroyed or its client ends;
 * - EIO if the stream breaks;
 * - ETIMEDOUT if the task takes longer than the module parameter
 *   fence_timeout_ms, counted from the call.  The task itself continues.
 *
 * The call latches the task and all tasks before it: the driver copies them,
 * and later writes to their slots in the ring have no effect.  They stay
 * latched if the call fails.
 *
 * No latched task may be able to wait forever (EBUSY), since other drivers will
 * wait for the sync_file.  A time limit of the task does not matter.  The call
 * therefore fails if one of the tasks is incomplete and is
 *
 * - a WAIT for another stream or a timeline that has not reached the value, or
 *   for an id that has never existed;
 * - a VALUE_WAIT, COUNTER_WAIT, LAUNCH, GRAPH or GRAPH_UPDATE;
 * - a task that uses an address to which a dma-buf of another driver is bound
 *   at the time of the call.  If it is bound later, or if the task reads the
 *   address from memory, the task fails with EBUSY instead.
 *
 * A WAIT for a sync_file is allowed.  So a program that needs a sync_file behind
 * a wait for another stream exports the awaited task first, and lets the task
 * WAIT for a VNPU_IOCTL_SYNC_IMPORT of that sync_file.
 *
 * ENOENT.  EIO: the stream is broken, or the timeline has failed.  EINVAL: @id
 * is that of a counter.  EOPNOTSUPP: the kernel has no sync_files
 * (VNPU_FEATURE_SYNC_FILE).  EINTR, ENOMEM, EMFILE, ENFILE.
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
 * @fd: a sync_file of any driver (EBADF; EINVAL for another file)
 * @__reserved: must be zero
 * @out_id: id of a timeline with the value 0; VNPU_IOCTL_TIMELINE_DESTROY gives
 *	it up
 *
 * The timeline advances to 1 when the sync_file is signalled.  If the sync_file
 * has an error, waiters for the timeline get EIO, and so do tasks that wait for
 * it.
 *
 * EOPNOTSUPP: the kernel has no sync_files (VNPU_FEATURE_SYNC_FILE).  ENOMEM.
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
 *	VNPU_IOCTL_TIMELINE_EXPORT), or a memfd without huge pages.  EBADF;
 *	EINVAL if it is another file.
 * @kind: a number of the caller's choice, which VNPU_IOCTL_KEY_OPEN must pass,
 *	too
 * @data: two numbers of the caller's choice, which VNPU_IOCTL_KEY_OPEN returns
 * @out_key: the key: 128 random bits, or 64 with VNPU_KEY_F_SHORT
 *
 * A key passes memory, a timeline or a memfd to a process to which the caller
 * has no socket, for instance as text.  Without VNPU_KEY_F_ANY_PROCESS, only
 * the process that opened the client, and those that VNPU_IOCTL_KEY_ALLOW
 * names, can open the file.  The driver keeps the file open until
 * VNPU_IOCTL_KEY_DESTROY, or until the client ends; a process that has opened
 * the key keeps what it has.
 *
 * EAGAIN: the client has 8192 keys.  EDQUOT: each key counts as an object of
 * its user.  ENOMEM.
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
 * struct vnpu_key_destroy - invalidate a key
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
 * @pids: address of an array of process ids, each __s32 and positive (EINVAL),
 *	in the pid namespace of the process that created the key
 * @count: the number of ids, 1 to VNPU_KEY_ALLOW_MAX (EINVAL)
 * @stride: bytes from one id to the next, a multiple of 4 (EINVAL); 0 for 4
 *
 * The call adds these processes to those of earlier calls.  The driver compares
 * ids when a process opens the key: an id need not be in use yet, and a process
 * that gets it later is allowed.  If the call fails, it may have allowed some
 * of the processes.
 *
 * EDQUOT: a key has 4096 ids at most, and each counts as an object of the user.
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
 * ENOENT: there is no such key of this kind.  EACCES: the key does not admit
 * the calling process, or a security module refuses the file.  EMFILE, ENOMEM.
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

/**
 * struct vnpu_engine_create - make an engine file, for the AI cores of a device
 * @size: sizeof(struct vnpu_engine_create)
 * @flags: must be zero
 * @device: index of the device
 * @slots: number of launches that the core can have at a time, 1 to
 *	VNPU_ENGINE_SLOTS_MAX; 0 for 16
 * @out_fd: the engine file, with O_CLOEXEC; see linux/vnpu_engine.h
 * @__reserved: must be zero
 *
 * The file counts as an object of the client (VNPU_QUOTA_RESOURCE_OBJECTS).
 *
 * EBUSY: the client has an engine file for the device that has not ended.
 * EDQUOT, EINVAL, EMFILE, ENFILE, ENODEV, ENOMEM.
 */
struct vnpu_engine_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 slots;
	__s32 out_fd;
	__u32 __reserved;
};

#define VNPU_IOCTL_ENGINE_CREATE	_IO(VNPU_IOCTL_TYPE, 0x78)

#endif /* _UAPI_LINUX_VNPU_H */
