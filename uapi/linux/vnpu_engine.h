/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * vnpu - a software NPU: engine files, by which a process runs launches of
 * kernels.  linux/vnpu.h describes the other ioctls, and linux/vnpu_task.h the
 * task VNPU_TASK_LAUNCH.
 */
#ifndef _UAPI_LINUX_VNPU_ENGINE_H
#define _UAPI_LINUX_VNPU_ENGINE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include <linux/vnpu.h>

/**
 * DOC: Engine files
 *
 * The AI cores of a device are processes.  A client makes an engine file by
 * VNPU_IOCTL_ENGINE_CREATE and passes it to another process, the core, which
 * attaches to it by VNPU_IOCTL_ENGINE_ATTACH.  From then on the core
 *
 * - maps the client's window at the client's addresses (VNPU_ENGINE_MMAP_WINDOW),
 * - gets the launches of the client's streams on the device, runs them, and
 *   completes each once (VNPU_IOCTL_ENGINE_NEXT).
 *
 * It can do nothing else: an engine file accepts only the ioctls of this header,
 * and gives access only to memory that is bound in the client's window, with the
 * rights that the device has there.  The rules at the top of linux/vnpu.h hold
 * for these ioctls as well, but an engine file is not a client.  It belongs to
 * the address space that attached to it, not to the one that created it.
 *
 * The driver does not rely on the core.  It keeps the order of a stream's tasks,
 * their time limits and their results, and a stream waits for a core no longer
 * than its time limits allow.  If a launch exceeds its time limit or is
 * cancelled, the driver asks the core to stop it (VNPU_ENGINE_EVENT_STOP).  If
 * the core has not completed the launch VNPU_ENGINE_STOP_MS later, the driver
 * ends the core: it sends SIGKILL to the process and ends the engine file.
 *
 * An engine file ends with its core, with its client, with the last reference to
 * the file, when its device is removed, and when its device is reset while it has
 * launches.  Launches that the core had fetched but not completed then fail
 * (EIO, or ECONNRESET if the driver ended the core because of another launch or
 * a reset), and its mappings lose their pages: accesses get SIGBUS.  Launches
 * that it had not fetched wait for the client's next engine file.  If three
 * cores of a client and device die within a second, launches fail (EIO) until
 * the client makes another engine file.  A core dies if the driver kills it for
 * a launch, or if its file ends while it has launches or before it has
 * completed one.
 *
 * poll() reports POLLIN while there are events to fetch, and POLLHUP once the
 * engine file has ended.  So a client that keeps a descriptor of the file can
 * wait for the end of its core.  A descriptor that the client keeps does not
 * prolong the life of the engine file after a core has attached and ended.
 *
 * A launch's time limit begins when the core can fetch it.  A launch that waits
 * for a slot has no limit, because those in the slots have one.  If there is no
 * core, the limit begins when the launch does, or at the end of the last core.
 *
 * A client has at most one engine file per device that has not ended.
 */

/* Time for which a core may continue a launch after the driver asked it to stop. */
#define VNPU_ENGINE_STOP_MS	300

/* Maximum number of launches that a core can have at a time. */
#define VNPU_ENGINE_SLOTS_MAX	64

/*
 * Offsets for mmap() of an engine file.
 *
 * STATE maps struct vnpu_engine_state, read-only (EACCES); the length is a page.
 * The core and the client's own process may map it; others get EPERM.
 *
 * WINDOW maps the client's window, for the core only (EPERM).  The address must be in
 * the window (EINVAL), and address and length multiples of VNPU_PAGE_SIZE.  The
 * mapping is shared, not executable, not inherited by fork(), not part of core
 * dumps, and cannot be moved by mremap() (EINVAL).  A page appears at the first
 * access.  An access gets SIGSEGV if nothing is bound there, if the device lacks
 * the right, or if the memory is a dma-buf of another driver or was imported
 * read-only; it gets SIGBUS if the memory has an uncorrected error, or once the
 * engine file has ended.
 */
#define VNPU_ENGINE_MMAP_STATE	0ULL
#define VNPU_ENGINE_MMAP_WINDOW	0x40000000000ULL

/**
 * struct vnpu_engine_state - the state that can be polled without a call
 * @pending: number of events that wait to be fetched.  The driver increments it
 *	with each event, and decrements it when the core fetches an event, and
 *	when it removes an event because its launch was cancelled.
 * @ended: not 0 once the engine file has ended
 * @waiting: number of launches that wait for a core or for a free slot of it.
 *	Not updated after the end of the file.
 * @__reserved: zero
 */
