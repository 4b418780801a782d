/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A core for the tests: a child that attaches to an engine file and runs
 * launches of a few functions, each of which behaves well or badly.
 */
#ifndef SELFTESTS_VNPU_CORE_H
#define SELFTESTS_VNPU_CORE_H

#include <poll.h>

#include <linux/vnpu_engine.h>

#include "stream.h"
#include "util.h"

/* The functions, vnpu_task.arg0. The argument block is an array of __u64. */
enum {
	CORE_ADD,	/* 1 to args[1] words at args[0], args[2] words apart */
	CORE_NOTHING,
	CORE_SLEEP,	/* for args[0] ms, without looking for events */
	CORE_HANG,	/* until it is asked to stop */
	CORE_STUCK,	/* for ever, even if it is asked to stop */
	CORE_DEBUGGED,	/* as STUCK, and suspends time limits when asked to stop */
	CORE_KEEP_ADDING,	/* as ADD again and again, until asked to stop */
	CORE_DIE,	/* by SIGKILL */
	CORE_FAIL,	/* with error args[0] and address args[1] */
	CORE_READ,	/* args[0], which may fail */
	CORE_WRITE,	/* to args[0], which may fail */
	CORE_PEEK,	/* read args[0] like a debugger; EIO if that is refused */
	CORE_POKE,	/* write to args[0] like a debugger */
	CORE_LIE,	/* complete it in all wrong ways, then rightly */
};

#define CORE_LOG	4096

/* The number of CORE_NOTHING for monitors, with the name "nothing". */
#define CORE_NAMED	1

/* The report of the child. */
struct core_report {
	int attached;		/* 1, or -errno */
	__u32 launches;		/* that began */
	__u32 stops;		/* that were requested */
	__u32 next_errno;	/* of the call that ended the child's work */
	__u32 wrong;		/* results of wrong calls that were not right */
	__u64 seqs[CORE_LOG];	/* of the launches */
	__u64 streams[CORE_LOG];
};

struct core {
	int fd;
	pid_t pid;
	struct core_report *report;	/* shared with the child */
};

static inline int engine_create(const struct client *c, __u32 device,
				__u32 slots)
{
	struct vnpu_engine_create a = {
		.size = sizeof(a),
		.device = device,
		.slots = slots,
	};
	int ret = call(c->fd, VNPU_IOCTL_ENGINE_CREATE, &a);

	return ret ? ret : a.out_fd;
}

static inline int engine_attach(int fd, struct vnpu_engine_attach *out)
{
	*out = (struct vnpu_engine_attach){ .size = sizeof(*out) };
	return call(fd, VNPU_IOCTL_ENGINE_ATTACH, out);
}

static inline int engine_set(int fd, __u32 flags)
{
	struct vnpu_engine_set a = { .size = sizeof(a), .flags = flags };

	return call(fd, VNPU_IOCTL_ENGINE_SET, &a);
}

static inline int engine_name(int fd, __u32 number, const char *name)
{
	struct vnpu_engine_name a = { .size = sizeof(a), .number = number };

	strncpy((char *)a.name, name, sizeof(a.name) - 1);
	return call(fd, VNPU_IOCTL_ENGINE_NAME, &a);
}

/*
 * Complete launches, then wait for events. Return the number of events, or
 * -errno.
 */
static inline int engine_exchange(int fd,
				  const struct vnpu_engine_completion *done,
				  __u32 nr_done,
				  struct vnpu_engine_event *events,
				  __u32 count, __u64 timeout_ns)
{
	struct vnpu_engine_next a = {
		.size = sizeof(a),
		.completions = addr(done),
		.events = addr(events),
		.completion_count = nr_done,
		.event_count = count,
		.completion_stride = sizeof(*done),
		.event_stride = sizeof(*events),
		.timeout_ns = timeout_ns,
	};
	int ret = call(fd, VNPU_IOCTL_ENGINE_NEXT, &a);

	return ret ? ret : (int)a.out_count;
}

/* Return the number of events, or -errno. */
static inline int engine_next(int fd, struct vnpu_engine_event *events,
			      __u32 count, __u64 timeout_ns)
{
	return engine_exchange(fd, NULL, 0, events, count, timeout_ns);
}

static inline int engine_complete(int fd, __u64 id, __u32 error, __u64 va)
{
	struct vnpu_engine_completion done = {
		.id = id, .error = error, .addr = va,
	};
	struct vnpu_engine_next a = {
		.size = sizeof(a),
		.completions = addr(&done),
		.completion_count = 1,
		.completion_stride = sizeof(done),
	};

	return call(fd, VNPU_IOCTL_ENGINE_NEXT, &a);
}

static inline void *engine_map_window(int fd, __u64 start, __u64 length,
				      int prot)
{
	return mmap(ptr(start), length, prot, MAP_SHARED | MAP_FIXED_NOREPLACE,
		    fd, (off_t)VNPU_ENGINE_MMAP_WINDOW);
}

