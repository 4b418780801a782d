// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the contents of the driver's events, as words and numbers.
 *
 * Each kind has a table of its facts, for both text and JSON.  A missing fact
 * is omitted in text, and null in JSON.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "answer.h"
#include "event.h"
#include "model.h"
#include "text.h"

enum fact_kind {
	FACT_U32,
	FACT_U64,
	FACT_BYTES,	/* u64 */
	FACT_NS,	/* u64, ms in text */
	FACT_OFFSET,	/* u64, hexadecimal in text */
	FACT_WORD,	/* u32 */
	FACT_FLAG,
};

/**
 * struct fact - an attribute of an event
 * @key: its key in JSON, with the unit
 * @label: its label in text, or NULL to omit it there
 * @word: converts a FACT_WORD
 */
struct fact {
	int attr;
	enum fact_kind kind;
	const char *key;
	const char *label;
	const char *(*word)(uint32_t value);
};

struct event_kind {
	uint8_t command;
	const char *name;
	int max;
	int device;	/* attributes, or 0 */
	int client;
	const struct fact *facts;
};

static const char *reason_word(uint32_t reason)
{
	switch (reason) {
	case VNPU_RESET_REASON_ADMIN:
		return "admin";
	case VNPU_RESET_REASON_HANG:
		return "hang";
	default:
		return "unknown";
	}
}

static const char *compact_word(uint32_t reason)
{
	switch (reason) {
	case VNPU_COMPACT_REASON_REQUEST:
		return "request";
	case VNPU_COMPACT_REASON_ALLOCATION:
		return "allocation";
	default:
		return "unknown";
	}
}

static const struct fact oom_facts[] = {
	{ VNPU_A_OOM_LENGTH, FACT_BYTES, "length_bytes", "asked", NULL },
	{ VNPU_A_OOM_PAGE_SIZE, FACT_BYTES, "page_size_bytes", NULL, NULL },
	{ VNPU_A_OOM_CONTIGUOUS, FACT_FLAG, "contiguous", NULL, NULL },
	{ VNPU_A_OOM_FREE, FACT_BYTES, "free_bytes", "free", NULL },
	{ VNPU_A_OOM_FRAG_INDEX, FACT_U32, "fragmentation_permille", "frag",
	  NULL },
	{ VNPU_A_OOM_COMPACTION_HELPS, FACT_U32, "compaction_helps", NULL,
	  NULL },
	{ 0 }
};

static const struct fact quota_facts[] = {
	{ VNPU_A_QUOTA_RESOURCE, FACT_WORD, "resource", "resource",
	  quota_resource_word },
	{ VNPU_A_QUOTA_SCOPE, FACT_WORD, "scope", "of", quota_scope_word },
	{ VNPU_A_QUOTA_ID, FACT_U64, "id", NULL, NULL },
	{ VNPU_A_QUOTA_LENGTH, FACT_U64, "asked", "asked", NULL },
	{ VNPU_A_QUOTA_LIMIT, FACT_U64, "limit", "limit", NULL },
	{ VNPU_A_QUOTA_USED, FACT_U64, "used", "used", NULL },
	{ VNPU_A_QUOTA_REFUSED, FACT_U64, "refused", NULL, NULL },
	{ 0 }
};

static const struct fact hang_facts[] = {
	{ VNPU_A_HANG_CLASS, FACT_WORD, "engine_class", "engine", class_word },
	{ VNPU_A_HANG_ENGINE, FACT_U32, "engine", NULL, NULL },
	{ VNPU_A_HANG_TIME_NS, FACT_NS, "hanging_ns", "ms", NULL },
	{ VNPU_A_HANG_STREAM_ID, FACT_U64, "stream", NULL, NULL },
	{ VNPU_A_HANG_STREAM_NUMBER, FACT_U32, "stream_number", "stream",
	  NULL },
	{ VNPU_A_HANG_TASK, FACT_U64, "task", NULL, NULL },
	{ VNPU_A_HANG_OP, FACT_WORD, "operation", "op", task_word },
	{ 0 }
};

static const struct fact reset_facts[] = {
	{ VNPU_A_RESET_REASON, FACT_WORD, "reason", "reason", reason_word },
	{ VNPU_A_RESET_COUNT, FACT_U64, "resets", "resets", NULL },
	{ VNPU_A_RESET_HEALTH, FACT_WORD, "health", "health", health_word },
	{ 0 }
};

static const struct fact no_facts[] = {
	{ 0 }
};

static const struct fact close_facts[] = {
	{ VNPU_A_CLIENT_STREAMS, FACT_U32, "streams", "streams", NULL },
	{ VNPU_A_CLIENT_BUSY, FACT_NS, "busy_ns", "busy/ms", NULL },
	{ 0 }
};

