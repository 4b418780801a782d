// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info: the devices and their users.
 */
#include <getopt.h>
#include <string.h>

#include "collect.h"
#include "info.h"

static const char info_help[] =
"usage: vnpu-smi info [-i ID] [FORM]\n"
"       vnpu-smi info -l|-m [-i ID] [FORM]\n"
"       vnpu-smi info -t TYPE [-i ID [-c CHIP]] [FORM]\n"
"       vnpu-smi info watch [OPTION...]\n"
"\n"
"Without -l, -m or -t: print a table of the devices and of their processes.\n"
"\n"
"  -l, --list       list the devices\n"
"  -m, --mapping    list the chips and their numbers\n"
"  -t, --type TYPE  one topic for each device: board, common, memory, usages,\n"
"                   health, product, ecc, temp, power, proc-mem, topo,\n"
"                   err-count, op-timeout, frag, quota, stream or\n"
"                   engine\n"
"  -i, --id ID      only the device with this number\n"
"  -c, --chip CHIP  only this chip of it; every device has only chip 0\n"
OUT_HELP
"  -h, --help       print this and exit\n"
"\n"
"MB are MiB, rounded down; JSON and CSV have bytes.  Values that a virtual device\n"
"does not have are NA, null in JSON and empty in CSV.\n";

/* The request on the command line. */
struct info_request {
	const struct info_view *view;
	char view_option;	/* the option for the view, or 0 */
	struct table_options form;
	bool has_id;
	bool has_chip;
	uint32_t id;
	uint32_t chip;
};

static const struct option info_options[] = {
	{ "list",	no_argument,		NULL, 'l' },
	{ "mapping",	no_argument,		NULL, 'm' },
	{ "type",	required_argument,	NULL, 't' },
	{ "id",		required_argument,	NULL, 'i' },
	{ "chip",	required_argument,	NULL, 'c' },
	TABLE_LONG_OPTIONS,
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static const struct info_view *find_type(const char *name)
{
	const struct info_view *view;

	for (view = info_type_views; view->name; view++)
		if (!strcmp(view->name, name))
			return view;
	return NULL;
}

static enum smi_exit set_view(struct info_request *r, char option,
			      const struct info_view *view)
{
	if (r->view_option == option)
		return fail(SMI_USAGE, "option '-%c' is given twice", option);
	if (r->view_option)
		return fail(SMI_USAGE, "options '-%c' and '-%c' exclude each other",
			    r->view_option, option);
	r->view_option = option;
	r->view = view;
	return SMI_OK;
}

static enum smi_exit set_type(struct info_request *r, const char *name)
{
	const struct info_view *view = find_type(name);

	if (!view)
		return fail(SMI_USAGE,
			    "unknown type '%s'; see 'vnpu-smi info --help'",
			    name);
	return set_view(r, 't', view);
}

static enum smi_exit check_request(const struct info_request *r)
{
	if (r->has_chip && r->view_option != 't')
		return fail(SMI_USAGE, "option '-c' needs '-t'");
	if (r->has_chip && !r->has_id)
		return fail(SMI_USAGE, "option '-c' needs '-i'");
	return SMI_OK;
}

/* *@wants_help is set if only the help is requested. */
static enum smi_exit parse_request(struct info_request *r, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, "+:lmt:i:c:jh", info_options, NULL);
		if (c == -1)
			break;
		switch (c) {
		case 'l':
			status = set_view(r, 'l', &info_list_view);
			break;
		case 'm':
			status = set_view(r, 'm', &info_mapping_view);
			break;
		case 't':
			status = set_type(r, optarg);
			break;
		case 'i':
			status = take_number(&r->has_id, &r->id, 'i', optarg);
			break;
		case 'c':
			status = take_number(&r->has_chip, &r->chip, 'c',
					     optarg);
			break;
		case 'j':
		case TABLE_OPTION_FORMAT:
		case TABLE_OPTION_FIELDS:
			status = table_take_option(&r->form, c, optarg);
			break;
		case 'h':
			*wants_help = true;
			return SMI_OK;
		default:
			status = fail_option("info", c, argv);
		}
	}
	if (!status && optind < argc)
		status = fail(SMI_USAGE, "unexpected argument '%s'",
			      argv[optind]);
	return status ? status : check_request(r);
}

static enum smi_exit show(const struct info_request *r, struct out *out,
			  struct state *state)
{
	const struct device *d = state->devices.items;
	size_t count = state->devices.count;

	if (r->has_id) {
		d = state_find_device(state, r->id);
		if (!d)
			return fail(SMI_NO_DEVICE, "device %u does not exist",
				    r->id);
		count = 1;
	}
	if (r->has_chip && r->chip)
		return fail(SMI_NO_DEVICE, "device %u has no chip %u", r->id,
			    r->chip);

	if (r->view->facts)
		info_show_facts(r->view, out, d, count, r->has_chip,
				r->has_id ? NULL : state);
	else
		r->view->show(out, d, count, r->has_chip);
	return SMI_OK;
}

enum smi_exit cmd_info(int argc, char **argv)
{
	struct info_request request = { .view = &info_main_view };
	bool wants_help = false;
	enum smi_exit status;
	struct state state;
	struct out out;

	if (argc > 1 && !strcmp(argv[1], "watch"))
		return info_watch(argc - 1, argv + 1);
	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(info_help, stdout);
		return finish_output(stdout);
	}
	status = out_init(&out, &request.form, request.view->layout,
			  request.view->csv);
	if (status)
		return out_fini(&out, status);
	status = collect(&state, request.view->needs);
	if (!status)
		status = show(&request, &out, &state);
	state_fini(&state);
	return out_fini(&out, status);
}
