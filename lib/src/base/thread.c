// SPDX-License-Identifier: MIT
/* Threads of the library, see thread.h. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "thread.h"

/* Keep the library loaded, because its threads run its code. */
int vnpu_thread_prepare(void)
{
	static const char here;
	static atomic_bool stays;
	struct link_map *map = NULL;
	Dl_info info;

	if (atomic_load_explicit(&stays, memory_order_relaxed))
		return 0;
	/* The program itself, which has no name, is never unloaded. */
	if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) && map &&
	    *map->l_name && !dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD |
				    RTLD_NODELETE))
		return -ENOMEM;
	atomic_store_explicit(&stays, true, memory_order_relaxed);
	return 0;
}

int vnpu_thread_start(void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_t thread;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return -ret;
	pthread_detach(thread);
	return 0;
}
