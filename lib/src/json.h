/* SPDX-License-Identifier: MIT */
/*
 * As much of JSON as a configuration file needs.
 */
#ifndef VNPU_LIB_JSON_H
#define VNPU_LIB_JSON_H

#include <stddef.h>

/**
 * vnpu_json_get() - check a text, and look for a string or number in it
 * @text: the text
 * @length: its bytes
 * @path: names of members, from the outermost to the value's own
 * @depth: elements of @path; with 0 the text is only checked
 * @value: set to the value, cut off to @size; "" when there is none
 * @size: bytes at @value
 *
 * Escapes in names and values stay as they are written.
 *
 * Return: 0; -EINVAL when @text is not a JSON object, or nests objects or
 * arrays deeper than ten, CANN's limit.
 */
int vnpu_json_get(const char *text, size_t length, const char *const path[],
		  size_t depth, char *value, size_t size);

#endif /* VNPU_LIB_JSON_H */
