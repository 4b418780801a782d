// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the kernels and operators that AI cores have run.
 */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "kernel.h"
#include "model.h"

static const struct nla_policy policy[VNPU_A_KERNEL_MAX + 1] = {
	[VNPU_A_KERNEL_PID] = { .type = NLA_U32 },
	[VNPU_A_KERNEL_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_KERNEL_NAME] = { .type = NLA_STRING },
	[VNPU_A_KERNEL_LAUNCHES] = { .type = NLA_U64 },
	[VNPU_A_KERNEL_BUSY] = { .type = NLA_U64 },
};

static enum smi_exit take_kernel(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_KERNEL_MAX + 1];
	struct kernel_list *list = arg;
	struct kernel *k;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_KERNEL_MAX, policy) ||
	    !HAS_ALL(tb, VNPU_A_KERNEL_PID, VNPU_A_KERNEL_DEV_ID,
		     VNPU_A_KERNEL_NAME, VNPU_A_KERNEL_LAUNCHES,
		     VNPU_A_KERNEL_BUSY))
		return fail_answer("a kernel");
	k = LIST_ADD(list->items, list->count);
	if (!k)
		return fail_memory();
	*k = (struct kernel){
		.pid = nla_get_u32(tb[VNPU_A_KERNEL_PID]),
		.device = nla_get_u32(tb[VNPU_A_KERNEL_DEV_ID]),
		.launches = nla_get_u64(tb[VNPU_A_KERNEL_LAUNCHES]),
		.busy_ns = nla_get_u64(tb[VNPU_A_KERNEL_BUSY]),
	};
	nla_strlcpy(k->name, tb[VNPU_A_KERNEL_NAME], sizeof(k->name));
	return SMI_OK;
}

static void forget(void *arg)
{
	struct kernel_list *list = arg;

	list->count = 0;
}

int kernel_compare(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;

	if (x->pid != y->pid)
		return (x->pid > y->pid) - (x->pid < y->pid);
	if (x->device != y->device)
		return (x->device > y->device) - (x->device < y->device);
	return strcmp(x->name, y->name);
}

/* Several clients of a process may run the same kernel. */
static void join(struct kernel_list *list)
{
	size_t i, kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items),
		      kernel_compare);
	for (i = 0; i < list->count; i++) {
		const struct kernel *k = &list->items[i];
		struct kernel *last = kept ? &list->items[kept - 1] : NULL;

		if (last && !kernel_compare(last, k)) {
			last->launches += k->launches;
			last->busy_ns += k->busy_ns;
		} else {
			list->items[kept++] = *k;
		}
	}
	list->count = kept;
}

enum smi_exit kernel_list_collect(struct kernel_list *list, struct session *s)
{
	const struct dump kernels = {
		.command = VNPU_CMD_KERNEL_GET,
		.record = take_kernel,
		.restart = forget,
		.arg = list,
	};
	enum smi_exit status;

	*list = (struct kernel_list){ 0 };
	status = session_dump(s, &kernels);
	if (!status)
		join(list);
	return status;
}

void kernel_list_fini(struct kernel_list *list)
{
	free(list->items);
	*list = (struct kernel_list){ 0 };
}
