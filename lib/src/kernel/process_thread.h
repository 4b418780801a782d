/* SPDX-License-Identifier: MIT */
/*
 * A core in the process of the program, instead of a process: process.h.
 */
#ifndef VNPU_LIB_KERNEL_PROCESS_THREAD_H
#define VNPU_LIB_KERNEL_PROCESS_THREAD_H

#include <stddef.h>

struct vnpu_process;

/*
 * Load the core if the environment asks for it.  This calls the dynamic loader, see
 * vnpu_process_prepare().
 */
void vnpu_process_thread_prepare(void);

/* In the child of fork(): close the files of the parent's core. */
void vnpu_process_thread_disown(void);

/*
 * Start the core, which there can be one of: 0, or -errno and a sentence with the
 * remedy.  The descriptors mean the same as those of a process.
 */
int vnpu_process_thread_start(struct vnpu_process *process, char *why,
			      size_t size);

#endif /* VNPU_LIB_KERNEL_PROCESS_THREAD_H */
