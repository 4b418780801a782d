// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-model: describes, checks and runs compiled models.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model.h"
#include "usage.h"

static const char help[] =
"usage: vnpu-model info [--json] MODEL.om\n"
"       vnpu-model check [--json] MODEL.om\n"
"       vnpu-model memory [--json] [--gear=N] [--svg=FILE] MODEL.om\n"
"       vnpu-model ops [--json] [--op=NAME] [MODEL.onnx|MODEL.om]\n"
"       vnpu-model run [OPTION...] MODEL.om...|SHARDS.json\n"
"       vnpu-model split [OPTION...] MODEL.onnx\n"
"       vnpu-model tune [OPTION...] MODEL.onnx\n"
"       vnpu-model -h|--help | -v|--version\n"
"\n"
"info     print inputs, outputs, gears, steps and memory\n"
"check    check a file\n"
"memory   print the tensors of the work memory, and when they live\n"
"ops      print the operators of ONNX that are supported; with a model, those\n"
"         that it uses, and whether each is supported\n"
"run      run a model, and compare its outputs with files; several are the parts\n"
"         of one, which have the outputs of the part before as inputs; SHARDS.json\n"
"         is the list of shards that split writes\n"
"split    cut a model into shards, which need less memory one after the other\n"
"tune     choose a precision for each weight, within a bound of what is lost\n"
"\n"
"options of run:\n"
"  --input=FILE     elements of the next input: .npy, .pb (TensorProto of ONNX)\n"
"                   or bytes; without any, random numbers\n"
"  --expect=FILE    elements that the next output should have, likewise\n"
"  --output=DIR     write outputs to DIR/output_N.FORMAT\n"
"  --format=FORMAT  bin, npy or txt (npy)\n"
"  --sizes=N,N...   choose a gear by its sizes; otherwise the largest one runs\n"
"  --loop=N         run N times (1)\n"
"  --rtol=X         relative tolerance (0.001)\n"
"  --atol=X         absolute tolerance (1e-05)\n"
"  --seed=N         of random numbers (1)\n"
"  --host           run in this process, without a device\n"
"  --json           print JSON\n"
"\n"
"options of split:\n"
"  -n N, --shards=N make N shards that need about the same memory\n"
"  --memory=SIZE    or as few as need: each needs at most SIZE bytes of the device,\n"
"                   or SIZE with K, M or G; few bytes are copied between shards\n"
"  -o PREFIX, --output=PREFIX\n"
"                   write PREFIX_0.onnx, PREFIX_1.onnx, ... and the list PREFIX.json;\n"
"                   by default, PREFIX is the name of the model\n"
"  --om             compile the shards: write PREFIX_0.om, ...\n"
"  --input_shape=NAME:N,N...;NAME:N,N...\n"
"                   sizes of inputs, where the model leaves them open\n"
"  --json           print JSON\n"
"\n"
"options of tune:\n"
"  --input=FILE     elements of the next input, as of run; after the last one, the\n"
"                   next sample begins; without any, 4 random samples\n"
"  --loss=X         the largest loss, as a number or with a % (1%)\n"
"  --part=WORD=PRECISION,...\n"
"                   precisions (fp32, fp16, bf16, int8) of weights with a word in\n"
"                   their name or that of a node that uses them; without any,\n"
"                   each large weight is a part, and all small ones are one\n"
"  --output=FILE    write the tuned model\n"
"  --seed=N         of random numbers (1)\n"
"  --json           print JSON\n"
"\n"
"exit status: 0 success, outputs are as expected; 1 the command line is invalid;\n"
"2 a file is invalid; 3 outputs differ, operators are missing, or no choice is\n"
"within the bound or possible; 4 any other failure\n";

void die(enum model_exit status, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	out_message(stderr, format, args);
	va_end(args);
	exit(status);
}

void die_if(enum model_exit status, const char *message)
{
	if (message)
		die(status, "%s", message);
}

int next_option(int argc, char **argv, const struct option *options,
		const char *command)
{
	return next_letter(argc, argv, ":", options, command);
}

