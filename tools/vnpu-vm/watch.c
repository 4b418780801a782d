// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module under test, and the kernel's state around it.
 */

#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MODULE_NAME	"vnpu"
#define TAINT_BENIGN	(1UL << 12 | 1UL << 13 | 1UL << 18) /* O, E, N */

unsigned long read_taint(void)
{
	char text[32];

	if (read_file("/proc/sys/kernel/tainted", text, sizeof(text)) < 0)
		return 0;
	return strtoul(text, NULL, 10);
}

void load_module(void)
{
	if (!job.image.data)
		return;
	if (syscall(SYS_init_module, job.image.data, job.image.len,
		    job.params ? job.params : ""))
		fail("load " MODULE_NAME " (%s): %m",
		     job.params ? job.params : "");
	free(job.image.data);
}

/*
 * Unload the module when its users have ended, even if the command has loaded
 * it. References of a fence or a timer may last a moment longer than the
 * processes.
 */
void unload_module(void)
{
	char refs[32] = "?\n";
	int tries = 100, err;

	if (access("/sys/module/" MODULE_NAME "/refcnt", F_OK))
		return;
	while (syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK)) {
		err = errno;
		if ((err == EAGAIN || err == EBUSY) && --tries) {
			usleep(50000);
			continue;
		}
		read_file("/sys/module/" MODULE_NAME "/refcnt", refs,
			  sizeof(refs));
		finding("cannot unload " MODULE_NAME
			" after the command: %s (reference count %.*s)",
			strerror(err), (int)strcspn(refs, "\n"), refs);
		return;
	}
}

/*
 * kmemleak reports an object that two scans found unreferenced, unchanged
 * and, at the second one's start, five seconds old.
 */
void check_leaks(void)
{
	static const char file[] = "/sys/kernel/debug/kmemleak";
	static char report[CHUNK];
	struct timespec start, now;
	ssize_t len;

	if (access(file, F_OK))
		return;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (write_file(file, "scan")) {
		finding("kmemleak has disabled itself: %m");
		return;
	}
	do {
		usleep(100000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < 6);
	write_file(file, "scan");
	len = read_file(file, report, sizeof(report));
	if (len > 0)
		finding("kmemleak:\n%s", report);
}

void check_taint(unsigned long before)
{
	unsigned long bad = read_taint() & ~before & ~TAINT_BENIGN;

	if (bad)
		finding("the kernel is tainted: %#lx beyond O, E and N", bad);
}
