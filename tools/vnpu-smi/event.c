// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the contents of the driver's events, as words and numbers.
 *
 * Each kind has a table of its facts, for both text and JSON, and maybe one of lists
 * of nests with facts of their own.  A missing fact is omitted in text, and null in
 * JSON.
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
	FACT_FLAG,	/* has no label */
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

/**
 * struct fact_list - an attribute that occurs once for each element of a list
 * @key: key of the list in JSON
 * @label: its label in text, before the labelled facts of each element
 * @max: the largest attribute of an element
 * @facts: the facts of an element
 */
struct fact_list {
	int attr;
	const char *key;
	const char *label;
	int max;
	const struct fact *facts;
};

#define LIST_ATTRS	8	/* more than any @max */

struct event_kind {
	uint8_t command;
	const char *name;
	int max;
	int device;	/* attributes, or 0 */
	int client;
	const struct fact *facts;
	const struct fact_list *lists;
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

static const struct fact class_facts[] = {
	{ VNPU_A_MEM_CLASS_PAGE_SIZE, FACT_BYTES, "page_size_bytes", "", NULL },
	{ VNPU_A_MEM_CLASS_FREE, FACT_BYTES, "free_bytes", NULL, NULL },
	{ VNPU_A_MEM_CLASS_LARGEST, FACT_BYTES, "largest_free_bytes", "", NULL },
	{ VNPU_A_MEM_CLASS_FRAG_INDEX, FACT_U32, "fragmentation_permille", NULL,
	  NULL },
	{ 0 }
};

static const struct fact holder_facts[] = {
	{ VNPU_A_OOM_HOLDER_CLIENT_ID, FACT_U64, "client", "", NULL },
	{ VNPU_A_OOM_HOLDER_MEM_USED, FACT_BYTES, "used_bytes", "", NULL },
	{ 0 }
};

_Static_assert(VNPU_A_MEM_CLASS_MAX < LIST_ATTRS &&
	       VNPU_A_OOM_HOLDER_MAX < LIST_ATTRS, "attributes of elements");

static const struct fact_list oom_lists[] = {
	{ VNPU_A_OOM_CLASS, "classes", "largest", VNPU_A_MEM_CLASS_MAX,
	  class_facts },
	{ VNPU_A_OOM_HOLDER, "holders", "holders", VNPU_A_OOM_HOLDER_MAX,
	  holder_facts },
	{ 0 }
};

static const struct fact_list no_lists[] = {
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
	  no_facts, NULL },
	{ VNPU_CMD_CLOSE_NTF, "close", VNPU_A_CLIENT_MAX, 0, VNPU_A_CLIENT_ID,
	  close_facts, NULL },
	{ VNPU_CMD_OOM_NTF, "oom", VNPU_A_OOM_MAX, VNPU_A_OOM_DEV_ID,
	  VNPU_A_OOM_CLIENT_ID, oom_facts, oom_lists },
	{ VNPU_CMD_QUOTA_NTF, "quota", VNPU_A_QUOTA_MAX, VNPU_A_QUOTA_DEV_ID,
	  VNPU_A_QUOTA_CLIENT_ID, quota_facts, NULL },
	{ VNPU_CMD_HANG_NTF, "hang", VNPU_A_HANG_MAX, VNPU_A_HANG_DEV_ID,
	  VNPU_A_HANG_CLIENT_ID, hang_facts, NULL },
	{ VNPU_CMD_RESET_NTF, "reset", VNPU_A_RESET_MAX, VNPU_A_RESET_DEV_ID,
	  0, reset_facts, NULL },
	{ VNPU_CMD_HEALTH_NTF, "health", VNPU_A_HEALTH_MAX,
	  VNPU_A_HEALTH_DEV_ID, 0, health_facts, NULL },
	{ VNPU_CMD_COMPACT_NTF, "compact", VNPU_A_COMPACTION_MAX,
	  VNPU_A_COMPACTION_DEV_ID, VNPU_A_COMPACTION_CLIENT_ID,
	  compact_facts, NULL },
	{ VNPU_CMD_TASK_FAULT_NTF, "fault", VNPU_A_TASK_FAULT_MAX,
	  VNPU_A_TASK_FAULT_DEV_ID, VNPU_A_TASK_FAULT_CLIENT_ID, fault_facts, NULL },
	{ VNPU_CMD_DEV_ADD_NTF, "add", VNPU_A_DEV_MAX, VNPU_A_DEV_ID, 0,
	  add_facts, NULL },
	{ VNPU_CMD_DEV_REMOVE_NTF, "remove", VNPU_A_DEV_MAX, VNPU_A_DEV_ID, 0,
	  no_facts, NULL },
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

/* Check the sizes of facts, so that they can be read safely. */
static bool are_sound(const struct fact *facts, struct nlattr *const *attrs)
{
	const struct fact *f;

	for (f = facts; f->key; f++)
		if (f->kind != FACT_FLAG &&
		    !has_size(attrs[f->attr], is_u64(f->kind) ? 8 : 4))
			return false;
	return true;
}

static const struct fact_list *lists_of(const struct event *e)
{
	return e->kind && e->kind->lists ? e->kind->lists : no_lists;
}

/*
 * Find the next element of a list, after @at, or the first one for NULL; NULL behind
 * the last one.
 */
static struct nlattr *next_element(const struct event *e,
				   const struct fact_list *list,
				   struct nlattr *at)
{
	struct nlattr *first = genlmsg_attrdata(nlmsg_data(e->msg), 0);
	int left = genlmsg_attrlen(nlmsg_data(e->msg), 0);
	struct nlattr *next = first;
	bool is_after = !at;

