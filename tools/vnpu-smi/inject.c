// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi inject: fault injection.  It needs permission, and asks for
 * confirmation before it sets or removes a fault.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "inject.h"

#define COUNT_OF(array)	(sizeof(array) / sizeof((array)[0]))

/* A probability of 1. */
#define PPM_MAX		1000000

static const char inject_help[] =
"usage: vnpu-smi inject list [FORM]\n"
"       vnpu-smi inject set -k KIND -i ID [-c CLIENT] [-e ENGINE]\n"
"                           [-n NTH] [-r EVERY] [-p PPM [-s SEED]] [-d US]\n"
"                           [-a ADDRESS] [-y] [FORM]\n"
"       vnpu-smi inject clear -i ID [-k KIND [-c CLIENT] [-e ENGINE]\n"
"                             [-a ADDRESS]] [-y] [FORM]\n"
"\n"
"  list                  show the faults that are set\n"
"  set                   set a fault; it replaces the previous one\n"
"  clear                 remove a fault, or without -k all\n"
"\n"
"  -k, --kind KIND       engine-hang    a task does not end\n"
"                        engine-slow    each part of a task takes longer\n"
"                        doorbell-lost  the driver misses new tasks of a stream\n"
"                        alloc-fail     an allocation of device memory fails\n"
"                        ecc-corrected  a memory error is corrected and counted\n"
"                        ecc-uncorrected\n"
"                                       a memory error fails its user\n"
"                        event-overrun  an event is lost, and reported as lost\n"
"                        host-alloc-fail\n"
"                                       an allocation of host memory fails\n"
"                        access-fault   an access to memory fails with EFAULT\n"
"                        core-hang      an AI core does not complete a launch\n"
"                        core-die       an AI core dies when it gets a launch\n"
"                        core-slow      a launch takes longer\n"
"                        core-twice     an AI core completes a launch twice\n"
"                        core-garbage   an AI core completes one with nonsense\n"
"  -i, --id ID           the device with this number\n"
"  -c, --client CLIENT   the client with this id; all by default\n"
"  -e, --engine ENGINE   engines of this class, copy or vector; all by default\n"
"  -n, --nth NTH         at the NTH opportunity; 1, the next, by default\n"
"  -r, --every EVERY     and again after every EVERY opportunities\n"
"  -p, --ppm PPM         or at each with this probability, in millionths\n"
"  -s, --seed SEED       seed of the random numbers for -p; 0 by default\n"
"  -d, --delay US        delay in microseconds for engine-slow and core-slow\n"
"  -a, --address ADDRESS device address of the client, for ecc-* and\n"
"                        access-fault, which need -a and -c\n"
"  -y, --yes             do not ask for confirmation\n"
OUT_HELP
"  -h, --help            print this and exit\n"
"\n"
"It needs CAP_NET_ADMIN in the initial user namespace, which root has.\n";

static const char *const actions[] = {
	[INJECT_LIST] = "list",
	[INJECT_SET] = "set",
	[INJECT_CLEAR] = "clear",
};

static const struct option inject_options[] = {
	{ "kind",	required_argument,	NULL, 'k' },
	{ "id",		required_argument,	NULL, 'i' },
	{ "client",	required_argument,	NULL, 'c' },
	{ "engine",	required_argument,	NULL, 'e' },
	{ "nth",	required_argument,	NULL, 'n' },
	{ "every",	required_argument,	NULL, 'r' },
	{ "ppm",	required_argument,	NULL, 'p' },
	{ "seed",	required_argument,	NULL, 's' },
	{ "delay",	required_argument,	NULL, 'd' },
	{ "address",	required_argument,	NULL, 'a' },
	{ "yes",	no_argument,		NULL, 'y' },
	TABLE_LONG_OPTIONS,
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

/* Find a word among @count words; @count if it is none of them. */
static uint32_t find_word(const char *const *words, size_t count,
			  const char *word)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(words[i], word))
			break;
	return i;
}

static enum smi_exit take_kind(struct inject_request *r, const char *word)
{
	if (r->has_kind)
		return fail(SMI_USAGE, "option '-k' is given twice");
	r->fault.kind = find_word(inject_kinds, INJECT_KINDS, word);
	if (r->fault.kind == INJECT_KINDS)
		return fail(SMI_USAGE,
			    "unknown kind '%s'; see 'vnpu-smi inject --help'",
			    word);
	r->has_kind = true;
	return SMI_OK;
}

