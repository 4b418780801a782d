/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line.
 */
#ifndef VNPU_CC_OPTIONS_H
#define VNPU_CC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct list - arguments of a command
 * @at: the arguments, with a NULL behind them; the strings are not owned
 * @count: their number
 */
struct list {
	const char **at;
	size_t count;
};

void list_add(struct list *list, const char *string);
void list_addl(struct list *list, const struct list *from);

/* The output. */
enum stage {
	STAGE_LINK,		/* a program, or a library with -shared */
	STAGE_ARCHIVE,		/* -lib: a static library */
	STAGE_OBJECT,		/* -c */
	STAGE_IMAGE,		/* --image: the image alone */
	STAGE_PREPROCESSED,	/* -E */
	STAGE_DEPENDENCIES,	/* -M, -MM */
	STAGE_SYNTAX,		/* -fsyntax-only: messages and no output */
	STAGE_HEADERS,		/* --launch-headers alone */
	STAGE_QUERY,		/* answers of the C++ compiler, as to -dumpversion */
};

/* Languages of inputs. */
enum language {
	LANGUAGE_NONE,		/* an object, a library, an option of ld */
	LANGUAGE_ASC,		/* C++ that may have kernels */
	LANGUAGE_OTHER,		/* for the compiler alone */
};

/**
 * struct input - a file on the command line
 * @path: its path; an option of the linker keeps its place among the inputs
 * @language: its language
 * @x: the argument of -x, or NULL
 */
struct input {
	const char *path;
	enum language language;
	const char *x;
};

/* The checker of races between blocks: it is in the core, not in kernels. */
#define CHECK_RACE	(1U << 5)

/**
 * struct options - the command line
 * @cxx: the C++ compiler: a program, perhaps with arguments
 * @is_clang: it is clang, else g++
 * @include_dir: the headers of Ascend C; set by main()
 * @stage: the output
 * @output: -o, or NULL
 * @inputs: the files, in order
 * @input_count: their number
 * @preprocess: options for preprocessing (-I, -D, ...)
 * @depend: options for dependencies (-MT, -MP, ...)
 * @depend_kind: -MD or -MMD if there is to be a file of dependencies, else NULL
 * @depend_file: -MF, or NULL
 * @has_target: -MT or -MQ was given
 * @compile: options for compiling, in both passes
 * @host: options for the host pass alone
 * @device: options for the device pass alone
 * @link: options for linking
 * @assemble: options for the assembler, which makes the object of the host pass
 * @arch: the chip, as __NPU_ARCH__: 2201
 * @headers: the directory for headers of kernels, or NULL
 * @check: checkers that kernels are compiled with, VNPU_CHECK_* as bits, and
 *	CHECK_RACE
 * @core: 'v' or 'c' if --npu-arch= names one kind of core, else 0
 * @optimize: the last -O option, or NULL
 * @is_debug: -g was given
 * @is_march: -march was given
 * @is_verbose: print commands
 * @is_dry: ... and do not run them
 * @is_kept: leave intermediate files in the current directory
 * @is_host_only: leave the device pass out
 */
struct options {
	struct list cxx;
	bool is_clang;
	const char *include_dir;
	enum stage stage;
	const char *output;
	struct input *inputs;
	size_t input_count;
	struct list preprocess, depend, compile, host, device, link, assemble;
	const char *depend_kind;
	const char *depend_file;
	bool has_target;
	unsigned int arch;
	const char *headers;
	unsigned int check;
	char core;
	const char *optimize;
	bool is_debug;
	bool is_march;
	bool is_verbose;
	bool is_dry;
	bool is_kept;
	bool is_host_only;
};

void list_words(struct list *list, const char *string);
void options_parse(struct options *options, int argc, char **argv);

#endif /* VNPU_CC_OPTIONS_H */
