// SPDX-License-Identifier: MIT
/* Threads of the library's own, see thread.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include "thread.h"

/* The code of a thread may not be unloaded while that runs. */
static void stay_loaded(void)
{
	static const char here;
	Dl_info info;

	if (dladdr(&here, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

int vnpu_thread_start(const char *name, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_t thread;
	int ret;

	stay_loaded();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return -ret;
	pthread_setname_np(thread, name);
	/* Not before: one that is detached may be gone. */
	pthread_detach(thread);
	return 0;
}
