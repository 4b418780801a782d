/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the options of a verb as a table.
 */
#ifndef VNPU_SMI_OPTION_H
#define VNPU_SMI_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd.h"

enum option_kind {
	OPTION_FLAG,	/* bool: takes no value, and may be repeated */
	OPTION_NUMBER,	/* struct option_number */
	OPTION_SIZE,	/* uint64_t: bytes; never 0 once it is given */
	OPTION_SECONDS,	/* struct option_seconds */
	OPTION_STRING,	/* const char * */
};

/* The value of an option, if it was given. */
struct option_number {
	bool is_given;
	uint32_t value;
};

struct option_seconds {
	bool is_given;
	uint64_t ns;
};

/**
 * struct smi_option - an option of a verb
 * @letter: its short form; a value above CHAR_MAX if it has none
 * @name: its long form
 * @kind: OPTION_*
 * @to: where it goes, see @kind
 *
 * A table of them ends with an empty one.  -h and --help are added.
 */
struct smi_option {
	int letter;
	const char *name;
	enum option_kind kind;
	void *to;
};

/*
 * Parse all of @argv. *@wants_help is set if only the help is requested; @rest,
 * if it is not NULL, takes the one argument that may follow.
 */
enum smi_exit parse_options(const char *verb, const struct smi_option *options,
			    const char **rest, bool *wants_help, int argc,
			    char **argv);

#endif /* VNPU_SMI_OPTION_H */
