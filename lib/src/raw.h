/* SPDX-License-Identifier: MIT */
/*
 * System calls for descriptors that need not be the program's, as a thread may have a
 * table of its own, see door.c.  ThreadSanitizer follows descriptors by their
 * numbers, in the functions of the C library, and would take them for the program's.
 */
#ifndef VNPU_LIB_RAW_H
#define VNPU_LIB_RAW_H

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int vnpu_raw_accept(int fd)
{
	return (int)syscall(SYS_accept4, fd, NULL, NULL, SOCK_CLOEXEC);
}

static inline ssize_t vnpu_raw_recv(int fd, void *data, size_t size, int flags)
{
	return syscall(SYS_recvfrom, fd, data, size, flags, NULL, NULL);
}

static inline ssize_t vnpu_raw_recvmsg(int fd, struct msghdr *message, int flags)
{
	return syscall(SYS_recvmsg, fd, message, flags);
}

static inline ssize_t vnpu_raw_sendmsg(int fd, const struct msghdr *message,
				       int flags)
{
	return syscall(SYS_sendmsg, fd, message, flags);
}

static inline void vnpu_raw_close(int fd)
{
	syscall(SYS_close, fd);
}

#endif /* VNPU_LIB_RAW_H */
