// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi set: change the behaviour of a device.  It needs permission, and
 * asks for confirmation.
 */
#include <getopt.h>
#include <string.h>

#include <linux/vnpu.h>

#include "set.h"

static const char set_help[] =
"usage: vnpu-smi set -t compact|reset -i ID [-y] [FORM]\n"
"       vnpu-smi set -t quota -i ID --client ID|--uid UID|--cgroup CGROUP\n"
"                    [--resource NAME] --limit SIZE|--remove [-y] [FORM]\n"
"       vnpu-smi set -t quota --client ID|--uid UID --resource NAME\n"
"                    --limit SIZE|--remove [-y] [FORM]\n"
"       vnpu-smi set -t op-timeout -d MS [-y] [FORM]\n"
"\n"
"  -t, --type compact  make the longest possible run of free memory by migrating\n"
"                      memory; programs continue to run\n"
"  -t, --type op-timeout\n"
"                      how long an engine of any device may take for a part of a\n"
"                      task before its device is reset\n"
"  -t, --type quota    limit how much memory, or how many streams, events or\n"
"                      counters, may be held, or how much of what belongs to no\n"
"                      device; what is held already is not taken away\n"
"  -t, --type reset    what the engines of the device work on fails, all else\n"
"                      goes on\n"
"  -i, --id ID         of the device with this number\n"
"      --client ID     by this client (see info -t quota), while it lives\n"
"      --uid UID       by all clients that this user opens, or is in charge of\n"
"      --cgroup CGROUP by all that are opened in this cgroup and those below it:\n"
"                      a directory of cgroup2, or its number\n"
"      --resource NAME memory (if it is not given), streams, events or counters;\n"
"                      or, without -i, bindings, objects, sync-files,\n"
"                      host-memory or threads\n"
"      --limit SIZE    bytes, or with K, M, G or T KiB, MiB, GiB or TiB; or how\n"
"                      many\n"
"      --remove        no limit any more\n"
"  -d, --milliseconds MS\n"
"                      the time limit; 0 for none\n"
"  -y, --yes           do not ask for confirmation\n"
OUT_HELP
"  -h, --help          print this and exit\n"
"\n"
"It needs CAP_NET_ADMIN in the initial user namespace, which root has.\n";

/* Options without a letter. */
enum { OPTION_CLIENT = 256, OPTION_UID, OPTION_CGROUP, OPTION_LIMIT,
       OPTION_RESOURCE, OPTION_REMOVE };

static const struct option set_options[] = {
	{ "type",	required_argument,	NULL, 't' },
	{ "id",		required_argument,	NULL, 'i' },
	{ "client",	required_argument,	NULL, OPTION_CLIENT },
	{ "uid",	required_argument,	NULL, OPTION_UID },
	{ "cgroup",	required_argument,	NULL, OPTION_CGROUP },
	{ "resource",	required_argument,	NULL, OPTION_RESOURCE },
	{ "limit",	required_argument,	NULL, OPTION_LIMIT },
	{ "remove",	no_argument,		NULL, OPTION_REMOVE },
	{ "milliseconds", required_argument,	NULL, 'd' },
	{ "yes",	no_argument,		NULL, 'y' },
	TABLE_LONG_OPTIONS,
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static enum smi_exit check_no_ms(const struct set_request *r)
{
	if (r->has_ms)
		return fail(SMI_USAGE, "type %s takes no '-d'", r->type->name);
	return SMI_OK;
}

static enum smi_exit check_quota(const struct set_request *r)
{
	enum smi_exit status = check_no_ms(r);

	return status ? status : set_quota_check(r);
}

static enum smi_exit check_no_quota(const struct set_request *r)
{
	enum smi_exit status = check_no_ms(r);

	if (status)
		return status;
	if (!r->has_id)
		return fail(SMI_USAGE,
			    "option '-i' is needed; see 'vnpu-smi set --help'");
	if (r->scope || r->has_resource || r->has_limit || r->is_removal)
		return fail(SMI_USAGE,
			    "type %s takes no option of type quota",
			    r->type->name);
	return SMI_OK;
}

static const struct set_type set_types[] = {
	{ "compact", check_no_quota, set_compact, set_compact_csv },
	{ "op-timeout", set_op_timeout_check, set_op_timeout,
	  set_op_timeout_csv },
	{ "quota", check_quota, set_quota, set_quota_csv },
	{ "reset", check_no_quota, set_reset, set_reset_csv },
};

static enum smi_exit take_type(struct set_request *r, const char *name)
{
	size_t i;

	if (r->type)
		return fail(SMI_USAGE, "option '-t' is given twice");
	for (i = 0; i < sizeof(set_types) / sizeof(set_types[0]); i++)
		if (!strcmp(name, set_types[i].name))
			r->type = &set_types[i];
	if (!r->type)
		return fail(SMI_USAGE,
			    "unknown type '%s': it must be compact, op-timeout, quota or reset",
			    name);
	return SMI_OK;
}

static enum smi_exit check_request(const struct set_request *r)
{
	if (!r->type)
		return fail(SMI_USAGE,
			    "option '-t' is needed; see 'vnpu-smi set --help'");
	return r->type->check(r);
}

static enum smi_exit take_option(struct set_request *r, int c, char **argv)
{
	switch (c) {
	case 't':
		return take_type(r, optarg);
	case 'i':
		return take_number(&r->has_id, &r->id, 'i', optarg);
	case 'd':
		return take_number(&r->has_ms, &r->ms, 'd', optarg);
	case OPTION_CLIENT:
		return set_quota_take_scope(r, VNPU_QUOTA_SCOPE_CLIENT, optarg);
	case OPTION_UID:
		return set_quota_take_scope(r, VNPU_QUOTA_SCOPE_UID, optarg);
	case OPTION_CGROUP:
		return set_quota_take_scope(r, VNPU_QUOTA_SCOPE_CGROUP, optarg);
	case OPTION_RESOURCE:
		return set_quota_take_resource(r, optarg);
	case OPTION_LIMIT:
		return set_quota_take_limit(r, optarg);
	case OPTION_REMOVE:
		r->is_removal = true;
		return SMI_OK;
	case 'y':
		r->is_sure = true;
		return SMI_OK;
	case 'j':
	case TABLE_OPTION_FORMAT:
	case TABLE_OPTION_FIELDS:
		return table_take_option(&r->form, c, optarg);
	default:
		return fail_option("set", c, argv);
	}
}

/* *@wants_help is set if only the help is requested. */
static enum smi_exit parse_request(struct set_request *r, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, "+:t:i:d:yjh", set_options, NULL);
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

enum smi_exit cmd_set(int argc, char **argv)
{
	struct set_request request = { 0 };
	bool wants_help = false;
	enum smi_exit status;
	struct out out;

	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(set_help, stdout);
		return finish_output(stdout);
	}
	status = out_init(&out, &request.form, OUT_LINES, request.type->csv);
	if (!status)
		status = request.type->run(&request, &out);
	return out_fini(&out, status);
}
