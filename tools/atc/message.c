// SPDX-License-Identifier: GPL-2.0-only
/* Messages. See message.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../vnpu-model/out.h"
#include "message.h"

static void print(const char *kind, const char *format, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "atc: %s: ", kind);
	out_message(stderr, format, args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print("error", format, args);
	va_end(args);
	puts("ATC run failed");
	fflush(stdout);
	exit(1);
}

void die_if(const char *message)
{
	if (message)
		die("%s", message);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print("note", format, args);
	va_end(args);
}
