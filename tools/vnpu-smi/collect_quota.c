// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: collect the quotas of each device and of the host.
 */
#include <stdlib.h>

#include "answer.h"
#include "collect.h"

static const struct nla_policy quota_policy[VNPU_A_QUOTA_MAX + 1] = {
	[VNPU_A_QUOTA_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_QUOTA_SCOPE] = { .type = NLA_U32 },
	[VNPU_A_QUOTA_ID] = { .type = NLA_U64 },
	[VNPU_A_QUOTA_LIMIT] = { .type = NLA_U64 },
	[VNPU_A_QUOTA_USED] = { .type = NLA_U64 },
	[VNPU_A_QUOTA_REFUSED] = { .type = NLA_U64 },
	[VNPU_A_QUOTA_RESOURCE] = { .type = NLA_U32 },
};

enum smi_exit take_quota(struct nlmsghdr *msg, uint32_t *device,
			 struct quota *quota)
{
	struct nlattr *tb[VNPU_A_QUOTA_MAX + 1];

	if (genlmsg_parse(msg, 0, tb, VNPU_A_QUOTA_MAX, quota_policy) ||
	    !HAS_ALL(tb, VNPU_A_QUOTA_SCOPE, VNPU_A_QUOTA_ID,
		     VNPU_A_QUOTA_LIMIT, VNPU_A_QUOTA_USED,
		     VNPU_A_QUOTA_REFUSED, VNPU_A_QUOTA_RESOURCE))
		return fail_answer("a quota");
	*quota = (struct quota){
		.resource = nla_get_u32(tb[VNPU_A_QUOTA_RESOURCE]),
		.scope = nla_get_u32(tb[VNPU_A_QUOTA_SCOPE]),
		.id = nla_get_u64(tb[VNPU_A_QUOTA_ID]),
		.limit = nla_get_u64(tb[VNPU_A_QUOTA_LIMIT]),
		.used = nla_get_u64(tb[VNPU_A_QUOTA_USED]),
		.refused = nla_get_u64(tb[VNPU_A_QUOTA_REFUSED]),
	};
	if (quota_is_of_host(quota->resource))
		return SMI_OK;
	if (!tb[VNPU_A_QUOTA_DEV_ID])
		return fail_answer("a quota");
	*device = nla_get_u32(tb[VNPU_A_QUOTA_DEV_ID]);
	return SMI_OK;
}

/* Find the list for a quota; NULL if its device is newer than the others. */
static struct quota_list *find_list(struct state *state, uint32_t device,
				    const struct quota *quota)
{
	struct device *d;

	if (quota_is_of_host(quota->resource))
		return &state->host_quotas;
	d = state_find_device(state, device);
	return d ? &d->quotas : NULL;
}

static enum smi_exit add_quota(struct nlmsghdr *msg, void *arg)
{
	struct state *state = arg;
	struct quota_list *list;
	struct quota quota, *item;
	enum smi_exit status;
	uint32_t device = 0;

	status = take_quota(msg, &device, &quota);
	if (status)
		return status;
	list = find_list(state, device, &quota);
	if (!list)
		return SMI_OK;
	item = quota_list_add(list);
	if (!item)
		return fail_memory();
	*item = quota;
	return SMI_OK;
}

static void forget_quotas(void *arg)
{
	struct state *state = arg;
	size_t i;

	for (i = 0; i < state->devices.count; i++)
		state->devices.items[i].quotas.count = 0;
	state->host_quotas.count = 0;
}

static enum smi_exit add_clients(struct state *state,
				 const struct holding_list *holdings)
{
	size_t i;

	for (i = 0; i < holdings->count; i++) {
		const struct holding *h = &holdings->items[i];
		struct device *d = state_find_device(state, h->device);
		struct holding *item;

		if (!d)
			continue;
		item = holding_list_add(&d->clients);
		if (!item)
			return fail_memory();
		*item = *h;
	}
	return SMI_OK;
}

enum smi_exit collect_quota(struct session *s, struct state *state)
{
	const struct dump quotas = {
		.command = VNPU_CMD_QUOTA_GET,
		.record = add_quota,
		.restart = forget_quotas,
		.arg = state,
	};
	struct holding_list holdings = { 0 };
	enum smi_exit status;

	status = session_dump(s, &quotas);
	if (!status)
		status = collect_holdings(s, &holdings);
	if (!status)
		status = add_clients(state, &holdings);
	free(holdings.items);
	return status;
}
