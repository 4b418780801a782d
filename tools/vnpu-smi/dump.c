// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: parse the text of a dump.
 *
 * Each line is a word and pairs KEY=VALUE.  Unknown words and keys are ignored,
 * because later drivers may add some; known ones must be present once, and have
 * the right type.
 */
#include <stdlib.h>
#include <string.h>

#include "dump.h"

/* The only supported version. */
#define DUMP_VERSION	1

/* More than any device has, to limit the memory for a forged dump. */
#define MAX_RECORDS	65536

enum dump_type {
	DUMP_U32,
	DUMP_U64,
	DUMP_HEX32,	/* 0 or 0x... */
	DUMP_WORD,
};

/**
 * struct dump_key - a pair that a line may have
 * @offset: offset of its value in the record
 * @group: 0 if it is required; otherwise all keys of a group are present or
 *	none, and
 * @has: is set if they are
 */
struct dump_key {
	const char *name;
	enum dump_type type;
	size_t offset;
	unsigned int group;
	size_t has;
};

#define KEY(type, record, name, member)					\
	{ name, type, offsetof(struct record, member), 0, 0 }
#define GROUP(type, record, name, member, group, has)			\
	{ name, type, offsetof(struct record, member), group,		\
	  offsetof(struct record, has) }

static const struct dump_key vnpu_keys[] = {
	KEY(DUMP_U32, dump, "version", version),
	KEY(DUMP_WORD, dump, "module", module),
	KEY(DUMP_WORD, dump, "kernel", kernel),
	{ 0 }
};

static const struct dump_key reset_keys[] = {
	KEY(DUMP_WORD, dump, "time", time),
	KEY(DUMP_U64, dump, "monotonic_ns", monotonic_ns),
	KEY(DUMP_WORD, dump, "reason", reason),
	{ 0 }
};

static const struct dump_key device_keys[] = {
	KEY(DUMP_U32, dump, "id", device),
	KEY(DUMP_WORD, dump, "uuid", uuid),
	KEY(DUMP_U64, dump, "resets", resets),
	KEY(DUMP_U64, dump, "hangs", hangs),
	{ 0 }
};

static const struct dump_key engine_keys[] = {
	KEY(DUMP_WORD, dump_engine, "name", name),
	KEY(DUMP_U64, dump_engine, "busy_ns", busy_ns),
	KEY(DUMP_U64, dump_engine, "tasks", tasks),
	KEY(DUMP_U64, dump_engine, "turn_ns", turn_ns),
	GROUP(DUMP_U64, dump_engine, "stream", stream, 1, has_stream),
	GROUP(DUMP_U64, dump_engine, "client", client, 1, has_stream),
	GROUP(DUMP_U64, dump_engine, "task", task, 2, has_task),
	GROUP(DUMP_U32, dump_engine, "op", op, 2, has_task),
	{ 0 }
};

static const struct dump_key stream_keys[] = {
	KEY(DUMP_U64, dump_stream, "id", id),
	KEY(DUMP_U64, dump_stream, "client", client),
	KEY(DUMP_U32, dump_stream, "number", number),
	KEY(DUMP_WORD, dump_stream, "state", state),
	KEY(DUMP_WORD, dump_stream, "class", class),
	KEY(DUMP_U32, dump_stream, "priority", priority),
	GROUP(DUMP_U64, dump_stream, "task", task, 1, has_task),
	GROUP(DUMP_U32, dump_stream, "op", op, 1, has_task),
	GROUP(DUMP_U64, dump_stream, "done", done, 1, has_task),
	KEY(DUMP_U64, dump_stream, "tail", tail),
	KEY(DUMP_U64, dump_stream, "taken", taken),
	KEY(DUMP_U64, dump_stream, "completed", completed),
	KEY(DUMP_HEX32, dump_stream, "ring_state", ring_state),
	KEY(DUMP_U32, dump_stream, "errors", errors),
	KEY(DUMP_U32, dump_stream, "cancelled", cancelled),
	{ 0 }
};

static const struct dump_key end_keys[] = {
	KEY(DUMP_U32, dump, "engines", end_engines),
	KEY(DUMP_U32, dump, "streams", end_streams),
	{ 0 }
};

/*
 * Types of lines; those of engines and streams may occur any number of times.
 */
enum dump_word { LINE_VNPU, LINE_RESET, LINE_DEVICE, LINE_ENGINE, LINE_STREAM,
		 LINE_END, LINES };

