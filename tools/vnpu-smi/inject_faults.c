// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi inject: set, remove and print faults.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer.h"
#include "inject.h"
#include "session.h"

const char *const inject_kinds[INJECT_KINDS] = {
	[VNPU_INJECT_KIND_ENGINE_HANG] = "engine-hang",
	[VNPU_INJECT_KIND_ENGINE_SLOW] = "engine-slow",
	[VNPU_INJECT_KIND_DOORBELL_LOST] = "doorbell-lost",
	[VNPU_INJECT_KIND_ALLOC_FAIL] = "alloc-fail",
	[VNPU_INJECT_KIND_ECC_CORRECTED] = "ecc-corrected",
	[VNPU_INJECT_KIND_ECC_UNCORRECTED] = "ecc-uncorrected",
	[VNPU_INJECT_KIND_EVENT_OVERRUN] = "event-overrun",
	[VNPU_INJECT_KIND_HOST_ALLOC_FAIL] = "host-alloc-fail",
	[VNPU_INJECT_KIND_ACCESS_FAULT] = "access-fault",
	[VNPU_INJECT_KIND_CORE_HANG] = "core-hang",
	[VNPU_INJECT_KIND_CORE_DIE] = "core-die",
	[VNPU_INJECT_KIND_CORE_SLOW] = "core-slow",
	[VNPU_INJECT_KIND_CORE_TWICE] = "core-twice",
	[VNPU_INJECT_KIND_CORE_GARBAGE] = "core-garbage",
};

const char *const inject_classes[INJECT_CLASSES] = {
	[VNPU_ENGINE_CLASS_COPY] = "copy",
	[VNPU_ENGINE_CLASS_VECTOR] = "vector",
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
	[VNPU_A_INJECT_EVERY] = { .type = NLA_U64 },
	[VNPU_A_INJECT_PPM] = { .type = NLA_U32 },
	[VNPU_A_INJECT_SEED] = { .type = NLA_U64 },
};

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
	if (tb[VNPU_A_INJECT_EVERY])
		f->every = nla_get_u64(tb[VNPU_A_INJECT_EVERY]);
	if (tb[VNPU_A_INJECT_PPM])
		f->ppm = nla_get_u32(tb[VNPU_A_INJECT_PPM]);
	if (tb[VNPU_A_INJECT_SEED])
		f->seed = nla_get_u64(tb[VNPU_A_INJECT_SEED]);
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

/* A newer driver may have more kinds. */
static const char *word_of(const char *const *words, size_t count, uint32_t n)
{
	return n < count ? words[n] : "unknown";
}

static void out_fault(struct out *o, const struct fault *f)
{
	const bool is_counted = f->kind != VNPU_INJECT_KIND_ENGINE_SLOW &&
				!f->ppm;
	char address[24];

	out_object(o, NULL);
	out_uint(o, "device_id", "NPU ID", f->device);
	out_string(o, "kind", "Fault",
		   word_of(inject_kinds, INJECT_KINDS, f->kind));
	out_uint_if(o, "client", "Client", f->client, f->client);
	out_string(o, "engine", "Engine", f->class == NO_CLASS ? NULL :
		   word_of(inject_classes, INJECT_CLASSES, f->class));
	out_uint_if(o, "nth", "Nth", is_counted, f->nth);
	out_uint_if(o, "delay_us", "Delay(us)", f->delay_us, f->delay_us);
	if (f->addr)
		snprintf(address, sizeof(address), "0x%" PRIx64, f->addr);
	out_string(o, "address", "Address", f->addr ? address : NULL);
	out_uint(o, "hits", "Hits", f->hits);
	out_uint_if(o, "every", "Every", f->every, f->every);
	out_uint_if(o, "ppm", "Probability(ppm)", f->ppm, f->ppm);
	out_uint_if(o, "seed", "Seed", f->ppm, f->seed);
	out_object_end(o);
	out_text(o, "\n");
}

static const struct csv_list fault_csv[] = {
	{ "faults", "",
	  "device_id,kind,client,engine,nth,delay_us,address,hits,every,ppm,seed" },
	{ 0 }
};

static void show_faults(struct out *o, const struct fault_list *list)
{
	size_t i;

	out_object(o, NULL);
	out_list(o, "faults");
	for (i = 0; i < list->count; i++)
		out_fault(o, &list->items[i]);
	out_list_end(o);
	out_object_end(o);
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
	    (f->every && nla_put_u64(msg, VNPU_A_INJECT_EVERY, f->every)) ||
	    (f->ppm &&
	     nla_put_u32(msg, VNPU_A_INJECT_PPM, (uint32_t)f->ppm)) ||
	    (r->has_seed && nla_put_u64(msg, VNPU_A_INJECT_SEED, f->seed)) ||
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
			 r->has_kind ? inject_kinds[r->fault.kind] : "all faults",
			 r->fault.device);
	return status ? status : session_ask(s, &question);
}

static enum smi_exit ask(struct inject_request *r)
{
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = r->action == INJECT_LIST ? list_faults(&s, r) :
					    change_faults(&s, r);
	session_close(&s);
	return status;
}

enum smi_exit inject_run(struct inject_request *r)
{
	enum smi_exit status;
	struct out out;

	status = out_init(&out, &r->form, OUT_LINES, fault_csv);
	if (!status)
		status = ask(r);
	if (!status)
		show_faults(&out, &r->list);
	free(r->list.items);
	return out_fini(&out, status);
}
