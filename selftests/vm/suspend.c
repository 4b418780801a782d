// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend, run by the only process of a machine whose root is in memory.
 *
 * Tasks are queued, a core runs a launch, and the machine sleeps until its clock
 * wakes it. Then all tasks complete, none has failed, memory has its contents,
 * and the launch still runs.  This is done
 * once with memory outside of System RAM, and once with pages of the kernel.
 * Hibernation is tried with each up to the point where the image would be
 * created.
 *
 * suspend.py starts it, and reads its output.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "../uapi/core.h"

/* size of each of two areas that are copied between */
#define LENGTH		MIB(4)
#define TASKS_NS	2000000000ULL	/* approximate time of the tasks */
#define KEPT		MIB(8)	/* bytes that no task touches */
/* s; more than an engine may take, see suspend.py */
#define ASLEEP		3
#define ASLEEP_TEXT	"3"

#define REGION		"/params-region"
#define CHUNKS		"/params-chunks"

/* The total time for which the machine has slept. */
static double asleep(void)
{
	struct timespec boot, mono;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (double)(boot.tv_sec - mono.tv_sec) +
	       (double)(boot.tv_nsec - mono.tv_nsec) / 1e9;
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text));
	ret = ret < 0 ? -errno : 0;
	close(fd);
	return (int)ret;
}

static int wake_in(int seconds)
{
	char text[16];

	snprintf(text, sizeof(text), "+%d", seconds);
	put("/sys/class/rtc/rtc0/wakealarm", "0");
	return put("/sys/class/rtc/rtc0/wakealarm", text);
}

/* Check that each 8 bytes have the contents of @seed. */
static bool pattern(__u64 *p, __u64 length, __u64 seed, bool make)
{
	__u64 i;

	for (i = 0; i < length / 8; i++) {
		__u64 v = (seed + i) * 0x9e3779b97f4a7c15ULL;

		if (make)
			p[i] = v;
		else if (p[i] != v)
			return false;
	}
	return true;
}

struct work {
	struct client c;
	struct stream s, waits, launch;
	struct core k;
	__u64 timeline;
	__u64 *area, *kept;
	unsigned int tasks;	/* tasks on the first stream, all of them */
};

/* Copies in both directions for each pair. */
static int put_copies(struct work *w, unsigned int count)
{
	__u64 va = w->c.base;
	unsigned int i;

	for (i = 0; i < count; i++)
		stream_put(&w->s, i & 1 ? task_copy(va, va + LENGTH, LENGTH) :
					  task_copy(va + LENGTH, va, LENGTH));
	return stream_submit(&w->s);
}

/* Enough to keep an engine busy for a while; less than a ring holds. */
static int put_work(struct work *w)
{
	__u64 start, most = VNPU_RING_TASKS - 8;
	/* The first ones also start the engine, and insert pages. */
	int ret = put_copies(w, 2) ?: stream_wait(&w->s, 60000);

	start = now_ns();
	ret = ret ?: put_copies(w, 4) ?: stream_wait(&w->s, 60000);
	if (ret)
		return ret;
	w->tasks = 4 * TASKS_NS / (now_ns() - start) / 2 * 2 + 2;
	if (w->tasks > most)
		w->tasks = most;
	ret = put_copies(w, w->tasks);
	w->tasks += 6;
	return ret;
}

static int work_begin(struct work *w)
{
	const __u32 flags = VNPU_MEM_F_HOST_ACCESS;
	struct vnpu_task launch;
	__u64 va;
	int ret;

	ret = client_open_only(&w->c) ?:
	      window_map(&w->c, MIB(64), PROT_READ | PROT_WRITE);
	if (ret)
		return ret;
	va = w->c.base;
	ret = mem_alloc_at(&w->c, 0, flags, 0, 2 * LENGTH, va) ?:
	      mem_alloc_at(&w->c, 0, flags, 0, KEPT, va + MIB(32)) ?:
	      stream_create(&w->s, &w->c, 0) ?:
	      stream_create(&w->waits, &w->c, 0) ?:
	      stream_create(&w->launch, &w->c, 0) ?:
	      core_start(&w->k, &w->c, 0, 0) ?:
	      timeline_create(&w->c, 0, 0, 0, &w->timeline);
	if (ret)
		return ret;
	w->area = ptr(va);
	w->kept = ptr(va + MIB(32));
	launch = task_launch(CORE_KEEP_ADDING, va + MIB(32), 24);
	pattern(w->area, LENGTH, 1, true);
	pattern(w->kept + 1024, KEPT - 8192, 2, true);
	/* It adds to a word of the second page of kept memory. */
	w->kept[0] = addr(w->kept + 512);
	w->kept[1] = 1;
	w->kept[2] = 0;
	w->kept[512] = 0;
	launch.timeout_ms = 300000;
	ret = stream_run(&w->launch, launch);
	if (ret || !core_wait_launches(&w->k, 1))
		return ret ?: -ETIMEDOUT;
	stream_put(&w->waits, task_wait(w->timeline, 1));
	return stream_submit(&w->waits) ?: put_work(w);
}

static const char *launch_end(struct work *w)
{
	volatile __u64 *count = &w->kept[512];
	__u64 before = *count;
	int i;

	for (i = 0; i < 20000 && *count == before; i++)
		usleep(1000);
	if (*count == before || stream_completed(&w->launch))
		return "the launch does not run any more";
	if (stream_abort(&w->launch, NULL) || w->k.report->stops != 1 ||
	    engine_has_ended(w->k.fd, 0))
		return "the core does not stop the launch";
	core_end(&w->k);
	return NULL;
}

