// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi set -t reset: fail what the engines of a device work on.
 */
#include "answer.h"
#include "model.h"
#include "out.h"
#include "session.h"
#include "set.h"

/* The driver waits for 5 seconds, and for another reset in progress. */
#define RESET_SECONDS	30

static const struct nla_policy dev_policy[VNPU_A_DEV_MAX + 1] = {
	[VNPU_A_DEV_HEALTH] = { .type = NLA_U32 },
	[VNPU_A_DEV_RESETS] = { .type = NLA_U64 },
};

static int put_id(struct nl_msg *msg, const void *arg)
{
	const struct device *d = arg;

	return nla_put_u32(msg, VNPU_A_DEV_ID, d->id) ? -NLE_MSGSIZE : 0;
}

static enum smi_exit take_device(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_DEV_MAX + 1];
	struct device *d = arg;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_DEV_MAX, dev_policy) ||
	    !HAS_ALL(tb, VNPU_A_DEV_HEALTH, VNPU_A_DEV_RESETS))
		return fail_answer("a device");
	d->health = nla_get_u32(tb[VNPU_A_DEV_HEALTH]);
	d->resets = nla_get_u64(tb[VNPU_A_DEV_RESETS]);
	return SMI_OK;
}

const struct csv_list set_reset_csv[] = {
	{ NULL, "", "id,health,resets" },
	{ 0 }
};

static void show_device(struct out *o, const struct device *d)
{
	out_object(o, NULL);
	out_uint(o, "id", "NPU ID", d->id);
	out_string(o, "health", "Health", health_word(d->health));
	out_uint(o, "resets", "Resets So Far", d->resets);
	out_object_end(o);
}

enum smi_exit set_reset(const struct set_request *r, struct out *o)
{
	struct device device = { .id = r->id };
	struct question question = {
		.command = VNPU_CMD_DEV_GET,
		.put = put_id,
		.record = take_device,
		.arg = &device,
	};
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	/* There is nothing to ask about a device that is not there. */
	status = session_ask(&s, &question);
	if (!status)
		status = confirm(r->is_sure, "Reset device %u? Tasks that run on it will fail.",
				 r->id);
	if (!status)
		status = session_limit(&s, RESET_SECONDS);
	question.command = VNPU_CMD_RESET;
	if (!status)
		status = session_ask(&s, &question);
	session_close(&s);
	if (!status)
		show_device(o, &device);
	return status;
}