struct vnpu_engine_state {
	__aligned_u64 pending;
	__aligned_u64 ended;
	__aligned_u64 waiting;
	__aligned_u64 __reserved[5];
};

/**
 * struct vnpu_engine_attach - become the core of an engine file
 * @size: sizeof(struct vnpu_engine_attach)
 * @flags: must be zero
 * @out_device: index of the device
 * @out_slots: number of launches that the core can have at a time
 * @out_window: first address of the client's window
 * @out_window_length: bytes of the window
 * @out_client_id: id of the client
 * @out_client_pid: process id of the client's process in the pid namespace of
 *	the caller, or 0 if it has none there
 * @__reserved1: zero
 *
 * The driver may send SIGKILL to the caller from now on.
 *
 * The client's own process may attach, for debugging.  The driver then never
 * sends the signal, and only ends the engine file.
 *
 * EBUSY: another address space has attached.  ENXIO: the client has no window.
 * ENODEV: the engine file has ended.
 */
struct vnpu_engine_attach {
	__u32 size;
	__u32 flags;
	__u32 out_device;
	__u32 out_slots;
	__aligned_u64 out_window;
	__aligned_u64 out_window_length;
	__aligned_u64 out_client_id;
	__u32 out_client_pid;
	__u32 __reserved1;
};

#define VNPU_IOCTL_ENGINE_ATTACH	_IO(VNPU_IOCTL_TYPE, 0xc0)

/* Kinds of events. */
#define VNPU_ENGINE_EVENT_LAUNCH	1	/* run a launch */
#define VNPU_ENGINE_EVENT_STOP		2	/* stop a launch, then complete it */

/**
 * struct vnpu_engine_event - an event for a core
 * @kind: VNPU_ENGINE_EVENT_*; the core must ignore other kinds
 * @cores: VNPU_LAUNCH_*, kinds of cores that the launch runs on
 * @id: number of the launch, unique in the engine file, not 0.  For STOP only
 *	this and @kind are set.
 * @function: vnpu_task.arg0
 * @args: vnpu_task.src, device address of the argument block
 * @args_length: vnpu_task.length
 * @blocks: vnpu_task.arg1
 * @attributes: vnpu_task.arg2
 * @stream: id of the stream in the client
 * @seq: number of the task in the stream
 * @priority: priority of the stream, 0 is served first
 * @__reserved: zero
 */
struct vnpu_engine_event {
	__u32 kind;
	__u32 cores;
	__aligned_u64 id;
	__aligned_u64 function;
	__aligned_u64 args;
	__aligned_u64 args_length;
	__aligned_u64 blocks;
	__aligned_u64 attributes;
	__aligned_u64 stream;
	__aligned_u64 seq;
	__u32 priority;
	__u32 __reserved;
};

/**
 * struct vnpu_engine_completion - the end of a launch
 * @id: vnpu_engine_event.id
 * @addr: device address at which it failed, or 0
 * @error: 0, or the positive errno with which the task fails: EINVAL, ENOENT,
 *	EFAULT, EACCES, EIO, ENOMEM, ENOEXEC, EDEADLK or ECANCELED.  Or EAGAIN: the
 *	launch has not begun, and waits for the next engine file.
 * @kernel: number of the kernel or operator that ran, vnpu_engine_name.number;
 *	0, or a number without a name, if it has none
 *
 * If the driver has asked the core to stop the launch, the task keeps the result
 * for which it was stopped, ECANCELED or ETIMEDOUT.
 *
 * EAGAIN is for a core that is about to end.  It also sets
 * VNPU_ENGINE_SET_F_LEAVING.
 */
struct vnpu_engine_completion {
	__aligned_u64 id;
	__aligned_u64 addr;
	__u32 error;
	__u32 kernel;
};

