/* SPDX-License-Identifier: MIT */
/*
 * A reader of ELF files, for images of kernels.
 *
 * The reader runs no code of a file and trusts no number in it: each offset is
 * checked against the file before it is used.  It allocates one array, of the
 * relocations.  The bytes of the file have to stay unchanged while they are
 * read.  Files of 64 bits in the byte order of the host are read, whatever their
 * machine.
 */
#ifndef VNPU_LIB_KERNEL_ELF_H
#define VNPU_LIB_KERNEL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest name that is accepted, with its zero. */
#define VNPU_ELF_NAME_MAX	16384

/* A relocation that adds the load address; the value is without that. */
struct vnpu_elf_reloc {
	uint64_t where;
	uint64_t value;
};

/**
 * struct vnpu_elf - an open file; constant after vnpu_elf_open()
 * @data: the file
 * @size: its bytes
 * @machine: number of its architecture, EM_* of elf.h
 * @sections: offset of the table of sections
 * @section_count: entries of it
 * @names: index of the section with the names of sections, or 0
 * @segments: offset of the table of segments
 * @segment_count: entries of it
 * @relocs: relative relocations, sorted by address
 * @reloc_count: their number
 */
struct vnpu_elf {
	const uint8_t *data;
	size_t size;
	uint16_t machine;
	uint64_t sections;
	uint32_t section_count;
	uint32_t names;
	uint64_t segments;
	uint32_t segment_count;
	struct vnpu_elf_reloc *relocs;
	size_t reloc_count;
};

/* A section; @data is within the file. */
struct vnpu_elf_section {
	const char *name;
	uint32_t type;
	uint32_t link;
	uint64_t flags;
	uint64_t address;
	const uint8_t *data;
	size_t size;
};

/* A symbol. */
struct vnpu_elf_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t type;		/* STT_* */
	uint16_t section;	/* index, or SHN_UNDEF */
};

/* Return the EM_* of this machine. */
uint16_t vnpu_elf_host_machine(void);

/*
 * Open a file in memory: 0, -ENOMEM, or -ENOEXEC and @why, a sentence without an
 * end.
 */
int vnpu_elf_open(struct vnpu_elf *elf, const void *data, size_t size,
		  const char **why);
void vnpu_elf_close(struct vnpu_elf *elf);

/* Get a section; false if it is invalid or has no bytes in the file. */
bool vnpu_elf_section(const struct vnpu_elf *elf, uint32_t index,
		      struct vnpu_elf_section *section);

/* Find the first section of a type, from *@index on, which is set. */
bool vnpu_elf_next_section(const struct vnpu_elf *elf, uint32_t type,
			   uint32_t *index, struct vnpu_elf_section *section);

/* Get a symbol of a table of symbols; false behind the last one. */
bool vnpu_elf_symbol(const struct vnpu_elf *elf,
		     const struct vnpu_elf_section *table, size_t index,
		     struct vnpu_elf_symbol *symbol);

/* Get @length bytes at an address of the loaded file; NULL if not all exist. */
const void *vnpu_elf_at(const struct vnpu_elf *elf, uint64_t address,
			uint64_t length);

/* Get the string at an address, or NULL. */
const char *vnpu_elf_string(const struct vnpu_elf *elf, uint64_t address);

/* Read the pointer at an address, relocated to load address 0. */
bool vnpu_elf_pointer(const struct vnpu_elf *elf, uint64_t address,
		      uint64_t *value);

#endif /* VNPU_LIB_KERNEL_ELF_H */
