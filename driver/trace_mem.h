/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of memory: allocation, bindings, compaction and faults. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vnpu
/* trace.h has already defined a variable for the name of the system. */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR vnpu_mem

#if !defined(VNPU_TRACE_MEM_H) || defined(TRACE_HEADER_MULTI_READ)
#define VNPU_TRACE_MEM_H

#include <linux/mm.h>
#include <linux/tracepoint.h>

#include <linux/vnpu.h>
#include <linux/vnpu_netlink.h>

#include "va/bind.h"
#include "base/client.h"
#include "base/device.h"
#include "mem/devmem.h"
#include "ras/inject.h"
#include "va/slabs.h"
#include "exec/stream.h"
#include "account/account.h"

/* Export the enum values to user space that decodes the format. */
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_ENGINE_HANG);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_ENGINE_SLOW);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_DOORBELL_LOST);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_ALLOC_FAIL);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_ECC_CORRECTED);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_ECC_UNCORRECTED);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_EVENT_OVERRUN);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_HOST_ALLOC_FAIL);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_ACCESS_FAULT);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_CORE_HANG);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_CORE_DIE);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_CORE_SLOW);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_CORE_TWICE);
TRACE_DEFINE_ENUM(VNPU_INJECT_KIND_CORE_GARBAGE);

#define vnpu_show_kind(kind)						\
	__print_symbolic(kind,						\
		{ VNPU_INJECT_KIND_ENGINE_HANG,		"engine-hang" },	\
		{ VNPU_INJECT_KIND_ENGINE_SLOW,		"engine-slow" },	\
		{ VNPU_INJECT_KIND_DOORBELL_LOST,	"doorbell-lost" },	\
		{ VNPU_INJECT_KIND_ALLOC_FAIL,		"alloc-fail" },		\
		{ VNPU_INJECT_KIND_ECC_CORRECTED,	"ecc-corrected" },	\
		{ VNPU_INJECT_KIND_ECC_UNCORRECTED,	"ecc-uncorrected" },	\
		{ VNPU_INJECT_KIND_EVENT_OVERRUN,	"event-overrun" },	\
		{ VNPU_INJECT_KIND_HOST_ALLOC_FAIL,	"host-alloc-fail" },	\
		{ VNPU_INJECT_KIND_ACCESS_FAULT,	"access-fault" },	\
		{ VNPU_INJECT_KIND_CORE_HANG,		"core-hang" },		\
		{ VNPU_INJECT_KIND_CORE_DIE,		"core-die" },		\
		{ VNPU_INJECT_KIND_CORE_SLOW,		"core-slow" },		\
		{ VNPU_INJECT_KIND_CORE_TWICE,		"core-twice" },		\
		{ VNPU_INJECT_KIND_CORE_GARBAGE,	"core-garbage" })

/*
 * A memory object gets its pages, or releases them. The client is the one that
 * is charged for the memory, which may change over time. @mem identifies the
 * object while it exists.
 */
DECLARE_EVENT_CLASS(vnpu_mem,
	TP_PROTO(const struct vnpu_devmem *devmem),
	TP_ARGS(devmem),
	TP_STRUCT__entry(
		__field(const void *, mem)
		__field(u64, client)
		__field(u64, length)
		__field(u64, asked)
		__field(u32, device)
		__field(u32, page_shift)
		__field(u32, runs)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->mem = &devmem->mem;
		__entry->client = devmem->charged->client->id;
		__entry->length = devmem->mem.length;
		__entry->asked = vnpu_devmem_requested(devmem);
		__entry->device = devmem->mem.dev->index;
		__entry->page_shift = devmem->mem.page_shift;
		__entry->runs = devmem->pages.nr;
		__entry->flags = devmem->mem.flags;
	),
	TP_printk("device=%u client=%llu mem=%p length=%llu asked=%llu page_shift=%u runs=%u flags=%#x",
		  __entry->device, __entry->client, __entry->mem,
		  __entry->length, __entry->asked, __entry->page_shift,
		  __entry->runs, __entry->flags)
);

DEFINE_EVENT(vnpu_mem, vnpu_mem_alloc,
	TP_PROTO(const struct vnpu_devmem *devmem),
	TP_ARGS(devmem)
);

DEFINE_EVENT(vnpu_mem, vnpu_mem_free,
	TP_PROTO(const struct vnpu_devmem *devmem),
	TP_ARGS(devmem)
);

/*
 * An allocation from a slab. All allocations of a slab share a memory object.
 */
DECLARE_EVENT_CLASS(vnpu_slab,
	TP_PROTO(const struct vnpu_slabs *slabs, u64 va, u64 length),
	TP_ARGS(slabs, va, length),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, va)
		__field(u64, length)
		__field(u32, device)
	),
	TP_fast_assign(
		__entry->client = slabs->client->id;
		__entry->va = va;
		__entry->length = length;
		__entry->device = slabs->device;
	),
	TP_printk("device=%u client=%llu va=0x%llx length=%llu",
		  __entry->device, __entry->client, __entry->va,
		  __entry->length)
);

DEFINE_EVENT(vnpu_slab, vnpu_slab_alloc,
	TP_PROTO(const struct vnpu_slabs *slabs, u64 va, u64 length),
	TP_ARGS(slabs, va, length)
);

DEFINE_EVENT(vnpu_slab, vnpu_slab_free,
	TP_PROTO(const struct vnpu_slabs *slabs, u64 va, u64 length),
	TP_ARGS(slabs, va, length)
);

