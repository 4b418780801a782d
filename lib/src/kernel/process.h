/* SPDX-License-Identifier: MIT */
/*
 * The process of a core: how it is started, and how it ended.
 */
#ifndef VNPU_LIB_KERNEL_PROCESS_H
#define VNPU_LIB_KERNEL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/protocol.h"

/* A process; all descriptors are close-on-exec. */
struct vnpu_process {
	int pidfd;	/* readable when it has ended; an eventfd of a thread */
	int socket;	/* SOCK_SEQPACKET; the other end is its CORE_SOCKET */
	bool is_thread;	/* of this process */
	bool has_end;	/* it has sent EXIT: */
	struct core_exit end;
};

/*
 * Find the library's directory, and load the core if it is to be a thread.  Both
 * take a lock of the dynamic loader.  So a thread calls this before it takes locks
 * for vnpu_process_start(): the loader calls the library with its lock held.
 */
void vnpu_process_prepare(void);

/*
 * Find a program that belongs to the library, such as bin/vnpu-cc: named by an
 * environment variable, or beside the library, as in an installation and in the
 * tree that builds it; @variable may be NULL.  0 or -errno, with the path that was
 * tried.
 */
int vnpu_process_find(char *path, size_t size, const char *program,
		      const char *variable);

/*
 * Start the program of the cores, or with VNPU_CORE=thread a thread in its place
 * (process_thread.h): 0, or -errno and a sentence with the remedy.
 * The process gets no environment but a path, no descriptors but its socket, and
 * a process group of its own.  It is not a child of this process.
 */
int vnpu_process_start(struct vnpu_process *process, char *why, size_t size);

/* Kill a process, or end it by its socket without the right to kill it. */
void vnpu_process_kill(const struct vnpu_process *process);

/*
 * Wait until a process has ended, describe how, and close its descriptors.
 * Returns its exit status, or -1 if a signal ended it or the status is unknown.
 */
int vnpu_process_reap(struct vnpu_process *process, char *how, size_t size);

/* Send a message, with a descriptor unless @fd is -1: 0 or -errno. */
int vnpu_process_send(const struct vnpu_process *process, uint32_t type,
		      const void *data, size_t length, const char *text,
		      int fd);

#endif /* VNPU_LIB_KERNEL_PROCESS_H */
