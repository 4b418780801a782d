// SPDX-License-Identifier: GPL-2.0-only
/*
 * atc: compiles ONNX models to .om files, with the command line of CANN's atc.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../vnpu-model/model.h"
#include "build.h"
#include "message.h"
#include "report.h"

static void print_json_report(FILE *f, const void *data)
{
	struct out o;

	out_begin(&o, f, true);
	report_print(&o, data);
	out_end(&o);
}

static void print_json_model(FILE *f, const void *data)
{
	struct out o;

	out_begin(&o, f, true);
	model_print(&o, data);
	out_end(&o);
}

static void compile(const struct options *o)
{
	struct built b;
	struct out out;

	build_model(&b, o);
	if (o->is_verbose) {
		out_begin(&out, stdout, false);
		report_print(&out, &b);
		out_end(&out);
	}
	if (o->report)
		die_if(file_print(o->report, print_json_report, &b));
	if (o->mode == ATC_COMPILE)
		build_write(&b, o);
	build_free(&b);
}

/* Check whether a file is meant to be a model that is not compiled yet. */
static bool is_source(const struct options *o)
{
	const char *ending = strrchr(o->om, '.');

	return o->framework >= 0 || (ending && !strcasecmp(ending, ".onnx"));
}

static void describe(const struct options *o)
{
	struct model m;
	struct out out;

	char *message = model_open(&m, o->om);

	if (message && is_source(o))
		die("%s; --mode=%u describes files that atc has compiled, and --mode=3 checks an ONNX model",
		    message, o->mode);
	die_if(message);
	if (o->mode == ATC_JSON) {
		die_if(file_print(o->json, print_json_model, &m));
	} else {
		out_begin(&out, stdout, false);
		model_print(&out, &m);
		out_end(&out);
	}
	model_close(&m);
}

int main(int argc, char **argv)
{
	struct options o;

	options_read(&o, argc, argv);
	puts("ATC start working now, please wait for a moment.");
	fflush(stdout);
	if (o.mode == ATC_COMPILE || o.mode == ATC_CHECK)
		compile(&o);
	else
		describe(&o);
	puts("ATC run success, welcome to the next use.");
	if (fflush(stdout) || ferror(stdout)) {
		fputs("atc: error: standard output cannot be written\n", stderr);
		return 1;
	}
	return 0;
}