/*
 * Memory is bound to device addresses of a client, or unbound. It is an object
 * of a device, with the same @mem as in its allocation, or host memory.
 */
DECLARE_EVENT_CLASS(vnpu_binding,
	TP_PROTO(const struct vnpu_binding *binding),
	TP_ARGS(binding),
	TP_STRUCT__entry(
		__field(const void *, mem)
		__field(u64, client)
		__field(u64, va)
		__field(u64, length)
		__field(u64, offset)
	),
	TP_fast_assign(
		__entry->mem = binding->mem;
		__entry->client = binding->client->id;
		__entry->va = binding->node.start;
		__entry->length = vnpu_binding_length(binding);
		__entry->offset = binding->offset;
	),
	TP_printk("client=%llu va=0x%llx length=%llu mem=%p offset=%llu",
		  __entry->client, __entry->va, __entry->length, __entry->mem,
		  __entry->offset)
);

DEFINE_EVENT(vnpu_binding, vnpu_bind,
	TP_PROTO(const struct vnpu_binding *binding),
	TP_ARGS(binding)
);

DEFINE_EVENT(vnpu_binding, vnpu_unbind,
	TP_PROTO(const struct vnpu_binding *binding),
	TP_ARGS(binding)
);

/*
 * Compaction begins, for a request of this length, which is contiguous or in
 * whole pages of the class. Length 0 is a compaction of all memory, for no
 * client.
 */
TRACE_EVENT(vnpu_compact_begin,
	TP_PROTO(const struct vnpu_device *dev, u64 client, u64 length,
		 u32 page_shift),
	TP_ARGS(dev, client, length, page_shift),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, length)
		__field(u32, device)
		__field(u32, page_shift)
	),
	TP_fast_assign(
		__entry->client = client;
		__entry->length = length;
		__entry->device = dev->index;
		__entry->page_shift = page_shift;
	),
	TP_printk("device=%u client=%llu length=%llu page_shift=%u",
		  __entry->device, __entry->client, __entry->length,
		  __entry->page_shift)
);

/* Compaction has ended, with any result, and has moved this many bytes. */
TRACE_EVENT(vnpu_compact_end,
	TP_PROTO(const struct vnpu_device *dev, u64 client, u64 moved,
		 int result),
	TP_ARGS(dev, client, moved, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, moved)
		__field(u32, device)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->client = client;
		__entry->moved = moved;
		__entry->device = dev->index;
		__entry->result = result;
	),
	TP_printk("device=%u client=%llu moved=%llu result=%d",
		  __entry->device, __entry->client, __entry->moved,
		  __entry->result)
);

/* Free memory was cleared in advance. @dirty bytes remain to be cleared. */
TRACE_EVENT(vnpu_scrub,
	TP_PROTO(const struct vnpu_device *dev, u64 length, u64 dirty),
	TP_ARGS(dev, length, dirty),
	TP_STRUCT__entry(
		__field(u64, length)
		__field(u64, dirty)
		__field(u32, device)
	),
	TP_fast_assign(
		__entry->length = length;
		__entry->dirty = dirty;
		__entry->device = dev->index;
	),
	TP_printk("device=%u length=%llu dirty=%llu", __entry->device,
		  __entry->length, __entry->dirty)
);

/*
 * The host has accessed an address of a client's window that was not mapped, or
 * not for this kind of access. It is mapped now, or the process gets a signal.
 */
TRACE_EVENT(vnpu_host_fault,
	TP_PROTO(const struct vnpu_client *client, u64 va, bool write,
		 vm_fault_t result),
	TP_ARGS(client, va, write, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, va)
		__field(int, result)
		__field(bool, write)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->va = va;
		__entry->result = vm_fault_to_errno(result, 0);
		__entry->write = write;
	),
	TP_printk("client=%llu va=0x%llx write=%d result=%d",
		  __entry->client, __entry->va, __entry->write,
		  __entry->result)
);

/* A task has failed at a device address, and is about to finish. */
TRACE_EVENT(vnpu_task_fault,
	TP_PROTO(const struct vnpu_stream *stream, int result),
	TP_ARGS(stream, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, seq)
		__field(u64, va)
		__field(u32, device)
		__field(u32, number)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->client = stream->client->id;
		__entry->stream = stream->id;
		__entry->seq = stream->run.seq;
		__entry->va = stream->run.fault;
		__entry->device = stream->dev->index;
		__entry->number = stream->number;
		__entry->result = result;
	),
	TP_printk("device=%u client=%llu stream=%llu number=%u seq=%llu va=0x%llx result=%d",
		  __entry->device, __entry->client, __entry->stream,
		  __entry->number, __entry->seq, __entry->va, __entry->result)
);

/* An injected fault happens. The address is that of a memory error. */
TRACE_EVENT(vnpu_inject,
	TP_PROTO(const struct vnpu_device *dev, const struct vnpu_injection *fault,
		 u64 client),
	TP_ARGS(dev, fault, client),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, va)
		__field(u64, hits)
		__field(u32, device)
		__field(u32, kind)
	),
	TP_fast_assign(
		__entry->client = client;
		__entry->va = fault->addr;
		__entry->hits = fault->hits;
		__entry->device = dev->index;
		__entry->kind = fault->kind;
	),
	TP_printk("device=%u client=%llu kind=%s va=0x%llx hits=%llu",
		  __entry->device, __entry->client,
		  vnpu_show_kind(__entry->kind), __entry->va, __entry->hits)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_mem
#include <trace/define_trace.h>
