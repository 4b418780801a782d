// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command: its streams, passed on frame by frame, and its end.
 */

#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's ends and ours; in a terminal all three are one. */
struct streams {
	int child[3];
	int in, out, err;
};

static void open_streams(struct streams *s)
{
	int pipes[3][2], slave;

	if (job.want_tty) {
		s->in = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC |
				     O_NONBLOCK);
		if (s->in < 0 || unlockpt(s->in))
			fail("open a terminal: %m");
		ioctl(s->in, TIOCSWINSZ, &job.tty);
		slave = ioctl(s->in, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (slave < 0)
			fail("open a terminal: %m");
		s->out = dup(s->in);
		s->err = -1;
		for (int i = 0; i < 3; i++)
			s->child[i] = dup(slave);
		close(slave);
		return;
	}
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			fail("pipe: %m");
	s->in = pipes[0][1];
	s->out = pipes[1][0];
	s->err = pipes[2][0];
	s->child[0] = pipes[0][0];
	s->child[1] = pipes[1][1];
	s->child[2] = pipes[2][1];
	fcntl(s->in, F_SETFL, O_NONBLOCK);
}

static pid_t start_command(struct streams *s)
{
	sigset_t none;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		fail("fork: %m");
	if (pid) {
		for (int i = 0; i < 3; i++)
			close(s->child[i]);
		return pid;
	}

	setsid();
	for (int i = 0; i < 3; i++)
		dup2(s->child[i], i);
	if (job.want_tty)
		ioctl(0, TIOCSCTTY, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (job.cwd && chdir(job.cwd))
		fail("enter %s: %m", job.cwd);
	environ = job.envp;
	execvp(job.argv[0], job.argv);
	fprintf(stderr, "vnpu-vm: %s: %m\n", job.argv[0]);
	_exit(127);
}

/* Pass on what a stream has. Returns false and closes it at its end. */
static bool forward(int *fd, char type)
{
	static char buf[CHUNK];
	ssize_t n;

	do {
		n = read(*fd, buf, sizeof(buf));
	} while (n < 0 && errno == EINTR);
	if (n > 0) {
		send_frame(type, buf, n);
		return true;
	}
	if (n < 0 && errno == EAGAIN)
		return true;
	close(*fd);
	*fd = -1;
	return false;
}

/* The frame on its way to standard input; at most one. */
struct input {
	struct frame frame;
	size_t done;
};

static void close_input(struct streams *s, struct input *in)
{
	if (s->in >= 0)
		close(s->in);
	s->in = -1;
	free(in->frame.data);
	in->frame.data = NULL;
}

static void take_input(struct streams *s, struct input *in)
{
	struct frame f;

	recv_frame(&f);
	if (f.type == 't') {
		set_tty_size(&f);
		if (s->in >= 0)
			ioctl(s->in, TIOCSWINSZ, &job.tty);
		free(f.data);
	} else if (f.type != 'i' || !f.len) {
		free(f.data);
		close_input(s, in);
	} else if (s->in < 0) {
		free(f.data);
	} else {
		in->frame = f;
		in->done = 0;
	}
}

static void give_input(struct streams *s, struct input *in)
{
	ssize_t n = write(s->in, in->frame.data + in->done,
			  in->frame.len - in->done);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			close_input(s, in);
		return;
	}
	in->done += n;
	if (in->done == in->frame.len) {
		free(in->frame.data);
		in->frame.data = NULL;
	}
}

/* Reap everything that has died; true when the command is among it. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int st;
	pid_t pid;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid == command) {
			*status = st;
			ended = true;
		}
	}
	return ended;
}

static int relay(struct streams *s, pid_t command, int child_signal)
{
	enum { SIGNAL, OUT, ERR, LOG, PORT, IN, NR_POLL };
	struct signalfd_siginfo info;
	struct input in = {};
	int status = 0;

	for (;;) {
		struct pollfd p[NR_POLL] = {
			[SIGNAL] = { child_signal, POLLIN },
			[OUT] = { s->out, POLLIN },
			[ERR] = { s->err, POLLIN },
			[LOG] = { kernel_log_fd(), POLLIN },
			/* One frame at a time: a full pipe holds the host. */
			[PORT] = { port, in.frame.data ? 0 : POLLIN },
			[IN] = { in.frame.data ? s->in : -1, POLLOUT },
		};

		if (poll(p, NR_POLL, -1) < 0)
			continue;
		if (p[PORT].revents & POLLHUP)
			reboot(RB_AUTOBOOT);
		if (p[OUT].revents)
			forward(&s->out, 'o');
		if (p[ERR].revents)
			forward(&s->err, 'e');
		if (p[LOG].revents)
			send_kernel_log();
		if (p[PORT].revents & POLLIN)
			take_input(s, &in);
		if (p[IN].revents)
			give_input(s, &in);
		if (p[SIGNAL].revents &&
		    read(child_signal, &info, sizeof(info)) > 0 &&
		    reap(command, &status)) {
			close_input(s, &in);
			return status;
		}
	}
}

int run_command(void)
{
	struct streams s;
	sigset_t chld;
	int status, child_signal;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	child_signal = signalfd(-1, &chld, SFD_CLOEXEC);

	open_streams(&s);
	pid = start_command(&s);
	status = relay(&s, pid, child_signal);
	close(child_signal);

	/* Its remaining processes end with it; only then do the pipes end. */
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	while (s.out >= 0 && forward(&s.out, 'o'))
		;
	while (s.err >= 0 && forward(&s.err, 'e'))
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