static const struct fact health_facts[] = {
	{ VNPU_A_HEALTH_STATE, FACT_WORD, "health", "health", health_word },
	{ VNPU_A_HEALTH_BEFORE, FACT_WORD, "before", "before", health_word },
	{ VNPU_A_HEALTH_HANGS, FACT_U64, "hangs", "hangs", NULL },
	{ VNPU_A_HEALTH_RESETS, FACT_U64, "resets", NULL, NULL },
	{ VNPU_A_HEALTH_ECC_CORRECTED, FACT_U64, "ecc_corrected", NULL, NULL },
	{ VNPU_A_HEALTH_ECC_UNCORRECTED, FACT_U64, "ecc_uncorrected",
	  "uncorrected", NULL },
	{ 0 }
};

static const struct fact compact_facts[] = {
	{ VNPU_A_COMPACTION_REASON, FACT_WORD, "reason", "for", compact_word },
	{ VNPU_A_COMPACTION_MOVED, FACT_BYTES, "moved_bytes", "moved", NULL },
	{ VNPU_A_COMPACTION_OBJECTS, FACT_U64, "objects", "objects", NULL },
	{ VNPU_A_COMPACTION_DURATION, FACT_NS, "duration_ns", "ms", NULL },
	{ VNPU_A_COMPACTION_RESULT, FACT_U32, "errno", NULL, NULL },
	{ 0 }
};

static const struct fact fault_facts[] = {
	{ VNPU_A_TASK_FAULT_STREAM_ID, FACT_U64, "stream", NULL, NULL },
	{ VNPU_A_TASK_FAULT_STREAM_NUMBER, FACT_U32, "stream_number", "stream",
	  NULL },
	{ VNPU_A_TASK_FAULT_TASK, FACT_U64, "task", NULL, NULL },
	{ VNPU_A_TASK_FAULT_OP, FACT_WORD, "operation", NULL, task_word },
	{ VNPU_A_TASK_FAULT_OFFSET, FACT_OFFSET, "offset_bytes", "at", NULL },
	{ VNPU_A_TASK_FAULT_ERROR, FACT_U32, "errno", "errno", NULL },
	{ VNPU_A_TASK_FAULT_UNREPORTED, FACT_U64, "unreported", NULL, NULL },
	{ 0 }
};

static const struct fact add_facts[] = {
	{ VNPU_A_DEV_MEM_TOTAL, FACT_BYTES, "total_bytes", "memory", NULL },
	{ 0 }
};

static const struct event_kind kinds[] = {
	{ VNPU_CMD_OPEN_NTF, "open", VNPU_A_CLIENT_MAX, 0, VNPU_A_CLIENT_ID,
	  no_facts },
	{ VNPU_CMD_CLOSE_NTF, "close", VNPU_A_CLIENT_MAX, 0, VNPU_A_CLIENT_ID,
	  close_facts },
	{ VNPU_CMD_OOM_NTF, "oom", VNPU_A_OOM_MAX, VNPU_A_OOM_DEV_ID,
	  VNPU_A_OOM_CLIENT_ID, oom_facts },
	{ VNPU_CMD_QUOTA_NTF, "quota", VNPU_A_QUOTA_MAX, VNPU_A_QUOTA_DEV_ID,
	  VNPU_A_QUOTA_CLIENT_ID, quota_facts },
	{ VNPU_CMD_HANG_NTF, "hang", VNPU_A_HANG_MAX, VNPU_A_HANG_DEV_ID,
	  VNPU_A_HANG_CLIENT_ID, hang_facts },
	{ VNPU_CMD_RESET_NTF, "reset", VNPU_A_RESET_MAX, VNPU_A_RESET_DEV_ID,
	  0, reset_facts },
	{ VNPU_CMD_HEALTH_NTF, "health", VNPU_A_HEALTH_MAX,
	  VNPU_A_HEALTH_DEV_ID, 0, health_facts },
	{ VNPU_CMD_COMPACT_NTF, "compact", VNPU_A_COMPACTION_MAX,
	  VNPU_A_COMPACTION_DEV_ID, VNPU_A_COMPACTION_CLIENT_ID,
	  compact_facts },
	{ VNPU_CMD_TASK_FAULT_NTF, "fault", VNPU_A_TASK_FAULT_MAX,
	  VNPU_A_TASK_FAULT_DEV_ID, VNPU_A_TASK_FAULT_CLIENT_ID, fault_facts },
	{ VNPU_CMD_DEV_ADD_NTF, "add", VNPU_A_DEV_MAX, VNPU_A_DEV_ID, 0,
	  add_facts },
	{ VNPU_CMD_DEV_REMOVE_NTF, "remove", VNPU_A_DEV_MAX, VNPU_A_DEV_ID, 0,
	  no_facts },
};

