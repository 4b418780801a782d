// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the records of kernels in the compiler's assembly, and add tables to it.
 *
 * The prologue of each kernel leaves a comment in the assembly that names an
 * object:
 *
 *	#vnpu-kernel _ZZ1kPhE10vnpu_info_(%rip)	(device)
 *	#vnpu-type 6				(device)
 *	#vnpu-stub .LC0(%rip)				(host)
 *
 * The function that contains the comment is the kernel.  Nothing else refers to the
 * object, so the compiler has no reason to keep its address in a register.  This
 * also finds instances of templates and kernels without linkage, and needs no
 * demangling.  The tables follow the compiler's text, where its local symbols are
 * visible.
 */
#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "vnpu/kernel.h"

/**
 * struct entry - a kernel or a stub
 * @function: symbol of the function
 * @object: symbol that the comment names
 * @type: VNPU_KERNEL_TYPE_*
 */
struct entry {
	char *function;
	char *object;
	unsigned int type;
};

struct entries {
	struct entry *at;
	size_t count;
};

static char *cut(const char *from, size_t length)
{
	return xasprintf("%.*s", (int)length, from);
}

static const char *after(const char *line, const char *end, const char *what)
{
	size_t length = strlen(what);

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	return (size_t)(end - line) >= length &&
		!strncmp(line, what, length) ? line + length : NULL;
}

/* One line of assembly; @function is the function that it is in. */
static void scan_line(struct entries *entries, const char *line,
		      const char *end, const char *comment, char **function)
{
	const char *at = after(line, end, ".type");
	struct entry *last = entries->count ?
		&entries->at[entries->count - 1] : NULL;

	if (at) {
		size_t length;

		at += strspn(at, " \t");
		length = strcspn(at, ", \t\n");
		if (!memmem(at, end - at, "@function", 9) &&
		    !memmem(at, end - at, "%function", 9))
			return;
		free(*function);
		*function = cut(at, length);
	} else if ((at = after(line, end, comment)) && *function) {
		at += strspn(at, " \t$");
		if (!strcspn(at, "( \t\n"))
			die("the compiler hides the record of %s: '%.*s'",
			    *function, (int)(end - line), line);
		entries->at = xrealloc(entries->at, entries->count + 1,
				       sizeof(*entries->at));
		entries->at[entries->count++] = (struct entry){
			.function = cut(*function, strlen(*function)),
			.object = cut(at, strcspn(at, "( \t\n")),
		};
	} else if ((at = after(line, end, "#vnpu-type ")) && *function &&
		   last && !strcmp(last->function, *function)) {
		last->type = strtoul(at, NULL, 0);
	}
}

static void scan(struct entries *entries, const struct text *in,
		 const char *comment)
{
	const char *line = in->at, *end;
	char *function = NULL;

	memset(entries, 0, sizeof(*entries));
	for (; line && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (*line == '\t' || *line == ' ' || *line == '#')
			scan_line(entries, line, end, comment, &function);
	}
	free(function);
}

static void entries_fini(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		free(entries->at[i].function);
		free(entries->at[i].object);
	}
	free(entries->at);
}

/* A string for the assembler, in quotes. */
static void add_string(struct text *out, const char *string)
{
	text_puts(out, "\"");
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			text_puts(out, "\\");
		if (*string == '\n')
			text_puts(out, "\\n");
		else
			text_add(out, string, 1);
	}
	text_puts(out, "\"\n");
}

static void add_symbols(struct text *out, const struct entries *entries)
{
	text_puts(out, "\t.section .rodata.vnpu_symbols,\"a\"\n");
	for (size_t i = 0; i < entries->count; i++) {
		text_printf(out, ".Lvnpu_symbol_%zu:\n\t.asciz ", i);
		add_string(out, entries->at[i].function);
	}
}

/*
 * Copy the assembly, but rename its constructors and destructors: nothing runs
 * before or after kernels on the device, and kernels do not use the host's objects.
 */
static void add_without_constructors(struct text *out, const struct text *in)
{
	static const char prefix[] = "\t.section\t.";
	static const char * const names[] = {
		"init_array", "fini_array", "preinit_array", "ctors", "dtors",
	};
	const char *from = in->at, *found, *name;

	while ((found = strstr(from, prefix))) {
		name = found + sizeof(prefix) - 1;
		text_add(out, from, name - from);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strncmp(name, names[i], strlen(names[i])))
				text_puts(out, "vnpu_dropped.");
		from = name;
	}
	text_puts(out, from);
}

/*
 * Functions of the run-time libraries that code may refer to and that end a
 * kernel: it throws nothing, and deletes nothing.
 */
static const char * const absent[] = {
	"__gxx_personality_v0", "_Unwind_Resume", "__cxa_pure_virtual",
	"_ZdlPv", "_ZdlPvm", "__cxa_throw_bad_array_new_length",
	"__cxa_begin_catch", "__cxa_end_catch", "_ZSt9terminatev",
	"abort",
};

#if defined(__x86_64__)
#define TRAP_INSTRUCTION	"\tud2\n"
#elif defined(__aarch64__)
#define TRAP_INSTRUCTION	"\tudf #0\n"
#endif

