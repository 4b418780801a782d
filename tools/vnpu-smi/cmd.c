// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: diagnostics and small parsers for all commands.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cmd.h"
#include "text.h"

#define LINE_MAX_BYTES	512

static void complain(const char *fmt, va_list args)
{
	char line[LINE_MAX_BYTES];
	char clean[LINE_MAX_BYTES];

	/* It may quote an argument, which must not reach the terminal raw. */
	vsnprintf(line, sizeof(line), fmt, args);
	text_clean(clean, sizeof(clean), line);
	fprintf(stderr, "vnpu-smi: %s\n", clean);
}

enum smi_exit fail(enum smi_exit status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
	return status;
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
}

bool parse_u32(const char *text, uint32_t *out)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*out = (uint32_t)value;
	return true;
}

enum smi_exit finish_output(FILE *f)
{
	errno = 0;
	if (fflush(f) || ferror(f))
		return fail(SMI_FAILED, "cannot write the output: %s",
			    errno ? strerror(errno) : "an earlier write failed");
	return SMI_OK;
}
