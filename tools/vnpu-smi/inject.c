// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi inject: faults on demand.  It needs the right to, and asks before it
 * makes one or takes one back.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "out.h"
#include "session.h"

#define NO_CLASS	UINT32_MAX

static const char inject_help[] =
"usage: vnpu-smi inject list [--json]\n"
"       vnpu-smi inject set -k KIND -i ID [-c CLIENT] [-e ENGINE] [-n NTH]\n"
"                           [-d US] [-a ADDRESS] [-y] [--json]\n"
"       vnpu-smi inject clear -i ID [-k KIND [-c CLIENT] [-e ENGINE]\n"
"                             [-a ADDRESS]] [-y] [--json]\n"
"\n"
"  list                  the faults that are set\n"
"  set                   have one happen; it takes the place of the one before\n"
"  clear                 have one, or without -k all, not happen any more\n"
"\n"
"  -k, --kind KIND       engine-hang    a task does not end\n"
"                        engine-slow    each part of a task takes longer\n"
"                        doorbell-lost  a stream with new tasks is not looked at\n"
"                        alloc-fail     there is no device memory\n"
"                        ecc-corrected  an error of memory, which is counted\n"
"                        ecc-uncorrected\n"
"                                       one that fails what uses the memory\n"
"                        event-overrun  an event is lost, and who listens is told\n"
"  -i, --id ID           on the device with this number\n"
"  -c, --client CLIENT   for the client with this id; for all if not said\n"
"  -e, --engine ENGINE   on engines of this class, copy or vector; on all if not\n"
"                        said\n"
"  -n, --nth NTH         at this occasion, 1 for the next, as if not said\n"
"  -d, --delay US        how much longer, in microseconds, for engine-slow\n"
"  -a, --address ADDRESS at this device address of the client, for ecc-*, which\n"
"                        need both\n"
"  -y, --yes             do not ask whether to do it\n"
"  -j, --json            print a JSON object\n"
"  -h, --help            print this and exit\n"
"\n"
"It needs CAP_NET_ADMIN in the first user namespace, as root has it.\n";

enum inject_action { INJECT_LIST, INJECT_SET, INJECT_CLEAR };

static const char *const actions[] = {
	[INJECT_LIST] = "list",
	[INJECT_SET] = "set",
	[INJECT_CLEAR] = "clear",
};

static const char *const kinds[] = {
	[VNPU_INJECT_KIND_ENGINE_HANG] = "engine-hang",
	[VNPU_INJECT_KIND_ENGINE_SLOW] = "engine-slow",
	[VNPU_INJECT_KIND_DOORBELL_LOST] = "doorbell-lost",
	[VNPU_INJECT_KIND_ALLOC_FAIL] = "alloc-fail",
	[VNPU_INJECT_KIND_ECC_CORRECTED] = "ecc-corrected",
	[VNPU_INJECT_KIND_ECC_UNCORRECTED] = "ecc-uncorrected",
	[VNPU_INJECT_KIND_EVENT_OVERRUN] = "event-overrun",
};

static const char *const classes[] = {
	[VNPU_ENGINE_CLASS_COPY] = "copy",
	[VNPU_ENGINE_CLASS_VECTOR] = "vector",
};

#define COUNT_OF(array)	(sizeof(array) / sizeof((array)[0]))

/**
 * struct fault - a fault, as it is asked for or as the driver tells it
 * @client: 0 for any
 * @class: NO_CLASS for any
 * @nth: 0 if it is not said, or has happened
 * @addr: 0 of one that is at none
 */
struct fault {
	uint32_t device;
	uint32_t kind;
	uint32_t class;
	uint64_t client;
	uint64_t nth;
	uint64_t delay_us;
	uint64_t addr;
	uint64_t hits;
};

struct fault_list {
	struct fault *items;
	size_t count;
};

