// SPDX-License-Identifier: MIT
/*
 * The dynamic section of an image, and all that the loader reads by it.
 */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "file.h"

#if defined(__x86_64__)
#define R_NONE		R_X86_64_NONE
#define R_RELATIVE	R_X86_64_RELATIVE
#define R_ABS		R_X86_64_64
#define R_GLOBAL	R_X86_64_GLOB_DAT
#define R_CALL		R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define R_NONE		R_AARCH64_NONE
#define R_RELATIVE	R_AARCH64_RELATIVE
#define R_ABS		R_AARCH64_ABS64
#define R_GLOBAL	R_AARCH64_GLOB_DAT
#define R_CALL		R_AARCH64_JUMP_SLOT
#endif

/* The tables that the section names. */
struct tables {
	uint64_t strings, strings_size;
	uint64_t symbols, symbol_count;
	uint64_t hash;
	uint64_t rela, rela_size;
	uint64_t calls, calls_size;
	uint64_t versions, needs, need_count;
	const Elf64_Sym *symbol;
};

static const char *string_at(const struct elf_file *file,
			     const struct tables *tables, uint64_t offset)
{
	if (offset >= tables->strings_size)
		return NULL;
	/* The table ends with a zero. */
	return (const char *)file->memory + tables->strings + offset;
}

static int entry_read(struct elf_file *file, struct tables *tables,
		      const Elf64_Dyn *entry)
{
	uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_STRTAB:
		tables->strings = value;
		break;
	case DT_STRSZ:
		tables->strings_size = value;
		break;
	case DT_SYMTAB:
		tables->symbols = value;
		break;
	case DT_GNU_HASH:
		tables->hash = value;
		break;
	case DT_RELA:
		tables->rela = value;
		break;
	case DT_RELASZ:
		tables->rela_size = value;
		break;
	case DT_JMPREL:
		tables->calls = value;
		break;
	case DT_PLTRELSZ:
		tables->calls_size = value;
		break;
	case DT_VERSYM:
		tables->versions = value;
		break;
	case DT_VERNEED:
		tables->needs = value;
		break;
	case DT_VERNEEDNUM:
		tables->need_count = value;
		break;
	case DT_SYMENT:
		if (value != sizeof(Elf64_Sym))
			return elf_refuse(file, "its symbols have %llu bytes",
					  (unsigned long long)value);
		break;
	case DT_RELAENT:
		if (value != sizeof(Elf64_Rela))
			return elf_refuse(file, "its relocations have %llu bytes",
					  (unsigned long long)value);
		break;
	case DT_PLTREL:
		if (value != DT_RELA)
			return elf_refuse(file, "its relocations have no addends");
		break;
	case DT_INIT:
	case DT_FINI:
	case DT_PREINIT_ARRAY:
		return elf_refuse(file, "it has constructors");
	case DT_INIT_ARRAYSZ:
	case DT_FINI_ARRAYSZ:
	case DT_PREINIT_ARRAYSZ:
		if (value)
			return elf_refuse(file, "it has constructors, %llu bytes of them",
					  (unsigned long long)value);
		break;
	/* Without the size, the loader reads nothing. */
	case DT_INIT_ARRAY:
	case DT_FINI_ARRAY:
	case DT_NEEDED:		/* below, when the strings are known */
	case DT_SONAME:
	case DT_PLTGOT:
	case DT_RELACOUNT:
	case DT_DEBUG:
	case DT_HASH:		/* the loader prefers DT_GNU_HASH */
	case DT_BIND_NOW:
	case DT_SYMBOLIC:
		break;
	case DT_FLAGS_1:
		/* The next image may have the same path. */
		if (value & DF_1_NODELETE)
			return elf_refuse(file, "it can never be unloaded: link it without -z nodelete");
		if (value & (DF_1_GLOBAL | DF_1_INTERPOSE))
			return elf_refuse(file, "its symbols would replace those of other images");
		break;
	case DT_FLAGS:
		if (value & (DF_TEXTREL | DF_STATIC_TLS))
			return elf_refuse(file, "its code has relocations");
		break;
	default:
		return elf_refuse(file, "its dynamic section has an entry of type 0x%llx",
				  (unsigned long long)entry->d_tag);
	}
	return 0;
}

