// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi device: add and remove devices.  It needs permission, and asks for
 * confirmation before it removes a device.
 */
#include <string.h>

#include "answer.h"
#include "option.h"
#include "out.h"
#include "session.h"

static const char device_help[] =
"usage: vnpu-smi device add [-m SIZE] [FORM]\n"
"       vnpu-smi device remove -i ID [-y] [FORM]\n"
"\n"
"  add               add a device with the lowest free number\n"
"  remove            remove a device, even if it is in use: work on it fails, and\n"
"                    its number is free again when its users have closed it\n"
"\n"
"  -m, --memory SIZE memory of the new device, a multiple of 2M; K, M, G and T\n"
"                    mean KiB, MiB, GiB and TiB. As the first devices by default\n"
"  -i, --id ID       the device with this number\n"
"  -y, --yes         do not ask for confirmation\n"
OUT_HELP
"  -h, --help        print this and exit\n"
"\n"
"It needs CAP_NET_ADMIN in the initial user namespace, which root has.\n";

/* The removal takes memory from all users of the device, which takes time. */
#define REMOVE_SECONDS	60

/* The memory of a device is a multiple of this. */
#define DEVICE_MEMORY_UNIT	(UINT64_C(2) << 20)

struct device_request {
	bool is_removal;
	struct table_options form;
	bool is_sure;
	struct option_number id;
	uint64_t memory;
};

/* The device in the driver's answer. */
struct told_device {
	uint32_t id;
	uint64_t memory;
};

static const struct nla_policy dev_policy[VNPU_A_DEV_MAX + 1] = {
	[VNPU_A_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_DEV_MEM_TOTAL] = { .type = NLA_U64 },
};

static int put_id(struct nl_msg *msg, const void *arg)
{
	const struct told_device *d = arg;

	return nla_put_u32(msg, VNPU_A_DEV_ID, d->id) ? -NLE_MSGSIZE : 0;
}

static int put_memory(struct nl_msg *msg, const void *arg)
{
	const struct told_device *d = arg;

	if (!d->memory)
		return 0;
	return nla_put_u64(msg, VNPU_A_DEV_MEM_TOTAL, d->memory) ?
	       -NLE_MSGSIZE : 0;
}

static enum smi_exit take_device(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_DEV_MAX + 1];
	struct told_device *d = arg;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_DEV_MAX, dev_policy) ||
	    !HAS_ALL(tb, VNPU_A_DEV_ID))
		return fail_answer("a device");
	d->id = nla_get_u32(tb[VNPU_A_DEV_ID]);
	if (tb[VNPU_A_DEV_MEM_TOTAL])
		d->memory = nla_get_u64(tb[VNPU_A_DEV_MEM_TOTAL]);
	return SMI_OK;
}

static enum smi_exit add(struct session *s, const struct device_request *r,
			 struct told_device *d)
{
	struct question question = {
		.command = VNPU_CMD_DEV_ADD,
		.put = put_memory,
		.record = take_device,
		.arg = d,
		.no_memory = "the device",
	};

	d->memory = r->memory;
	return session_ask(s, &question);
}

static enum smi_exit remove_device(struct session *s,
				   const struct device_request *r,
				   struct told_device *d)
{
	struct question question = {
		.command = VNPU_CMD_DEV_GET,
		.put = put_id,
		.record = take_device,
		.arg = d,
	};
	enum smi_exit status;

	d->id = r->id.value;
	/* Check that the device exists before asking for confirmation. */
	status = session_ask(s, &question);
	if (!status)
		status = confirm(r->is_sure,
				 "Remove device %u? Its users will fail.",
				 d->id);
	if (!status)
		status = session_limit(s, REMOVE_SECONDS);
	question.command = VNPU_CMD_DEV_REMOVE;
	return status ? status : session_ask(s, &question);
}

static const struct csv_list device_csv[] = {
	{ NULL, "", "id,state,memory_bytes" },
	{ 0 }
};

static void show(struct out *o, const struct device_request *r,
		 const struct told_device *d)
{
	out_object(o, NULL);
	out_uint(o, "id", "NPU ID", d->id);
	out_string(o, "state", "State", r->is_removal ? "removed" : "added");
	out_uint(o, "memory_bytes", "Memory(B)", d->memory);
	out_object_end(o);
}

static enum smi_exit change(const struct device_request *r,
			    struct told_device *d)
{
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = r->is_removal ? remove_device(&s, r, d) : add(&s, r, d);
	session_close(&s);
	return status;
}

static enum smi_exit check_request(const struct device_request *r)
{
	if (r->is_removal && !r->id.is_given)
		return fail(SMI_USAGE,
			    "option '-i' is needed; see 'vnpu-smi device --help'");
	if (r->is_removal && r->memory)
		return fail(SMI_USAGE, "remove takes no '-m'");
	if (r->memory % DEVICE_MEMORY_UNIT)
		return fail(SMI_USAGE,
			    "option '-m' needs a multiple of 2M");
	if (!r->is_removal && (r->id.is_given || r->is_sure))
		return fail(SMI_USAGE, "add takes no '-i' and no '-y'");
	return SMI_OK;
}

static enum smi_exit take_action(struct device_request *r, const char *word)
{
	r->is_removal = !strcmp(word, "remove");
	if (!r->is_removal && strcmp(word, "add"))
		return fail(SMI_USAGE,
			    "unknown action '%s': it must be add or remove; see 'vnpu-smi device --help'",
			    word);
	return SMI_OK;
}

/* *@wants_help is set if only the help is requested. */
static enum smi_exit parse_request(struct device_request *r, bool *wants_help,
				   int argc, char **argv)
{
	const struct smi_option options[] = {
		{ 'm', "memory", OPTION_SIZE, &r->memory },
		{ 'i', "id", OPTION_NUMBER, &r->id },
		{ 'y', "yes", OPTION_FLAG, &r->is_sure },
		TABLE_OPTIONS(&r->form),
		{ 0 }
	};
	enum smi_exit status = SMI_OK;

	if (argc < 2)
		return fail(SMI_USAGE,
			    "the action is missing: add or remove; see 'vnpu-smi device --help'");
	if (argv[1][0] != '-') {
		status = take_action(r, argv[1]);
		argc--;
		argv++;
	} else if (strcmp(argv[1], "-h") && strcmp(argv[1], "--help")) {
		return fail(SMI_USAGE, "add or remove comes before '%s'",
			    argv[1]);
	}
	if (!status)
		status = parse_options("device", options, NULL, wants_help,
				       argc, argv);
	return status || *wants_help ? status : check_request(r);
}

enum smi_exit cmd_device(int argc, char **argv)
{
	struct device_request request = { 0 };
	struct told_device device = { 0 };
	bool wants_help = false;
	enum smi_exit status;
	struct out out;

	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(device_help, stdout);
		return finish_output(stdout);
	}
	status = out_init(&out, &request.form, OUT_LINES, device_csv);
	if (!status)
		status = change(&request, &device);
	if (!status)
		show(&out, &request, &device);
	return out_fini(&out, status);
}
