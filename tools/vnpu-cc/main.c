// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-cc: the compiler driver for Ascend C.
 *
 * For each source, with $CXX for the C++ compiler:
 *
 *	$CXX -E | rewrite | $CXX -S | assembly_device | $CXX -shared = image
 *	$CXX -E | rewrite | $CXX -S | assembly_host + image | $CXX -c = object
 *
 * A source without kernels skips the first line.  A source that needs cube cores
 * takes it twice, once for each kind of core.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembly.h"
#include "depend.h"
#include "passes.h"
#include "run.h"
#include "vnpu/kernel.h"

static struct options opt;
static char *library_dir;

/* The tree that looks like CANN's is beside the compiler, built or installed. */
static void find_tree(void)
{
	static const char * const places[] = {
		"../cann", "../lib/vnpu/cann", "../../cann",
	};
	char exe[PATH_MAX], *slash, *dir;
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (length < 0)
		die("cannot read /proc/self/exe");
	exe[length] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		dir = xasprintf("%s/%s/include/vnpu_cc/device.h", exe,
				places[i]);
		if (!access(dir, R_OK)) {
			opt.include_dir = xasprintf("%s/%s/include", exe,
						    places[i]);
			library_dir = xasprintf("%s/%s/lib64", exe, places[i]);
			free(dir);
			return;
		}
		free(dir);
	}
	die("the headers of Ascend C are neither in %s/%s nor in %s/%s", exe,
	    places[0], exe, places[1]);
}

/* Assembly to an image. */
static void link_image(const char *assembly, const char *base, const char *out)
{
	static const char script[] = "{ global: vnpu_image; local: *; };\n";
	char *map = temporary(base, ".map");
	struct text text = { 0 };
	struct list command;

	text_puts(&text, script);
	if (!opt.is_dry)
		text_write(&text, map);
	text_fini(&text);
	command_begin(&opt, &command);
	list_add(&command, "-shared");
	list_add(&command, "-nostartfiles");
	list_add(&command, "-nodefaultlibs");
	list_add(&command, "-Wl,--gc-sections,-z,defs,-z,now,-z,relro,--build-id");
	list_add(&command, "-Xlinker");
	list_add(&command, xasprintf("--version-script=%s", map));
	list_add(&command, assembly);
	list_add(&command, "-lgcc");
	list_add(&command, "-Wl,--as-needed");
	list_add(&command, "-lm");
	list_add(&command, "-lc");
	list_add(&command, "-o");
	list_add(&command, out);
	command_end(&command);
	free(map);
}

/* Assembly of one kind of core to an image at @path. */
static void assemble_image(const char *source, const char *suffix,
			   const struct text *assembly,
			   struct device_passes *passes, const char *cube,
			   const char *path)
{
	char *file = temporary(source, xasprintf(".%s.image.s", suffix));
	uint32_t flags = VNPU_KERNEL_F_ACCESS |
		(opt.check & CHECK_RACE ? VNPU_KERNEL_F_RACE : 0);
	struct text full = { 0 };

	if (!opt.is_dry) {
		assembly_device(assembly, passes, cube, flags, &full);
		text_write(&full, file);
	}
	link_image(file, source, path);
	text_fini(&full);
	free(file);
}

/* Does any function of the pass for vector cores use a cube core? */
static bool is_cube_needed(const struct reach *vector)
{
	for (size_t i = 0; i < vector->count; i++)
		if (vector->at[i].needs & NEEDS_CUBE)
			return true;
	return false;
}

/* The image of @source at @path; false if it has no kernels. */
static bool make_image(const char *source, const char *path)
{
	struct text vector = { 0 }, cube = { 0 };
	struct device_passes passes = { 0 };
	bool is_cube = opt.core == 'c';
	char *inner = NULL;
	struct found found;

	if (!is_cube) {
		compile_pass(&opt, source, PASS_VECTOR, false, &vector, &found);
		reach_init(&passes.vector, &vector);
		if (!found.kernels)
			return false;
		is_cube = !opt.core && (found.is_mixed ||
					is_cube_needed(&passes.vector));
	}
	if (is_cube) {
		compile_pass(&opt, source, PASS_CUBE, vector.length, &cube, &found);
		reach_init(&passes.cube, &cube);
		if (!found.kernels)
			return false;
		if (opt.stage != STAGE_SYNTAX) {
			inner = opt.core ? xasprintf("%s", path) :
				temporary(source, ".cube.image");
			assemble_image(source, "cube", &cube, &passes, NULL,
				       inner);
		}
	}
	if (opt.core != 'c' && opt.stage != STAGE_SYNTAX)
		assemble_image(source, "vector", &vector, &passes, inner,
			       path);
	reach_fini(&passes.vector);
	reach_fini(&passes.cube);
	text_fini(&vector);
	text_fini(&cube);
	free(inner);
	return true;
}

