/* SPDX-License-Identifier: MIT */
/*
 * vnpu-core, the process that runs the kernels of one client on one device.
 *
 *	main.c		its start
 *	sandbox.c	gives up what it does not need
 *	channel.c	messages from and to the library
 *	end.c		its end, planned or by a signal
 *	images.c	the images that the library has sent
 *	operators.c	the operators of lib/ops, which are part of the core
 *	engine.c	launches: from the engine file to the executor and back
 *	message.c	sentences about exceptions
 *	exec/		the executor
 *	elf/		checks of images, lines of addresses
 */
#ifndef VNPU_CORE_CORE_H
#define VNPU_CORE_CORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/vnpu_engine.h>

#include "exec/exec.h"
#include "protocol.h"

/* File descriptors beside CORE_SOCKET; those below are /dev/null. */
#define CORE_ENGINE	4
#define CORE_STATUS	5	/* /proc/self/status, with a debugger only */

/**
 * struct core - the process
 * @start: START of the library
 * @attach: the answer of the driver to ATTACH
 * @state: mapped from the engine file
 * @exec: the executor
 * @gate: held until launches can begin
 */
struct core {
	struct core_start start;
	struct vnpu_engine_attach attach;
	const volatile struct vnpu_engine_state *state;
	struct exec *exec;
	pthread_mutex_t gate;
};

extern struct core core;

/* end.c */

/*
 * End the process at once, from any thread, with CORE_EXIT_*.  Safe in signal
 * handlers.
 */
void __attribute__((noreturn)) core_exit(int status);

/* Catch the signals that end a process, to report them; 0 or a negative errno. */
int end_prepare(void);

/* Whether the calling thread, and those that it creates, get such signals. */
void end_block(bool is_blocked);

/* channel.c */

/* Receive START and the engine file, as CORE_ENGINE; 0 or a negative errno. */
int channel_start(struct core_start *start);

/* Send EXIT; an error does not matter any more.  Safe in signal handlers. */
void channel_exit(const struct core_exit *end);

/* Send READY, with a sentence if @error is not 0. */
void channel_ready(int error, const char *text);

/* Handle the messages that have arrived; ends the process with its client. */
void channel_drain(void);

void channel_print(uint64_t stream, const char *text, size_t length);

/* Send EXCEPTION or FINDING. */
void channel_report(enum core_message_type type,
		    const struct core_exception *exception, const char *text);

/* images.c */

struct image;

/**
 * struct kernel - a kernel as launches name it
 * @exec: for the executor
 * @name: for messages
 * @image: the image that it is in; NULL for an operator
 */
struct kernel {
	struct exec_kernel exec;
	char *name;
	struct image *image;
};

/* Add or remove an image; takes the descriptor.  Errors are kept for launches. */
void images_add(uint32_t id, int fd, uint64_t size, const char *name);
void images_remove(uint32_t id);

/*
 * The kernel of a launch, whose image stays until images_put(); NULL if there is
 * none, with the reason in @error.  Sets @result to a positive errno then.
 */
struct kernel *images_get(uint64_t function, char *error, size_t size,
			  int *result);
void images_put(struct kernel *kernel);

/* The address in the image's file that @pc stands for, 0 if there is none. */
uint64_t images_pc(const struct kernel *kernel, uint64_t pc, const void **data,
		   size_t *size);

/* operators.c */

/*
 * The kernel that runs the operators of a launch, as images_get(); it belongs to
 * this launch until operators_put().
 */
struct kernel *operators_get(const struct vnpu_engine_event *event, char *error,
			     size_t size, int *result);
void operators_put(struct kernel *kernel);

/* The arguments of the launch, for the executor. */
const void *operators_args(const struct kernel *kernel);

/* engine.c */

/* Prepare what the sandbox forbids; called before it. */
void engine_prepare(void);

/*
 * Change those flags of the engine file that are in @mask; returns the number of
 * launches that this process has got.
 */
uint32_t engine_set(uint32_t flags, uint32_t mask);

extern const struct exec_host engine_host;

/* message.c */

/* Complete a report to a message and its sentence. */
void message_make(struct core_exception *exception, char *text, size_t size,
		  const struct kernel *kernel, const struct exec_report *report);

/* sandbox.c */

/* Close descriptors; 0 or a negative errno. */
int sandbox_begin(bool is_debug);

/* Forbid files to threads that are created from now on. */
void sandbox_files(void);

/* Forbid all system calls that a core does not make, to all threads. */
int sandbox_calls(void);

#endif /* VNPU_CORE_CORE_H */
