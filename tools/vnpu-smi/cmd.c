// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: diagnostics and small parsers for all commands.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "cmd.h"
#include "text.h"

#define LINE_MAX_BYTES	512

static void complain(const char *fmt, va_list args)
{
	char line[LINE_MAX_BYTES];
	char clean[LINE_MAX_BYTES];

	/*
	 * The text may quote an argument, which must not reach the terminal
	 * raw.
	 */
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

bool parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t value = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'),
					   &value))
			return false;
	if (*text) {
		unit = strchr(units, *text);
		if (!unit || text[1] ||
		    __builtin_mul_overflow(value, UINT64_C(1) <<
					   10 * (unit - units + 1), &value))
			return false;
	}
	*out = value;
	return true;
}

enum smi_exit take_number(bool *has, uint32_t *number, char option,
			  const char *text)
{
	if (*has)
		return fail(SMI_USAGE, "option '-%c' is given twice", option);
	if (!parse_u32(text, number))
		return fail(SMI_USAGE,
			    "'%s' is not a number, which option '-%c' needs",
			    text, option);
	*has = true;
	return SMI_OK;
}

enum smi_exit fail_option(const char *verb, int c, char *const *argv)
{
	const char *last = argv[optind - 1];
	int length = (int)strcspn(last, "=");
	const char *what;

	if (c == ':')
		what = "needs a value";
	else if (!strncmp(last, "--", 2) && optopt)
		what = "takes no value";
	else
		what = "is unknown";

	/* The letter may be one of several after the same dash. */
	if (strncmp(last, "--", 2))
		return fail(SMI_USAGE, "option '-%c' %s; see 'vnpu-smi %s --help'",
			    optopt, what, verb);
	return fail(SMI_USAGE, "option '%.*s' %s; see 'vnpu-smi %s --help'",
		    length, last, what, verb);
}

/* The question is not on standard output, because a script may parse that. */
enum smi_exit confirm(bool is_sure, const char *fmt, ...)
{
	char answer[16];
	va_list args;

	if (is_sure)
		return SMI_OK;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" (y/n) ", stderr);
	fflush(stderr);
	if (fgets(answer, sizeof(answer), stdin) &&
	    (answer[0] == 'y' || answer[0] == 'Y') &&
	    (!answer[1] || answer[1] == '\n'))
		return SMI_OK;
	return fail(SMI_FAILED, "not confirmed; nothing was changed");
}

enum smi_exit finish_output(FILE *f)
{
	errno = 0;
	if (fflush(f) || ferror(f))
		return fail(SMI_FAILED, "cannot write the output: %s",
			    errno ? strerror(errno) : "an earlier write failed");
	return SMI_OK;
}
