// SPDX-License-Identifier: MIT
/*
 * The process of a core, see process.h.
 *
 * The program must not see a child that it has not started: wait() would wait for
 * it.  So another process starts it, and ends; the init process or a subreaper is
 * its parent then.  The starter is no child for wait() either: it has no signal
 * for its end, and exec(), which it does not call, would set SIGCHLD.  A pidfd
 * reports the end of the process, and its message EXIT the reason.
 *
 * The starter shares the memory of the program, as in vfork(), so that a start
 * takes as long for a program of any size.  It also shares the thread-local
 * variables of the thread that starts it.  So it gets no signals, because their
 * handlers are the program's, and the thread is not cancelled meanwhile.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/io_engine.h"
#include "process.h"
#include "process_thread.h"

#define PROGRAM		"libexec/vnpu/vnpu-core"
#define STACK_SIZE	65536

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
	vnpu_process_thread_prepare();
}

int vnpu_process_find(char *path, size_t size, const char *program,
		      const char *variable)
{
	static const char *const steps[] = { "../", "../../", "" };
	const char *given = variable ? secure_getenv(variable) : NULL;

	if (given && *given) {
		snprintf(path, size, "%s", given);
		return access(path, F_OK) ? -errno : 0;
	}
	snprintf(path, size, "%s", program);
	pthread_once(&directory.once, find_directory);
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

/* The input of the starter. */
struct plan {
	const char *path;
	int socket;		/* of the new process; for the answer, too */
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char title[40];
};

/* A message with room for a descriptor. */
struct packet {
	struct msghdr head;
	struct iovec part;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
};

static void packet_init(struct packet *packet, void *data, size_t size)
{
	memset(packet, 0, sizeof(*packet));
	packet->part = (struct iovec){ data, size };
	packet->head.msg_iov = &packet->part;
	packet->head.msg_iovlen = 1;
	packet->head.msg_control = packet->control.bytes;
	packet->head.msg_controllen = sizeof(packet->control.bytes);
}

static void packet_set_fd(struct packet *packet, int fd)
{
	packet->control.header.cmsg_level = SOL_SOCKET;
	packet->control.header.cmsg_type = SCM_RIGHTS;
	packet->control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&packet->control.header), &fd, sizeof(fd));
}

