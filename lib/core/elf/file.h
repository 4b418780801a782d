/* SPDX-License-Identifier: MIT */
/*
 * An ELF file with valid headers, and its memory as the loader would make it at
 * address 0.
 */
#ifndef VNPU_CORE_FILE_H
#define VNPU_CORE_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENTS_MAX	16

/**
 * struct elf_file - the file and its memory
 * @data: the file
 * @size: its bytes
 * @load: segments that are loaded, in the order of addresses
 * @load_count: their number
 * @dynamic: address of the dynamic section
 * @dynamic_count: its entries
 * @memory: contents of all addresses, from elf_memory_make()
 * @span: bytes of @memory
 * @error: where to describe an error, IMAGE_ERROR_MAX bytes
 */
struct elf_file {
	const uint8_t *data;
	size_t size;
	Elf64_Phdr load[SEGMENTS_MAX];
	unsigned int load_count;
	uint64_t dynamic;
	size_t dynamic_count;
	uint8_t *memory;
	uint64_t span;
	char *error;
};

/* Describe an error; returns -ENOEXEC. */
int elf_refuse(struct elf_file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Check the headers of a file. */
int elf_open(struct elf_file *file, const void *data, size_t size, char *error);

/* Lay the segments out as they are loaded. */
int elf_memory_make(struct elf_file *file);

void elf_close(struct elf_file *file);

/*
 * Get the memory at [@address, @address + @count * @size); NULL if it is not
 * all in one segment with the access @flags (PF_*), or not aligned to @align.
 */
void *elf_at(const struct elf_file *file, uint64_t address, uint64_t count,
	     size_t size, size_t align, uint32_t flags);

/* Get the string at @address; NULL if it has no end or is not in a segment. */
const char *elf_string(const struct elf_file *file, uint64_t address);

/* Check the dynamic section, and apply the relocations that need no symbol. */
int elf_dynamic_check(struct elf_file *file, uint64_t *vnpu_image);

#endif /* VNPU_CORE_FILE_H */
