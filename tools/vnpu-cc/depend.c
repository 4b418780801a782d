// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dependencies: one file for all passes of a source.
 *
 * Each pass may include other headers, so each writes a file of its own.  The first
 * one becomes the result, with the prerequisites that it lacks and a later one has.
 * All have the same target.
 */
#include <stdlib.h>
#include <string.h>

#include "depend.h"
#include "run.h"
#include "text.h"

static struct list files;
static const char *target;

/**
 * depend_begin() - begin with a source
 * @options: the command line
 * @output: the target, unless the command line has one
 */
void depend_begin(const struct options *options, const char *output)
{
	files.count = 0;
	target = options->has_target ? NULL : output;
}

/**
 * depend_add() - let a preprocessor write the dependencies of its pass
 * @options: the command line
 * @source: the source
 * @command: the command of the preprocessor, which gets the options
 */
void depend_add(const struct options *options, const char *source,
		struct list *command)
{
	char *path;

	if (!options->depend_kind)
		return;
	path = temporary(source, xasprintf(".%zu.d", files.count));
	list_add(&files, path);
	list_add(command, options->depend_kind);
	list_add(command, "-MF");
	list_add(command, path);
	list_addl(command, &options->depend);
	if (target) {
		list_add(command, "-MQ");
		list_add(command, target);
	}
}

/*
 * The next word of the rule at @at, or one of no length at its end.  A backslash
 * joins lines, and keeps a blank in a word.
 */
static const char *next_word(const char *at, size_t *length)
{
	const char *end;

	for (;; at++) {
		if (*at == '\\' && at[1] == '\n')
			at++;
		else if (*at != ' ' && *at != '\t')
			break;
	}
	for (end = at; *end && !strchr(" \t\n", *end); end++) {
		if (*end == '\\' && end[1] == '\n')
			break;
		if (*end == '\\' && end[1])
			end++;
	}
	*length = end - at;
	return at;
}

/* The first prerequisite of the rule at @rule. */
static const char *skip_targets(const char *rule)
{
	const char *word;
	size_t length;

	for (word = rule;; word += length) {
		word = next_word(word, &length);
		if (!length || word[length - 1] == ':')
			return word + length;
	}
}

static bool has_word(const char *rule, const char *word, size_t word_length)
{
	const char *at;
	size_t length;

	for (at = skip_targets(rule);; at += length) {
		at = next_word(at, &length);
		if (!length)
			return false;
		if (length == word_length && !memcmp(at, word, length))
			return true;
	}
}

/* Collect the names that @rule lacks and @other has. */
static void find_missing(const char *rule, const char *other,
			 struct text *missing)
{
	const char *at;
	size_t length;

	for (at = skip_targets(other);; at += length) {
		at = next_word(at, &length);
		if (!length)
			return;
		if (!has_word(rule, at, length) &&
		    (!missing->length || !has_word(missing->at, at, length)))
			text_printf(missing, "%s%.*s",
				    missing->length ? " " : ": ", (int)length,
				    at);
	}
}

static bool is_phony(const struct options *options)
{
	for (size_t i = 0; i < options->depend.count; i++)
		if (!strcmp(options->depend.at[i], "-MP"))
			return true;
	return false;
}

static void write_phony(const struct text *missing, struct text *out)
{
	const char *at;
	size_t length;

	for (at = skip_targets(missing->at);; at += length) {
		at = next_word(at, &length);
		if (!length)
			return;
		text_printf(out, "%.*s:\n", (int)length, at);
	}
}

/* All passes in one rule. */
static void merge(const struct options *options, struct text *out)
{
	struct text first = { 0 }, missing = { 0 };
	const char *end;
	size_t length;

	text_read(&first, files.at[0]);
	for (size_t i = 1; i < files.count; i++) {
		struct text other = { 0 };

		text_read(&other, files.at[i]);
		find_missing(first.at, other.at, &missing);
		text_fini(&other);
	}
	for (end = skip_targets(first.at);; end += length) {
		end = next_word(end, &length);
		if (!length)
			break;
	}
	text_add(out, first.at, end - first.at);
	if (missing.length)
		text_printf(out, " \\\n%s", missing.at + 1);
	text_puts(out, end);
	if (missing.length && is_phony(options))
		write_phony(&missing, out);
	text_fini(&first);
	text_fini(&missing);
}

/**
 * depend_end() - write the dependencies of all passes
 * @options: the command line
 * @path: the file, or "-" for the standard output
 */
void depend_end(const struct options *options, const char *path)
{
	struct text out = { 0 };

	if (!files.count || options->is_dry)
		return;
	merge(options, &out);
	text_write(&out, path);
	text_fini(&out);
}

/**
 * depend_path() - name the file of dependencies, as g++ does
 * @options: the command line
 * @source: the source
 * @output: the output, or NULL if the command line does not name it
 *
 * Return: the path, for free().
 */
char *depend_path(const struct options *options, const char *source,
		  const char *output)
{
	const char *path = output ? output : source;
	const char *slash = strrchr(path, '/'), *dot;

	if (options->depend_file)
		return xasprintf("%s", options->depend_file);
	if (!output && slash)
		path = slash + 1;
	slash = strrchr(path, '/');
	dot = strrchr(slash ? slash : path, '.');
	return xasprintf("%.*s.d", dot ? (int)(dot - path) :
			 (int)strlen(path), path);
}
