// SPDX-License-Identifier: MIT
/*
 * The end of the process.  The library is not its parent and gets no status, so
 * EXIT reports it.
 *
 * Signals that end a process are caught for this, then sent again with their
 * default effect.  Threads of the executor block the signals that come from
 * outside, because a thread cannot make system calls while a kernel runs.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core.h"

#define STACK_SIZE	65536

/* Signals that the code of a process causes. */
static bool is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
	       number == SIGILL || number == SIGTRAP || number == SIGSYS ||
	       number == SIGABRT;
}

/* Signals that end a process by default, and can be caught. */
static bool is_end(int number)
{
	switch (number) {
	case SIGKILL:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGCONT:
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
		return false;
	default:
		/* The C library reserves some signals for itself. */
		return number < __SIGRTMIN || number >= SIGRTMIN;
	}
}

/*
 * Report the end once.  If two threads are here, both do: neither may end the
 * process before a report is sent, and the library uses the first one.
 */
static void report(const struct core_exit *end)
{
	static _Atomic bool is_reported;

	if (atomic_load(&is_reported))
		return;
	channel_exit(end);
	atomic_store(&is_reported, true);
}

void core_exit(int status)
{
	report(&(struct core_exit){ .status = status });
	_exit(status);
}

static void die(int number, siginfo_t *info, void *context)
{
	struct core_exit end = { .signal = number };

	(void)context;
	/* Signals of other processes have no address. */
	if (info->si_code > 0 && (number == SIGSEGV || number == SIGBUS ||
				  number == SIGILL || number == SIGFPE))
		end.address = (uintptr_t)info->si_addr;
	report(&end);
	signal(number, SIG_DFL);
	raise(number);
}

int end_prepare(void)
{
	/* On this stack, a thread reports that its own stack is full. */
	static char memory[STACK_SIZE];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = {
		.sa_sigaction = die,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	sigfillset(&action.sa_mask);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (is_end(i) && sigaction(i, &action, NULL))
			return -errno;
	return sigaltstack(&stack, NULL) ? -errno : 0;
}

void end_block(bool is_blocked)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (is_end(i) && !is_fault(i))
			sigaddset(&signals, i);
	pthread_sigmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &signals, NULL);
}
