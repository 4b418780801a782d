/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the guest's init. It has one thread, and lives as long as the
 * machine.
 */

#ifndef VNPU_VM_INIT_H
#define VNPU_VM_INIT_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#define CHUNK		(64 * 1024)

struct frame {
	char type;
	uint32_t len;
	char *data;		/* len bytes and a NUL */
};

/* The host's request; a pointer is NULL if it was not sent. */
struct job {
	char *cwd;
	char *modules;
	char *params;
	struct frame image;
	struct winsize tty;
	bool want_tty;
	char **argv, **envp;
	size_t argc, envc;
};

extern struct job job;
extern int port;

/* init.c */
ssize_t read_file(const char *path, char *buf, size_t size);
int write_file(const char *path, const char *text);

/* talk.c */
void open_port(void);
void open_kernel_log(void);
int kernel_log_fd(void);
void receive_job(void);
void set_tty_size(const struct frame *f);
void send_frame(char type, const void *data, uint32_t len);
void recv_frame(struct frame *f);
void send_kernel_log(void);
void finding(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fail(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void wait_for_end(void) __attribute__((noreturn));

/* watch.c */
void load_module(void);
void unload_module(void);
unsigned long read_taint(void);
void check_taint(unsigned long before);
void check_leaks(void);

/* command.c */
int run_command(void);

#endif
