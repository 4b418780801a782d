// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi set: change what a device does.  It needs the right to, and asks
 * before it acts.
 */
#include <getopt.h>
#include <string.h>

#include "answer.h"
#include "out.h"
#include "session.h"

/* Moving all of a large arena takes its time. */
#define COMPACT_SECONDS	600

static const char set_help[] =
"usage: vnpu-smi set -t compact -i ID [-y] [--json]\n"
"\n"
"  -t, --type compact  make the longest run of free memory that can be made, by\n"
"                      moving what is in its way; programs run on meanwhile\n"
"  -i, --id ID         of the device with this number\n"
"  -y, --yes           do not ask whether to do it\n"
"  -j, --json          print a JSON object\n"
"  -h, --help          print this and exit\n"
"\n"
"It needs CAP_NET_ADMIN in the first user namespace, as root has it.\n";

/* What the command line asks for. */
struct set_request {
	const char *type;
	bool is_json;
	bool is_sure;
	bool has_id;
	uint32_t id;
};

/* What compaction is about. */
struct memory {
	uint32_t device;
	uint64_t free;
	uint64_t largest;
	uint64_t moved;
	uint32_t runs;
	uint32_t frag_index;
};

static const struct option set_options[] = {
	{ "type",	required_argument,	NULL, 't' },
	{ "id",		required_argument,	NULL, 'i' },
	{ "yes",	no_argument,		NULL, 'y' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static const struct nla_policy mem_policy[VNPU_A_MEM_MAX + 1] = {
	[VNPU_A_MEM_FREE] = { .type = NLA_U64 },
	[VNPU_A_MEM_LARGEST_FREE] = { .type = NLA_U64 },
	[VNPU_A_MEM_RUNS] = { .type = NLA_U32 },
	[VNPU_A_MEM_FRAG_INDEX] = { .type = NLA_U32 },
	[VNPU_A_MEM_MOVED] = { .type = NLA_U64 },
};

static enum smi_exit take_type(struct set_request *r, const char *type)
{
	if (r->type)
		return fail(SMI_USAGE, "option '-t' is given twice");
	if (strcmp(type, "compact"))
		return fail(SMI_USAGE, "unknown type '%s': it is compact", type);
	r->type = type;
	return SMI_OK;
}

static enum smi_exit check_request(const struct set_request *r)
{
	if (!r->type)
		return fail(SMI_USAGE,
			    "option '-t' is needed; see 'vnpu-smi set --help'");
	if (!r->has_id)
		return fail(SMI_USAGE,
			    "option '-i' is needed; see 'vnpu-smi set --help'");
	return SMI_OK;
}

/* *@wants_help is set when there is nothing else to do. */
static enum smi_exit parse_request(struct set_request *r, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, "+:t:i:yjh", set_options, NULL);
		if (c == -1)
			break;
		switch (c) {
		case 't':
			status = take_type(r, optarg);
			break;
		case 'i':
			status = take_number(&r->has_id, &r->id, 'i', optarg);
			break;
		case 'y':
			r->is_sure = true;
			break;
		case 'j':
			r->is_json = true;
			break;
		case 'h':
			*wants_help = true;
			return SMI_OK;
		default:
			status = fail_option("set", c, argv);
		}
	}
	if (!status && optind < argc)
		status = fail(SMI_USAGE, "unexpected argument '%s'",
			      argv[optind]);
	return status ? status : check_request(r);
}

/* The question is not output: a script may take that apart. */
static enum smi_exit confirm(const struct set_request *r)
{
	char answer[16];

	if (r->is_sure)
		return SMI_OK;
	fprintf(stderr, "Compact the memory of device %u? (y/n) ", r->id);
	fflush(stderr);
	if (fgets(answer, sizeof(answer), stdin) &&
	    (answer[0] == 'y' || answer[0] == 'Y') &&
	    (!answer[1] || answer[1] == '\n'))
		return SMI_OK;
	return fail(SMI_FAILED, "not confirmed, so nothing was done");
}

static int put_device(struct nl_msg *msg, const void *arg)
{
	const struct memory *memory = arg;

	return nla_put_u32(msg, VNPU_A_MEM_DEV_ID, memory->device) ?
	       -NLE_MSGSIZE : 0;
}

static enum smi_exit take_memory(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_MEM_MAX + 1];
	struct memory *memory = arg;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_MEM_MAX, mem_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_FREE, VNPU_A_MEM_LARGEST_FREE,
		     VNPU_A_MEM_RUNS, VNPU_A_MEM_FRAG_INDEX, VNPU_A_MEM_MOVED))
		return fail_answer("a device's memory");
	memory->free = nla_get_u64(tb[VNPU_A_MEM_FREE]);
	memory->largest = nla_get_u64(tb[VNPU_A_MEM_LARGEST_FREE]);
	memory->runs = nla_get_u32(tb[VNPU_A_MEM_RUNS]);
	memory->frag_index = nla_get_u32(tb[VNPU_A_MEM_FRAG_INDEX]);
	memory->moved = nla_get_u64(tb[VNPU_A_MEM_MOVED]);
	return SMI_OK;
}

static enum smi_exit ask_memory(struct session *s, uint8_t command,
				struct memory *memory)
{
	const struct question question = {
		.command = command,
		.put = put_device,
		.record = take_memory,
		.arg = memory,
	};

	return session_ask(s, &question);
}

static void show_memory(struct out *o, const char *key, const char *label,
			const struct memory *memory)
{
	out_text(o, "\t%s\n", label);
	out_object(o, key);
	out_uint(o, "free_bytes", "Free(byte)", memory->free);
	out_uint(o, "largest_free_bytes", "Largest Free(byte)",
		 memory->largest);
	out_uint(o, "free_runs", "Free Runs", memory->runs);
	out_uint(o, "fragmentation_permille", "Fragmentation(permille)",
		 memory->frag_index);
	out_object_end(o);
}

static enum smi_exit show_both(const struct set_request *r,
			       const struct memory *before,
			       const struct memory *after)
{
	struct out out;

	out_init(&out, stdout, r->is_json, OUT_LINES);
	out_object(&out, NULL);
	out_uint(&out, "id", "NPU ID", r->id);
	out_uint(&out, "moved_bytes", "Moved(byte)",
		 after->moved - before->moved);
	show_memory(&out, "before", "Before", before);
	show_memory(&out, "after", "After", after);
	out_object_end(&out);
	return finish_output(stdout);
}

static enum smi_exit compact(const struct set_request *r)
{
	struct memory before = { .device = r->id };
	struct memory after = { .device = r->id };
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = ask_memory(&s, VNPU_CMD_MEM_GET, &before);
	if (!status)
		status = confirm(r);
	if (!status)
		status = session_limit(&s, COMPACT_SECONDS);
	if (!status)
		status = ask_memory(&s, VNPU_CMD_COMPACT, &after);
	session_close(&s);
	return status ? status : show_both(r, &before, &after);
}

enum smi_exit cmd_set(int argc, char **argv)
{
	struct set_request request = { 0 };
	bool wants_help = false;
	enum smi_exit status;

	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(set_help, stdout);
		return finish_output(stdout);
	}
	return compact(&request);
}
