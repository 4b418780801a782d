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
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	stay_loaded();
	ret = pthread_attr_init(&attr);
	if (ret)
		return -ret;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (!ret)
		pthread_setname_np(thread, name);
	return -ret;
}
