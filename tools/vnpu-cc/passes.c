// SPDX-License-Identifier: GPL-2.0-only
/*
 * The passes of a source: preprocess, rewrite, compile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "depend.h"
#include "passes.h"
#include "run.h"

/**
 * command_begin() - begin a command of the C++ compiler
 * @opt: the command line
 * @command: set to the compiler alone
 */
void command_begin(const struct options *opt, struct list *command)
{
	memset(command, 0, sizeof(*command));
	list_addl(command, &opt->cxx);
}

/**
 * command_end() - run a command, and free its arguments
 * @command: the command
 */
void command_end(struct list *command)
{
	run(command);
	free(command->at);
}

static void add_macros(const struct options *opt, enum pass pass,
		       struct list *command)
{
	list_add(command, xasprintf("-D__NPU_ARCH__=%u", opt->arch));
	list_add(command, xasprintf("-D__CCE_AICORE__=%u", opt->arch / 10));
	if (pass == PASS_HOST) {
		list_add(command, "-D__NPU_HOST__=1");
		return;
	}
	list_add(command, "-U_FORTIFY_SOURCE");
	list_add(command, "-D__NPU_DEVICE__=1");
	if (opt->check & ~CHECK_RACE)
		list_add(command, xasprintf("-DVNPU_CHECK=%u",
					    opt->check & ~CHECK_RACE));
	if (pass == PASS_VECTOR) {
		list_add(command, "-D__DAV_C220_VEC__=1");
		list_add(command, "-D__DAV_VEC__=1");
	} else {
		list_add(command, "-D__DAV_C220_CUBE__=1");
		list_add(command, "-D__DAV_CUBE__=1");
	}
}

/*
 * Ascend C needs C++17, which g++ takes on its own.  clang before version 16 takes an
 * older standard.  A later -std= overrides this one.
 */
static void add_compile_options(const struct options *opt,
				struct list *command)
{
	if (opt->is_clang)
		list_add(command, "-std=gnu++17");
	list_addl(command, &opt->compile);
}

/**
 * preprocess() - run the preprocessor
 * @opt: the command line
 * @source: the source
 * @pass: the pass
 * @out: the file for the result
 */
void preprocess(const struct options *opt, const char *source, enum pass pass,
		const char *out)
{
	struct list command;

	command_begin(opt, &command);
	list_add(&command, "-E");
	add_compile_options(opt, &command);
	list_addl(&command, pass == PASS_HOST ? &opt->host : &opt->device);
	depend_add(opt, source, &command);
	add_macros(opt, pass, &command);
	list_addl(&command, &opt->preprocess);
	list_add(&command, "-isystem");
	list_add(&command, opt->include_dir);
	list_add(&command, "-include");
	list_add(&command, xasprintf("%s/vnpu_cc/%s.h", opt->include_dir,
				     pass == PASS_HOST ? "host" : "device"));
	list_add(&command, "-x");
	list_add(&command, "c++");
	list_add(&command, source);
	list_add(&command, "-o");
	list_add(&command, out);
	command_end(&command);
}

/*
 * Kernels are compiled for speed, as their loops are vector instructions on the
 * chip, and so that each operation is rounded as it is there.
 */
static void add_device_options(const struct options *opt,
			       struct list *command)
{
	static const char * const options[] = {
		"-fPIC", "-fvisibility=hidden", "-ffunction-sections",
		"-fdata-sections", "-fno-fast-math", "-fno-math-errno",
		"-fno-trapping-math",
		"-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing",
		"-fno-threadsafe-statics", "-fno-stack-protector",
		"-fcf-protection=none", "-fno-builtin-printf", "-Wno-psabi",
		"-Wno-unknown-pragmas", "-Wno-unused-function",
	};

	add_compile_options(opt, command);
	/* Only kernels are kept, so only they are optimized; clang has it not. */
	if (!opt->is_clang)
		list_add(command, "-fwhole-program");
	if (!opt->optimize || (opt->optimize[2] != '0' &&
			      opt->optimize[2] != '1' &&
			      opt->optimize[2] != 'g'))
		list_add(command, "-O3");
	if (!opt->is_debug)
		list_add(command, "-g1");
#ifdef __x86_64__
	if (!opt->is_march)
		list_add(command, __builtin_cpu_supports("avx2") &&
			 __builtin_cpu_supports("fma") &&
			 __builtin_cpu_supports("bmi2") ?
			 "-march=x86-64-v3" : "-march=x86-64-v2");
#endif
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		list_add(command, options[i]);
	list_addl(command, &opt->device);
}