/* Check whether all inputs make one output. */
static bool is_whole(void)
{
	return opt.stage == STAGE_LINK || opt.stage == STAGE_ARCHIVE;
}

static const char *program_name(void)
{
	return opt.output ? opt.output : "a.out";
}

/* An object of @source at @out, a temporary file on the way to a program. */
static void make_object(const char *source, const char *out)
{
	bool is_program = is_whole();
	struct text assembly = { 0 }, full = { 0 };
	char *file = temporary(source, ".host.image.s");
	char *image = NULL;
	struct found found;
	struct list command;

	depend_begin(&opt, is_program ? program_name() : out);
	if (!opt.is_host_only) {
		image = temporary(source, ".image");
		if (!make_image(source, image)) {
			free(image);
			image = NULL;
		}
	}
	compile_pass(&opt, source, PASS_HOST, image, &assembly, &found);
	if (opt.stage == STAGE_SYNTAX)
		return;
	if (!opt.is_dry) {
		if (found.kernels)
			assembly_host(&assembly, image, &full);
		else
			text_add(&full, assembly.at, assembly.length);
		text_write(&full, file);
	}
	text_fini(&assembly);
	text_fini(&full);
	command_begin(&opt, &command);
	list_addl(&command, &opt.compile);
	list_addl(&command, &opt.assemble);
	list_add(&command, "-c");
	list_add(&command, "-x");
	list_add(&command, "assembler");
	list_add(&command, file);
	list_add(&command, "-o");
	list_add(&command, out);
	command_end(&command);
	depend_end(&opt, depend_path(&opt, source, is_program ? NULL : out));
	free(image);
	free(file);
}

static char *object_name(const char *source)
{
	const char *slash = strrchr(source, '/');
	const char *base = slash ? slash + 1 : source;
	const char *dot = strrchr(base, '.');

	return xasprintf("%.*s.o", dot ? (int)(dot - base) :
			 (int)strlen(base), base);
}

/* The options of g++ for dependencies, as the command line has them. */
static void add_dependencies(const char *source, struct list *command)
{
	if (opt.stage == STAGE_DEPENDENCIES)
		list_add(command, !strcmp(opt.depend_kind, "-MMD") ? "-MM" :
			 "-M");
	else if (opt.depend_kind)
		list_add(command, opt.depend_kind);
	if (opt.depend_file ||
	    (opt.depend_kind && is_whole())) {
		list_add(command, "-MF");
		list_add(command, depend_path(&opt, source, NULL));
	}
	if (opt.depend_kind && is_whole() && !opt.has_target) {
		list_add(command, "-MQ");
		list_add(command, program_name());
	}
	list_addl(command, &opt.depend);
}

/* A file of another language, by the compiler alone. */
static void make_other(const struct input *input, const char *out)
{
	struct list command;

	command_begin(&opt, &command);
	if (opt.stage == STAGE_PREPROCESSED)
		list_add(&command, "-E");
	else if (opt.stage == STAGE_SYNTAX)
		list_add(&command, "-fsyntax-only");
	else if (opt.stage != STAGE_DEPENDENCIES)
		list_add(&command, "-c");
	list_addl(&command, &opt.compile);
	list_addl(&command, &opt.host);
	list_addl(&command, &opt.assemble);
	list_addl(&command, &opt.preprocess);
	add_dependencies(input->path, &command);
	list_add(&command, "-isystem");
	list_add(&command, opt.include_dir);
	if (input->x) {
		list_add(&command, "-x");
		list_add(&command, input->x);
	}
	list_add(&command, input->path);
	if (out && opt.stage != STAGE_SYNTAX) {
		list_add(&command, "-o");
		list_add(&command, out);
	}
	command_end(&command);
}

/*
 * The text of all passes, one behind the other.  So a cache of compilations, which
 * compares it, notices each change that concerns the object.
 */
static void make_preprocessed(const char *source, const char *out)
{
	static const enum pass passes[] = { PASS_VECTOR, PASS_CUBE };
	char *file = temporary(source, ".i");
	struct text all = { 0 };

	depend_begin(&opt, object_name(source));
	preprocess(&opt, source, PASS_HOST, file);
	if (!opt.is_dry)
		text_read(&all, file);
	for (size_t i = 0; i < 2; i++) {
		if (!all.at || !strstr(all.at, "__vnpu_global__"))
			break;
		preprocess(&opt, source, passes[i], file);
		text_puts(&all, i ? "\n# 1 \"<pass for cube cores>\"\n" :
			  "\n# 1 \"<pass for vector cores>\"\n");
		text_read(&all, file);
	}
	if (opt.stage == STAGE_DEPENDENCIES) {
		depend_end(&opt, opt.depend_file ? opt.depend_file :
			   out ? out : "-");
	} else {
		if (!opt.is_dry)
			text_write(&all, out ? out : "-");
		depend_end(&opt, depend_path(&opt, source, out));
	}
	text_fini(&all);
	free(file);
}