#define KIND_COUNT	(sizeof(kinds) / sizeof(kinds[0]))

const char *event_kind_name(size_t index)
{
	return index < KIND_COUNT ? kinds[index].name : NULL;
}

static bool is_u64(enum fact_kind kind)
{
	return kind == FACT_U64 || kind == FACT_BYTES || kind == FACT_NS ||
	       kind == FACT_OFFSET;
}

static bool has_size(const struct nlattr *attr, int size)
{
	return !attr || nla_len(attr) >= size;
}

/* Check the sizes of all facts, so that they can be read safely. */
static bool is_sound(const struct event *e)
{
	const struct fact *f;

	if (!has_size(e->attrs[e->kind->device], 4) ||
	    !has_size(e->attrs[e->kind->client], 8))
		return false;
	for (f = e->kind->facts; f->key; f++)
		if (f->kind != FACT_FLAG &&
		    !has_size(e->attrs[f->attr], is_u64(f->kind) ? 8 : 4))
			return false;
	return true;
}

enum smi_exit event_parse(struct event *e, struct nlmsghdr *msg)
{
	const struct genlmsghdr *genl = nlmsg_data(msg);
	const struct event_kind *kind;
	size_t i;

	*e = (struct event){ .name = "unknown" };
	for (i = 0; i < KIND_COUNT && kinds[i].command != genl->cmd; i++)
		;
	/* A newer driver may send other kinds. */
	if (i == KIND_COUNT)
		return SMI_OK;
	kind = &kinds[i];
	e->kind = kind;
	e->name = kind->name;
	if (genlmsg_parse(msg, 0, e->attrs, kind->max, NULL) || !is_sound(e))
		return fail_answer("an event");
	e->has_device = kind->device && e->attrs[kind->device];
	e->has_client = kind->client && e->attrs[kind->client];
	if (e->has_device)
		e->device = nla_get_u32(e->attrs[kind->device]);
	if (e->has_client)
		e->client = nla_get_u64(e->attrs[kind->client]);
	return SMI_OK;
}

static uint64_t number_of(const struct fact *f, struct nlattr *attr)
{
	return is_u64(f->kind) ? nla_get_u64(attr) : nla_get_u32(attr);
}

static int format_fact(char *text, size_t size, const struct fact *f,
		       struct nlattr *attr)
{
	char bytes[SIZE_TEXT];

	switch (f->kind) {
	case FACT_WORD:
		return snprintf(text, size, "%s=%s ", f->label,
				f->word(nla_get_u32(attr)));
	case FACT_BYTES:
		format_size(bytes, nla_get_u64(attr));
		return snprintf(text, size, "%s=%s ", f->label, bytes);
	case FACT_NS:
		return snprintf(text, size, "%s=%" PRIu64 " ", f->label,
				nla_get_u64(attr) / 1000000);
	case FACT_OFFSET:
		return snprintf(text, size, "%s=%#" PRIx64 " ", f->label,
				nla_get_u64(attr));
	case FACT_FLAG:
		return snprintf(text, size, "%s ", f->label);
	default:
		return snprintf(text, size, "%s=%" PRIu64 " ", f->label,
				number_of(f, attr));
	}
}

void event_describe(const struct event *e, char text[EVENT_DETAIL])
{
	const struct fact *f;
	size_t used = 0;

	text[0] = '\0';
	for (f = e->kind ? e->kind->facts : no_facts; f->key; f++) {
		struct nlattr *attr = e->attrs[f->attr];

		if (!f->label || !attr)
			continue;
		used += (size_t)format_fact(text + used, EVENT_DETAIL - used, f,
					    attr);
		/* The labels are constants, and few. */
		if (used >= EVENT_DETAIL)
			return;
	}
	if (used)
		text[used - 1] = '\0';
}

void event_write(const struct event *e, struct json *j)
{
	const struct fact *f;

	for (f = e->kind ? e->kind->facts : no_facts; f->key; f++) {
		struct nlattr *attr = e->attrs[f->attr];

		if (f->kind == FACT_FLAG)
			json_bool(j, f->key, attr);
		else if (!attr)
			json_null(j, f->key);
		else if (f->kind == FACT_WORD)
			json_string(j, f->key, f->word(nla_get_u32(attr)));
		else
			json_uint(j, f->key, number_of(f, attr));
	}
}
