// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images that a core must refuse, with a reason, and the lines of addresses.
 * Built with sanitizers, so a read beyond a file is an error here.
 *
 *	image KERNELS.o KERNELS.asc
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/check.h"
#include "elf/lines.h"
#include "vnpu/kernel.h"

static unsigned char *image;
static size_t image_size;
static unsigned int tests, failures;
static uint64_t seed = 0x9e3779b97f4a7c15ULL;

static void ok(bool is_ok, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void ok(bool is_ok, const char *format, ...)
{
	va_list args;

	printf("%sok %u ", is_ok ? "" : "not ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	failures += !is_ok;
}

static uint64_t random_bits(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 0x2545f4914f6cdd1dULL;
}

static void *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	void *data;
	long end;

	if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0) {
		printf("Bail out! %s: %s\n", path, strerror(errno));
		exit(1);
	}
	rewind(file);
	*size = end;
	/* A string, too. */
	data = calloc(1, end + 1);
	if (!data || fread(data, 1, end, file) != *size)
		exit(1);
	fclose(file);
	return data;
}

/* Check a copy of exactly this size, so that a read behind it is found. */
static int check(const unsigned char *data, size_t size, uint32_t isa,
		 char *error)
{
	struct image_facts facts;
	unsigned char *copy = malloc(size ? size : 1);
	int ret;

	memcpy(copy, data, size);
	strcpy(error, "");
	ret = image_check(copy, size, isa, &facts, error);
	free(copy);
	return ret;
}

static Elf64_Ehdr *head(unsigned char *data)
{
	return (Elf64_Ehdr *)data;
}

static Elf64_Phdr *segment(unsigned char *data, uint32_t type, unsigned int nr)
{
	Elf64_Phdr *at = (Elf64_Phdr *)(data + head(data)->e_phoff);

	for (;; at++)
		if (at->p_type == type && !nr--)
			return at;
}

static Elf64_Dyn *entry(unsigned char *data, int64_t tag)
{
	Elf64_Dyn *at = (Elf64_Dyn *)(data +
				      segment(data, PT_DYNAMIC, 0)->p_offset);

	while (at->d_tag != tag)
		at++;
	return at;
}

/* The structure, by the section that holds it. */
static struct vnpu_image *table(unsigned char *data)
{
	Elf64_Shdr *at = (Elf64_Shdr *)(data + head(data)->e_shoff);
	const char *names = (char *)data + at[head(data)->e_shstrndx].sh_offset;

	while (strcmp(names + at->sh_name, ".vnpu.image"))
		at++;
	return (struct vnpu_image *)(data + at->sh_offset);
}

/* The relocation of the word at this place in the file. */
static Elf64_Rela *relocation(unsigned char *data, const void *word)
{
	Elf64_Rela *at = (Elf64_Rela *)(data + entry(data, DT_RELA)->d_un.d_ptr);
	uint64_t offset = (const unsigned char *)word - data;
	Elf64_Phdr *load = segment(data, PT_LOAD, 0);

	while (offset < load->p_offset ||
	       offset - load->p_offset >= load->p_filesz ||
	       load->p_type != PT_LOAD)
		load++;
	while (at->r_offset != offset - load->p_offset + load->p_vaddr)
		at++;
	return at;
}

typedef void change_fn(unsigned char *data);

static void change_machine(unsigned char *data)
{
	head(data)->e_machine = 0x1029;
}

static void change_type(unsigned char *data)
{
	head(data)->e_type = ET_REL;
}

static void change_headers(unsigned char *data)
{
	head(data)->e_phoff = ~0ULL - 63;
}

static void change_count(unsigned char *data)
{
	head(data)->e_phnum = 0xffff;
}

static void change_offset(unsigned char *data)
{
	segment(data, PT_LOAD, 1)->p_offset += image_size;
}

static void change_overlap(unsigned char *data)
{
	segment(data, PT_LOAD, 2)->p_vaddr = segment(data, PT_LOAD, 1)->p_vaddr;
}

static void change_writable(unsigned char *data)
{
	segment(data, PT_LOAD, 1)->p_flags |= PF_W;
}

static void change_stack(unsigned char *data)
{
	segment(data, PT_GNU_STACK, 0)->p_flags |= PF_X;
}

