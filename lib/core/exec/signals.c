// SPDX-License-Identifier: MIT
/*
 * The ends of kernels that fail, loop, or make system calls.
 *
 * A worker that runs code of a kernel (exec_worker.selector is EXEC_IN_KERNEL)
 * gets a signal: for an invalid access or instruction from the processor, for a
 * system call by syscall user dispatch, and INTERRUPT from another worker that
 * ends the launch.  The handler notes what happened, then lets the thread return
 * to the worker's stack instead of the kernel's: the block is abandoned.  Kernels
 * hold no locks of the core, so this is safe at any instruction; but they may
 * have been in the C library, which is why the process should end soon.
 *
 * A signal that arrives in the core itself is not a kernel's: the previous
 * handler gets it, or the process ends.
 *
 * In a process that is not the host's own (exec_config.is_guest) there are no
 * handlers, and workers only take signals that instructions cause.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#define PR_SYS_DISPATCH_OFF		0
#define PR_SYS_DISPATCH_ON		1
#endif

#define INTERRUPT	(SIGRTMAX - 3)
#define STACK_SIZE	65536

static __thread struct exec_worker *self
	__attribute__((tls_model("initial-exec")));

static const int caught[] = {
	SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT,
};

#define CAUGHT	(sizeof(caught) / sizeof(*caught))

/* The previous handlers, for signals that no kernel has caused. */
static struct sigaction previous[CAUGHT];

/* Describe the interrupted program, as far as the signal allows. */
static void context_read(struct exec_signal *signal, const ucontext_t *context)
{
	const mcontext_t *machine = &context->uc_mcontext;

#if defined(__x86_64__)
	signal->pc = machine->gregs[REG_RIP];
	signal->sp = machine->gregs[REG_RSP];
	signal->is_write = machine->gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
	const struct _aarch64_ctx *head = (const void *)machine->__reserved;

	signal->pc = machine->pc;
	signal->sp = machine->sp;
	for (; head->magic; head = (const void *)((const char *)head +
						  head->size))
		if (head->magic == ESR_MAGIC)
			signal->is_write = ((const struct esr_context *)head)->
				esr >> 6 & 1;
#endif
}

/* Let the interrupted program continue at the worker's position. */
static void context_abandon(ucontext_t *context, struct exec_worker *worker)
{
	mcontext_t *machine = &context->uc_mcontext;

#if defined(__x86_64__)
	machine->gregs[REG_RSP] = (uintptr_t)worker->sp;
	machine->gregs[REG_RIP] = (uintptr_t)exec_fiber_abandon;
	/* Neither single steps, nor a check of alignment, nor direction. */
	machine->gregs[REG_EFL] &= ~0x40500ULL;
#elif defined(__aarch64__)
	machine->sp = (uintptr_t)worker->sp;
	machine->pc = (uintptr_t)exec_fiber_abandon;
#endif
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	for (size_t i = 0; i < CAUGHT; i++) {
		const struct sigaction *to = &previous[i];

		if (caught[i] != number)
			continue;
		if (to->sa_flags & SA_SIGINFO) {
			to->sa_sigaction(number, info, context);
		} else if (to->sa_handler == SIG_DFL ||
			   to->sa_handler == SIG_IGN) {
			/* The instruction is repeated, and ends the process. */
			signal(number, SIG_DFL);
			if (info->si_code <= 0)
				raise(number);
		} else {
			to->sa_handler(number);
		}
	}
}

static void handle(int number, siginfo_t *info, void *data)
{
	struct exec_worker *worker = self;
	struct exec_signal *signal;
	ucontext_t *context = data;
	bool is_kernel;

	if (number == INTERRUPT) {
		/* In the core, leave() looks at the launch. */
		if (!worker || worker->selector != EXEC_IN_KERNEL ||
		    !worker->unit->launch->is_failed)
			return;
		is_kernel = true;
	} else {
		is_kernel = worker && worker->unit &&
			(worker->selector == EXEC_IN_KERNEL ||
			 worker->is_copying);
	}
	if (!is_kernel) {
		pass_on(number, info, context);
		return;
	}
	worker->selector = EXEC_IN_CORE;
	worker->is_copying = false;
	signal = &worker->signal;
	context_read(signal, context);
	signal->number = number;
	signal->code = info->si_code;
	signal->address = (uintptr_t)info->si_addr;
	/* The processor does not report addresses that no page can have. */
	signal->is_address = info->si_code != SI_KERNEL;
	signal->syscall = number == SIGSYS ? info->si_syscall : 0;
	context_abandon(context, worker);
}

/*
 * Install a handler.  While a kernel runs, system calls get SIGSYS except those
 * at the return from this handler, so the instruction must be ours.
 */
static int install(int number, struct sigaction *old)
{
	struct sigaction action = {
		.sa_sigaction = handle,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};

	sigfillset(&action.sa_mask);
	if (sigaction(number, &action, old))
		return -errno;
#ifdef __x86_64__
	{
		struct {
			void *handler;
			unsigned long flags;
			const void *restorer;
			uint64_t mask;
		} raw = {
			.handler = (void *)handle,
			.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART |
				0x04000000 /* SA_RESTORER */,
			.restorer = exec_fiber_sigreturn,
			.mask = ~0ULL,
		};

		if (syscall(SYS_rt_sigaction, number, &raw, NULL,
			    sizeof(raw.mask)))
			return -errno;
	}
#endif
	return 0;
}

static int init_result;

static void init_once(void)
{
	for (size_t i = 0; i < CAUGHT && !init_result; i++)
		init_result = install(caught[i], &previous[i]);
	if (!init_result)
		init_result = install(INTERRUPT, NULL);
}

int exec_signals_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_once);
	return init_result;
}

/* Without the dispatch, in old kernels and on arm64, system calls are allowed. */
static void dispatch(struct exec_worker *worker, bool is_on)
{
#ifdef __x86_64__
	if (is_on)
		prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
		      exec_fiber_sigreturn,
		      exec_fiber_sigreturn_end - exec_fiber_sigreturn + 1,
		      &worker->selector);
	else
		prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0,
		      0);
#else
	(void)worker;
	(void)is_on;
#endif
}

/* Unblock the signals of instructions: if blocked, they would end the process. */
static void unblock(bool has_handlers)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < CAUGHT; i++)
		sigaddset(&signals, caught[i]);
	if (has_handlers)
		sigaddset(&signals, INTERRUPT);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

int exec_signals_init_worker(struct exec_worker *worker)
{
	stack_t stack = { .ss_size = STACK_SIZE };

	if (worker->exec->config.is_guest) {
		unblock(false);
		return 0;
	}
	worker->signal_stack = malloc(STACK_SIZE);
	if (!worker->signal_stack)
		return -ENOMEM;
	stack.ss_sp = worker->signal_stack;
	if (sigaltstack(&stack, NULL))
		return -errno;
	unblock(true);
	self = worker;
	worker->selector = EXEC_IN_CORE;
	dispatch(worker, true);
	return 0;
}

void exec_signals_fini_worker(struct exec_worker *worker)
{
	stack_t stack = { .ss_flags = SS_DISABLE };

	if (worker->exec->config.is_guest)
		return;
	dispatch(worker, false);
	self = NULL;
	sigaltstack(&stack, NULL);
	free(worker->signal_stack);
}

void exec_signals_interrupt(struct exec_worker *worker)
{
	if (worker != self && !worker->exec->config.is_guest)
		syscall(SYS_tgkill, getpid(), worker->tid, INTERRUPT);
}
