/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The errors of each ioctl, of those in the table of linux/vnpu.h. A call that
 * returns another one fails the test, and the program of the fuzzer.
 * selftests/abi/errnos.py compares this list with the headers.
 */
#ifndef SELFTESTS_VNPU_ERRNOS_H
#define SELFTESTS_VNPU_ERRNOS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/vnpu.h>
#include <linux/vnpu_engine.h>
#include <linux/vnpu_graph.h>

/* Any call: of the file, of the struct, of the caller, and of lost devices. */
static const int errnos_any[] = {
	EBADF, ENOTTY, EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOMEM, EINTR, EPERM,
	ENODEV, 0
};

static const struct {
	unsigned long nr;
	int list[9];	/* ends with 0 */
} errnos[] = {
	{ VNPU_IOCTL_INFO, {} },
	{ VNPU_IOCTL_DEVICE_QUERY, {} },
	{ VNPU_IOCTL_ATTACH, {} },
	{ VNPU_IOCTL_QUERY, {} },
	{ VNPU_IOCTL_MEM_ALLOC,
	  { EEXIST, ENOENT, ENOSPC, EOVERFLOW, EDQUOT, EAGAIN } },
	{ VNPU_IOCTL_MEM_FREE, { ENOENT } },
	{ VNPU_IOCTL_MEM_QUERY, { ENOENT } },
	{ VNPU_IOCTL_MEM_OPEN, { ENOENT, EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_MEM_EXPORT, { ENOENT, EMFILE, ENFILE } },
	{ VNPU_IOCTL_MEM_IMPORT, { EACCES, EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_VA_BIND, { EEXIST, ENOENT, EOVERFLOW, EDQUOT } },
	{ VNPU_IOCTL_VA_UNBIND, { ENOENT, EOVERFLOW, EDQUOT } },
	{ VNPU_IOCTL_VA_PROTECT, { ENOENT, EOVERFLOW, EDQUOT } },
	{ VNPU_IOCTL_VA_QUERY, { ENOENT } },
	{ VNPU_IOCTL_SLAB_WINDOW, { EBUSY, EEXIST, EOVERFLOW } },
	{ VNPU_IOCTL_COPY, { EACCES, EIO, EOVERFLOW } },
	{ VNPU_IOCTL_FILL, { EACCES, EIO, EOVERFLOW } },
	{ VNPU_IOCTL_HOST_ALLOC, { EAGAIN, EDQUOT, EOVERFLOW } },
	{ VNPU_IOCTL_HOST_REGISTER, { EACCES, EAGAIN, EDQUOT, EOVERFLOW } },
	{ VNPU_IOCTL_MEM_EXPORT_DMABUF, { ENOENT, EACCES, EMFILE, ENFILE } },
	{ VNPU_IOCTL_MEM_IMPORT_DMABUF, { EACCES, EAGAIN, EDQUOT, EIO } },
	{ VNPU_IOCTL_OOM_QUERY, { ENOENT } },
	{ VNPU_IOCTL_CONTEXT_CREATE, { EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_CONTEXT_DESTROY, { ENOENT } },
	{ VNPU_IOCTL_CONTEXT_SET, { ENOENT } },
	{ VNPU_IOCTL_CONTEXT_QUERY, { ENOENT } },
	{ VNPU_IOCTL_STREAM_CREATE, { EAGAIN, EDQUOT, ENOENT } },
	{ VNPU_IOCTL_STREAM_DESTROY, { ENOENT } },
	{ VNPU_IOCTL_STREAM_DOORBELL, { ENOENT, EIO } },
	{ VNPU_IOCTL_STREAM_ABORT, { ENOENT, EIO } },
	{ VNPU_IOCTL_STREAM_SET, { ENOENT } },
	{ VNPU_IOCTL_STREAM_QUERY, { ENOENT } },
	{ VNPU_IOCTL_TIMELINE_CREATE, { EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_TIMELINE_DESTROY, { ENOENT } },
	{ VNPU_IOCTL_WAIT, { ENOENT, ETIMEDOUT, EIO } },
	{ VNPU_IOCTL_SIGNAL, { ENOENT, EACCES, EOVERFLOW } },
	{ VNPU_IOCTL_TIMELINE_QUERY, { ENOENT, EIO } },
	{ VNPU_IOCTL_TIMELINE_EXPORT, { ENOENT, EMFILE, ENFILE } },
	{ VNPU_IOCTL_TIMELINE_IMPORT, { EACCES, EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_EVENT_ALLOC, { EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_EVENT_FREE, { ENOENT } },
	{ VNPU_IOCTL_LIMITS_QUERY, {} },
	{ VNPU_IOCTL_SYNC_EXPORT,
	  { ENOENT, EBUSY, EIO, EDQUOT, EAGAIN, EMFILE, ENFILE } },
	{ VNPU_IOCTL_SYNC_IMPORT, { EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_GRAPH_CREATE, { EOVERFLOW, ENOENT, EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_GRAPH_DESTROY, { ENOENT, EBUSY } },
	{ VNPU_IOCTL_GRAPH_UPDATE, { ENOENT, EOVERFLOW } },
	{ VNPU_IOCTL_GRAPH_QUERY, { ENOENT } },
	{ VNPU_IOCTL_KEY_CREATE, { EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_KEY_DESTROY, { ENOENT } },
	{ VNPU_IOCTL_KEY_ALLOW, { ENOENT, EAGAIN, EDQUOT } },
	{ VNPU_IOCTL_KEY_OPEN, { ENOENT, EACCES, EMFILE, ENFILE } },
	{ VNPU_IOCTL_ENGINE_CREATE, { EBUSY, EDQUOT, EMFILE, ENFILE } },
	{ VNPU_IOCTL_ENGINE_ATTACH, { EBUSY, ENXIO } },
	{ VNPU_IOCTL_ENGINE_NEXT, { ENOENT, ETIMEDOUT } },
	{ VNPU_IOCTL_ENGINE_SET, {} },
	{ VNPU_IOCTL_ENGINE_NAME, { EBUSY } },
};

static inline bool errno_in(const int *list, int error)
{
	while (*list && *list != error)
		list++;
	return *list;
}

/* Check the error of an ioctl; numbers of other drivers are not known. */
static inline bool errno_is_listed(unsigned long nr, int error)
{
	size_t i;

	for (i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (errnos[i].nr == nr)
			return errno_in(errnos_any, error) ||
			       errno_in(errnos[i].list, error);
	return true;
}

#endif /* SELFTESTS_VNPU_ERRNOS_H */
