// SPDX-License-Identifier: MIT
/*
 * A reader of ELF files, see elf.h.
 *
 * Tables in a file need not be aligned, so this copies each entry.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"

#define SEGMENTS_MAX	256

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define HOST_DATA	ELFDATA2LSB
#else
#define HOST_DATA	ELFDATA2MSB
#endif

/* Relocations that add the load address to a number. */
#if defined(__aarch64__)
#define HOST_MACHINE	EM_AARCH64
#define R_RELATIVE	R_AARCH64_RELATIVE
#else
#define HOST_MACHINE	EM_X86_64
#define R_RELATIVE	R_X86_64_RELATIVE
#endif

uint16_t vnpu_elf_host_machine(void)
{
	return HOST_MACHINE;
}

/* Check that a range is within the file. */
static bool is_inside(const struct vnpu_elf *elf, uint64_t offset,
		      uint64_t length)
{
	return offset <= elf->size && length <= elf->size - offset;
}

/* Get the string at @at, which ends before @end, or NULL. */
static const char *string_at(const uint8_t *at, const uint8_t *end)
{
	size_t room = end - at;

	if (room > VNPU_ELF_NAME_MAX)
		room = VNPU_ELF_NAME_MAX;
	return memchr(at, 0, room) ? (const char *)at : NULL;
}

static void raw_section(const struct vnpu_elf *elf, uint32_t index,
			Elf64_Shdr *header)
{
	memcpy(header, elf->data + elf->sections + (uint64_t)index *
	       sizeof(*header), sizeof(*header));
}

static void raw_segment(const struct vnpu_elf *elf, uint32_t index,
			Elf64_Phdr *header)
{
	memcpy(header, elf->data + elf->segments + (uint64_t)index *
	       sizeof(*header), sizeof(*header));
}

static const char *section_name(const struct vnpu_elf *elf, uint32_t offset)
{
	Elf64_Shdr names;

	if (!elf->names)
		return "";
	raw_section(elf, elf->names, &names);
	if (names.sh_type != SHT_STRTAB ||
	    !is_inside(elf, names.sh_offset, names.sh_size) ||
	    offset >= names.sh_size)
		return NULL;
	return string_at(elf->data + names.sh_offset + offset,
			 elf->data + names.sh_offset + names.sh_size);
}

bool vnpu_elf_section(const struct vnpu_elf *elf, uint32_t index,
		      struct vnpu_elf_section *section)
{
	Elf64_Shdr header;

	if (index >= elf->section_count)
		return false;
	raw_section(elf, index, &header);
	if (header.sh_type == SHT_NULL || header.sh_type == SHT_NOBITS ||
	    !is_inside(elf, header.sh_offset, header.sh_size))
		return false;
	*section = (struct vnpu_elf_section){
		.name = section_name(elf, header.sh_name),
		.type = header.sh_type,
		.link = header.sh_link,
		.flags = header.sh_flags,
		.address = header.sh_addr,
		.data = elf->data + header.sh_offset,
		.size = header.sh_size,
	};
	return section->name;
}

bool vnpu_elf_next_section(const struct vnpu_elf *elf, uint32_t type,
			   uint32_t *index, struct vnpu_elf_section *section)
{
	for (; *index < elf->section_count; ++*index)
		if (vnpu_elf_section(elf, *index, section) &&
		    section->type == type)
			return true;
	return false;
}

bool vnpu_elf_symbol(const struct vnpu_elf *elf,
		     const struct vnpu_elf_section *table, size_t index,
		     struct vnpu_elf_symbol *symbol)
{
	struct vnpu_elf_section strings;
	Elf64_Sym raw;

	if (index >= table->size / sizeof(raw) ||
	    !vnpu_elf_section(elf, table->link, &strings) ||
	    strings.type != SHT_STRTAB)
		return false;
	memcpy(&raw, table->data + index * sizeof(raw), sizeof(raw));
	*symbol = (struct vnpu_elf_symbol){
		.name = raw.st_name < strings.size ?
			string_at(strings.data + raw.st_name,
				  strings.data + strings.size) : NULL,
		.value = raw.st_value,
		.size = raw.st_size,
		.type = ELF64_ST_TYPE(raw.st_info),
		.section = raw.st_shndx,
	};
	if (!symbol->name)
		symbol->name = "";
	return true;
}

/* Get what the file has from an address on: its first byte and its end. */
static const uint8_t *from_address(const struct vnpu_elf *elf,
				   uint64_t address, const uint8_t **end)
{
	Elf64_Phdr segment;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		raw_segment(elf, i, &segment);
		if (segment.p_type != PT_LOAD ||
		    !is_inside(elf, segment.p_offset, segment.p_filesz) ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*end = elf->data + segment.p_offset + segment.p_filesz;
		return elf->data + segment.p_offset +
		       (address - segment.p_vaddr);
	}
	return NULL;
}