static bool is_library(const char *name)
{
	static const char *const libraries[] = {
		"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2",
		"ld-linux-aarch64.so.1",
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (name && !strcmp(name, libraries[i]))
			return true;
	return false;
}

static int entries_check(struct elf_file *file, struct tables *tables)
{
	/* The loader adds the address of the image to the entries. */
	const Elf64_Dyn *entry = elf_at(file, file->dynamic,
					file->dynamic_count, sizeof(*entry),
					8, PF_R | PF_W);
	size_t count = 0;
	int ret;

	if (!entry)
		return elf_refuse(file, "its dynamic section is not in a segment");
	for (; entry[count].d_tag != DT_NULL; count++) {
		if (count + 1 == file->dynamic_count)
			return elf_refuse(file, "its dynamic section has no end");
		ret = entry_read(file, tables, &entry[count]);
		if (ret)
			return ret;
	}
	if (!tables->strings_size ||
	    !elf_at(file, tables->strings, tables->strings_size, 1, 1, PF_R) ||
	    file->memory[tables->strings + tables->strings_size - 1])
		return elf_refuse(file, "its table of strings is not in a segment");
	for (size_t i = 0; i < count; i++) {
		const char *name;

		if (entry[i].d_tag != DT_NEEDED)
			continue;
		name = string_at(file, tables, entry[i].d_un.d_val);
		if (!is_library(name))
			return elf_refuse(file, "it needs the library %.64s, and kernels can only use libc and libm",
					  name ? name : "?");
	}
	return 0;
}

/*
 * The hash table: { buckets, first symbol, words of the filter, shift }, the
 * filter, the buckets, and a word for each symbol.  Its lowest bit ends a
 * chain.
 */
static int hash_check(struct elf_file *file, struct tables *tables)
{
	const uint32_t *head = elf_at(file, tables->hash, 4, 4, 8, PF_R);
	const uint32_t *bucket, *chain;
	uint64_t at, last = 0;

	if (!head || !head[0] || !head[2] || (head[2] & (head[2] - 1)) ||
	    head[3] > 63)
		return elf_refuse(file, "its hash table of symbols is invalid");
	at = tables->hash + 16 + 8ULL * head[2];
	bucket = elf_at(file, at, head[0], 4, 4, PF_R);
	if (!bucket)
		return elf_refuse(file, "its hash table of symbols is truncated");
	at += 4ULL * head[0];
	for (uint32_t i = 0; i < head[0]; i++) {
		if (bucket[i] && bucket[i] < head[1])
			return elf_refuse(file, "its hash table of symbols is invalid");
		if (bucket[i] > last)
			last = bucket[i];
	}
	if (last) {
		do {
			chain = elf_at(file, at + 4 * (last - head[1]), 1, 4, 4,
				       PF_R);
			if (!chain)
				return elf_refuse(file, "its hash table of symbols has no end");
			last++;
		} while (!(*chain & 1));
	} else {
		last = head[1];
	}
	tables->symbol_count = last;
	return 0;
}

static int symbols_check(struct elf_file *file, struct tables *tables,
			 uint64_t *vnpu_image)
{
	const Elf64_Sym *symbol = elf_at(file, tables->symbols,
					 tables->symbol_count, sizeof(*symbol),
					 8, PF_R);

	if (!symbol)
		return elf_refuse(file, "its table of symbols is truncated");
	tables->symbol = symbol;
	*vnpu_image = 0;
	for (uint64_t i = 0; i < tables->symbol_count; i++) {
		const char *name = string_at(file, tables, symbol[i].st_name);
		unsigned int type = ELF64_ST_TYPE(symbol[i].st_info);

		if (!name || type == STT_TLS || type == STT_GNU_IFUNC)
			return elf_refuse(file, "symbol %llu is invalid",
					  (unsigned long long)i);
		/* One for all images, which would never be unloaded. */
		if (ELF64_ST_BIND(symbol[i].st_info) == STB_GNU_UNIQUE)
			return elf_refuse(file, "its symbol %.64s would be shared with other images: compile it with -fno-gnu-unique",
					  name);
		if (!strcmp(name, "vnpu_image") &&
		    symbol[i].st_shndx != SHN_UNDEF)
			*vnpu_image = symbol[i].st_value;
	}
	if (!*vnpu_image)
		return elf_refuse(file, "it has no symbol vnpu_image: compile the kernel by vnpu-cc");
	return 0;
}

/* The versions of symbols that one library has to have. */
static int need_check(struct elf_file *file, const struct tables *tables,
		      const Elf64_Verneed *need, uint64_t at, uint16_t *max)
{
	if (!need || !is_library(string_at(file, tables, need->vn_file)))
		return -ENOEXEC;
	at += need->vn_aux;
	for (unsigned int i = 0; i < need->vn_cnt; i++) {
		const Elf64_Vernaux *version =
			elf_at(file, at, 1, sizeof(*version), 4, PF_R);

		if (!version || !string_at(file, tables, version->vna_name) ||
		    (!version->vna_next && i + 1 < need->vn_cnt))
			return -ENOEXEC;
		if ((version->vna_other & 0x7fff) > *max)
			*max = version->vna_other & 0x7fff;
		at += version->vna_next;
	}
	return 0;
}

static int versions_check(struct elf_file *file, const struct tables *tables)
{
	const uint16_t *of = elf_at(file, tables->versions,
				    tables->symbol_count, sizeof(*of), 2, PF_R);
	uint64_t at = tables->needs;
	uint16_t max = VER_NDX_GLOBAL;

	for (uint64_t i = 0; at && i < tables->need_count; i++) {
		const Elf64_Verneed *need = elf_at(file, at, 1, sizeof(*need),
						   4, PF_R);

		if (need_check(file, tables, need, at, &max) ||
		    !need->vn_next != (i + 1 == tables->need_count))
			return elf_refuse(file, "its versions of libraries are invalid");
		at += need->vn_next;
	}
	if (!tables->versions)
		return 0;
	for (uint64_t i = 0; i < tables->symbol_count; i++)
		if (!of || (of[i] & 0x7fff) > max)
			return elf_refuse(file, "its versions of symbols are invalid");
	return 0;
}

/* Check relocations, and apply those that only add the address of the image. */
static int relocations_check(struct elf_file *file, const struct tables *tables,
			     uint64_t address, uint64_t size)
{
	const Elf64_Rela *rela = elf_at(file, address, size / sizeof(*rela),
					sizeof(*rela), 8, PF_R);

	if (!size)
		return 0;
	if (!rela || size % sizeof(*rela))
		return elf_refuse(file, "its relocations are truncated");
	for (uint64_t i = 0; i < size / sizeof(*rela); i++) {
		uint64_t *to = elf_at(file, rela[i].r_offset, 1, 8, 1, PF_W);
		uint32_t type = ELF64_R_TYPE(rela[i].r_info);

		if (type == R_NONE)
			continue;
		if (!to || ELF64_R_SYM(rela[i].r_info) >= tables->symbol_count)
			return elf_refuse(file, "relocation %llu is outside of its data",
					  (unsigned long long)i);
		if (type == R_RELATIVE)
			memcpy(to, &rela[i].r_addend, sizeof(*to));
		else if (type != R_ABS && type != R_GLOBAL && type != R_CALL)
			return elf_refuse(file, "relocation %llu has the type %u, which kernels cannot use",
					  (unsigned long long)i, type);
	}
	return 0;
}

int elf_dynamic_check(struct elf_file *file, uint64_t *vnpu_image)
{
	struct tables tables = {};
	int ret;

	ret = entries_check(file, &tables);
	if (!ret)
		ret = hash_check(file, &tables);
	if (!ret)
		ret = symbols_check(file, &tables, vnpu_image);
	if (!ret)
		ret = versions_check(file, &tables);
	if (!ret)
		ret = relocations_check(file, &tables, tables.rela,
					tables.rela_size);
	if (!ret)
		ret = relocations_check(file, &tables, tables.calls,
					tables.calls_size);
	return ret;
}