/* An input by itself, for all outputs but a program. */
static void make_one(const struct input *input)
{
	const char *source = input->path, *out = opt.output;
	struct text none = { 0 };
	struct found found;

	if (input->language == LANGUAGE_NONE)
		return;
	if (opt.stage == STAGE_PREPROCESSED ||
	    opt.stage == STAGE_DEPENDENCIES) {
		if (input->language == LANGUAGE_OTHER)
			make_other(input, out);
		else
			make_preprocessed(source, out);
		return;
	}
	if (!out)
		out = object_name(source);
	if (input->language == LANGUAGE_OTHER) {
		make_other(input, out);
	} else if (opt.stage == STAGE_HEADERS) {
		compile_pass(&opt, source, PASS_HOST, false, &none, &found);
	} else if (opt.stage == STAGE_IMAGE) {
		depend_begin(&opt, out);
		if (!make_image(source, out))
			die("%s: no kernel in it", source);
		depend_end(&opt, depend_path(&opt, source, out));
	} else {
		make_object(source, out);
	}
}

/*
 * bisheng links the runtime of kernels by itself.  A program that launches none, or
 * that is linked in another way, does without it.
 */
static void add_library(struct list *command)
{
	static const char * const alone[] = {
		"-nostdlib", "-nodefaultlibs", "-r", "-static", "-static-pie",
	};

	list_add(command, xasprintf("-L%s", library_dir));
	for (size_t i = 0; i < opt.link.count; i++)
		for (size_t k = 0; k < sizeof(alone) / sizeof(*alone); k++)
			if (!strcmp(opt.link.at[i], alone[k]))
				return;
	list_add(command, "-Wl,--push-state,--as-needed");
	list_add(command, "-lascendcl");
	list_add(command, "-Wl,--pop-state");
}

/* Make the object of an input, and get the path that is linked. */
static const char *make_linked(size_t i)
{
	const struct input *input = &opt.inputs[i];
	const char *path;

	if (input->language == LANGUAGE_NONE)
		return input->path;
	path = temporary(input->path, xasprintf(".%zu.o", i));
	if (input->language == LANGUAGE_ASC)
		make_object(input->path, path);
	else
		make_other(input, path);
	return path;
}

/* Put all objects into a static library, which replaces an older one. */
static void make_archive(void)
{
	struct list command = { 0 };

	if (!opt.output)
		die("-lib needs -o");
	list_add(&command, "ar");
	list_add(&command, "rcs");
	list_add(&command, opt.output);
	for (size_t i = 0; i < opt.input_count; i++)
		if (opt.inputs[i].path[0] != '-')
			list_add(&command, make_linked(i));
	if (!opt.is_dry)
		unlink(opt.output);
	command_end(&command);
}

/* All inputs into a program or a library. */
static void make_program(void)
{
	struct list command;

	command_begin(&opt, &command);
	list_addl(&command, &opt.compile);
	list_addl(&command, &opt.link);
	for (size_t i = 0; i < opt.input_count; i++)
		list_add(&command, make_linked(i));
	add_library(&command);
	list_add(&command, "-o");
	list_add(&command, program_name());
	command_end(&command);
}

/* Each pass reads a source, and the standard input can be read once. */
static void keep_input(struct input *input)
{
	char *path = temporary("", "stdin");
	struct text text = { 0 };

	text_puts(&text, "# 1 \"<stdin>\"\n");
	text_read(&text, "/dev/stdin");
	if (!opt.is_dry)
		text_write(&text, path);
	text_fini(&text);
	input->path = path;
	/* As before, headers are looked for in the current directory. */
	list_add(&opt.preprocess, "-iquote");
	list_add(&opt.preprocess, ".");
}

static void make_query(char **argv)
{
	struct list command;

	command_begin(&opt, &command);
	while (*++argv)
		list_add(&command, *argv);
	command_end(&command);
}

int main(int argc, char **argv)
{
	size_t sources = 0;

	options_parse(&opt, argc, argv);
	find_tree();
	run_init(&opt);
	if (opt.stage == STAGE_QUERY) {
		make_query(argv);
		return 0;
	}
	for (size_t i = 0; i < opt.input_count; i++) {
		struct input *input = &opt.inputs[i];

		sources += input->language != LANGUAGE_NONE;
		if (!strcmp(input->path, "-") &&
		    input->language == LANGUAGE_ASC)
			keep_input(input);
	}
	if (opt.stage == STAGE_LINK) {
		make_program();
		return 0;
	}
	if (opt.stage == STAGE_ARCHIVE) {
		make_archive();
		return 0;
	}
	if (opt.output && sources > 1)
		die("-o is for one source, not for %zu", sources);
	if (!sources)
		die("no source files");
	for (size_t i = 0; i < opt.input_count; i++)
		make_one(&opt.inputs[i]);
	return 0;
}
