/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of vnpu-model.
 */
#ifndef VNPU_MODEL_COMMAND_H
#define VNPU_MODEL_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * enum model_exit - exit statuses
 * @EXIT_DONE: success
 * @EXIT_USAGE: the command line is not valid
 * @EXIT_REFUSED: a file is not valid
 * @EXIT_DIFFERS: outputs differ, operators are missing, or no choice is good
 * @EXIT_FAILED: any other failure
 */
enum model_exit {
	EXIT_DONE,
	EXIT_USAGE,
	EXIT_REFUSED,
	EXIT_DIFFERS,
	EXIT_FAILED,
};

/* Print an error, and end the program. */
void die(enum model_exit status, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* Print the error of a function and end the program, unless @message is NULL. */
void die_if(enum model_exit status, const char *message);

/*
 * Read options as getopt_long() does, and end the program for one that is not
 * valid; @command begins the message, or is NULL.
 */
int next_option(int argc, char **argv, const struct option *options,
		const char *command);

/* Likewise, with options of one letter as of getopt(), after a colon. */
int next_letter(int argc, char **argv, const char *letters,
		const struct option *options, const char *command);

/* Get the value of an option, from 1 to @most, or end the program. */
uint64_t whole_number(const char *option, const char *text, uint64_t most);

/* Get the only operand; end the program if there are none or more. */
const char *only_operand(int argc, char **argv, const char *command);

int command_info(int argc, char **argv);
int command_check(int argc, char **argv);
int command_memory(int argc, char **argv);
int command_ops(int argc, char **argv);
int command_run(int argc, char **argv);
int command_split(int argc, char **argv);
int command_tune(int argc, char **argv);

/* The program under other names: front.c */
int front_msame(int argc, char **argv);
int front_mscheck(int argc, char **argv);

#endif
