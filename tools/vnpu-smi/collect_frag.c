// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: collect the layout of the memory of each device.
 */
#include <stdlib.h>

#include "answer.h"
#include "collect.h"

static const struct nla_policy mem_policy[VNPU_A_MEM_MAX + 1] = {
	[VNPU_A_MEM_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_MEM_DIRTY] = { .type = NLA_U64 },
	[VNPU_A_MEM_RUNS] = { .type = NLA_U32 },
	[VNPU_A_MEM_FRAG_INDEX] = { .type = NLA_U32 },
	[VNPU_A_MEM_WASTE] = { .type = NLA_U64 },
	[VNPU_A_MEM_CLEARED] = { .type = NLA_U64 },
	[VNPU_A_MEM_COMPACTIONS] = { .type = NLA_U64 },
	[VNPU_A_MEM_MOVED] = { .type = NLA_U64 },
};

static const struct nla_policy class_policy[VNPU_A_MEM_CLASS_MAX + 1] = {
	[VNPU_A_MEM_CLASS_PAGE_SIZE] = { .type = NLA_U64 },
	[VNPU_A_MEM_CLASS_USED] = { .type = NLA_U64 },
	[VNPU_A_MEM_CLASS_FREE] = { .type = NLA_U64 },
	[VNPU_A_MEM_CLASS_LARGEST] = { .type = NLA_U64 },
	[VNPU_A_MEM_CLASS_FRAG_INDEX] = { .type = NLA_U32 },
};

static const struct nla_policy order_policy[VNPU_A_MEM_ORDER_MAX + 1] = {
	[VNPU_A_MEM_ORDER_ORDER] = { .type = NLA_U32 },
	[VNPU_A_MEM_ORDER_FREE_BLOCKS] = { .type = NLA_U32 },
};

static const struct nla_policy cell_policy[VNPU_A_MAP_CELL_MAX + 1] = {
	[VNPU_A_MAP_CELL_SIZE] = { .type = NLA_U64 },
	[VNPU_A_MAP_CELL_USED] = { .type = NLA_U64 },
	[VNPU_A_MAP_CELL_FIXED] = { .type = NLA_U64 },
	[VNPU_A_MAP_CELL_DIRTY] = { .type = NLA_U64 },
};

static enum smi_exit take_class(struct frag *frag, struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_MEM_CLASS_MAX + 1];

	if (nla_parse_nested(tb, VNPU_A_MEM_CLASS_MAX, attr, class_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_CLASS_PAGE_SIZE, VNPU_A_MEM_CLASS_USED,
		     VNPU_A_MEM_CLASS_FREE, VNPU_A_MEM_CLASS_LARGEST,
		     VNPU_A_MEM_CLASS_FRAG_INDEX) ||
	    frag->class_count == MAX_CLASSES)
		return fail_answer("a page class");
	frag->classes[frag->class_count++] = (struct mem_class){
		.page_size = nla_get_u64(tb[VNPU_A_MEM_CLASS_PAGE_SIZE]),
		.used = nla_get_u64(tb[VNPU_A_MEM_CLASS_USED]),
		.free = nla_get_u64(tb[VNPU_A_MEM_CLASS_FREE]),
		.largest = nla_get_u64(tb[VNPU_A_MEM_CLASS_LARGEST]),
		.frag_index = nla_get_u32(tb[VNPU_A_MEM_CLASS_FRAG_INDEX]),
	};
	return SMI_OK;
}

static enum smi_exit take_order(struct frag *frag, struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_MEM_ORDER_MAX + 1];
	uint32_t order;

	if (nla_parse_nested(tb, VNPU_A_MEM_ORDER_MAX, attr, order_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_ORDER_ORDER, VNPU_A_MEM_ORDER_FREE_BLOCKS))
		return fail_answer("free blocks");
	order = nla_get_u32(tb[VNPU_A_MEM_ORDER_ORDER]);
	if (order >= MAX_ORDERS || frag->order_count == MAX_ORDERS)
		return fail_answer("free blocks");
	frag->orders[frag->order_count++] = (struct mem_order){
		.order = order,
		.free_blocks = nla_get_u32(tb[VNPU_A_MEM_ORDER_FREE_BLOCKS]),
	};
	return SMI_OK;
}

static enum smi_exit take_lists(struct frag *frag, struct nlmsghdr *msg)
{
	enum smi_exit status;
	struct nlattr *attr;
	int rem;

