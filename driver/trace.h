/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: what happened, for whoever wants to see it happen. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vnpu

#if !defined(VNPU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VNPU_TRACE_H

#include <linux/tracepoint.h>

#include <linux/vnpu.h>

#include "oom.h"

TRACE_EVENT(vnpu_oom,
	TP_PROTO(const struct vnpu_oom *oom),
	TP_ARGS(oom),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, length)
		__field(u64, free)
		__field(u64, largest)
		__field(u32, device)
		__field(u32, page_shift)
		__field(bool, contiguous)
		__field(bool, compaction_helps)
	),
	TP_fast_assign(
		__entry->client = oom->client;
		__entry->length = oom->length;
		__entry->free = (u64)oom->stats.free << VNPU_PAGE_SHIFT;
		__entry->largest = (u64)oom->stats.largest << VNPU_PAGE_SHIFT;
		__entry->device = oom->device;
		__entry->page_shift = oom->page_shift;
		__entry->contiguous = oom->flags & VNPU_MEM_F_CONTIGUOUS;
		__entry->compaction_helps = oom->compaction_helps;
	),
	TP_printk("device=%u client=%llu length=%llu page_shift=%u contiguous=%d free=%llu largest=%llu compaction_helps=%d",
		  __entry->device, __entry->client, __entry->length,
		  __entry->page_shift, __entry->contiguous, __entry->free,
		  __entry->largest, __entry->compaction_helps)
);

TRACE_EVENT(vnpu_quota,
	TP_PROTO(const struct vnpu_oom *oom),
	TP_ARGS(oom),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, length)
		__field(u64, id)
		__field(u64, limit)
		__field(u64, used)
		__field(u32, device)
		__field(u32, scope)
	),
	TP_fast_assign(
		__entry->client = oom->client;
		__entry->length = oom->length;
		__entry->id = oom->quota.key.id;
		__entry->limit = oom->quota.limit;
		__entry->used = oom->quota.used;
		__entry->device = oom->device;
		__entry->scope = oom->quota.key.scope;
	),
	TP_printk("device=%u client=%llu length=%llu scope=%u id=%llu limit=%llu used=%llu",
		  __entry->device, __entry->client, __entry->length,
		  __entry->scope, __entry->id, __entry->limit, __entry->used)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
