// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -t quota: the quotas of clients, users and cgroups, and what these
 * use, for each device and for the host.
 *
 * npu-smi has no such view.  Limits of memory may be small, so the text is in
 * KiB.
 */
#include <inttypes.h>

#include <linux/vnpu_netlink.h>

#include "info.h"
#include "text.h"

#define KIB	1024

void info_out_quota(struct out *o, const struct quota *q)
{
	bool is_bytes = quota_is_in_bytes(q->resource);

	out_string(o, "resource", "Resource",
		   quota_resource_word(q->resource));
	out_string(o, "scope", "Scope", quota_scope_word(q->scope));
	out_uint(o, "id", "Id", q->id);
	out_uint(o, "limit", is_bytes ? "Limit(byte)" : "Limit", q->limit);
	out_uint(o, "used", is_bytes ? "Used(byte)" : "Used", q->used);
	out_uint(o, "refused", "Refused So Far", q->refused);
}

static void show_quotas(struct out *o, const struct quota_list *quotas)
{
	size_t i;

	if (quotas->count)
		out_text(o, "\t%-8s%20s%18s%18s%10s  %s\n", "Scope", "Id",
			 "Limit", "Used", "Refused", "Of");
	else
		out_text(o, "\tNo quota is set.\n");
	out_list(o, "quotas");
	for (i = 0; i < quotas->count; i++) {
		const struct quota *q = &quotas->items[i];

		bool is_bytes = quota_is_in_bytes(q->resource);
		uint64_t unit = is_bytes ? KIB : 1;

		if (!o->is_data) {
			fprintf(o->f, "\t%-8s%20" PRIu64 "%18" PRIu64 "%18"
				PRIu64 "%10" PRIu64 "  %s%s\n",
				quota_scope_word(q->scope), q->id,
				q->limit / unit, q->used / unit, q->refused,
				quota_resource_word(q->resource),
				is_bytes ? "(KB)" : "");
			continue;
		}
		out_object(o, NULL);
		info_out_quota(o, q);
		out_object_end(o);
	}
	out_list_end(o);
}

/* List the clients with the identities that a limit can apply to. */
static void show_clients(struct out *o, const struct device *d)
{
	size_t i;

	if (d->clients.count)
		out_text(o, "\n\t%-20s%12s%12s%18s  %s\n", "Client Id",
			 "Uid", "Process id", "Used(KB)", "Process name");
	out_list(o, "clients");
	for (i = 0; i < d->clients.count; i++) {
		const struct holding *h = &d->clients.items[i];

		if (!o->is_data) {
			fprintf(o->f, "\t%-20" PRIu64 "%12" PRIu32 "%12" PRIu32
				"%18" PRIu64 "  ", h->client, h->uid,
				h->process.pid, h->process.mem_used / KIB);
			text_print(o->f, h->process.name, 0);
			putc('\n', o->f);
			continue;
		}
		out_object(o, NULL);
		out_uint(o, "client", NULL, h->client);
		out_uint(o, "uid", NULL, h->uid);
		out_uint(o, "pid", NULL, h->process.pid);
		out_string(o, "name", NULL, h->process.name);
		out_uint(o, "memory_bytes", NULL, h->process.mem_used);
		out_object_end(o);
	}
	out_list_end(o);
}

void info_show_quota(struct out *o, const struct device *d)
{
	show_quotas(o, &d->quotas);
	show_clients(o, d);
	out_text(o, "\n");
}

void info_show_host_quota(struct out *o, const struct state *state)
{
	if (!state->host_quotas.count)
		return;
	out_object(o, NULL);
	out_none(o, "id", "NPU ID");
	out_none(o, "chip_count", "Chip Count");
	out_none(o, "chip_id", NULL);
	out_text(o, "\n");
	show_quotas(o, &state->host_quotas);
	out_list(o, "clients");
	out_list_end(o);
	out_text(o, "\n");
	out_object_end(o);
}

const struct csv_list info_quota_csv[] = {
	{ "devices.quotas", "quotas.", "resource,scope,id,limit,used,refused" },
	{ "devices", "", "id,chip_count,chip_id" },
	{ "devices.clients", "clients.", "client,uid,pid,name,memory_bytes" },
	{ 0 }
};
