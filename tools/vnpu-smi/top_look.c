// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi top: query the driver, and compute the activity since the last
 * update.
 */
#include <stdlib.h>

#include <linux/vnpu_netlink.h>

#include "collect.h"
#include "info.h"
#include "listen.h"
#include "top.h"

size_t top_selected(const struct top *top)
{
	size_t i;

	for (i = 0; i < top->process_count; i++)
		if (top->processes[i].client.id == top->selected)
			return i;
	return 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* Descending except for pids; equal ones stay in the order of their clients. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct top_process *x = a, *y = b;
	const struct top *top = arg;
	int order = 0;

	switch (top->order) {
	case TOP_BY_BUSY:
		order = compare_u64(x->percent, y->percent);
		break;
	case TOP_BY_MEMORY:
		order = compare_u64(x->client.mem_used, y->client.mem_used);
		break;
	case TOP_BY_PEAK:
		order = compare_u64(x->client.mem_peak, y->client.mem_peak);
		break;
	case TOP_BY_PID:
		order = -compare_u64(x->client.pid, y->client.pid);
		break;
	}
	return order ? order : -compare_u64(x->client.id, y->client.id);
}

void top_sort(struct top *top)
{
	if (top->process_count)
		qsort_r(top->processes, top->process_count,
			sizeof(*top->processes), compare, top);
}

static const struct top_process *find_process(const struct top *top,
					      uint64_t client)
{
	size_t i;

	for (i = 0; i < top->process_count; i++)
		if (top->processes[i].client.id == client)
			return &top->processes[i];
	return NULL;
}

/* Replace the processes; @ns is the time since the previous update. */
static bool set_processes(struct top *top, const struct client_list *list,
			  uint64_t ns)
{
	struct top_process *new = calloc(list->count + 1, sizeof(*new));
	size_t i;

	if (!new)
		return false;
	for (i = 0; i < list->count; i++) {
		const struct client *c = &list->items[i];
		const struct top_process *old = find_process(top, c->id);

		new[i].client = *c;
		/* A process with several clients may have lost one. */
		if (old && ns && c->busy_ns > old->client.busy_ns)
			new[i].percent = (unsigned int)
				((c->busy_ns - old->client.busy_ns) * 100 / ns);
	}
	free(top->processes);
	top->processes = new;
	top->process_count = list->count;
	top_sort(top);
	return true;
}

static void add_history(struct top *top)
{
	size_t i;

	for (i = 0; i < top->state.devices.count; i++) {
		const struct device *d = &top->state.devices.items[i];
		struct history *h;

		if (d->id >= VNPU_MAX_DEVICES)
			continue;
		h = &top->histories[d->id];
		h->vector[h->count % HISTORY] = (uint8_t)
			device_aicore_percent(d);
		h->memory[h->count % HISTORY] = (uint8_t)
			info_percent(d->mem_used, d->mem_total);
		h->count++;
	}
}

enum smi_exit top_clients(struct client_list *list)
{
	const struct client_filter filter = { 0 };
	enum smi_exit status;
	struct session s;

	*list = (struct client_list){ 0 };
	status = session_open(&s);
	if (status)
		return status;
	status = client_list_collect(list, &s, &filter);
	session_close(&s);
	if (!status)
		client_list_join(list);
	return status;
}

enum smi_exit top_look(struct top *top)
{
	struct state before = top->state;
	uint64_t now = clock_ns();
	struct client_list list;
	enum smi_exit status;

	status = collect(&top->state, 0);
	state_set_usage(&top->state, &before);
	state_fini(&before);
	if (status)
		return status;
	status = top_clients(&list);
	if (!status && !set_processes(top, &list, top->looked_ns ?
				      now - top->looked_ns : 0))
		status = fail(SMI_FAILED, "out of memory");
	client_list_fini(&list);
	if (!status && top->shows_operators)
		status = top_look_operators(top, now - top->looked_ns);
	else
		top->has_kernels = false;
	add_history(top);
	top->looked_ns = now;
	return status;
}

void top_fini(struct top *top)
{
	free(top->processes);
	free(top->operators);
	kernel_list_fini(&top->kernels);
	state_fini(&top->state);
}