/* Rewritten source to assembly, or to messages alone. */
static void compile(const struct options *opt, const char *source,
		    enum pass pass, bool is_silent, const char *out)
{
	struct list command;

	command_begin(opt, &command);
	if (pass == PASS_HOST) {
		add_compile_options(opt, &command);
		list_addl(&command, &opt->host);
	} else {
		add_device_options(opt, &command);
	}
	/* In version 5, clang has checksums of some files, and warns of it. */
	if (opt->is_clang)
		list_add(&command, "-fdebug-default-version=4");
	if (is_silent)
		list_add(&command, "-w");
	list_add(&command, "-x");
	list_add(&command, "c++-cpp-output");
	list_add(&command, source);
	if (opt->stage == STAGE_SYNTAX) {
		list_add(&command, "-fsyntax-only");
	} else {
		list_add(&command, "-S");
		list_add(&command, "-o");
		list_add(&command, out);
	}
	command_end(&command);
}

/*
 * A header for each kernel of C linkage, aclrtlaunch_NAME.h.  One that is as it
 * should be is left alone, so nothing is compiled again because of it.
 */
static void headers_write(const struct text *headers, const char *directory)
{
	const char *line = headers->at, *end, *space;

	for (; line && *line; line = end + 1) {
		struct text out = { 0 }, old = { 0 };
		char *path;

		space = strchr(line, ' ');
		end = strchr(line, '\n');
		path = xasprintf("%s/aclrtlaunch_%.*s.h", directory,
				 (int)(space - line), line);
		text_printf(&out, "/* Made by vnpu-cc. */\n#pragma once\n#include <stdint.h>\n"
			    "#ifndef ACLRT_LAUNCH_KERNEL\n"
			    "#define ACLRT_LAUNCH_KERNEL(kernel)\t"
			    "aclrtlaunch_##kernel\n#endif\n%.*s\n",
			    (int)(end - space - 1), space + 1);
		if (!access(path, R_OK))
			text_read(&old, path);
		if (old.length != out.length ||
		    memcmp(old.at, out.at, out.length))
			text_write(&out, path);
		text_fini(&out);
		text_fini(&old);
		free(path);
	}
}

/**
 * compile_pass() - one pass, up to assembly as the compiler leaves it
 * @opt: the command line
 * @source: the source
 * @pass: the pass
 * @is_silent: an earlier pass has reported all warnings
 * @assembly: the assembly is appended to it, unless there is nothing to compile
 * @found: set to the contents of the source
 */
void compile_pass(const struct options *opt, const char *source,
		  enum pass pass, bool is_silent, struct text *assembly,
		  struct found *found)
{
	static const char * const names[] = { "vector", "cube", "host" };
	char *raw = temporary(source, xasprintf(".%s.i", names[pass]));
	char *cooked = temporary(source, xasprintf(".%s.ii", names[pass]));
	char *out = temporary(source, xasprintf(".%s.s", names[pass]));
	struct text in = { 0 }, rewritten = { 0 };

	preprocess(opt, source, pass, raw);
	if (opt->is_dry) {
		memset(found, 0, sizeof(*found));
		found->kernels = 1;
	} else {
		text_read(&in, raw);
		rewrite(&in, pass, &rewritten, found);
		text_write(&rewritten, cooked);
	}
	text_fini(&in);
	text_fini(&rewritten);
	if (pass == PASS_HOST && opt->headers)
		headers_write(&found->headers, opt->headers);
	text_fini(&found->headers);
	if (opt->stage != STAGE_HEADERS &&
	    (pass == PASS_HOST || found->kernels)) {
		compile(opt, cooked, pass, is_silent, out);
		if (!opt->is_dry && opt->stage != STAGE_SYNTAX)
			text_read(assembly, out);
	}
	free(raw);
	free(cooked);
	free(out);
}