const void *vnpu_elf_at(const struct vnpu_elf *elf, uint64_t address,
			uint64_t length)
{
	const uint8_t *end, *at = from_address(elf, address, &end);

	return at && length <= (uint64_t)(end - at) ? at : NULL;
}

const char *vnpu_elf_string(const struct vnpu_elf *elf, uint64_t address)
{
	const uint8_t *end, *at = from_address(elf, address, &end);

	return at ? string_at(at, end) : NULL;
}

bool vnpu_elf_pointer(const struct vnpu_elf *elf, uint64_t address,
		      uint64_t *value)
{
	const void *at = vnpu_elf_at(elf, address, sizeof(*value));
	size_t low = 0, high = elf->reloc_count;

	if (!at)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (elf->relocs[middle].where < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < elf->reloc_count && elf->relocs[low].where == address)
		*value = elf->relocs[low].value;
	else
		memcpy(value, at, sizeof(*value));
	return true;
}

static int compare_relocs(const void *a, const void *b)
{
	const struct vnpu_elf_reloc *x = a, *y = b;

	return x->where < y->where ? -1 : x->where > y->where;
}

/* Append the relocations of a section that fit into the array. */
static void add_relocs(struct vnpu_elf *elf,
		       const struct vnpu_elf_section *section, size_t room)
{
	Elf64_Rela raw;

	for (size_t i = 0; i < section->size / sizeof(raw); i++) {
		memcpy(&raw, section->data + i * sizeof(raw), sizeof(raw));
		if (ELF64_R_TYPE(raw.r_info) != R_RELATIVE ||
		    elf->reloc_count == room)
			continue;
		elf->relocs[elf->reloc_count++] = (struct vnpu_elf_reloc){
			.where = raw.r_offset,
			.value = raw.r_addend,
		};
	}
}

/*
 * Collect the relative relocations.  The sections of a valid file do not
 * overlap, so the sum of their sizes is at most that of the file.
 */
static int collect_relocs(struct vnpu_elf *elf, const char **why)
{
	struct vnpu_elf_section section;
	uint64_t bytes = 0;
	size_t room;

	for (uint32_t i = 0; vnpu_elf_next_section(elf, SHT_RELA, &i, &section);
	     i++)
		bytes += section.size;
	if (bytes > elf->size) {
		*why = "its sections overlap";
		return -ENOEXEC;
	}
	room = bytes / sizeof(Elf64_Rela);
	elf->relocs = room ? calloc(room, sizeof(*elf->relocs)) : NULL;
	if (room && !elf->relocs)
		return -ENOMEM;
	for (uint32_t i = 0; vnpu_elf_next_section(elf, SHT_RELA, &i, &section);
	     i++)
		if (section.flags & SHF_ALLOC)
			add_relocs(elf, &section, room);
	if (elf->reloc_count)
		qsort(elf->relocs, elf->reloc_count, sizeof(*elf->relocs),
		      compare_relocs);
	return 0;
}

/* Check the head of the file and take its tables; NULL or the reason. */
static const char *read_header(struct vnpu_elf *elf)
{
	Elf64_Ehdr header;

	if (elf->size < sizeof(header) ||
	    memcmp(elf->data, ELFMAG, SELFMAG))
		return "it is not an ELF file";
	memcpy(&header, elf->data, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != HOST_DATA)
		return "it is not an ELF file of 64 bits for this byte order";
	elf->machine = header.e_machine;
	elf->sections = header.e_shoff;
	elf->section_count = header.e_shoff ? header.e_shnum : 0;
	elf->segments = header.e_phoff;
	elf->segment_count = header.e_phoff ? header.e_phnum : 0;
	if (elf->section_count &&
	    (header.e_shentsize != sizeof(Elf64_Shdr) ||
	     !is_inside(elf, elf->sections, (uint64_t)elf->section_count *
			sizeof(Elf64_Shdr))))
		return "its table of sections is outside of the file";
	if (elf->segment_count > SEGMENTS_MAX ||
	    (elf->segment_count &&
	     (header.e_phentsize != sizeof(Elf64_Phdr) ||
	      !is_inside(elf, elf->segments, (uint64_t)elf->segment_count *
			 sizeof(Elf64_Phdr)))))
		return "its table of segments is invalid";
	if (header.e_shstrndx < elf->section_count)
		elf->names = header.e_shstrndx;
	return NULL;
}

int vnpu_elf_open(struct vnpu_elf *elf, const void *data, size_t size,
		  const char **why)
{
	int ret;

	*elf = (struct vnpu_elf){ .data = data, .size = size };
	*why = read_header(elf);
	if (*why)
		return -ENOEXEC;
	ret = collect_relocs(elf, why);
	if (ret)
		vnpu_elf_close(elf);
	return ret;
}

void vnpu_elf_close(struct vnpu_elf *elf)
{
	free(elf->relocs);
	elf->relocs = NULL;
	elf->reloc_count = 0;
}
