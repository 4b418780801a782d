/* SPDX-License-Identifier: MIT */
/*
 * vnpu-core, the process that runs the kernels of one client on one device.  For
 * tools such as valgrind and perf, it can also be threads of the client itself.
 *
 *	main.c		the process
 *	sandbox.c	gives up what the process does not need
 *	end.c		its end, planned or by a signal
 *	thread.c	the threads in the client, instead of these three
 *	store.c		the images as files, for its tools
 *	start.c		the start of both
 *	channel.c	messages from and to the library
 *	images.c	the images that the library has sent
 *	operators.c	the operators of lib/ops, which are part of the core
 *	listener.c	events of the engine file
 *	engine.c	launches: from their events to the executor and back
 *	names.c		the names of kernels and operators, for monitors
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

/* File descriptors of the process beside CORE_SOCKET; those below are /dev/null. */
#define CORE_ENGINE	4
#define CORE_STATUS	5	/* /proc/self/status, with a debugger only */

/**
 * struct core - the core
 * @is_thread: it is part of the client's process
 * @socket: to the library
 * @engine: the engine file
 * @start: START of the library
 * @attach: the answer of the driver to ATTACH
 * @state: mapped from the engine file
 * @exec: the executor
 * @gate: held until launches can begin
 * @is_over: a core in the client is about to end, and begins no more launches
 */
struct core {
	bool is_thread;
	int socket;
	int engine;
	struct core_start start;
	struct vnpu_engine_attach attach;
	const volatile struct vnpu_engine_state *state;
	struct exec *exec;
	pthread_mutex_t gate;
	_Atomic bool is_over;
};

extern struct core core;

#define CORE_PATH_MAX	4096

/* The time between two looks for the end of a core, or of its launches. */
#define CORE_LOOK_US	20000

/* start.c; on failure, @text says why. */

/* Explain an error of channel_start() in @text. */
void core_explain_start(int error, char *text, size_t size);

/* Become the core of the engine file. */
int core_attach(char *text, size_t size);

/* Start the threads that run kernels. */
int core_executor_start(char *text, size_t size);

/* end.c, or thread.c */

/*
 * End the core, from any thread, with CORE_EXIT_*.  The process ends at once, also
 * in signal handlers.  Threads in the client end after this returns, once all
 * launches have.
 */
void core_exit(int status);

/* end.c */

/* Catch the signals that end a process, to report them; 0 or a negative errno. */
int end_prepare(void);

/* Block such signals, or not, in this thread and in those that it creates. */
void end_block(bool is_blocked);

/* channel.c */

/* Receive START and the engine file; 0 or a negative errno. */
int channel_start(struct core_start *start);

/* Send EXIT; an error does not matter any more.  Safe in signal handlers. */
void channel_exit(const struct core_exit *end);

/* Send READY, with a sentence if @error is not 0. */
void channel_ready(int error, const char *text);

/* Handle the messages that have arrived; ends the core with its client. */
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

/* Remove all images; no launch uses one. */
void images_remove_all(void);

/*
 * Get the kernel of a launch; its image stays until images_put().  Return NULL
 * if there is none, with the reason in @error and a positive errno in @result.
 */
struct kernel *images_get(uint64_t function, char *error, size_t size,
			  int *result);
void images_put(struct kernel *kernel);

/* Return the address in the image's file that @pc stands for, or 0. */
uint64_t images_pc(const struct kernel *kernel, uint64_t pc, const void **data,
		   size_t *size);

/* operators.c */

/*
 * Get the kernel that runs the operators of a launch, as images_get() does; it
 * belongs to this launch until operators_put().
 */
struct kernel *operators_get(const struct vnpu_engine_event *event, char *error,
			     size_t size, int *result);
void operators_put(struct kernel *kernel);

/* Return the arguments of the launch, for the executor. */
const void *operators_args(const struct kernel *kernel);

/* engine.c */

/* Do what the sandbox will forbid; called before sandbox_begin(). */
void engine_prepare(void);

/*
 * Change the flags in @mask of the engine file; returns the number of launches
 * that this process has fetched but not completed.
 */
uint32_t engine_set(uint32_t flags, uint32_t mask);

/* Stop all launches of a core that is over, and wait for their ends. */
void engine_stop_all(void);

/* Begin a launch; return false if it has ended already, with @completion. */
bool launch_begin(const struct vnpu_engine_event *event,
		  struct vnpu_engine_completion *completion);

/* Stop a launch, or all of them if @id is 0. */
void launch_stop(uint64_t id);

/* End the process after its last launch, if it is draining. */
void launch_drain_look(void);

extern const struct exec_host engine_host;

/* names.c */

/*
 * Return the driver's number of a name; 0 if the driver accepts no more names.
 * Any thread that is not in a kernel may call it.
 */
uint32_t names_number(const char *name);

/* Forget all names, as their engine file ends; no launch exists. */
void names_remove_all(void);

/* store.c */

/*
 * Store an image in a file, and its path in @path; the file stays.  Return 0 or
 * a negative errno.
 */
int store_image(const char *name, const void *data, size_t size, char *path,
		size_t path_size);

/* message.c */

/* Make a message and its sentence of a report. */
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