static const struct dump_line {
	const char *name;
	const struct dump_key *keys;
} dump_lines[LINES] = {
	[LINE_VNPU] = { "vnpu", vnpu_keys },
	[LINE_RESET] = { "reset", reset_keys },
	[LINE_DEVICE] = { "device", device_keys },
	[LINE_ENGINE] = { "engine", engine_keys },
	[LINE_STREAM] = { "stream", stream_keys },
	[LINE_END] = { "end", end_keys },
};

/**
 * struct dump_parser - the state of the parser
 * @dump: the output
 * @fault: the error
 * @seen: unique lines that have occurred, bits by enum dump_word
 */
struct dump_parser {
	struct dump *dump;
	struct dump_fault *fault;
	unsigned int seen;
};

/* A piece of the text. */
struct piece {
	const char *start;
	size_t length;
};

static bool refuse(struct dump_parser *p, const char *what, struct piece word)
{
	size_t length = word.length;

	if (length >= sizeof(p->fault->word))
		length = sizeof(p->fault->word) - 1;
	p->fault->what = what;
	if (length)
		memcpy(p->fault->word, word.start, length);
	p->fault->word[length] = '\0';
	return false;
}

static bool is_word(struct piece piece, const char *word)
{
	return piece.length == strlen(word) &&
	       !memcmp(piece.start, word, piece.length);
}

/* Take the text up to the next @end, which is skipped, or all of it. */
static struct piece cut(struct piece *rest, char end)
{
	const char *at = memchr(rest->start, end, rest->length);
	struct piece piece = *rest;

	if (!at) {
		rest->start += rest->length;
		rest->length = 0;
		return piece;
	}
	piece.length = (size_t)(at - rest->start);
	rest->start = at + 1;
	rest->length -= piece.length + 1;
	return piece;
}

static int digit_of(char c, unsigned int base)
{
	int digit;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if (c >= 'a' && c <= 'f')
		digit = c - 'a' + 10;
	else
		return -1;
	return digit < (int)base ? digit : -1;
}

static bool take_number(struct piece text, unsigned int base, uint64_t limit,
			uint64_t *out)
{
	uint64_t value = 0;

	if (!text.length)
		return false;
	for (; text.length; text.start++, text.length--) {
		int digit = digit_of(*text.start, base);

		if (digit < 0 || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value) ||
		    value > limit)
			return false;
	}
	*out = value;
	return true;
}

static bool take_hex(struct piece text, uint64_t *out)
{
	if (text.length > 2 && !memcmp(text.start, "0x", 2)) {
		text.start += 2;
		text.length -= 2;
		return take_number(text, 16, UINT32_MAX, out);
	}
	return take_number(text, 10, 0, out);
}

static bool take_word(struct piece text, char *out)
{
	if (!text.length || text.length >= DUMP_WORD_LEN)
		return false;
	memcpy(out, text.start, text.length);
	out[text.length] = '\0';
	return true;
}

static bool take_value(const struct dump_key *key, struct piece text,
		       void *record)
{
	void *to = (char *)record + key->offset;

	switch (key->type) {
	case DUMP_U32:
		return take_number(text, 10, UINT32_MAX, to);
	case DUMP_U64:
		return take_number(text, 10, UINT64_MAX, to);
	case DUMP_HEX32:
		return take_hex(text, to);
	case DUMP_WORD:
		return take_word(text, to);
	}
	return false;
}

/* Check that all required keys are present.  @found has a bit for each key. */
static bool check_keys(struct dump_parser *p, const struct dump_key *keys,
		       unsigned int found, void *record)
{
	static const uint64_t yes = 1;
	unsigned int i, j;

	for (i = 0; keys[i].name; i++) {
		const struct piece name = { keys[i].name,
					    strlen(keys[i].name) };

		if (found & 1U << i) {
			if (keys[i].group)
				memcpy((char *)record + keys[i].has, &yes,
				       sizeof(yes));
			continue;
		}
		if (!keys[i].group)
			return refuse(p, "lacks", name);
		for (j = 0; keys[j].name; j++)
			if (keys[j].group == keys[i].group &&
			    (found & 1U << j))
				return refuse(p, "lacks", name);
	}
	return true;
}

static bool take_pairs(struct dump_parser *p, const struct dump_key *keys,
		       struct piece rest, void *record)
{
	unsigned int found = 0, i;

