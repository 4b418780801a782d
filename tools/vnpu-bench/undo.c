// SPDX-License-Identifier: GPL-2.0-only
/* vnpu-bench: changes that are undone however the program ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "undo.h"

/*
 * Close everything but the pipe: the device, because its client would live on,
 * and the output, because its reader would wait for the end.
 */
static void keep_only(int fd)
{
	int null = open("/dev/null", O_RDWR);
	int i;

	for (i = 0; i < 3; i++)
		if (i != fd && null >= 0)
			dup2(null, i);
	if (fd > 3)
		close_range(3, (unsigned int)fd - 1, 0);
	close_range(fd < 3 ? 3 : (unsigned int)fd + 1, ~0U, 0);
}

/* Wait until all writers have closed the pipe; nothing is ever written. */
static void wait_for_end(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
}

static _Noreturn void guard(int fd, void *what, void (*undo)(void *what))
{
	sigset_t all;

	/*
	 * Signals that end the main process, and its group, must not end this
	 * one.
	 */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	keep_only(fd);
	wait_for_end(fd);
	undo(what);
	_exit(0);
}

int undo_begin(struct undo *u, size_t size, void (*undo)(void *what))
{
	int ends[2], err;

	u->size = size;
	u->what = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (u->what == MAP_FAILED)
		return -errno;
	if (pipe2(ends, O_CLOEXEC)) {
		err = errno;
		goto unmap;
	}
	u->pid = fork();
	if (!u->pid)
		guard(ends[0], u->what, undo);
	err = errno;
	close(ends[0]);
	u->pipe = ends[1];
	if (u->pid > 0)
		return 0;
	close(u->pipe);
unmap:
	munmap(u->what, size);
	return -err;
}

void undo_end(struct undo *u)
{
	close(u->pipe);
	while (waitpid(u->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(u->what, u->size);
}