	for (; nla_ok(next, left); next = nla_next(next, &left)) {
		if (is_after && nla_type(next) == list->attr)
			return next;
		is_after |= next == at;
	}
	return NULL;
}

/* Get the facts of an element: 0, or an error of netlink. */
static int parse_element(const struct fact_list *list, struct nlattr *element,
			 struct nlattr *attrs[LIST_ATTRS])
{
	return nla_parse_nested(attrs, list->max, element, NULL);
}

static bool are_lists_sound(const struct event *e)
{
	struct nlattr *attrs[LIST_ATTRS], *element;
	const struct fact_list *list;

	for (list = lists_of(e); list->key; list++)
		for (element = next_element(e, list, NULL); element;
		     element = next_element(e, list, element))
			if (parse_element(list, element, attrs) ||
			    !are_sound(list->facts, attrs))
				return false;
	return true;
}

static bool is_sound(const struct event *e)
{
	return has_size(e->attrs[e->kind->device], 4) &&
	       has_size(e->attrs[e->kind->client], 8) &&
	       are_sound(e->kind->facts, e->attrs) && are_lists_sound(e);
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
	e->msg = msg;
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

/* Append to a text, which is cut at its end; return its length. */
static size_t append(char text[EVENT_DETAIL], size_t used, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static size_t append(char text[EVENT_DETAIL], size_t used, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	used += (size_t)vsnprintf(text + used, EVENT_DETAIL - used, fmt, args);
	va_end(args);
	return used < EVENT_DETAIL ? used : EVENT_DETAIL - 1;
}

static size_t append_fact(char text[EVENT_DETAIL], size_t used,
			  const struct fact *f, struct nlattr *attr)
{
	char bytes[SIZE_TEXT];

	switch (f->kind) {
	case FACT_WORD:
		return append(text, used, "%s", f->word(nla_get_u32(attr)));
	case FACT_BYTES:
		format_size(bytes, nla_get_u64(attr));
		return append(text, used, "%s", bytes);
	case FACT_NS:
		return append(text, used, "%" PRIu64,
			      nla_get_u64(attr) / 1000000);
	case FACT_OFFSET:
		return append(text, used, "%#" PRIx64, nla_get_u64(attr));
	default:
		return append(text, used, "%" PRIu64, number_of(f, attr));
	}
}

/* Append the elements of a list as LABEL=A:B,C:D. */
static size_t append_list(char text[EVENT_DETAIL], size_t used,
			  const struct event *e, const struct fact_list *list)
{
	struct nlattr *attrs[LIST_ATTRS], *element;
	const char *before = "=";
	const struct fact *f;

	element = next_element(e, list, NULL);
	if (!element)
		return used;
	used = append(text, used, "%s", list->label);
	for (; element; element = next_element(e, list, element)) {
		parse_element(list, element, attrs);
		for (f = list->facts; f->key; f++) {
			if (!f->label || !attrs[f->attr])
				continue;
			used = append(text, used, "%s", before);
			used = append_fact(text, used, f, attrs[f->attr]);
			before = ":";
		}
		before = ",";
	}
	return append(text, used, " ");
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
		used = append(text, used, "%s=", f->label);
		used = append_fact(text, used, f, attr);
		used = append(text, used, " ");
	}
	if (used)
		text[used - 1] = '\0';
}

void event_describe_lists(const struct event *e, char text[EVENT_DETAIL])
{
	const struct fact_list *list;
	size_t used = 0;

	text[0] = '\0';
	for (list = lists_of(e); list->key; list++)
		used = append_list(text, used, e, list);
	if (used)
		text[used - 1] = '\0';
}

static void write_facts(struct json *j, const struct fact *facts,
			struct nlattr *const *attrs)
{
	const struct fact *f;

	for (f = facts; f->key; f++) {
		struct nlattr *attr = attrs[f->attr];

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

void event_write(const struct event *e, struct json *j)
{
	struct nlattr *attrs[LIST_ATTRS], *element;
	const struct fact_list *list;

	write_facts(j, e->kind ? e->kind->facts : no_facts, e->attrs);
	for (list = lists_of(e); list->key; list++) {
		json_open(j, list->key, '[');
		for (element = next_element(e, list, NULL); element;
		     element = next_element(e, list, element)) {
			parse_element(list, element, attrs);
			json_open(j, NULL, '{');
			write_facts(j, list->facts, attrs);
			json_close(j, '}');
		}
		json_close(j, ']');
	}
}