static enum smi_exit take_class(struct inject_request *r, const char *word)
{
	if (r->fault.class != NO_CLASS)
		return fail(SMI_USAGE, "option '-e' is given twice");
	r->fault.class = find_word(inject_classes, INJECT_CLASSES, word);
	if (r->fault.class == INJECT_CLASSES)
		return fail(SMI_USAGE,
			    "unknown engine '%s': it must be copy or vector", word);
	return SMI_OK;
}

/* Parse an address as programs print pointers, or as a decimal number. */
static enum smi_exit take_address(struct inject_request *r, const char *text)
{
	char *end;

	if (r->fault.addr)
		return fail(SMI_USAGE, "option '-a' is given twice");
	errno = 0;
	if (*text >= '0' && *text <= '9')
		r->fault.addr = strtoull(text, &end,
					 text[1] == 'x' || text[1] == 'X' ?
					 16 : 10);
	if (!r->fault.addr || errno || *end)
		return fail(SMI_USAGE,
			    "'%s' is not an address like 0x7f0000001000",
			    text);
	return SMI_OK;
}

/* Parse a number of at least 1. */
static enum smi_exit take_count(uint64_t *number, char option, const char *text)
{
	char *end;

	if (*number)
		return fail(SMI_USAGE, "option '-%c' is given twice", option);
	errno = 0;
	if (*text >= '0' && *text <= '9')
		*number = strtoull(text, &end, 10);
	if (!*number || errno || *end)
		return fail(SMI_USAGE,
			    "'%s' is not a number from 1 on, which option '-%c' needs",
			    text, option);
	return SMI_OK;
}

static enum smi_exit take_ppm(struct inject_request *r, const char *text)
{
	enum smi_exit status = take_count(&r->fault.ppm, 'p', text);

	if (!status && r->fault.ppm > PPM_MAX)
		status = fail(SMI_USAGE,
			      "'%s' is not a probability; use 1 to %d millionths", text,
			      PPM_MAX);
	return status;
}

/* Parse any number. */
static enum smi_exit take_seed(struct inject_request *r, const char *text)
{
	char *end = NULL;

	if (r->has_seed)
		return fail(SMI_USAGE, "option '-s' is given twice");
	errno = 0;
	if (*text >= '0' && *text <= '9')
		r->fault.seed = strtoull(text, &end, 10);
	if (!end || errno || *end)
		return fail(SMI_USAGE,
			    "option '-s' needs a number, not '%s'",
			    text);
	r->has_seed = true;
	return SMI_OK;
}

static bool is_of_memory(uint32_t kind)
{
	return kind == VNPU_INJECT_KIND_ECC_CORRECTED ||
	       kind == VNPU_INJECT_KIND_ECC_UNCORRECTED ||
	       kind == VNPU_INJECT_KIND_ACCESS_FAULT;
}

static enum smi_exit check_place(const struct inject_request *r)
{
	const struct fault *f = &r->fault;
	bool is_at_address = r->has_kind && is_of_memory(f->kind);

	if (is_at_address != !!f->addr)
		return fail(SMI_USAGE,
			    "option '-a' is only for memory errors, which need it");
	if (is_at_address && !f->client)
		return fail(SMI_USAGE,
			    "option '-a' needs '-c'; see 'vnpu-smi inject --help'");
	return SMI_OK;
}

static bool is_slow(uint32_t kind)
{
	return kind == VNPU_INJECT_KIND_ENGINE_SLOW ||
	       kind == VNPU_INJECT_KIND_CORE_SLOW;
}

static bool is_of_engines(uint32_t kind)
{
	return kind == VNPU_INJECT_KIND_ENGINE_HANG ||
	       kind == VNPU_INJECT_KIND_ENGINE_SLOW;
}

static bool has_schedule(const struct inject_request *r)
{
	const struct fault *f = &r->fault;

	return f->nth || f->every || f->ppm || r->has_seed;
}

static enum smi_exit check_schedule(const struct inject_request *r)
{
	const struct fault *f = &r->fault;

	if (f->kind == VNPU_INJECT_KIND_ENGINE_SLOW && has_schedule(r))
		return fail(SMI_USAGE,
			    "engine-slow takes no '-n', '-r', '-p' and '-s'");
	if (f->ppm && (f->nth || f->every))
		return fail(SMI_USAGE,
			    "option '-p' cannot be combined with '-n' or '-r'");
	if (r->has_seed && !f->ppm)
		return fail(SMI_USAGE, "option '-s' needs '-p'");
	return SMI_OK;
}