static inline const struct vnpu_engine_state *engine_map_state(int fd)
{
	return mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd,
		    VNPU_ENGINE_MMAP_STATE);
}

static inline bool engine_has_ended(int fd, int ms)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, ms) == 1 && p.revents & POLLHUP;
}

static inline struct vnpu_task task_launch(__u64 function, __u64 args,
					   __u64 length)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_LAUNCH,
		.mode = VNPU_LAUNCH_VECTOR,
		.arg0 = function,
		.src = args,
		.length = length,
		.arg1 = 1,
	};
}

/*
 * Run a launch in the calling process, which has attached to the engine file, for
 * some ms; complete it as one of a kernel.
 */
static inline int engine_run_kernel(int fd, struct stream *s, __u32 kernel,
				    unsigned int ms)
{
	struct vnpu_engine_completion done = { .kernel = kernel };
	struct vnpu_engine_event event;
	int ret = stream_run(s, task_launch(CORE_NOTHING, 0, 0));

	if (!ret)
		ret = engine_next(fd, &event, 1, NO_TIMEOUT) == 1 ? 0 : -EIO;
	if (ret)
		return ret;
	usleep(ms * 1000);
	done.id = event.id;
	ret = engine_exchange(fd, &done, 1, NULL, 0, 0);
	return ret ? ret : stream_wait(s, 10000);
}

/* The launches that the core keeps. */
struct core_kept {
	__u64 id;
	__u64 function;
	const volatile __u64 *args;
};

static inline void core_add(const volatile __u64 *args)
{
	volatile __u64 *words = ptr(args[0]);
	__u64 i, step = args[2] ? args[2] : 1;

	for (i = 0; i < args[1]; i++)
		words[i * step]++;
}

/* Complete a launch in wrong ways; return how many were accepted. */
static inline __u32 core_lie(int fd, __u64 id)
{
	__u32 wrong = 0;

	wrong += engine_complete(fd, 0, 0, 0) != -ENOENT;
	wrong += engine_complete(fd, id + 1, 0, 0) != -ENOENT;
	wrong += engine_complete(fd, id + 64, 0, 0) != -ENOENT;
	wrong += engine_complete(fd, ~0ULL, 0, 0) != -ENOENT;
	wrong += engine_complete(fd, id, ENODEV, 0) != -EINVAL;
	wrong += engine_complete(fd, id, 99999, 0) != -EINVAL;
	wrong += engine_complete(fd, id, ~0U, 0) != -EINVAL;
	wrong += engine_complete(fd, id, ETIMEDOUT, 0) != -EINVAL;
	wrong += engine_complete(fd, id, 0, 0) != 0;
	wrong += engine_complete(fd, id, 0, 0) != -ENOENT;
	return wrong;
}

/* Access a byte through /proc/self/mem; return a signal if it is refused. */
static inline int core_debug(__u64 va, bool write)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	char byte = 0x66;
	ssize_t ret;

	if (fd < 0)
		return SIGABRT;
	ret = write ? pwrite(fd, &byte, 1, (off_t)va) :
		      pread(fd, &byte, 1, (off_t)va);
	close(fd);
	return ret == 1 ? 0 : SIGBUS;
}

/* The result of a launch that has run. */
enum core_result { CORE_ENDED, CORE_DONE, CORE_GOES_ON };

/* Run a launch. If it is CORE_DONE, the caller completes it. */
static inline enum core_result core_run(int fd,
					const struct vnpu_engine_event *e,
					struct core_report *report,
					struct vnpu_engine_completion *done)
{
	const volatile __u64 *args = ptr(e->args);
	int sig = 0;

	switch (e->function) {
	case CORE_ADD:
		core_add(args);
		break;
	case CORE_SLEEP:
		usleep((useconds_t)args[0] * 1000);
		break;
	case CORE_HANG:
	case CORE_STUCK:
	case CORE_DEBUGGED:
	case CORE_KEEP_ADDING:
		return CORE_GOES_ON;
	case CORE_DIE:
		kill(getpid(), SIGKILL);
		break;
	case CORE_FAIL:
		engine_complete(fd, e->id, (__u32)args[0], args[1]);
		return CORE_ENDED;
	case CORE_READ:
		sig = touch_read(args[0]);
		break;
	case CORE_WRITE:
		sig = touch_write(args[0], 0x77);
		break;
	case CORE_PEEK:
	case CORE_POKE:
		sig = core_debug(args[0], e->function == CORE_POKE);
		break;
	case CORE_LIE:
		report->wrong += core_lie(fd, e->id);
		return CORE_ENDED;
	}
	/* The program identifies the signal by the error. */
	*done = (struct vnpu_engine_completion){
		.id = e->id,
		.error = sig == SIGSEGV ? EFAULT : sig == SIGBUS ? EIO : 0,
		.addr = sig ? args[0] : 0,
		.kernel = e->function == CORE_NOTHING ? CORE_NAMED : 0,
	};
	return CORE_DONE;
}

