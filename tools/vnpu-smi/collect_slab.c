// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: collect the slabs.
 */
#include <stdlib.h>

#include "answer.h"
#include "collect.h"

static const struct nla_policy slab_policy[VNPU_A_SLAB_MAX + 1] = {
	[VNPU_A_SLAB_CLIENT_ID] = { .type = NLA_U64 },
	[VNPU_A_SLAB_PID] = { .type = NLA_U32 },
	[VNPU_A_SLAB_DEV_ID] = { .type = NLA_U32 },
};

static const struct nla_policy class_policy[VNPU_A_SLAB_CLASS_MAX + 1] = {
	[VNPU_A_SLAB_CLASS_SIZE] = { .type = NLA_U32 },
	[VNPU_A_SLAB_CLASS_SLABS] = { .type = NLA_U64 },
	[VNPU_A_SLAB_CLASS_HELD] = { .type = NLA_U64 },
	[VNPU_A_SLAB_CLASS_OBJECTS] = { .type = NLA_U64 },
	[VNPU_A_SLAB_CLASS_WASTE] = { .type = NLA_U64 },
};

/* Find the class of a size, or insert it in order; NULL without room. */
static struct slab_class *find_class(struct frag *frag, uint32_t size)
{
	size_t at = 0, i;

	while (at < frag->slab_count && frag->slabs[at].size < size)
		at++;
	if (at < frag->slab_count && frag->slabs[at].size == size)
		return &frag->slabs[at];
	if (frag->slab_count == MAX_SLAB_CLASSES)
		return NULL;
	for (i = frag->slab_count++; i > at; i--)
		frag->slabs[i] = frag->slabs[i - 1];
	frag->slabs[at] = (struct slab_class){ .size = size };
	return &frag->slabs[at];
}

static enum smi_exit take_class(struct frag *frag, struct slab_holder *holder,
				struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_SLAB_CLASS_MAX + 1];
	uint64_t held, objects, waste;
	struct slab_class *class;

	if (nla_parse_nested(tb, VNPU_A_SLAB_CLASS_MAX, attr, class_policy) ||
	    !HAS_ALL(tb, VNPU_A_SLAB_CLASS_SIZE, VNPU_A_SLAB_CLASS_SLABS,
		     VNPU_A_SLAB_CLASS_HELD, VNPU_A_SLAB_CLASS_OBJECTS,
		     VNPU_A_SLAB_CLASS_WASTE))
		return fail_answer("slabs");
	class = find_class(frag, nla_get_u32(tb[VNPU_A_SLAB_CLASS_SIZE]));
	if (!class)
		return fail_answer("slabs");

	held = nla_get_u64(tb[VNPU_A_SLAB_CLASS_HELD]);
	objects = nla_get_u64(tb[VNPU_A_SLAB_CLASS_OBJECTS]);
	waste = nla_get_u64(tb[VNPU_A_SLAB_CLASS_WASTE]);
	class->slabs += nla_get_u64(tb[VNPU_A_SLAB_CLASS_SLABS]);
	class->held += held;
	class->objects += objects;
	class->waste += waste;
	holder->held += held;
	holder->objects += objects;
	holder->waste += waste;
	return SMI_OK;
}

static struct slab_holder *add_holder(struct frag *frag)
{
	struct slab_holder *all = reallocarray(frag->slab_holders,
					       frag->slab_holder_count + 1,
					       sizeof(*all));

	if (!all)
		return NULL;
	frag->slab_holders = all;
	return &all[frag->slab_holder_count++];
}

static enum smi_exit take_slabs(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_SLAB_MAX + 1];
	struct slab_holder *holder;
	struct state *state = arg;
	enum smi_exit status;
	struct nlattr *attr;
	struct device *d;
	int rem;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_SLAB_MAX, slab_policy) ||
	    !HAS_ALL(tb, VNPU_A_SLAB_CLIENT_ID, VNPU_A_SLAB_PID,
		     VNPU_A_SLAB_DEV_ID))
		return fail_answer("slabs");
	d = state_find_device(state, nla_get_u32(tb[VNPU_A_SLAB_DEV_ID]));
	if (!d)
		return SMI_OK;
	holder = add_holder(d->frag);
	if (!holder)
		return fail_memory();
	*holder = (struct slab_holder){
		.client = nla_get_u64(tb[VNPU_A_SLAB_CLIENT_ID]),
		.pid = nla_get_u32(tb[VNPU_A_SLAB_PID]),
	};
	for_each_attr_of_type(attr, msg, VNPU_A_SLAB_CLASS, rem) {
		status = take_class(d->frag, holder, attr);
		if (status)
			return status;
	}
	return SMI_OK;
}

static void forget_slabs(void *arg)
{
	struct state *state = arg;
	size_t i;

	for (i = 0; i < state->devices.count; i++) {
		state->devices.items[i].frag->slab_count = 0;
		state->devices.items[i].frag->slab_holder_count = 0;
	}
}

enum smi_exit collect_slabs(struct session *s, struct state *state)
{
	const struct dump slabs = {
		.command = VNPU_CMD_SLAB_GET,
		.record = take_slabs,
		.restart = forget_slabs,
		.arg = state,
	};

	return session_dump(s, &slabs);
}