/* What the command line asks for. */
struct inject_request {
	enum inject_action action;
	bool is_json;
	bool is_sure;
	bool has_id;
	bool has_kind;
	struct fault fault;
	struct fault_list list;	/* what the driver tells */
};

static const struct option inject_options[] = {
	{ "kind",	required_argument,	NULL, 'k' },
	{ "id",		required_argument,	NULL, 'i' },
	{ "client",	required_argument,	NULL, 'c' },
	{ "engine",	required_argument,	NULL, 'e' },
	{ "nth",	required_argument,	NULL, 'n' },
	{ "delay",	required_argument,	NULL, 'd' },
	{ "address",	required_argument,	NULL, 'a' },
	{ "yes",	no_argument,		NULL, 'y' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static const struct nla_policy fault_policy[VNPU_A_INJECT_MAX + 1] = {
	[VNPU_A_INJECT_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_INJECT_KIND] = { .type = NLA_U32 },
	[VNPU_A_INJECT_CLIENT_ID] = { .type = NLA_U64 },
	[VNPU_A_INJECT_CLASS] = { .type = NLA_U32 },
	[VNPU_A_INJECT_NTH] = { .type = NLA_U64 },
	[VNPU_A_INJECT_DELAY_US] = { .type = NLA_U64 },
	[VNPU_A_INJECT_HITS] = { .type = NLA_U64 },
	[VNPU_A_INJECT_ADDR] = { .type = NLA_U64 },
};

/* Its place among @count words, or @count. */
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
	r->fault.kind = find_word(kinds, COUNT_OF(kinds), word);
	if (r->fault.kind == COUNT_OF(kinds))
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
	r->fault.class = find_word(classes, COUNT_OF(classes), word);
	if (r->fault.class == COUNT_OF(classes))
		return fail(SMI_USAGE,
			    "unknown engine '%s': it is copy or vector", word);
	return SMI_OK;
}

/* As programs print pointers, or a decimal number. */
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
			    "'%s' is not an address, as 0x7f0000001000 is",
			    text);
	return SMI_OK;
}

/* A number from 1 on. */
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

static bool is_of_memory(uint32_t kind)
{
	return kind == VNPU_INJECT_KIND_ECC_CORRECTED ||
	       kind == VNPU_INJECT_KIND_ECC_UNCORRECTED;
}

static enum smi_exit check_place(const struct inject_request *r)
{
	const struct fault *f = &r->fault;
	bool is_at_address = r->has_kind && is_of_memory(f->kind);

	if (is_at_address != !!f->addr)
		return fail(SMI_USAGE,
			    "option '-a' is for errors of memory, which need it");
	if (is_at_address && !f->client)
		return fail(SMI_USAGE,
			    "option '-c' is needed: whose address it is");
	return SMI_OK;
}

static enum smi_exit check_request(const struct inject_request *r)
{
	const struct fault *f = &r->fault;
	bool is_slow = r->has_kind && f->kind == VNPU_INJECT_KIND_ENGINE_SLOW;

	if (r->action == INJECT_LIST) {
		if (r->has_id || r->has_kind || f->client ||
		    f->class != NO_CLASS || f->nth || f->delay_us || f->addr)
			return fail(SMI_USAGE, "list takes only '--json'");
		return SMI_OK;
	}
	if (!r->has_id)
		return fail(SMI_USAGE, "option '-i' is needed");
	if (!r->has_kind && (r->action == INJECT_SET || f->client ||
			     f->class != NO_CLASS || f->addr))
		return fail(SMI_USAGE, "option '-k' is needed");
	if (r->action == INJECT_CLEAR && (f->nth || f->delay_us))
		return fail(SMI_USAGE, "clear takes no '-n' and no '-d'");
	if (r->action == INJECT_SET && is_slow != !!f->delay_us)
		return fail(SMI_USAGE,
			    "option '-d' is for engine-slow, which needs it");
	if (is_slow && f->nth)
		return fail(SMI_USAGE, "engine-slow takes no '-n'");
	if (f->class != NO_CLASS && !is_slow &&
	    f->kind != VNPU_INJECT_KIND_ENGINE_HANG)
		return fail(SMI_USAGE, "option '-e' is for faults of engines");
	return check_place(r);
}

