// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the options of a verb as a table.
 */
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "option.h"

#define MAX_OPTIONS	24
#define NS_PER_S	UINT64_C(1000000000)

/* getopt_long()'s view of a table. */
struct parser {
	const char *verb;
	const struct smi_option *options;
	char letters[2 * MAX_OPTIONS + 4];
	struct option names[MAX_OPTIONS + 2];
	bool given[MAX_OPTIONS];
};

static void parser_init(struct parser *p, const char *verb,
			const struct smi_option *options)
{
	char *letters = p->letters;
	size_t i;

	*p = (struct parser){ .verb = verb, .options = options };
	letters = stpcpy(letters, "+:");
	for (i = 0; options[i].name && i < MAX_OPTIONS; i++) {
		bool has_value = options[i].kind != OPTION_FLAG;

		p->names[i] = (struct option){
			.name = options[i].name,
			.has_arg = has_value ? required_argument : no_argument,
			.val = options[i].letter,
		};
		if (options[i].letter > CHAR_MAX)
			continue;
		*letters++ = (char)options[i].letter;
		if (has_value)
			*letters++ = ':';
	}
	p->names[i] = (struct option){ .name = "help", .val = 'h' };
	*letters++ = 'h';
	*letters = '\0';
}

/* In decimal, with up to nine digits behind the point. */
static bool parse_seconds(const char *text, uint64_t *ns)
{
	uint64_t whole = 0, part = 0, unit = NS_PER_S;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		whole = whole * 10 + (uint64_t)(*text - '0');
		if (whole > UINT32_MAX)
			return false;
	}
	if (*text == '.') {
		text++;
		for (; *text >= '0' && *text <= '9' && unit > 1; text++) {
			unit /= 10;
			part += (uint64_t)(*text - '0') * unit;
		}
		if (unit == NS_PER_S)
			return false;
	}
	if (*text)
		return false;
	*ns = whole * NS_PER_S + part;
	return true;
}

static const char *set_value(const struct smi_option *o, const char *text)
{
	switch (o->kind) {
	case OPTION_FLAG:
		*(bool *)o->to = true;
		return NULL;
	case OPTION_NUMBER: {
		struct option_number *number = o->to;

		number->is_given = parse_u32(text, &number->value);
		return number->is_given ? NULL : "number";
	}
	case OPTION_SIZE: {
		uint64_t *size = o->to;

		return parse_size(text, size) && *size && *size <= INT64_MAX ?
		       NULL : "size";
	}
	case OPTION_SECONDS: {
		struct option_seconds *seconds = o->to;

		seconds->is_given = parse_seconds(text, &seconds->ns);
		return seconds->is_given ? NULL : "number of seconds";
	}
	case OPTION_STRING:
		*(const char **)o->to = text;
		return NULL;
	}
	return "value";
}

/* As the user may write it: with its letter if it has one. */
static enum smi_exit fail_value(const struct smi_option *o, const char *text,
				const char *what)
{
	if (o->letter > CHAR_MAX)
		return fail(SMI_USAGE,
			    "'%s' is not a %s, which option '--%s' needs", text,
			    what, o->name);
	return fail(SMI_USAGE, "'%s' is not a %s, which option '-%c' needs",
		    text, what, o->letter);
}

static enum smi_exit take_option(struct parser *p, size_t i, const char *text)
{
	const struct smi_option *o = &p->options[i];
	const char *wanted;

	if (p->given[i] && o->kind != OPTION_FLAG)
		return o->letter > CHAR_MAX ?
			fail(SMI_USAGE, "option '--%s' is given twice",
			     o->name) :
			fail(SMI_USAGE, "option '-%c' is given twice",
			     o->letter);
	p->given[i] = true;
	wanted = set_value(o, text);
	return wanted ? fail_value(o, text, wanted) : SMI_OK;
}

static enum smi_exit take_rest(const char **rest, int argc, char **argv)
{
	if (rest && optind < argc)
		*rest = argv[optind++];
	if (optind < argc)
		return fail(SMI_USAGE, "unexpected argument '%s'",
			    argv[optind]);
	return SMI_OK;
}

enum smi_exit parse_options(const char *verb, const struct smi_option *options,
			    const char **rest, bool *wants_help, int argc,
			    char **argv)
{
	enum smi_exit status = SMI_OK;
	struct parser parser;
	size_t i;
	int c;

	parser_init(&parser, verb, options);
	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, parser.letters, parser.names, NULL);
		if (c == -1)
			return take_rest(rest, argc, argv);
		if (c == 'h') {
			*wants_help = true;
			return SMI_OK;
		}
		for (i = 0; options[i].name && options[i].letter != c; i++)
			;
		if (options[i].name)
			status = take_option(&parser, i, optarg);
		else
			status = fail_option(verb, c, argv);
	}
	return status;
}
