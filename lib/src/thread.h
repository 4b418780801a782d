/* SPDX-License-Identifier: MIT */
/* Threads of the library's own. */
#ifndef VNPU_LIB_THREAD_H
#define VNPU_LIB_THREAD_H

#include <pthread.h>
#include <semaphore.h>

/*
 * The library stays loaded from now on, as it has to before it starts a thread.
 * This waits for the loader, who may be at an object whose beginning calls the
 * library: so what may start a thread calls this first, and holds no lock.  0 or
 * -ENOMEM.
 */
int vnpu_thread_prepare(void);

/*
 * Run a function in a thread that nobody waits for and that takes no signals:
 * they are the program's.  A lock may be held, but see above.  0 or -errno.
 */
int vnpu_thread_start(void *(*run)(void *arg), void *arg);

/*
 * The name of the calling thread, of which the kernel keeps 15 bytes.  To name another
 * takes a descriptor, which is the program's and goes to any child.
 */
static inline void vnpu_thread_set_name(const char *name)
{
	pthread_setname_np(pthread_self(), name);
}

/* Wait for another thread; its own takes no signals, but a debugger may disturb. */
static inline void vnpu_thread_wait(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

#endif /* VNPU_LIB_THREAD_H */
