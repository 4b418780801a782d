/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: declarations that its commands share: the list of commands, errors,
 * and exit statuses.
 */
#ifndef VNPU_SMI_CMD_H
#define VNPU_SMI_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The exit status; a part of the interface, see vnpu-smi(1). */
enum smi_exit {
	SMI_OK		= 0,
	SMI_USAGE	= 1,	/* the command line is invalid */
	SMI_NO_DRIVER	= 2,	/* the netlink family does not exist */
	SMI_NO_DEVICE	= 3,	/* there is no such device or chip */
	SMI_PERMISSION	= 4,	/* the kernel refused to answer this user */
	SMI_UNHEALTHY	= 5,	/* a device is not healthy */
	SMI_TIMEOUT	= 6,	/* no answer in time, or condition not met */
	SMI_FAILED	= 7,	/* any other failure: memory, output, answer */
	SMI_LEAK	= 8,	/* more is held than in a snapshot */
};

/**
 * struct command - a command
 * @name: its name on the command line
 * @summary: one line for the list of commands
 * @run: gets the command itself as argv[0]; its result is the exit status
 */
struct command {
	const char *name;
	const char *summary;
	enum smi_exit (*run)(int argc, char **argv);
};

/* Write one line to standard error, and return @status. */
enum smi_exit fail(enum smi_exit status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Write one line to standard error, without an effect on the exit status. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Parse a size: a decimal number of bytes, or of KiB, MiB, GiB or TiB with a
 * suffix K, M, G or T.
 */
bool parse_size(const char *text, uint64_t *out);

/* Parse a decimal number that fits 32 bits; nothing else is accepted. */
bool parse_u32(const char *text, uint32_t *out);

/* Take the value of option -@option, which may be given once. */
enum smi_exit take_number(bool *has, uint32_t *number, char option,
			  const char *text);

/*
 * Report the option of @verb that getopt_long() has rejected by returning @c.
 */
enum smi_exit fail_option(const char *verb, int c, char *const *argv);

/* Ask for confirmation on standard error, unless @is_sure. */
enum smi_exit confirm(bool is_sure, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Flush @f; lost output, as on a full disk, is a failure. */
enum smi_exit finish_output(FILE *f);

enum smi_exit cmd_info(int argc, char **argv);
enum smi_exit cmd_frag(int argc, char **argv);
enum smi_exit cmd_events(int argc, char **argv);
enum smi_exit cmd_health(int argc, char **argv);
enum smi_exit cmd_proc(int argc, char **argv);
enum smi_exit cmd_hccl(int argc, char **argv);
enum smi_exit cmd_top(int argc, char **argv);
enum smi_exit cmd_wait(int argc, char **argv);
enum smi_exit cmd_set(int argc, char **argv);
enum smi_exit cmd_snapshot(int argc, char **argv);
enum smi_exit cmd_diff(int argc, char **argv);
enum smi_exit cmd_trace(int argc, char **argv);
enum smi_exit cmd_coredump(int argc, char **argv);
enum smi_exit cmd_exporter(int argc, char **argv);
enum smi_exit cmd_device(int argc, char **argv);
enum smi_exit cmd_inject(int argc, char **argv);

#endif /* VNPU_SMI_CMD_H */
