// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: read a snapshot from its file.
 *
 * The reader of JSON knows no more than that takes: numbers of fields are whole
 * and not negative.  What a later version may have added is passed over.  The
 * file may be anybody's, so that neither its size nor its depth is trusted.
 */
#include <errno.h>
#include <stdlib.h>

#include "answer.h"
#include "snapshot.h"

#define MAX_FILE	(64 << 20)
#define MAX_DEPTH	16
#define KEY_LEN		64

/* The text ends with a NUL, which no rule of the syntax passes. */
struct reader {
	const char *at;
	unsigned int depth;
};

static bool skip_value(struct reader *r);

static char next_char(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
	return *r->at;
}

static bool take_char(struct reader *r, char c)
{
	if (next_char(r) != c)
		return false;
	r->at++;
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(r->at, word, length))
		return false;
	r->at += length;
	return true;
}

static bool read_uint(struct reader *r, uint64_t *value)
{
	char c = next_char(r);

	if (c < '0' || c > '9')
		return false;
	for (*value = 0; *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*r->at - '0'),
					   value))
			return false;
	/* Neither a fraction nor an exponent. */
	return !*r->at || !strchr(".eE", *r->at);
}

/* Only control characters are escaped this way by who wrote it. */
static bool read_code(struct reader *r, char *c)
{
	char digits[5] = { 0 };
	unsigned long code;

	if (strspn(r->at, "0123456789abcdefABCDEF") < 4)
		return false;
	memcpy(digits, r->at, 4);
	r->at += 4;
	code = strtoul(digits, NULL, 16);
	*c = code && code < 0x80 ? (char)code : '?';
	return true;
}

static bool read_escape(struct reader *r, char *c)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meant[] = "\"\\/\b\f\n\r\t";
	const char *letter;

	*c = *r->at;
	if (!*c)
		return false;
	r->at++;
	if (*c == 'u')
		return read_code(r, c);
	letter = strchr(letters, *c);
	if (!letter)
		return false;
	*c = meant[letter - letters];
	return true;
}

/* What does not fit @size is cut. */
static bool read_string(struct reader *r, char *text, size_t size)
{
	size_t length = 0;
	char c;

	if (!take_char(r, '"'))
		return false;
	while (*r->at != '"') {
		c = *r->at;
		if ((unsigned char)c < 0x20)
			return false;
		r->at++;
		if (c == '\\' && !read_escape(r, &c))
			return false;
		if (length + 1 < size)
			text[length++] = c;
	}
	r->at++;
	text[length] = '\0';
	return true;
}

typedef bool (*member_fn)(struct reader *r, const char *key, void *arg);

/* Members of an object, or with an empty key items of a list. */
static bool read_all(struct reader *r, char open, member_fn member, void *arg)
{
	char close = open == '{' ? '}' : ']';
	char key[KEY_LEN] = "";

	if (!take_char(r, open) || r->depth == MAX_DEPTH)
		return false;
	if (take_char(r, close))
		return true;
	r->depth++;
	do {
		if (open == '{' && (!read_string(r, key, sizeof(key)) ||
				    !take_char(r, ':')))
			return false;
		if (!member(r, key, arg))
			return false;
	} while (take_char(r, ','));
	r->depth--;
	return take_char(r, close);
}

static bool skip_member(struct reader *r, const char *key, void *arg)
{
	(void)key;
	(void)arg;
	return skip_value(r);
}

static bool skip_value(struct reader *r)
{
	char text[1];
	size_t length;

	switch (next_char(r)) {
	case '{':
	case '[':
		return read_all(r, *r->at, skip_member, NULL);
	case '"':
		return read_string(r, text, sizeof(text));
	}
	if (take_word(r, "null") || take_word(r, "true") ||
	    take_word(r, "false"))
		return true;
	length = strspn(r->at, "+-.0123456789eE");
	r->at += length;
	return length;
}

/* A snapshot that is read, and where it is at. */
struct target {
	struct snapshot *snapshot;
	enum snapshot_kind kind;
	struct snapshot_row *row;
	unsigned int seen;	/* a bit for each field of the row */
	uint64_t version;
	bool has_no_memory;
};

static bool read_field(struct reader *r, const char *key, void *arg)
{
	struct target *t = arg;
	const struct snapshot_table *table = &snapshot_tables[t->kind];
	size_t i;

	if (table->has_name && !strcmp(key, "name") && next_char(r) == '"')
		return read_string(r, t->row->name, sizeof(t->row->name));
	for (i = 0; table->fields[i].key; i++)
		if (!strcmp(table->fields[i].key, key)) {
			t->seen |= 1U << i;
			return read_uint(r, &t->row->values[i]);
		}
	return skip_value(r);
}

static bool read_row(struct reader *r, const char *key, void *arg)
{
	struct target *t = arg;
	struct snapshot_list *list = &t->snapshot->lists[t->kind];
	size_t i;

	(void)key;
	t->seen = 0;
	t->row = LIST_ADD(list->rows, list->count);
	t->has_no_memory = !t->row;
	if (!t->row || !read_all(r, '{', read_field, t))
		return false;
	for (i = 0; snapshot_tables[t->kind].fields[i].key; i++)
		if (!(t->seen & 1U << i))
			return false;
	return true;
}

static bool read_table(struct reader *r, const char *key, void *arg)
{
	struct target *t = arg;

	if (!strcmp(key, "snapshot_version"))
		return read_uint(r, &t->version);
	for (t->kind = 0; t->kind < SNAPSHOT_KINDS; t->kind++)
		if (!strcmp(key, snapshot_tables[t->kind].key))
			return read_all(r, '[', read_row, t);
	return skip_value(r);
}

/* The text of a file, to be freed, and its length; NULL with errno. */
static char *load(const char *file, size_t *length)
{
	FILE *f = fopen(file, "re");
	char *text = f ? malloc(MAX_FILE + 1) : NULL;
	int error = 0;

	if (text) {
		*length = fread(text, 1, MAX_FILE, f);
		text[*length] = '\0';
		if (ferror(f))
			error = errno;
		else if (*length == MAX_FILE)
			error = EFBIG;
	}
	if (f)
		fclose(f);
	if (error) {
		free(text);
		errno = error;
		return NULL;
	}
	return text;
}

enum smi_exit snapshot_read(struct snapshot *s, const char *file)
{
	struct target target = { .snapshot = s };
	enum smi_exit status = SMI_OK;
	struct reader reader = { 0 };
	size_t length = 0;
	char *text;

	*s = (struct snapshot){ 0 };
	text = load(file, &length);
	if (!text)
		return fail(SMI_FAILED, "cannot read '%s': %s", file,
			    strerror(errno));
	reader.at = text;
	if (!read_all(&reader, '{', read_table, &target) ||
	    next_char(&reader) || reader.at != text + length ||
	    target.version != 1)
		status = target.has_no_memory ? fail_memory() :
			 fail(SMI_FAILED, "'%s' is not a snapshot of vnpu-smi",
			      file);
	free(text);
	snapshot_sort(s);
	return status;
}
