// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: a self-contained page that draws the trace.
 *
 * It has names of processes, which may be any text.  They are in JSON strings,
 * where these three characters may be written as escapes, and they occur
 * nowhere else in the JSON.  Without them, neither an HTML nor an XML parser
 * can find an end of the enclosing element.
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
	/* An error of @f is detected when it is flushed. */
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