/* Return an error after the sleep, or NULL. */
static const char *work_end(struct work *w)
{
	const char *wrong;

	if (w->s.ring->errors || w->s.ring->cancelled)
		return "a task has failed";
	if (stream_wait(&w->s, 120000) || stream_completed(&w->s) != w->tasks)
		return "tasks are not done";
	if (w->s.ring->errors || w->s.ring->cancelled)
		return "a task has failed since";
	if (!pattern(w->area, LENGTH, 1, false) ||
	    !pattern(w->area + LENGTH / 8, LENGTH, 1, false))
		return "what was copied is wrong";
	if (!pattern(w->kept + 1024, KEPT - 8192, 2, false))
		return "memory has lost what it held";
	wrong = launch_end(w);
	if (wrong)
		return wrong;
	/* New tasks run. */
	if (timeline_signal(&w->c, w->timeline, 1, 0) ||
	    stream_wait(&w->waits, 20000) || w->waits.ring->errors)
		return "what waited is not done";
	if (stream_do(&w->s, task_fill(w->c.base, LENGTH, 7, 1)) ||
	    *(__u8 *)w->area != 7)
		return "no new task is done";
	client_close(&w->c);
	return NULL;
}

static int failures;

static void result(const char *memory, const char *what, const char *wrong)
{
	printf("%s %s: %s%s%s\n", wrong ? "not ok" : "ok", memory, what,
	       wrong ? " # " : "", wrong ? wrong : "");
	fflush(stdout);
	failures += !!wrong;
}

/*
 * Sleep in one way, with tasks in flight, or only up to the stage that the
 * kernel's own test names, if that is not NULL.
 */
static const char *sleeps(const char *state, const char *test)
{
	static char text[96];
	struct work w = {};
	double before;
	__u64 done;
	int ret = work_begin(&w);

	if (ret) {
		snprintf(text, sizeof(text), "no work to do: %s", strerror(-ret));
		return text;
	}
	before = asleep();
	ret = test ? put("/sys/power/pm_test", test) : wake_in(ASLEEP);
	ret = ret ?: put("/sys/power/state", state);
	done = stream_completed(&w.s);
	put("/sys/power/pm_test", "none");
	if (ret) {
		snprintf(text, sizeof(text), "%s: %s", state, strerror(-ret));
		return text;
	}
	/* A clock with a pending alarm wakes the machine at once. */
	printf("# %llu of %u tasks were done, asleep for %.1f s\n",
	       (unsigned long long)done, w.tasks, asleep() - before);
	/* Engines go on while memory is freed for an image. */
	if (done == w.tasks && strcmp(state, "disk"))
		return "no task was left to be done";
	return work_end(&w);
}

/* Refused, without an effect on the device. */
static const char *does_not_hibernate(void)
{
	struct work w = {};
	int ret;

	if (put("/sys/power/pm_test", "core") || work_begin(&w))
		return "no pm_test, or no work";
	ret = put("/sys/power/state", "disk");
	put("/sys/power/pm_test", "none");
	return ret == -EOPNOTSUPP ? work_end(&w) : "it was not refused";
}

static bool has(const char *path, const char *word)
{
	char text[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			text[0] = 0;
		close(fd);
	}
	return strstr(text, word);
}

static int load(const char *params)
{
	char text[256] = "";
	int fd = open(params, O_RDONLY | O_CLOEXEC);
	int ret = fd < 0 ? -1 : (int)read(fd, text, sizeof(text) - 1);

	close(fd);
	fd = open("/vnpu.ko", O_RDONLY | O_CLOEXEC);
	if (ret >= 0)
		ret = (int)syscall(SYS_finit_module, fd, text, 0);
	ret = ret ? -errno : 0;
	close(fd);
	return ret;
}

static void all_ways(const char *memory, const char *params)
{
	/* No device of this machine wakes it from that state. */
	result(memory, "suspend to idle", sleeps("freeze", "platform"));
	/* If the kernel can: the debug kernel has no hibernation. */
	if (has("/sys/power/mem_sleep", "deep"))
		result(memory, "suspend to RAM", sleeps("mem", NULL));
	if (has("/sys/power/state", "disk"))
		result(memory, "hibernate", !strcmp(params, REGION) ?
		       does_not_hibernate() : sleeps("disk", "core"));
}

static void all_with(const char *memory, const char *params)
{
	int ret = load(params), status;
	pid_t pid;

	result(memory, "the module is loaded", ret ? strerror(-ret) : NULL);
	if (ret)
		return;
	/* In a process, which removes its mappings when it ends. */
	pid = fork();
	if (!pid) {
		failures = 0;
		all_ways(memory, params);
		_exit(failures);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid ||
	    !WIFEXITED(status))
		result(memory, "all ways", "its process has not come to an end");
	else
		failures += WEXITSTATUS(status);
	ret = syscall(SYS_delete_module, "vnpu", O_NONBLOCK) ? errno : 0;
	result(memory, "the module is unloaded", ret ? strerror(ret) : NULL);
}

int main(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	put("/sys/power/mem_sleep", "deep");
	put("/sys/module/suspend/parameters/pm_test_delay", ASLEEP_TEXT);
	all_with("region", REGION);
	all_with("chunks", CHUNKS);
	printf("end %d\n", failures);
	fflush(stdout);
	/* A machine that has slept may fail to power off. */
	reboot(RB_AUTOBOOT);
	return 1;
}
