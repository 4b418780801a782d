// SPDX-License-Identifier: MIT
/*
 * A core in the process of the program, see process_thread.h.
 *
 * It is a shared object with a function that returns when the core ends.  An
 * eventfd stands for the pidfd of a process, and becomes readable at the end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "core/thread.h"
#include "io/io.h"
#include "io/io_engine.h"
#include "process.h"
#include "process_thread.h"

#define OBJECT	"libexec/vnpu/vnpu-core.so"

static struct {
	pthread_once_t once;
	typeof(vnpu_core_thread) *run;	/* NULL: */
	typeof(vnpu_core_thread_disown) *disown;
	char why[PATH_MAX + 128];
	atomic_bool is_running;
} object = { .once = PTHREAD_ONCE_INIT };

/* The input of the thread. */
struct plan {
	int socket;
	int event;
};

static void load(void)
{
	char path[PATH_MAX];
	void *handle;

	if (vnpu_process_find(path, sizeof(path), OBJECT, NULL)) {
		snprintf(object.why, sizeof(object.why),
			 "there is no %s, which belongs to this library; install both together, or unset VNPU_CORE",
			 path);
		return;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (handle)
		object.disown = (typeof(object.disown))
			dlsym(handle, "vnpu_core_thread_disown");
	if (object.disown)
		object.run = (typeof(object.run))dlsym(handle,
						       "vnpu_core_thread");
	if (!object.run)
		snprintf(object.why, sizeof(object.why), "%s", dlerror());
}

void vnpu_process_thread_prepare(void)
{
	if (vnpu_io_engine_is_here())
		pthread_once(&object.once, load);
}

void vnpu_process_thread_disown(void)
{
	if (object.disown)
		object.disown();
}

static void *run(void *arg)
{
	struct plan plan = *(struct plan *)arg;
	const uint64_t one = 1;
	int ret;

	free(arg);
	object.run(plan.socket);
	ret = vnpu_io_window_restore();
	if (ret)
		vnpu_log(ACL_ERROR, __func__,
			 "the window of device addresses cannot be mapped again: %s",
			 strerrordesc_np(-ret));
	atomic_store(&object.is_running, false);
	/* Only a signal handler could interrupt this, and none runs here. */
	if (write(plan.event, &one, sizeof(one)) != sizeof(one))
		vnpu_log(ACL_ERROR, __func__, "the end of a core is not noticed");
	close(plan.event);
	return NULL;
}

/* Start the thread, which gets copies of these descriptors. */
static int start(int socket, int event)
{
	struct plan *plan = malloc(sizeof(*plan));
	int ret;

	if (!plan)
		return -ENOMEM;
	plan->socket = socket;
	plan->event = dup(event);
	ret = plan->event < 0 ? -errno : vnpu_thread_start(run, plan);
	if (!ret)
		return 0;
	if (plan->event >= 0)
		close(plan->event);
	free(plan);
	return ret;
}

static int start_with_files(struct vnpu_process *process)
{
	int ends[2], event, ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	event = eventfd(0, EFD_CLOEXEC);
	ret = event < 0 ? -errno : start(ends[1], event);
	if (!ret) {
		*process = (struct vnpu_process){
			.pidfd = event,
			.socket = ends[0],
			.is_thread = true,
		};
		return 0;
	}
	if (event >= 0)
		close(event);
	close(ends[0]);
	close(ends[1]);
	return ret;
}

int vnpu_process_thread_start(struct vnpu_process *process, char *why,
			      size_t size)
{
	int ret;

	if (!object.run) {
		snprintf(why, size, "%s", object.why);
		return -ENOENT;
	}
	if (atomic_exchange(&object.is_running, true)) {
		snprintf(why, size,
			 "with VNPU_CORE=thread, kernels run on one device of the program; finalize AscendCL before the next one, or unset VNPU_CORE");
		return -EBUSY;
	}
	ret = start_with_files(process);
	if (ret) {
		atomic_store(&object.is_running, false);
		snprintf(why, size, "a thread for kernels cannot be started: %s",
			 strerrordesc_np(-ret));
	}
	return ret;
}