/**
 * struct vnpu_engine_next - complete launches, and get events
 * @size: sizeof(struct vnpu_engine_next)
 * @flags: must be zero
 * @completions: address of an array of struct vnpu_engine_completion
 * @events: address of a buffer for struct vnpu_engine_event
 * @completion_count: number of completions, at most VNPU_ENGINE_SLOTS_MAX
 * @event_count: number of events that fit in the buffer, at most
 *	2 * VNPU_ENGINE_SLOTS_MAX
 * @completion_stride: sizeof(struct vnpu_engine_completion) of the caller
 * @event_stride: sizeof(struct vnpu_engine_event) of the caller
 * @timeout_ns: when to stop waiting for the first event, CLOCK_MONOTONIC;
 *	U64_MAX to wait forever, 0 not to wait
 * @out_completed: number of completions that the driver has accepted, also if
 *	the call fails
 * @out_count: number of events written
 *
 * The call accepts the completions in their order, then waits until there is an
 * event, and writes as many events as fit.  Several threads of the core may
 * call it; each event is written once.
 *
 * The driver refuses a completion, and the call ends with that error, if the
 * core has not fetched this launch or has completed it (ENOENT), or if the
 * error or the kernel's number is invalid (EINVAL).  EINTR: a signal arrived
 * during the wait.  ETIMEDOUT: there was no event in time; with a @timeout_ns
 * of 0, the call succeeds instead.  ENODEV: the engine file has ended.  EPERM:
 * the caller's address space has not attached.
 */
struct vnpu_engine_next {
	__u32 size;
	__u32 flags;
	__aligned_u64 completions;
	__aligned_u64 events;
	__u32 completion_count;
	__u32 event_count;
	__u32 completion_stride;
	__u32 event_stride;
	__aligned_u64 timeout_ns;
	__u32 out_completed;
	__u32 out_count;
};

#define VNPU_IOCTL_ENGINE_NEXT		_IO(VNPU_IOCTL_TYPE, 0xc1)

/* Flags of vnpu_engine_set. */
#define VNPU_ENGINE_SET_F_DEBUGGED	(1U << 0)	/* no time limits */
#define VNPU_ENGINE_SET_F_LEAVING	(1U << 1)	/* about to end */

/**
 * struct vnpu_engine_set - change the mode of an engine file
 * @size: sizeof(struct vnpu_engine_set)
 * @flags: VNPU_ENGINE_SET_F_*; replaces the earlier flags, except LEAVING, which
 *	cannot be cleared
 * @out_launches: number of launches that the core has fetched but not completed
 * @__reserved: zero
 *
 * While DEBUGGED is set, time limits of launches do not run, and the driver does
 * not end the core for a launch that it asked to stop because of a time limit.
 * Cancelled launches and those of ending streams still end it.  Time limits begin
 * anew when DEBUGGED is cleared.
 *
 * After LEAVING the core gets no more launches: those that it has not fetched
 * wait for the next engine file.  The core can thus complete the others, and
 * end.
 *
 * ENODEV, EPERM: as for VNPU_IOCTL_ENGINE_NEXT.
 */
struct vnpu_engine_set {
	__u32 size;
	__u32 flags;
	__u32 out_launches;
	__u32 __reserved;
};

#define VNPU_IOCTL_ENGINE_SET		_IO(VNPU_IOCTL_TYPE, 0xc2)

/* Kernels with names have numbers below this. */
#define VNPU_ENGINE_KERNELS_MAX		256

/* Bytes of a name, with the zero at its end. */
#define VNPU_ENGINE_NAME_MAX		64

/**
 * struct vnpu_engine_name - name a kernel for monitors
 * @size: sizeof(struct vnpu_engine_name)
 * @flags: must be zero
 * @number: a number that has no name yet, 1 to VNPU_ENGINE_KERNELS_MAX - 1
 * @__reserved: must be zero
 * @name: the name: at least one printable character of ASCII, then zeros
 *
 * The driver counts the launches of the kernel, by
 * vnpu_engine_completion.kernel, and the time from the call that fetched each
 * launch to the one that completed it.  Monitors that may see the client's
 * process get these statistics with the name (kernel-get of
 * uapi/netlink/vnpu.yaml).  The statistics end with the engine file.
 *
 * EINVAL: @number or @name is invalid.  EBUSY: the number has a name.  ENOMEM: the
 * kernel has no memory.  ENODEV, EPERM: as for VNPU_IOCTL_ENGINE_NEXT.
 */
struct vnpu_engine_name {
	__u32 size;
	__u32 flags;
	__u32 number;
	__u32 __reserved;
	__u8 name[VNPU_ENGINE_NAME_MAX];
};

#define VNPU_IOCTL_ENGINE_NAME		_IO(VNPU_IOCTL_TYPE, 0xc3)

#endif /* _UAPI_LINUX_VNPU_ENGINE_H */
