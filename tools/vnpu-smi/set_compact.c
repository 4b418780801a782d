// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi set -t compact: move what is in the way of a long run of memory.
 */
#include "answer.h"
#include "out.h"
#include "session.h"
#include "set.h"

/* Moving all of a large arena takes its time. */
#define COMPACT_SECONDS	600

/* The state of a device's memory before or after a compaction. */
struct memory {
	uint32_t device;
	uint64_t free;
	uint64_t largest;
	uint64_t moved;
	uint32_t runs;
	uint32_t frag_index;
};

static const struct nla_policy mem_policy[VNPU_A_MEM_MAX + 1] = {
	[VNPU_A_MEM_FREE] = { .type = NLA_U64 },
	[VNPU_A_MEM_LARGEST_FREE] = { .type = NLA_U64 },
	[VNPU_A_MEM_RUNS] = { .type = NLA_U32 },
	[VNPU_A_MEM_FRAG_INDEX] = { .type = NLA_U32 },
	[VNPU_A_MEM_MOVED] = { .type = NLA_U64 },
};

static int put_device(struct nl_msg *msg, const void *arg)
{
	const struct memory *memory = arg;

	return nla_put_u32(msg, VNPU_A_MEM_DEV_ID, memory->device) ?
	       -NLE_MSGSIZE : 0;
}

static enum smi_exit take_memory(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_MEM_MAX + 1];
	struct memory *memory = arg;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_MEM_MAX, mem_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_FREE, VNPU_A_MEM_LARGEST_FREE,
		     VNPU_A_MEM_RUNS, VNPU_A_MEM_FRAG_INDEX, VNPU_A_MEM_MOVED))
		return fail_answer("a device's memory");
	memory->free = nla_get_u64(tb[VNPU_A_MEM_FREE]);
	memory->largest = nla_get_u64(tb[VNPU_A_MEM_LARGEST_FREE]);
	memory->runs = nla_get_u32(tb[VNPU_A_MEM_RUNS]);
	memory->frag_index = nla_get_u32(tb[VNPU_A_MEM_FRAG_INDEX]);
	memory->moved = nla_get_u64(tb[VNPU_A_MEM_MOVED]);
	return SMI_OK;
}

static enum smi_exit ask_memory(struct session *s, uint8_t command,
				struct memory *memory)
{
	const struct question question = {
		.command = command,
		.put = put_device,
		.record = take_memory,
		.arg = memory,
	};

	return session_ask(s, &question);
}

static void show_memory(struct out *o, const char *key, const char *label,
			const struct memory *memory)
{
	out_text(o, "\t%s\n", label);
	out_object(o, key);
	out_uint(o, "free_bytes", "Free(byte)", memory->free);
	out_uint(o, "largest_free_bytes", "Largest Free(byte)",
		 memory->largest);
	out_uint(o, "free_runs", "Free Runs", memory->runs);
	out_uint(o, "fragmentation_permille", "Fragmentation(permille)",
		 memory->frag_index);
	out_object_end(o);
}

#define MEMORY_KEYS(when)						\
	when ".free_bytes," when ".largest_free_bytes," when ".free_runs," \
	when ".fragmentation_permille"

const struct csv_list set_compact_csv[] = {
	{ NULL, "", "id,moved_bytes," MEMORY_KEYS("before") ","
		    MEMORY_KEYS("after") },
	{ 0 }
};

static void show_both(struct out *o, const struct set_request *r,
		      const struct memory *before, const struct memory *after)
{
	out_object(o, NULL);
	out_uint(o, "id", "NPU ID", r->id);
	out_uint(o, "moved_bytes", "Moved(byte)",
		 after->moved - before->moved);
	show_memory(o, "before", "Before", before);
	show_memory(o, "after", "After", after);
	out_object_end(o);
}

enum smi_exit set_compact(const struct set_request *r, struct out *o)
{
	struct memory before = { .device = r->id };
	struct memory after = { .device = r->id };
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = ask_memory(&s, VNPU_CMD_MEM_GET, &before);
	if (!status)
		status = confirm(r->is_sure, "Compact the memory of device %u?",
				 r->id);
	if (!status)
		status = session_limit(&s, COMPACT_SECONDS);
	if (!status)
		status = ask_memory(&s, VNPU_CMD_COMPACT, &after);
	session_close(&s);
	if (!status)
		show_both(o, r, &before, &after);
	return status;
}
