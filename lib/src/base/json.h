/* SPDX-License-Identifier: MIT */
/*
 * The subset of JSON that configuration files need.
 */
#ifndef VNPU_LIB_JSON_H
#define VNPU_LIB_JSON_H

#include <stddef.h>

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
 * Return: 0; -EINVAL when @text is not a JSON object, or nests objects or
 * arrays deeper than ten, CANN's limit.
 */
int vnpu_json_get(const char *text, size_t length, const char *const path[],
		  size_t depth, char *value, size_t size);

#endif /* VNPU_LIB_JSON_H */