static void change_tls(unsigned char *data)
{
	segment(data, PT_NOTE, 0)->p_type = PT_TLS;
}

static void change_relro(unsigned char *data)
{
	segment(data, PT_GNU_RELRO, 0)->p_memsz = 1 << 20;
}

static void change_strings(unsigned char *data)
{
	entry(data, DT_STRSZ)->d_un.d_val = ~0ULL;
}

static void change_needed(unsigned char *data)
{
	entry(data, DT_NEEDED)->d_un.d_val++;
}

static void change_constructor(unsigned char *data)
{
	entry(data, DT_FLAGS_1)->d_tag = DT_INIT;
}

static void change_nodelete(unsigned char *data)
{
	entry(data, DT_FLAGS_1)->d_un.d_val |= DF_1_NODELETE;
}

static void change_global(unsigned char *data)
{
	entry(data, DT_FLAGS_1)->d_un.d_val |= DF_1_GLOBAL;
}

static void change_unique(unsigned char *data)
{
	Elf64_Sym *at = (Elf64_Sym *)(data + entry(data, DT_SYMTAB)->d_un.d_ptr);
	const char *names = (char *)data + entry(data, DT_STRTAB)->d_un.d_ptr;

	while (strcmp(names + at->st_name, "vnpu_image"))
		at++;
	at->st_info = ELF64_ST_INFO(STB_GNU_UNIQUE, STT_OBJECT);
}

static void change_relocations(unsigned char *data)
{
	entry(data, DT_RELASZ)->d_un.d_val = 24ULL << 40;
}

static void change_target(unsigned char *data)
{
	Elf64_Rela *at = (Elf64_Rela *)(data + entry(data, DT_RELA)->d_un.d_ptr);

	at->r_offset = 0;
}

static void change_relocation_type(unsigned char *data)
{
	Elf64_Rela *at = (Elf64_Rela *)(data + entry(data, DT_RELA)->d_un.d_ptr);

	at->r_info = ELF64_R_INFO(0, R_X86_64_IRELATIVE);
}

static void change_magic(unsigned char *data)
{
	table(data)->magic ^= 1;
}

static void change_abi(unsigned char *data)
{
	table(data)->abi++;
}

static void change_isa(unsigned char *data)
{
	table(data)->isa = 9;
}

static void change_state(unsigned char *data)
{
	table(data)->state_size = 1 << 30;
}

static void change_kernels(unsigned char *data)
{
	relocation(data, &table(data)->kernels_end)->r_addend += 1 << 20;
}

static void change_code(unsigned char *data)
{
	struct vnpu_kernel *kernel = (struct vnpu_kernel *)
		(data + relocation(data, &table(data)->kernels)->r_addend -
		 segment(data, PT_LOAD, 3)->p_vaddr +
		 segment(data, PT_LOAD, 3)->p_offset);

	relocation(data, &kernel->entry)->r_addend = 8;
}

static void change_cube(unsigned char *data)
{
	relocation(data, &table(data)->cube_end)->r_addend += 1 << 20;
}

static void test_refused(void)
{
	static const struct {
		change_fn *change;
		const char *reason;
	} cases[] = {
		{ change_machine, "another machine" },
		{ change_type, "not a shared object" },
		{ change_headers, "program headers" },
		{ change_count, "program headers" },
		{ change_offset, "truncated" },
		{ change_overlap, "no valid place" },
		{ change_writable, "both code and data" },
		{ change_stack, "executable stack" },
		{ change_tls, "thread-local" },
		{ change_relro, "not in a segment" },
		{ change_strings, "strings" },
		{ change_needed, "needs the library" },
		{ change_constructor, "constructors" },
		{ change_nodelete, "nodelete" },
		{ change_global, "other images" },
		{ change_unique, "symbol vnpu_image would be shared" },
		{ change_relocations, "relocations are truncated" },
		{ change_target, "outside of its data" },
		{ change_relocation_type, "cannot use" },
		{ change_magic, "magic number" },
		{ change_abi, "compile the kernel again" },
		{ change_isa, "processors of level" },
		{ change_state, "bytes of state" },
		{ change_kernels, "table of kernels" },
		{ change_code, "has no code" },
		{ change_cube, "cube cores" },
	};
	unsigned char *copy = malloc(image_size);
	char error[IMAGE_ERROR_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int ret;

		memcpy(copy, image, image_size);
		cases[i].change(copy);
		ret = check(copy, image_size, VNPU_ISA_X86_64_V4, error);
		ok(ret == -ENOEXEC && strstr(error, cases[i].reason),
		   "refused: %s", error);
	}
	ok(check(image, image_size, VNPU_ISA_X86_64_V4, error) == 0,
	   "the image without changes is in order");
	free(copy);
}

