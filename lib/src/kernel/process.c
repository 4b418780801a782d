// SPDX-License-Identifier: MIT
/*
 * The process of a core, see process.h.
 *
 * posix_spawn() copies no memory, so that a start takes as long for a program of
 * any size.  The process is a child, so a program that waits for all of its
 * children may reap it; then only the way in which it ended is unknown.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/protocol.h"

#include "process.h"

#define PROGRAM		"libexec/vnpu/vnpu-core"

/* Use DIRECTORY/STEPS/PROGRAM if it exists. */
static int try_path(char *path, size_t size, const char *directory,
		    const char *steps, const char *program)
{
	int length = snprintf(path, size, "%s/%s%s", directory, steps,
			      program);

	if (length < 0 || (size_t)length >= size)
		return -ENAMETOOLONG;
	return access(path, F_OK) ? -errno : 0;
}

static struct {
	pthread_once_t once;
	char path[PATH_MAX];		/* empty if it is not known */
} directory = { .once = PTHREAD_ONCE_INIT };

static void find_directory(void)
{
	static const char here;
	char *slash;
	Dl_info info;

	if (!dladdr(&here, &info) || !realpath(info.dli_fname, directory.path))
		*directory.path = '\0';
	slash = strrchr(directory.path, '/');
	if (slash)
		*slash = '\0';
}

void vnpu_process_prepare(void)
{
	pthread_once(&directory.once, find_directory);
}

int vnpu_process_find(char *path, size_t size, const char *program,
		      const char *variable)
{
	static const char *const steps[] = { "../", "../../", "" };
	const char *given = secure_getenv(variable);

	if (given && *given) {
		snprintf(path, size, "%s", given);
		return access(path, F_OK) ? -errno : 0;
	}
	snprintf(path, size, "%s", program);
	vnpu_process_prepare();
	if (*directory.path) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
			if (!try_path(path, size, directory.path, steps[i],
				      program))
				return 0;
		try_path(path, size, directory.path, steps[0], program);
	}
	return -ENOENT;
}

/* List the actions of the new process before exec. */
static int make_actions(posix_spawn_file_actions_t *actions, int socket)
{
	int ret = posix_spawn_file_actions_init(actions);

	if (ret)
		return -ret;
	/* A copy to the same number only clears close-on-exec. */
	ret = posix_spawn_file_actions_adddup2(actions, socket, CORE_SOCKET);
	if (!ret)
		ret = posix_spawn_file_actions_addopen(actions, STDIN_FILENO,
						       "/dev/null", O_RDONLY,
						       0);
	if (!ret)
		ret = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO,
						       "/dev/null", O_WRONLY,
						       0);
	if (!ret)
		ret = posix_spawn_file_actions_addclosefrom_np(actions,
							CORE_SOCKET + 1);
	if (ret)
		posix_spawn_file_actions_destroy(actions);
	return -ret;
}

static int make_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	int ret = posix_spawnattr_init(attributes);

	if (ret)
		return -ret;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &all);
	/* Signals of the terminal are for the program. */
	posix_spawnattr_setpgroup(attributes, 0);
	ret = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
				       POSIX_SPAWN_SETSIGDEF |
				       POSIX_SPAWN_SETPGROUP);
	if (ret)
		posix_spawnattr_destroy(attributes);
	return -ret;
}

static int spawn(pid_t *pid, const char *path, int socket)
{
	static char path_entry[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	char *environment[] = { path_entry, NULL };
	char title[40];
	char *arguments[] = { "vnpu-core", title, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ret;

	/* Shown by ps, for the administrator. */
	snprintf(title, sizeof(title), "[client %d]", getpid());
	ret = make_actions(&actions, socket);
	if (ret)
		return ret;
	ret = make_attributes(&attributes);
	if (!ret) {
		ret = -posix_spawn(pid, path, &actions, &attributes, arguments,
				   environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

static void explain(int err, const char *path, char *why, size_t size)
{
	switch (err) {
	case -ENOENT:
		snprintf(why, size,
			 "there is no program %s, which belongs to this library; install both together, or set VNPU_CORE_PATH",
			 path);
		break;
	case -EAGAIN:
		snprintf(why, size,
			 "no process can be started: the limit of processes of this user or container is reached (ulimit -u, pids.max)");
		break;
	case -EMFILE:
	case -ENFILE:
		snprintf(why, size,
			 "there are no file descriptors left (ulimit -n)");
		break;
	default:
		snprintf(why, size, "%s cannot be started: %s", path,
			 strerrordesc_np(-err));
	}
}

int vnpu_process_start(struct vnpu_process *process, char *why, size_t size)
{
	char path[PATH_MAX];
	int ends[2], pidfd = -1;
	pid_t pid = -1;
	int ret = vnpu_process_find(path, sizeof(path), PROGRAM,
				    "VNPU_CORE_PATH");

	if (!ret && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		ret = -errno;
	if (ret) {
		explain(ret, path, why, size);
		return ret;
	}
	ret = spawn(&pid, path, ends[1]);
	close(ends[1]);
	if (!ret) {
		pidfd = syscall(SYS_pidfd_open, pid, 0);
		if (pidfd < 0)
			ret = -errno;
	}
	if (ret) {
		close(ends[0]);
		/* The process ends when its socket is closed. */
		if (pid > 0)
			waitpid(pid, NULL, 0);
		explain(ret, path, why, size);
		return ret;
	}
	*process = (struct vnpu_process){ .pidfd = pidfd, .socket = ends[0] };
	return 0;
}

void vnpu_process_kill(const struct vnpu_process *process)
{
	syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
}

int vnpu_process_reap(struct vnpu_process *process, char *how, size_t size)
{
	siginfo_t info = { 0 };
	int ret;

	do
		ret = waitid(P_PIDFD, process->pidfd, &info, WEXITED);
	while (ret && errno == EINTR);
	if (ret)
		snprintf(how, size, "ended");
	else if (info.si_code == CLD_EXITED)
		snprintf(how, size, "exited with status %d", info.si_status);
	else
		snprintf(how, size, "was ended by signal %d (%s)",
			 info.si_status, sigdescr_np(info.si_status) ?
			 sigdescr_np(info.si_status) : "unknown");
	close(process->pidfd);
	close(process->socket);
	process->pidfd = process->socket = -1;
	return !ret && info.si_code == CLD_EXITED ? info.si_status : -1;
}

int vnpu_process_send(const struct vnpu_process *process, uint32_t type,
		      const void *data, size_t length, const char *text, int fd)
{
	size_t text_length = text ? strnlen(text, CORE_MESSAGE_MAX / 2) : 0;
	struct core_message head = {
		.type = type,
		.length = length + text_length,
	};
	struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ (void *)(uintptr_t)data, length },
		{ (void *)(uintptr_t)text, text_length },
	};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(fd))];
	} control = { 0 };
	struct msghdr message = {
		.msg_iov = parts,
		.msg_iovlen = text_length ? 3 : 2,
	};
	ssize_t ret;

	if (fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.bytes);
	}
	do
		ret = sendmsg(process->socket, &message, MSG_NOSIGNAL);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}