	for_each_attr_of_type(attr, msg, VNPU_A_MEM_CLASS, rem) {
		status = take_class(frag, attr);
		if (status)
			return status;
	}
	for_each_attr_of_type(attr, msg, VNPU_A_MEM_ORDER, rem) {
		status = take_order(frag, attr);
		if (status)
			return status;
	}
	return SMI_OK;
}

static enum smi_exit take_frag(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_MEM_MAX + 1];
	struct state *state = arg;
	struct device *d;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_MEM_MAX, mem_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_DEV_ID, VNPU_A_MEM_DIRTY, VNPU_A_MEM_RUNS,
		     VNPU_A_MEM_FRAG_INDEX, VNPU_A_MEM_WASTE,
		     VNPU_A_MEM_CLEARED, VNPU_A_MEM_COMPACTIONS,
		     VNPU_A_MEM_MOVED))
		return fail_answer("a device's memory");

	d = state_find_device(state, nla_get_u32(tb[VNPU_A_MEM_DEV_ID]));
	if (!d)
		return SMI_OK;
	*d->frag = (struct frag){
		.dirty = nla_get_u64(tb[VNPU_A_MEM_DIRTY]),
		.runs = nla_get_u32(tb[VNPU_A_MEM_RUNS]),
		.frag_index = nla_get_u32(tb[VNPU_A_MEM_FRAG_INDEX]),
		.waste = nla_get_u64(tb[VNPU_A_MEM_WASTE]),
		.cleared = nla_get_u64(tb[VNPU_A_MEM_CLEARED]),
		.compactions = nla_get_u64(tb[VNPU_A_MEM_COMPACTIONS]),
		.moved = nla_get_u64(tb[VNPU_A_MEM_MOVED]),
	};
	return take_lists(d->frag, msg);
}

/* The next read overwrites the previous one. */
static void forget_nothing(void *arg)
{
	(void)arg;
}

static enum smi_exit take_cell(struct frag *frag, struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_MAP_CELL_MAX + 1];

	if (nla_parse_nested(tb, VNPU_A_MAP_CELL_MAX, attr, cell_policy) ||
	    !HAS_ALL(tb, VNPU_A_MAP_CELL_SIZE, VNPU_A_MAP_CELL_USED,
		     VNPU_A_MAP_CELL_FIXED, VNPU_A_MAP_CELL_DIRTY) ||
	    frag->cell_count == MAX_CELLS)
		return fail_answer("a part of the arena");
	frag->cells[frag->cell_count++] = (struct map_cell){
		.size = nla_get_u64(tb[VNPU_A_MAP_CELL_SIZE]),
		.used = nla_get_u64(tb[VNPU_A_MAP_CELL_USED]),
		.fixed = nla_get_u64(tb[VNPU_A_MAP_CELL_FIXED]),
		.dirty = nla_get_u64(tb[VNPU_A_MAP_CELL_DIRTY]),
	};
	return SMI_OK;
}

static int put_map_request(struct nl_msg *msg, const void *arg)
{
	const struct device *d = arg;

	if (nla_put_u32(msg, VNPU_A_MAP_DEV_ID, d->id) ||
	    nla_put_u32(msg, VNPU_A_MAP_CELLS, MAX_CELLS))
		return -NLE_MSGSIZE;
	return 0;
}

static enum smi_exit take_map(struct nlmsghdr *msg, void *arg)
{
	struct device *d = arg;
	enum smi_exit status;
	struct nlattr *attr;
	int rem;

	for_each_attr_of_type(attr, msg, VNPU_A_MAP_CELL, rem) {
		status = take_cell(d->frag, attr);
		if (status)
			return status;
	}
	return SMI_OK;
}

enum smi_exit collect_frag(struct session *s, struct state *state)
{
	const struct dump memory = {
		.command = VNPU_CMD_MEM_GET,
		.record = take_frag,
		.restart = forget_nothing,
		.arg = state,
	};
	enum smi_exit status;
	size_t i;

	for (i = 0; i < state->devices.count; i++) {
		struct device *d = &state->devices.items[i];

		d->frag = calloc(1, sizeof(*d->frag));
		if (!d->frag)
			return fail_memory();
	}
	status = session_dump(s, &memory);
	for (i = 0; !status && i < state->devices.count; i++) {
		const struct question map = {
			.command = VNPU_CMD_MAP_GET,
			.put = put_map_request,
			.record = take_map,
			.arg = &state->devices.items[i],
		};

		status = session_ask(s, &map);
	}
	return status ? status : collect_slabs(s, state);
}