/* Whatever is wrong with a file, the check ends and reads nothing else. */
static void test_damaged(unsigned long rounds)
{
	unsigned char *copy = malloc(image_size);
	unsigned long refused = 0, truncated = 0;
	char error[IMAGE_ERROR_MAX];
	struct line line;
	size_t loaded = 0;

	for (unsigned int i = 0; i < 4; i++) {
		Elf64_Phdr *load = segment(image, PT_LOAD, i);

		if (load->p_offset + load->p_filesz > loaded)
			loaded = load->p_offset + load->p_filesz;
	}
	for (size_t size = 0; size < loaded; size += 1 + size / 64)
		truncated += !check(image, size, VNPU_ISA_X86_64_V4, error);
	ok(!truncated, "a truncated file is refused at each length");
	for (unsigned long i = 0; i < rounds; i++) {
		unsigned int count = 1 + random_bits() % 8;
		size_t limit = random_bits() % 2 ? 4096 : image_size;

		memcpy(copy, image, image_size);
		while (count--) {
			size_t at = random_bits() % limit;

			copy[at] = random_bits() % 3 ? random_bits() :
				random_bits() % 2 ? 0xff : 0;
		}
		refused += check(copy, image_size, VNPU_ISA_X86_64_V4, error) !=
			0;
		line_find(copy, image_size, 0x1000 + random_bits() % 0x8000,
			  &line);
	}
	ok(refused > rounds / 100,
	   "%lu of %lu damaged files are refused, and none is misread", refused,
	   rounds);
	free(copy);
}

/* The number of the line that contains a mark. */
static unsigned int line_of(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	unsigned int line = 1;

	for (; at && text < at; text++)
		line += *text == '\n';
	return line;
}

/* The addresses of a kernel, by the symbol table. */
static bool function_find(const char *name, uint64_t *start, uint64_t *end)
{
	Elf64_Shdr *at = (Elf64_Shdr *)(image + head(image)->e_shoff), *strings;
	Elf64_Sym *symbol;

	while (at->sh_type != SHT_SYMTAB)
		at++;
	strings = (Elf64_Shdr *)(image + head(image)->e_shoff) + at->sh_link;
	symbol = (Elf64_Sym *)(image + at->sh_offset);
	for (size_t i = 0; i < at->sh_size / sizeof(*symbol); i++, symbol++)
		if (!strcmp((char *)image + strings->sh_offset + symbol->st_name,
			    name)) {
			*start = symbol->st_value;
			*end = symbol->st_value + symbol->st_size;
			return true;
		}
	return false;
}

static void test_lines(const char *source)
{
	static const char *const marks[][2] = {
		{ "store", "/* STORE */" }, { "set", "/* SET */" },
	};
	struct line line;

	for (unsigned int i = 0; i < 2; i++) {
		unsigned int want = line_of(source, marks[i][1]);
		uint64_t pc = 0, end = 0;
		bool is_found = false, is_own = true;

		function_find(marks[i][0], &pc, &end);
		for (; pc < end; pc++) {
			line_find(image, image_size, pc, &line);
			is_found |= line.number == want;
			is_own &= !line.file[0] ||
				strstr(line.file, "kernels.asc");
		}
		ok(is_found && is_own, "line %u of %s is among its lines", want,
		   marks[i][0]);
	}
	line_find(image, image_size, 0x10000000, &line);
	ok(!line.file[0] && !line.number, "other addresses have no line");
}

int main(int argc, char **argv)
{
	const char *rounds = getenv("STEPS");
	size_t size;
	char *source;

	if (argc != 3)
		return 1;
	image = file_read(argv[1], &image_size);
	test_refused();
	test_damaged(rounds ? strtoul(rounds, NULL, 0) : 20000);
	source = file_read(argv[2], &size);
	test_lines(source);
	free(source);
	free(image);
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