static inline void core_main(int fd, struct core_report *report)
{
	struct vnpu_engine_completion done[8];
	struct core_kept kept[VNPU_ENGINE_SLOTS_MAX];
	struct vnpu_engine_event events[8];
	struct vnpu_engine_attach a;
	__u32 nr_kept = 0, nr_done = 0, k;
	int nr, i;

	report->attached = engine_attach(fd, &a);
	if (!report->attached &&
	    engine_map_window(fd, a.out_window, a.out_window_length,
			      PROT_READ | PROT_WRITE) == MAP_FAILED)
		report->attached = -errno;
	if (!report->attached)
		report->attached = engine_name(fd, CORE_NAMED, "nothing");
	if (report->attached)
		_exit(1);
	__atomic_store_n(&report->attached, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		bool adds = false;

		for (k = 0; k < nr_kept; k++)
			if (kept[k].function == CORE_KEEP_ADDING) {
				core_add(kept[k].args);
				adds = true;
			}
		nr = engine_exchange(fd, done, nr_done, events, 8,
				     adds ? 0 : NO_TIMEOUT);
		nr_done = 0;
		if (nr == -EINTR)
			continue;
		if (nr < 0)
			break;
		for (i = 0; i < nr; i++) {
			const struct vnpu_engine_event *e = &events[i];

			if (e->kind == VNPU_ENGINE_EVENT_STOP) {
				report->stops++;
				for (k = 0; k < nr_kept; k++)
					if (kept[k].id == e->id)
						break;
				if (k < nr_kept &&
				    kept[k].function == CORE_DEBUGGED)
					engine_set(fd,
						   VNPU_ENGINE_SET_F_DEBUGGED);
				if (k == nr_kept ||
				    kept[k].function == CORE_STUCK ||
				    kept[k].function == CORE_DEBUGGED)
					continue;
				engine_complete(fd, e->id, 0, 0);
				kept[k] = kept[--nr_kept];
				continue;
			}
			if (e->kind != VNPU_ENGINE_EVENT_LAUNCH)
				continue;
			report->seqs[report->launches % CORE_LOG] = e->seq;
			report->streams[report->launches % CORE_LOG] = e->stream;
			__atomic_add_fetch(&report->launches, 1,
					   __ATOMIC_SEQ_CST);
			switch (core_run(fd, e, report, &done[nr_done])) {
			case CORE_DONE:
				nr_done++;
				break;
			case CORE_GOES_ON:
				kept[nr_kept++] = (struct core_kept){
					e->id, e->function, ptr(e->args),
				};
				break;
			case CORE_ENDED:
				break;
			}
		}
	}
	report->next_errno = (__u32)-nr;
	_exit(0);
}

/* Start a core for an engine file that exists. Return 0 or -errno. */
static inline int core_start_on(struct core *k, int fd, const struct client *c)
{
	int i;

	k->fd = fd;
	k->report = mmap(NULL, sizeof(*k->report), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (k->report == MAP_FAILED)
		return -errno;
	k->pid = fork_bound();
	if (k->pid < 0)
		return -errno;
	if (!k->pid) {
		close(c->fd);
		core_main(fd, k->report);
	}
	for (i = 0; i < 10000; i++) {
		int attached = __atomic_load_n(&k->report->attached,
					       __ATOMIC_SEQ_CST);

		if (attached)
			return attached < 0 ? attached : 0;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

static inline int core_start(struct core *k, const struct client *c,
			     __u32 device, __u32 slots)
{
	int fd = engine_create(c, device, slots);

	return fd < 0 ? fd : core_start_on(k, fd, c);
}

/* Wait for the end of a core's process; return as child_wait(). */
static inline int core_wait(struct core *k)
{
	int ret = child_wait(k->pid);

	k->pid = 0;
	return ret;
}

static inline void core_end(struct core *k)
{
	if (k->pid > 0) {
		kill(k->pid, SIGKILL);
		core_wait(k);
	}
	if (k->fd > 0)
		close(k->fd);
	k->fd = 0;
	if (k->report)
		munmap(k->report, sizeof(*k->report));
	k->report = NULL;
}

static inline __u32 core_launches(const struct core *k)
{
	return __atomic_load_n(&k->report->launches, __ATOMIC_SEQ_CST);
}

/* Wait until the core has begun that many launches. */
static inline bool core_wait_launches(const struct core *k, __u32 count)
{
	int i;

	for (i = 0; i < 10000 && core_launches(k) < count; i++)
		usleep(1000);
	return core_launches(k) >= count;
}

#endif