static void add_absent(struct text *out)
{
	text_puts(out, "\t.section .text.vnpu_absent,\"ax\"\n");
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		text_printf(out, "\t.weak %s\n\t.hidden %s\n%s:\n", absent[i],
			    absent[i], absent[i]);
	text_puts(out, TRAP_INSTRUCTION);
}

static void add_image(struct text *out, const char *label, const char *path)
{
	text_printf(out, "\t.balign 16\n%s:\n", label);
	if (path) {
		text_puts(out, "\t.incbin ");
		add_string(out, path);
	}
	text_printf(out, "%s_end:\n", label);
}

/*
 * The type of a kernel that does not declare it.  A kernel that uses a cube core
 * on all cores is a kernel of cube cores, one that does so on cube cores is mixed.
 */
static unsigned int default_type(struct device_passes *passes,
				 const char *kernel)
{
	unsigned int vector = reach_needs(&passes->vector, kernel);

	/* Without a pass for vector cores, nothing else is left. */
	if (!passes->vector.count || (vector & NEEDS_CUBE))
		return VNPU_KERNEL_TYPE_AIC_ONLY;
	if ((vector & NEEDS_MATMUL) ||
	    (reach_needs(&passes->cube, kernel) & NEEDS_CUBE))
		return VNPU_KERNEL_TYPE_MIX_AIC_1_2;
	return VNPU_KERNEL_TYPE_DEFAULT;
}

/**
 * assembly_device() - add the table of kernels
 * @in: assembly of a device pass
 * @passes: the functions of both device passes, for types of kernels
 * @cube: path of the image for cube cores, or NULL
 * @flags: VNPU_KERNEL_F_* of the kernels
 * @out: the whole is appended to it
 */
void assembly_device(const struct text *in, struct device_passes *passes,
		     const char *cube, uint32_t flags, struct text *out)
{
	struct entries entries;

	scan(&entries, in, "#vnpu-kernel ");
	for (size_t i = 0; i < entries.count; i++)
		if (!entries.at[i].type)
			entries.at[i].type = default_type(
				passes, entries.at[i].function);
	add_without_constructors(out, in);
	add_absent(out);
	add_symbols(out, &entries);
	text_puts(out, "\t.section .rodata.vnpu_cube,\"a\"\n"
		  "\t.globl vnpu_cube_image\n\t.hidden vnpu_cube_image\n"
		  "\t.globl vnpu_cube_image_end\n"
		  "\t.hidden vnpu_cube_image_end\n");
	add_image(out, "vnpu_cube_image", cube);
	text_puts(out, "\t.globl vnpu_image\n"
		  "\t.section .data.rel.ro.vnpu_kernels,\"aw\"\n"
		  "\t.balign 8\n\t.globl vnpu_kernel_table\n"
		  "\t.globl vnpu_kernel_table_end\n"
		  "\t.hidden vnpu_kernel_table\n"
		  "\t.hidden vnpu_kernel_table_end\nvnpu_kernel_table:\n");
	for (size_t i = 0; i < entries.count; i++)
		text_printf(out, "\t.quad .Lvnpu_symbol_%zu, %s, %s\n"
			    "\t.long %u, %u\n", i, entries.at[i].function,
			    entries.at[i].object, entries.at[i].type, flags);
	text_puts(out, "vnpu_kernel_table_end:\n");
	entries_fini(&entries);
}

/**
 * assembly_host() - add the unit, with its image and stubs
 * @in: assembly of a host pass
 * @image: path of the image, or NULL
 * @out: the whole is appended to it
 */
void assembly_host(const struct text *in, const char *image, struct text *out)
{
	struct entries entries;

	scan(&entries, in, "#vnpu-stub ");
	text_add(out, in->at, in->length);
	add_symbols(out, &entries);
	text_puts(out, "\t.section .rodata.vnpu_images,\"a\"\n");
	add_image(out, ".Lvnpu_image", image);
	text_puts(out, "\t.section .data.rel.ro.vnpu_stubs,\"aw\"\n"
		  "\t.balign 8\n.Lvnpu_names:\n");
	for (size_t i = 0; i < entries.count; i++)
		text_printf(out, "\t.quad %s\n", entries.at[i].object);
	text_puts(out, ".Lvnpu_stubs:\n");
	for (size_t i = 0; i < entries.count; i++)
		text_printf(out, "\t.quad %s, .Lvnpu_names + %zu, "
			    ".Lvnpu_symbol_%zu\n", entries.at[i].function,
			    8 * i, i);
	text_printf(out, "\t.data\n\t.balign 8\nvnpu_unit_here:\n"
		    "\t.long %zu, %u\n\t.quad .Lvnpu_image\n",
		    sizeof(struct vnpu_unit), VNPU_KERNEL_ABI);
	text_printf(out, "\t.quad .Lvnpu_image_end - .Lvnpu_image\n"
		    "\t.quad .Lvnpu_stubs\n\t.long %zu, 0\n"
		    "\t.quad vnpu_source_here, 0\n", entries.count);
	entries_fini(&entries);
}