static enum smi_exit take_action(struct inject_request *r, const char *word)
{
	r->action = (enum inject_action)find_word(actions, COUNT_OF(actions),
						  word);
	if (r->action == COUNT_OF(actions))
		return fail(SMI_USAGE,
			    "'%s' is not list, set or clear; see 'vnpu-smi inject --help'",
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
	case 'd':
		return take_count(&r->fault.delay_us, 'd', optarg);
	case 'a':
		return take_address(r, optarg);
	case 'y':
		r->is_sure = true;
		return SMI_OK;
	case 'j':
		r->is_json = true;
		return SMI_OK;
	default:
		return fail_option("inject", c, argv);
	}
}

/* *@wants_help is set when there is nothing else to do. */
static enum smi_exit parse_request(struct inject_request *r, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	if (argc < 2)
		return fail(SMI_USAGE,
			    "list, set or clear? See 'vnpu-smi inject --help'");
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
		c = getopt_long(argc, argv, "+:k:i:c:e:n:d:a:yjh",
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

static enum smi_exit take_fault(struct nlmsghdr *msg, struct fault *f)
{
	struct nlattr *tb[VNPU_A_INJECT_MAX + 1];

	if (genlmsg_parse(msg, 0, tb, VNPU_A_INJECT_MAX, fault_policy) ||
	    !HAS_ALL(tb, VNPU_A_INJECT_DEV_ID, VNPU_A_INJECT_KIND,
		     VNPU_A_INJECT_HITS))
		return fail_answer("a fault");
	*f = (struct fault){
		.device = nla_get_u32(tb[VNPU_A_INJECT_DEV_ID]),
		.kind = nla_get_u32(tb[VNPU_A_INJECT_KIND]),
		.class = NO_CLASS,
		.hits = nla_get_u64(tb[VNPU_A_INJECT_HITS]),
	};
	if (tb[VNPU_A_INJECT_CLASS])
		f->class = nla_get_u32(tb[VNPU_A_INJECT_CLASS]);
	if (tb[VNPU_A_INJECT_CLIENT_ID])
		f->client = nla_get_u64(tb[VNPU_A_INJECT_CLIENT_ID]);
	if (tb[VNPU_A_INJECT_NTH])
		f->nth = nla_get_u64(tb[VNPU_A_INJECT_NTH]);
	if (tb[VNPU_A_INJECT_DELAY_US])
		f->delay_us = nla_get_u64(tb[VNPU_A_INJECT_DELAY_US]);
	if (tb[VNPU_A_INJECT_ADDR])
		f->addr = nla_get_u64(tb[VNPU_A_INJECT_ADDR]);
	return SMI_OK;
}

static enum smi_exit take_listed(struct nlmsghdr *msg, void *arg)
{
	struct fault_list *list = arg;
	struct fault *items = reallocarray(list->items, list->count + 1,
					   sizeof(*items));

	if (!items)
		return fail_memory();
	list->items = items;
	return take_fault(msg, &items[list->count++]);
}

static void forget_listed(void *arg)
{
	struct fault_list *list = arg;

	list->count = 0;
}

/* A driver that is newer may know more of them. */
static const char *word_of(const char *const *words, size_t count, uint32_t n)
{
	return n < count ? words[n] : "unknown";
}

static void out_fault(struct out *o, const struct fault *f)
{
	char address[24];

	out_object(o, NULL);
	out_uint(o, "device_id", "NPU ID", f->device);
	out_string(o, "kind", "Fault",
		   word_of(kinds, COUNT_OF(kinds), f->kind));
	if (f->client)
		out_uint(o, "client", "Client", f->client);
	else
		out_none(o, "client", "Client");
	out_string(o, "engine", "Engine", f->class == NO_CLASS ? NULL :
		   word_of(classes, COUNT_OF(classes), f->class));
	if (f->delay_us) {
		out_none(o, "nth", "Nth");
		out_uint(o, "delay_us", "Delay(us)", f->delay_us);
	} else {
		out_uint(o, "nth", "Nth", f->nth);
		out_none(o, "delay_us", "Delay(us)");
	}
	if (f->addr)
		snprintf(address, sizeof(address), "0x%" PRIx64, f->addr);
	out_string(o, "address", "Address", f->addr ? address : NULL);
	out_uint(o, "hits", "Hits", f->hits);
	out_object_end(o);
	out_text(o, "\n");
}

static enum smi_exit show_faults(const struct inject_request *r)
{
	const struct fault_list *list = &r->list;
	struct out out;
	size_t i;

	out_init(&out, stdout, r->is_json, OUT_LINES);
	out_object(&out, NULL);
	out_list(&out, "faults");
	for (i = 0; i < list->count; i++)
		out_fault(&out, &list->items[i]);
	out_list_end(&out);
	out_object_end(&out);
	return finish_output(stdout);
}

static int put_request(struct nl_msg *msg, const void *arg)
{
	const struct inject_request *r = arg;
	const struct fault *f = &r->fault;

	if (nla_put_u32(msg, VNPU_A_INJECT_DEV_ID, f->device) ||
	    (r->has_kind && nla_put_u32(msg, VNPU_A_INJECT_KIND, f->kind)) ||
	    (f->client &&
	     nla_put_u64(msg, VNPU_A_INJECT_CLIENT_ID, f->client)) ||
	    (f->class != NO_CLASS &&
	     nla_put_u32(msg, VNPU_A_INJECT_CLASS, f->class)) ||
	    (f->nth && nla_put_u64(msg, VNPU_A_INJECT_NTH, f->nth)) ||
	    (f->delay_us &&
	     nla_put_u64(msg, VNPU_A_INJECT_DELAY_US, f->delay_us)) ||
	    (f->addr && nla_put_u64(msg, VNPU_A_INJECT_ADDR, f->addr)) ||
	    (r->action == INJECT_CLEAR &&
	     nla_put_flag(msg, VNPU_A_INJECT_CLEAR)))
		return -NLE_MSGSIZE;
	return 0;
}

static enum smi_exit take_set(struct nlmsghdr *msg, void *arg)
{
	struct inject_request *r = arg;

	return take_listed(msg, &r->list);
}

static enum smi_exit take_nothing(struct nlmsghdr *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return SMI_OK;
}

static enum smi_exit list_faults(struct session *s, struct inject_request *r)
{
	const struct dump dump = {
		.command = VNPU_CMD_INJECT_GET,
		.record = take_listed,
		.restart = forget_listed,
		.arg = &r->list,
	};

	return session_dump(s, &dump);
}

static enum smi_exit change_faults(struct session *s, struct inject_request *r)
{
	const struct question question = {
		.command = VNPU_CMD_INJECT_SET,
		.put = put_request,
		.record = r->action == INJECT_SET ? take_set : take_nothing,
		.arg = r,
	};
	enum smi_exit status;

	status = confirm(r->is_sure, "%s %s on device %u?",
			 r->action == INJECT_SET ? "Make" : "Clear",
			 r->has_kind ? kinds[r->fault.kind] : "all faults",
			 r->fault.device);
	return status ? status : session_ask(s, &question);
}

static enum smi_exit inject(struct inject_request *r)
{
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = r->action == INJECT_LIST ? list_faults(&s, r) :
					    change_faults(&s, r);
	session_close(&s);
	if (!status)
		status = show_faults(r);
	free(r->list.items);
	return status;
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
	return inject(&request);
}
