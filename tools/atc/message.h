/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of atc. Errors and notes go to standard error, the lines that scripts
 * look for to standard output.
 */
#ifndef VNPU_ATC_MESSAGE_H
#define VNPU_ATC_MESSAGE_H

/* End the program with an error: a sentence. */
void die(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* End the program if @message, the error of a function, is not NULL. */
void die_if(const char *message);

/* Report what the user should know. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
