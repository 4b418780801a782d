// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the needs of a kernel: those of all functions that it can reach.
 *
 * Instructions that need a cube core leave a comment in the assembly, in the
 * function that the compiler has inlined them into:
 *
 *	#vnpu-needs cube
 *	#vnpu-needs matmul
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reach.h"

static char *cut(const char *from, size_t length)
{
	return xasprintf("%.*s", (int)length, from);
}

static struct function *add_function(struct reach *reach, const char *name,
				     size_t length)
{
	struct function *function;

	reach->at = xrealloc(reach->at, reach->count + 1, sizeof(*reach->at));
	function = &reach->at[reach->count++];
	memset(function, 0, sizeof(*function));
	function->name = cut(name, length);
	return function;
}

/* A symbol that an instruction calls, jumps to or takes the address of. */
static void add_call(struct function *function, const char *from,
		     const char *end)
{
	size_t length;

	while (from < end && strchr(" \t*$", *from))
		from++;
	length = strcspn(from, "(,@+ \t\n");
	/* Registers, numbers and labels inside of the function are none. */
	if (!length || from + length > end || strchr("%.0123456789-", *from))
		return;
	function->calls = xrealloc(function->calls, function->call_count + 1,
				   sizeof(*function->calls));
	function->calls[function->call_count++] = cut(from, length);
}

static bool is_start(const char *line, const char *end, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(end - line) >= length && !memcmp(line, text, length);
}

static void scan_line(struct reach *reach, const char *line, const char *end)
{
	struct function *last = reach->count ?
		&reach->at[reach->count - 1] : NULL;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if (is_start(line, end, ".type")) {
		const char *name = line + 5 + strspn(line + 5, " \t");

		if (memmem(line, end - line, "function", 8))
			add_function(reach, name, strcspn(name, ", \t\n"));
	} else if (!last) {
		return;
	} else if (is_start(line, end, "#vnpu-needs cube")) {
		last->needs |= NEEDS_CUBE;
	} else if (is_start(line, end, "#vnpu-needs matmul")) {
		last->needs |= NEEDS_MATMUL;
	} else if (is_start(line, end, "call") || is_start(line, end, "j") ||
		   is_start(line, end, "lea") || is_start(line, end, "b") ||
		   is_start(line, end, "adrp")) {
		const char *operand = memchr(line, '\t', end - line);

		/* arm64 names the register first. */
		if (operand && is_start(line, end, "adrp"))
			operand = memchr(operand, ',', end - operand);
		if (operand)
			add_call(last, operand + 1, end);
	}
}

/**
 * reach_init() - read the functions of an assembly
 * @reach: set to them; for reach_fini()
 * @in: an assembly; an empty one has no functions
 */
void reach_init(struct reach *reach, const struct text *in)
{
	const char *line, *end;

	memset(reach, 0, sizeof(*reach));
	for (line = in->at; line && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		scan_line(reach, line, end);
	}
}

/**
 * reach_fini() - free the functions
 * @reach: empty afterwards
 */
void reach_fini(struct reach *reach)
{
	for (size_t i = 0; i < reach->count; i++) {
		for (size_t n = 0; n < reach->at[i].call_count; n++)
			free(reach->at[i].calls[n]);
		free(reach->at[i].calls);
		free(reach->at[i].name);
	}
	free(reach->at);
	memset(reach, 0, sizeof(*reach));
}

static unsigned int visit(struct reach *reach, const char *name)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < reach->count; i++) {
		struct function *function = &reach->at[i];

		if (function->is_seen || strcmp(function->name, name))
			continue;
		function->is_seen = true;
		needs |= function->needs;
		for (size_t n = 0; n < function->call_count; n++)
			needs |= visit(reach, function->calls[n]);
	}
	return needs;
}

/**
 * reach_needs() - find the needs of a function and of all that it can reach
 * @reach: the functions
 * @name: the symbol of the function
 *
 * Return: NEEDS_*, or 0 for an unknown function.
 */
unsigned int reach_needs(struct reach *reach, const char *name)
{
	for (size_t i = 0; i < reach->count; i++)
		reach->at[i].is_seen = false;
	return visit(reach, name);
}
