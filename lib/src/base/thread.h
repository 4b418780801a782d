/* SPDX-License-Identifier: MIT */
/* Threads of the library. */
#ifndef VNPU_LIB_THREAD_H
#define VNPU_LIB_THREAD_H

#include <pthread.h>
#include <semaphore.h>

/*
 * Keep the library loaded from now on, which is required before it starts a
 * thread.  This waits for the dynamic loader, which may run a constructor that
 * calls the library.  So functions that may start a thread call this first,
 * without holding a lock.  0 or -ENOMEM.
 */
int vnpu_thread_prepare(void);

/*
 * Run a function in a detached thread that takes no signals, because they are
 * for the program.  The caller may hold a lock, but see above.  0 or -errno.
 */
int vnpu_thread_start(void *(*run)(void *arg), void *arg);

/*
 * Set the name of the calling thread, of which the kernel keeps 15 bytes.
 * Naming another thread would open a descriptor, which any child inherits.
 */
static inline void vnpu_thread_set_name(const char *name)
{
	pthread_setname_np(pthread_self(), name);
}

/*
 * Wait for a thread of the library; restarts, as a debugger may interrupt it.
 */
static inline void vnpu_thread_wait(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

#endif /* VNPU_LIB_THREAD_H */