int next_letter(int argc, char **argv, const char *letters,
		const struct option *options, const char *command)
{
	int c = getopt_long(argc, argv, letters, options, NULL);
	const char *given = argv[optind - 1], *colon = command ? ": " : "";
	const char *name = program_invocation_short_name;

	command = command ? command : "";
	if (c == ':')
		die(EXIT_USAGE, "%s%s'%s' is without its value; try %s --help",
		    command, colon, given, name);
	if (c != '?')
		return c;
	if (!optopt)
		die(EXIT_USAGE, "%s%s'%s' is no option; try %s --help",
		    command, colon, given, name);
	if (!strncmp(given, "--", 2) && strchr(given, '='))
		die(EXIT_USAGE, "%s%s'%s' has a value, but this option takes none",
		    command, colon, given);
	/* A letter, in an argument that may have more of them. */
	die(EXIT_USAGE, "%s%s'-%c' is no option; try %s --help", command, colon,
	    optopt, name);
}

const char *only_operand(int argc, char **argv, const char *command)
{
	if (argc - optind != 1)
		die(EXIT_USAGE, "%s: %s; try vnpu-model --help", command,
		    argc == optind ? "the model is missing" :
		    "only one model can be given");
	return argv[optind];
}

uint64_t whole_number(const char *option, const char *text, uint64_t most)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || *end || errno || *text == '-' || !value ||
	    value > most)
		die(EXIT_USAGE, "--%s=%s: must be a number from 1 to %llu",
		    option, text, (unsigned long long)most);
	return value;
}

static const struct option json_options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ 0 }
};

static int finish(struct out *o)
{
	if (out_end(o))
		die(EXIT_FAILED, "standard output cannot be written");
	return EXIT_DONE;
}

int command_info(int argc, char **argv)
{
	bool is_json = false;
	struct model m;
	struct out o;

	while (next_option(argc, argv, json_options, "info") != -1)
		is_json = true;
	die_if(EXIT_REFUSED,
	       model_open(&m, only_operand(argc, argv, "info")));
	out_begin(&o, stdout, is_json);
	model_print(&o, &m);
	model_close(&m);
	return finish(&o);
}

int command_check(int argc, char **argv)
{
	struct program_error error;
	bool is_json = false;
	const char *path;
	uint64_t steps = 0;
	struct model m;
	struct out o;
	unsigned int i;

	while (next_option(argc, argv, json_options, "check") != -1)
		is_json = true;
	path = only_operand(argc, argv, "check");
	die_if(EXIT_REFUSED, model_open(&m, path));
	for (i = 0; i < m.gear_count; i++) {
		if (program_verify(&m.gears[i], &error))
			die(EXIT_REFUSED, "'%s' is no valid model: gear %u: %s",
			    path, i, error.text);
		steps += m.gears[i].head->steps;
	}
	out_begin(&o, stdout, is_json);
	out_text(&o, "status", "status", "valid");
	out_uint(&o, "gear_count", "gears", m.gear_count);
	out_uint(&o, "steps", "steps", steps);
	model_close(&m);
	return finish(&o);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{ "info", command_info }, { "check", command_check },
		{ "memory", command_memory }, { "ops", command_ops },
		{ "run", command_run }, { "split", command_split },
		{ "tune", command_tune },
	};
	const char *name = argc ? strrchr(argv[0], '/') : NULL;
	unsigned int i;

	name = name ? name + 1 : argc ? argv[0] : "";
	if (!strcmp(name, "msame"))
		return front_msame(argc, argv);
	if (!strcmp(name, "mscheck"))
		return front_mscheck(argc, argv);
	if (argc < 2)
		die(EXIT_USAGE, "the command is missing: info, check, memory, ops, run, split or tune; try vnpu-model --help");
	name = argv[1];

	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		return fputs(help, stdout) < 0 || fflush(stdout) ? EXIT_FAILED :
								   EXIT_DONE;
	if (!strcmp(name, "-v") || !strcmp(name, "--version"))
		return puts("vnpu-model (vnpu) " VNPU_VERSION) < 0 ||
		       fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	die(EXIT_USAGE, "'%s' is no command: info, check, memory, ops, run, split or tune; try vnpu-model --help",
	    name);
}
