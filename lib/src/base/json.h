/* SPDX-License-Identifier: MIT */
/*
 * The subset of JSON that configuration files need, and strings for files of JSON.
 */
#ifndef VNPU_LIB_JSON_H
#define VNPU_LIB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_base_rt.h"

enum vnpu_json_kind {
	VNPU_JSON_OBJECT,
	VNPU_JSON_ARRAY,
	VNPU_JSON_STRING,
	VNPU_JSON_NUMBER,
	VNPU_JSON_WORD,		/* true, false or null */
};

/**
 * struct vnpu_json_step - a level of the place of a value
 * @name: name of the member, with its escapes; NULL in an array
 * @length: its bytes
 * @index: number of the element of an array
 */
struct vnpu_json_step {
	const char *name;
	size_t length;
	size_t index;
};

/**
 * struct vnpu_json_value - a value of a text
 * @kind: its kind; an object or an array comes before its members
 * @text: a string without its quotes, with its escapes; a number or a word
 * @length: bytes of @text; 0 for an object or array
 * @path: the place of the value, from the outermost level
 * @depth: number of levels; 0 for the object that is the text
 */
struct vnpu_json_value {
	enum vnpu_json_kind kind;
	const char *text;
	size_t length;
	const struct vnpu_json_step *path;
	size_t depth;
};

/* See a value: 0 to go on. */
typedef int vnpu_json_visit(void *data, const struct vnpu_json_value *value);

/**
 * vnpu_json_walk() - check a text, and pass each of its values to a function
 * @text: the text
 * @length: its length in bytes
 * @visit: the function, or NULL
 * @data: passed to @visit
 *
 * Return: 0; the first result of @visit that is not 0, which ends the walk;
 * -EINVAL when @text is not a JSON object, or nests objects or arrays deeper than
 * ten, CANN's limit.
 */
int vnpu_json_walk(const char *text, size_t length, vnpu_json_visit *visit,
		   void *data);

/* Check whether a value is, or lies in, the member @name at a level. */
static inline bool vnpu_json_is(const struct vnpu_json_value *value,
				size_t level, const char *name)
{
	const struct vnpu_json_step *step = &value->path[level];

	return level < value->depth && step->name &&
	       step->length == strlen(name) &&
	       !memcmp(step->name, name, step->length);
}

/*
 * Decode a string into memory that the caller frees; NULL without memory.  The
 * halves of a pair (\uD800 to \uDFFF) are encoded one by one.
 */
char *vnpu_json_decode(const struct vnpu_json_value *value);

/**
 * vnpu_json_get() - check a text, and extract a string or number from it
 * @text: the text
 * @length: its length in bytes
 * @path: names of members, from the outermost to the value's own
 * @depth: length of @path; with 0 the text is only checked
 * @value: set to the value, truncated to @size; "" if there is none
 * @size: bytes at @value
 *
 * Escapes in names and values are not decoded.
 *
 * Return: as vnpu_json_walk().
 */
int vnpu_json_get(const char *text, size_t length, const char *const path[],
		  size_t depth, char *value, size_t size);

/*
 * Print a string with its quotes; invalid UTF-8 is taken as Latin-1.  It is exported
 * for libvnpu-op.
 */
ACL_FUNC_VISIBILITY void vnpu_json_print_string(FILE *file, const char *text);

#endif /* VNPU_LIB_JSON_H */