/* Send the answer of the starter: 0 with a pidfd, or -errno with -1. */
static int send_answer(int socket, int answer, int pidfd)
{
	struct packet packet;

	packet_init(&packet, &answer, sizeof(answer));
	if (pidfd >= 0)
		packet_set_fd(&packet, pidfd);
	else
		packet.head.msg_controllen = 0;
	return sendmsg(socket, &packet.head, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The starter, which sends its answer on the socket. */
static int start(void *arg)
{
	/* Ends of children are not ignored, even if the program does so. */
	const struct sigaction action = { .sa_handler = SIG_DFL };
	struct plan *plan = arg;
	static char path_entry[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	char *environment[] = { path_entry, NULL };
	char *arguments[] = { "vnpu-core", plan->title, NULL };
	int pidfd = -1, ret;
	pid_t pid;

	sigaction(SIGCHLD, &action, NULL);
	ret = -posix_spawn(&pid, plan->path, &plan->actions, &plan->attributes,
			   arguments, environment);
	if (!ret) {
		/* Its parent, this process, keeps the number: it does not wait. */
		pidfd = syscall(SYS_pidfd_open, pid, 0);
		if (pidfd < 0)
			ret = -errno;
	}
	ret = send_answer(plan->socket, ret, pidfd);
	if (ret && pidfd >= 0)
		send_answer(plan->socket, ret, -1);
	return 0;
}

/*
 * Receive the answer of the starter: a pidfd, or -errno.  The starter has ended, so
 * an answer that is not there yet will not come.
 */
static int receive_answer(int socket)
{
	struct packet packet;
	int answer, fd;
	ssize_t got;

	packet_init(&packet, &answer, sizeof(answer));
	do
		got = recvmsg(socket, &packet.head,
			      MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(answer))
		return got < 0 && errno != EAGAIN ? -errno : -EIO;
	if (answer)
		return answer;
	if (packet.head.msg_controllen < CMSG_LEN(sizeof(fd)))
		return -EMFILE;
	memcpy(&fd, CMSG_DATA(&packet.control.header), sizeof(fd));
	return fd;
}

/*
 * Check if this thread has left the PID namespace of its process.  The starter could
 * be the first process of the new one then, which cannot start any once that has
 * ended; and the thread can create no thread.
 */
static bool has_left_namespace(void)
{
	char here[64], there[64];
	ssize_t length, other;

	length = readlink("/proc/thread-self/ns/pid", here, sizeof(here));
	other = readlink("/proc/thread-self/ns/pid_for_children", there,
			 sizeof(there));
	if (length <= 0)
		return false;
	/* The second one has no target before the first process. */
	if (other < 0)
		return errno == ENOENT;
	return length != other || memcmp(here, there, length);
}

/* Run the starter until it has ended: 0 or -errno. */
static int run_starter(struct plan *plan)
{
	void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	sigset_t all, old;
	int ret = 0;
	pid_t pid;

	if (stack == MAP_FAILED)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pid = clone(start, (char *)stack + STACK_SIZE, CLONE_VM | CLONE_VFORK,
		    plan);
	if (pid < 0)
		ret = -errno;
	else
		/* ECHILD if a wait() of another thread with __WALL was faster. */
		while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	munmap(stack, STACK_SIZE);
	return ret;
}

static int spawn(const char *path, int socket)
{
	struct plan plan = { .path = path, .socket = socket };
	int ret;

	/* Shown by ps, for the administrator. */
	snprintf(plan.title, sizeof(plan.title), "[client %d]", getpid());
	ret = make_actions(&plan.actions, socket);
	if (ret)
		return ret;
	ret = make_attributes(&plan.attributes);
	if (!ret) {
		ret = run_starter(&plan);
		posix_spawnattr_destroy(&plan.attributes);
	}
	posix_spawn_file_actions_destroy(&plan.actions);
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
			 "no process can be started: the limit of processes of this user or container is reached (ulimit -u, pids.max); if there are zombies, start the container with an init process (docker run --init)");
		break;
	case -EMFILE:
	case -ENFILE:
		snprintf(why, size,
			 "there are no file descriptors left (ulimit -n)");
		break;
	case -ETOOMANYREFS:
		snprintf(why, size,
			 "messages that no process has received hold too many file descriptors of this user (ulimit -n)");
		break;
	case -ECHILD:
		snprintf(why, size,
			 "the calling thread has left its PID namespace by unshare() or setns(); launch kernels before that, or in a child process");
		break;
	case -EIO:
		snprintf(why, size,
			 "the process that starts %s was killed", path);
		break;
	default:
		snprintf(why, size, "%s cannot be started: %s", path,
			 strerrordesc_np(-err));
	}
}

int vnpu_process_start(struct vnpu_process *process, char *why, size_t size)
{
	char path[PATH_MAX];
	int ends[2], cancel, ret;

	if (vnpu_io_engine_is_here())
		return vnpu_process_thread_start(process, why, size);
	ret = vnpu_process_find(path, sizeof(path), PROGRAM, "VNPU_CORE_PATH");
	if (!ret && has_left_namespace())
		ret = -ECHILD;
	if (!ret && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		ret = -errno;
	if (ret) {
		explain(ret, path, why, size);
		return ret;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = spawn(path, ends[1]);
	close(ends[1]);
	if (!ret)
		ret = receive_answer(ends[0]);
	pthread_setcancelstate(cancel, NULL);
	if (ret < 0) {
		/* The process ends when its socket is closed. */
		close(ends[0]);
		explain(ret, path, why, size);
		return ret;
	}
	*process = (struct vnpu_process){ .pidfd = ret, .socket = ends[0] };
	return 0;
}

void vnpu_process_kill(const struct vnpu_process *process)
{
	/*
	 * A program that has changed its user may have no right to send signals.
	 * The process ends with its socket, too, as a thread does.
	 */
	if (process->is_thread ||
	    syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0))
		shutdown(process->socket, SHUT_RDWR);
}

/*
 * Wait for the end.  The kernel reports it if this process has become the parent,
 * as the init process or a subreaper; true then.
 */
static bool reap(const struct vnpu_process *process, struct core_exit *end)
{
	struct pollfd file = { .fd = process->pidfd, .events = POLLIN };
	siginfo_t info = { 0 };

	while (poll(&file, 1, -1) < 0 && errno == EINTR)
		;
	if (process->is_thread)
		return false;
	if (waitid(P_PIDFD, process->pidfd, &info, WEXITED | WNOHANG | __WALL) ||
	    !info.si_pid)
		return false;
	end->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
	end->status = info.si_code == CLD_EXITED ? info.si_status : 0;
	return true;
}

int vnpu_process_reap(struct vnpu_process *process, char *how, size_t size)
{
	struct core_exit end = process->end;
	bool is_known = reap(process, &end) || process->has_end;
	char where[40] = "";
	const char *name;

	close(process->pidfd);
	close(process->socket);
	*process = (struct vnpu_process){ .pidfd = -1, .socket = -1 };
	if (!is_known) {
		snprintf(how, size,
			 "ended without giving a reason; signal 9 (Killed) does that");
		return -1;
	}
	if (!end.signal) {
		snprintf(how, size, "exited with status %u", end.status);
		return end.status;
	}
	name = sigdescr_np(end.signal);
	if (end.address)
		snprintf(where, sizeof(where), " at address 0x%llx",
			 (unsigned long long)end.address);
	snprintf(how, size, "was ended by signal %u (%s)%s", end.signal,
		 name ? name : "unknown", where);
	return -1;
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
	struct packet packet;
	ssize_t ret;

	packet_init(&packet, NULL, 0);
	packet.head.msg_iov = parts;
	packet.head.msg_iovlen = text_length ? 3 : 2;
	if (fd >= 0)
		packet_set_fd(&packet, fd);
	else
		packet.head.msg_controllen = 0;
	do
		ret = sendmsg(process->socket, &packet.head, MSG_NOSIGNAL);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}