	while (rest.length) {
		struct piece value = cut(&rest, ' ');
		struct piece name = cut(&value, '=');

		if (!name.length || name.start + name.length == value.start)
			return refuse(p, "has no KEY=VALUE in", name);
		for (i = 0; keys[i].name; i++)
			if (is_word(name, keys[i].name))
				break;
		if (!keys[i].name)
			continue;
		if (found & 1U << i)
			return refuse(p, "has twice", name);
		if (!take_value(&keys[i], value, record))
			return refuse(p, "has a wrong value of", name);
		found |= 1U << i;
	}
	return check_keys(p, keys, found, record);
}

static void *add_record(void **records, size_t *count, size_t size)
{
	void *grown;

	if (*count == MAX_RECORDS)
		return NULL;
	/* The capacity is a power of two, so it need not be stored. */
	if (!(*count & (*count - 1))) {
		grown = reallocarray(*records, *count ? *count * 2 : 1, size);
		if (!grown)
			return NULL;
		*records = grown;
	}
	grown = (char *)*records + *count * size;
	memset(grown, 0, size);
	++*count;
	return grown;
}

/* Get the record for the values of a line; NULL without memory. */
static void *record_of(struct dump *d, enum dump_word word)
{
	void *records;
	void *record;

	switch (word) {
	case LINE_ENGINE:
		records = d->engines;
		record = add_record(&records, &d->engine_count,
				    sizeof(*d->engines));
		d->engines = records;
		return record;
	case LINE_STREAM:
		records = d->streams;
		record = add_record(&records, &d->stream_count,
				    sizeof(*d->streams));
		d->streams = records;
		return record;
	default:
		return d;
	}
}

static bool take_line(struct dump_parser *p, struct piece line)
{
	struct piece word = cut(&line, ' ');
	unsigned int i;
	void *record;

	for (i = 0; i < LINES; i++)
		if (is_word(word, dump_lines[i].name))
			break;
	/* The line that identifies the format comes first. */
	if (!p->seen && i != LINE_VNPU)
		return refuse(p, "is not from a vnpu dump", (struct piece){ 0 });
	if (p->seen & 1U << LINE_END)
		return refuse(p, "comes after the end", (struct piece){ 0 });
	if (i == LINES)
		return true;
	if (i != LINE_ENGINE && i != LINE_STREAM && (p->seen & 1U << i))
		return refuse(p, "is repeated", word);
	p->seen |= 1U << i;
	record = record_of(p->dump, i);
	if (!record)
		return refuse(p, "exceeds the announced number", word);
	if (!take_pairs(p, dump_lines[i].keys, line, record))
		return false;
	if (i == LINE_VNPU && p->dump->version != DUMP_VERSION)
		return refuse(p, "has an unknown version", (struct piece){ 0 });
	return true;
}

static bool is_text(struct piece line)
{
	for (; line.length; line.start++, line.length--)
		if (*line.start < ' ' || *line.start > '~')
			return false;
	return true;
}

static bool check_end(struct dump_parser *p)
{
	const unsigned int once = 1U << LINE_VNPU | 1U << LINE_RESET |
				  1U << LINE_DEVICE | 1U << LINE_END;

	if ((p->seen & once) != once)
		return refuse(p, "is truncated", (struct piece){ 0 });
	if (p->dump->engine_count != p->dump->end_engines ||
	    p->dump->stream_count != p->dump->end_streams)
		return refuse(p, "has a wrong count",
			      (struct piece){ 0 });
	return true;
}

bool dump_parse(struct dump *dump, const char *text, size_t length,
		struct dump_fault *fault)
{
	struct dump_parser p = { .dump = dump, .fault = fault };
	struct piece rest = { text, length };

	*dump = (struct dump){ 0 };
	*fault = (struct dump_fault){ .line = 1 };
	if (length && text[length - 1] != '\n') {
		/* Find the line of the error. */
		while (memchr(rest.start, '\n', rest.length)) {
			cut(&rest, '\n');
			fault->line++;
		}
		return refuse(&p, "is truncated",
			      (struct piece){ 0 });
	}
	for (; rest.length; fault->line++) {
		struct piece line = cut(&rest, '\n');

		if (!is_text(line))
			return refuse(&p, "is not text", (struct piece){ 0 });
		if (!take_line(&p, line))
			return false;
	}
	if (fault->line > 1)
		fault->line--;
	return check_end(&p);
}

void dump_fini(struct dump *dump)
{
	free(dump->engines);
	free(dump->streams);
}