static enum smi_exit check_request(const struct inject_request *r)
{
	const struct fault *f = &r->fault;
	enum smi_exit status;

	if (r->action == INJECT_LIST) {
		if (r->has_id || r->has_kind || f->client ||
		    f->class != NO_CLASS || has_schedule(r) || f->delay_us ||
		    f->addr)
			return fail(SMI_USAGE, "list takes only options for the output format");
		return SMI_OK;
	}
	if (!r->has_id)
		return fail(SMI_USAGE,
			    "option '-i' is needed; see 'vnpu-smi inject --help'");
	if (!r->has_kind && (r->action == INJECT_SET || f->client ||
			     f->class != NO_CLASS || f->addr))
		return fail(SMI_USAGE,
			    "option '-k' is needed; see 'vnpu-smi inject --help'");
	if (r->action == INJECT_CLEAR && (has_schedule(r) || f->delay_us))
		return fail(SMI_USAGE,
			    "clear takes no '-n', '-r', '-p', '-s' and '-d'");
	if (r->action == INJECT_SET && is_slow(f->kind) != !!f->delay_us)
		return fail(SMI_USAGE,
			    "option '-d' is only for engine-slow and core-slow, which need it");
	if (f->class != NO_CLASS && !is_of_engines(f->kind))
		return fail(SMI_USAGE, "option '-e' is only for faults of engines");
	status = check_schedule(r);
	return status ? status : check_place(r);
}

static enum smi_exit take_action(struct inject_request *r, const char *word)
{
	r->action = (enum inject_action)find_word(actions, COUNT_OF(actions),
						  word);
	if (r->action == COUNT_OF(actions))
		return fail(SMI_USAGE,
			    "unknown action '%s': it must be list, set or clear; see 'vnpu-smi inject --help'",
			    word);
	return SMI_OK;
}

static enum smi_exit take_option(struct inject_request *r, int c,
				 char *const *argv)
{
	switch (c) {
	case 'k':
		return take_kind(r, optarg);
	case 'i':
		return take_number(&r->has_id, &r->fault.device, 'i', optarg);
	case 'c':
		return take_count(&r->fault.client, 'c', optarg);
	case 'e':
		return take_class(r, optarg);
	case 'n':
		return take_count(&r->fault.nth, 'n', optarg);
	case 'r':
		return take_count(&r->fault.every, 'r', optarg);
	case 'p':
		return take_ppm(r, optarg);
	case 's':
		return take_seed(r, optarg);
	case 'd':
		return take_count(&r->fault.delay_us, 'd', optarg);
	case 'a':
		return take_address(r, optarg);
	case 'y':
		r->is_sure = true;
		return SMI_OK;
	case 'j':
	case TABLE_OPTION_FORMAT:
	case TABLE_OPTION_FIELDS:
		return table_take_option(&r->form, c, optarg);
	default:
		return fail_option("inject", c, argv);
	}
}

/* *@wants_help is set if only the help is requested. */
static enum smi_exit parse_request(struct inject_request *r, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	if (argc < 2)
		return fail(SMI_USAGE,
			    "the action is missing: list, set or clear; see 'vnpu-smi inject --help'");
	if (argv[1][0] != '-') {
		status = take_action(r, argv[1]);
		argc--;
		argv++;
	} else if (strcmp(argv[1], "-h") && strcmp(argv[1], "--help")) {
		return fail(SMI_USAGE,
			    "list, set or clear comes before '%s'", argv[1]);
	}
	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, "+:k:i:c:e:n:r:p:s:d:a:yjh",
				inject_options, NULL);
		if (c == -1)
			break;
		if (c == 'h') {
			*wants_help = true;
			return SMI_OK;
		}
		status = take_option(r, c, argv);
	}
	if (!status && optind < argc)
		status = fail(SMI_USAGE, "unexpected argument '%s'",
			      argv[optind]);
	return status ? status : check_request(r);
}

enum smi_exit cmd_inject(int argc, char **argv)
{
	struct inject_request request = { .fault.class = NO_CLASS };
	bool wants_help = false;
	enum smi_exit status;

	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(inject_help, stdout);
		return finish_output(stdout);
	}
	return inject_run(&request);
}
