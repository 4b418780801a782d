// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi top: the operators that processes have run since the last update.
 */
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* Get the statistics since the last update; a core that has begun anew counts anew. */
static struct kernel since(const struct kernel_list *before,
			   const struct kernel *now)
{
	const struct kernel *old = NULL;
	struct kernel k = *now;

	if (before->count)
		old = bsearch(now, before->items, before->count,
			      sizeof(*before->items), kernel_compare);
	if (old && old->launches <= k.launches && old->busy_ns <= k.busy_ns) {
		k.launches -= old->launches;
		k.busy_ns -= old->busy_ns;
	}
	return k;
}

static void set_process(const struct top *top, struct top_operator *o)
{
	size_t i;

	for (i = 0; i < top->process_count; i++)
		if (top->processes[i].client.pid == o->kernel.pid)
			memcpy(o->process, top->processes[i].client.name,
			       sizeof(o->process));
}

/* Operators of a process are neighbours before they are sorted by time. */
static void set_shares(struct top_operator *operators, size_t count)
{
	size_t i, j, end;

	for (i = 0; i < count; i = end) {
		uint64_t sum = 0;

		for (end = i; end < count && operators[end].kernel.pid ==
					     operators[i].kernel.pid; end++)
			sum += operators[end].kernel.busy_ns;
		for (j = i; j < end && sum; j++)
			operators[j].share = (unsigned int)
				(operators[j].kernel.busy_ns * 100 / sum);
	}
}

static int compare(const void *a, const void *b)
{
	const struct kernel *x = &((const struct top_operator *)a)->kernel;
	const struct kernel *y = &((const struct top_operator *)b)->kernel;

	if (x->busy_ns != y->busy_ns)
		return (x->busy_ns < y->busy_ns) - (x->busy_ns > y->busy_ns);
	return kernel_compare(x, y);
}

/* Replace the operators by the difference of two lists of kernels. */
static enum smi_exit set_operators(struct top *top,
				   const struct kernel_list *now, uint64_t ns)
{
	struct top_operator *new = calloc(now->count + 1, sizeof(*new));
	size_t i, count = 0;

	if (!new)
		return fail(SMI_FAILED, "out of memory");
	for (i = 0; i < now->count && top->has_kernels; i++) {
		struct top_operator *o = &new[count];

		o->kernel = since(&top->kernels, &now->items[i]);
		if (!o->kernel.launches)
			continue;
		if (ns)
			o->percent = (unsigned int)
				(o->kernel.busy_ns * 100 / ns);
		set_process(top, o);
		count++;
	}
	set_shares(new, count);
	qsort(new, count, sizeof(*new), compare);
	free(top->operators);
	top->operators = new;
	top->operator_count = count;
	/* The list may have become shorter than it is scrolled. */
	if (top->first_operator >= count)
		top->first_operator = count ? count - 1 : 0;
	return SMI_OK;
}

enum smi_exit top_look_operators(struct top *top, uint64_t ns)
{
	struct kernel_list now;
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = kernel_list_collect(&now, &s);
	session_close(&s);
	if (!status)
		status = set_operators(top, &now, ns);
	kernel_list_fini(&top->kernels);
	top->kernels = now;
	top->has_kernels = !status;
	return status;
}
