// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: the command that runs during the recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

/* Time limit for the command to end after SIGTERM. */
#define END_SECONDS	5

static _Noreturn void run(char **command, const sigset_t *mask, int report)
{
	int error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	error = errno;
	if (write(report, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(127);
}

enum smi_exit trace_command_start(char **command, const sigset_t *mask,
				  pid_t *pid)
{
	int report[2], error;
	ssize_t length;

	/* exec closes the write end of the pipe. */
	if (pipe2(report, O_CLOEXEC))
		return fail(SMI_FAILED, "cannot create a pipe: %s",
			    strerror(errno));
	*pid = fork();
	if (*pid == 0)
		run(command, mask, report[1]);
	error = errno;
	close(report[1]);
	if (*pid < 0) {
		*pid = 0;
		close(report[0]);
		return fail(SMI_FAILED, "cannot start a process: %s",
			    strerror(error));
	}
	length = read(report[0], &error, sizeof(error));
	close(report[0]);
	if (length != (ssize_t)sizeof(error))
		return SMI_OK;
	waitpid(*pid, NULL, 0);
	*pid = 0;
	return fail(SMI_FAILED, "cannot run '%s': %s", command[0],
		    strerror(error));
}

void trace_command_end(pid_t pid)
{
	const struct timespec limit = { .tv_sec = END_SECONDS };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	kill(pid, SIGTERM);
	while (!waitpid(pid, NULL, WNOHANG))
		if (sigtimedwait(&child, NULL, &limit) < 0)
			kill(pid, SIGKILL);
}
