// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: a page that draws the trace, which is within it.
 *
 * Names of processes are in it, and are anything.  They are in strings of JSON,
 * where these three characters may be written as escapes; nowhere else in it do
 * they occur, and without them nothing ends the element that it is in, neither
 * for a reader of HTML nor for one of XML.
 */
#include <string.h>

#include "trace.h"

static const char page[] =
#include "trace_page.inc"
;

static const char mark[] = "@DATA@";

static ssize_t write_escaped(void *to, const char *text, size_t size)
{
	FILE *f = to;
	size_t i;

	for (i = 0; i < size; i++) {
		if (strchr("<>&", text[i]) && text[i])
			fprintf(f, "\\u%04x", (unsigned int)text[i]);
		else
			putc(text[i], f);
	}
	/* An error of @f is found by who flushes it. */
	return (ssize_t)size;
}

enum smi_exit trace_write_html(FILE *f, const struct trace_model *model)
{
	const cookie_io_functions_t functions = { .write = write_escaped };
	const char *place = strstr(page, mark);
	FILE *escaped = fopencookie(f, "w", functions);

	if (!escaped)
		return fail(SMI_FAILED, "out of memory");
	fwrite(page, 1, (size_t)(place - page), f);
	trace_write_json(escaped, model);
	fclose(escaped);
	fputs(place + strlen(mark), f);
	return finish_output(f);
}
