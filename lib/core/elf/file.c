// SPDX-License-Identifier: MIT
/*
 * ELF headers and segments.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "file.h"

#define SPAN_MAX	(1ULL << 28)
#define PAGE		4096ULL

#if defined(__x86_64__)
#define MACHINE		EM_X86_64
#elif defined(__aarch64__)
#define MACHINE		EM_AARCH64
#endif

int elf_refuse(struct elf_file *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(file->error, IMAGE_ERROR_MAX, format, args);
	va_end(args);
	return -ENOEXEC;
}

static int header_check(struct elf_file *file, Elf64_Ehdr *head)
{
	if (file->size < sizeof(*head) || memcmp(file->data, ELFMAG, SELFMAG))
		return elf_refuse(file, "it is not an ELF file");
	memcpy(head, file->data, sizeof(*head));
	if (head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_machine != MACHINE)
		return elf_refuse(file,
				  "it has code for another machine (ELF machine %u, this one is %u): compile the kernel by vnpu-cc on this machine",
				  head->e_machine, MACHINE);
	if (head->e_type != ET_DYN || head->e_version != EV_CURRENT ||
	    head->e_ehsize != sizeof(*head) ||
	    head->e_phentsize != sizeof(Elf64_Phdr))
		return elf_refuse(file, "it is not a shared object");
	if (head->e_phoff > file->size ||
	    head->e_phnum > (file->size - head->e_phoff) / sizeof(Elf64_Phdr))
		return elf_refuse(file, "it is truncated: the program headers are beyond its end");
	return 0;
}

static int load_check(struct elf_file *file, const Elf64_Phdr *head)
{
	uint64_t start = 0;

	if (file->load_count == SEGMENTS_MAX)
		return elf_refuse(file, "it has more than %u segments",
				  SEGMENTS_MAX);
	if (file->load_count) {
		const Elf64_Phdr *last = &file->load[file->load_count - 1];

		/* In the loader, two segments have no page in common. */
		start = (last->p_vaddr + last->p_memsz + PAGE - 1) & -PAGE;
	}
	if (head->p_offset > file->size ||
	    head->p_filesz > file->size - head->p_offset)
		return elf_refuse(file, "it is truncated: a segment ends at byte %llu, the file at %zu",
				  (unsigned long long)head->p_offset +
				  head->p_filesz, file->size);
	if (head->p_filesz > head->p_memsz || head->p_memsz > SPAN_MAX ||
	    head->p_vaddr > SPAN_MAX || (head->p_vaddr & -PAGE) < start ||
	    (head->p_vaddr - head->p_offset) % PAGE ||
	    (head->p_align & (head->p_align - 1)) || head->p_align > SPAN_MAX)
		return elf_refuse(file, "segment %u has no valid place in memory",
				  file->load_count);
	if ((head->p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
		return elf_refuse(file, "segment %u is both code and data",
				  file->load_count);
	file->load[file->load_count++] = *head;
	file->span = head->p_vaddr + head->p_memsz;
	return 0;
}

/* The loader protects constant data, and reads notes. */
static int place_check(struct elf_file *file, const Elf64_Phdr *head)
{
	for (unsigned int i = 0; i < file->load_count; i++) {
		const Elf64_Phdr *load = &file->load[i];
		uint64_t end = (load->p_vaddr + load->p_memsz + PAGE - 1) &
			-PAGE;

		if (head->p_vaddr >= load->p_vaddr && head->p_vaddr < end &&
		    head->p_memsz <= end - head->p_vaddr)
			return 0;
	}
	return elf_refuse(file, "program header of type 0x%x is not in a segment",
			  head->p_type);
}

static int segments_check(struct elf_file *file, const Elf64_Ehdr *head)
{
	for (unsigned int i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr at;
		int ret = 0;

		memcpy(&at, file->data + head->e_phoff + i * sizeof(at),
		       sizeof(at));
		switch (at.p_type) {
		case PT_LOAD:
			ret = load_check(file, &at);
			break;
		case PT_DYNAMIC:
			file->dynamic = at.p_vaddr;
			file->dynamic_count = at.p_memsz / sizeof(Elf64_Dyn);
			break;
		case PT_TLS:
			ret = elf_refuse(file, "it has thread-local data");
			break;
		case PT_INTERP:
			ret = elf_refuse(file, "it is a program");
			break;
		case PT_GNU_STACK:
			if (at.p_flags & PF_X)
				ret = elf_refuse(file, "it needs an executable stack");
			break;
		case PT_NOTE:
		case PT_GNU_PROPERTY:
		case PT_GNU_RELRO:
			/* They are behind the segments in all files. */
			ret = place_check(file, &at);
			break;
		}
		if (ret)
			return ret;
	}
	if (!file->load_count || !file->dynamic_count)
		return elf_refuse(file, "it has no segments, or no dynamic section");
	return 0;
}

int elf_open(struct elf_file *file, const void *data, size_t size, char *error)
{
	Elf64_Ehdr head;
	int ret;

	memset(file, 0, sizeof(*file));
	file->data = data;
	file->size = size;
	file->error = error;
	ret = header_check(file, &head);
	return ret ? ret : segments_check(file, &head);
}

int elf_memory_make(struct elf_file *file)
{
	file->memory = calloc(1, file->span);
	if (!file->memory) {
		elf_refuse(file, "there is no memory to check it");
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < file->load_count; i++)
		memcpy(file->memory + file->load[i].p_vaddr,
		       file->data + file->load[i].p_offset,
		       file->load[i].p_filesz);
	return 0;
}

void elf_close(struct elf_file *file)
{
	free(file->memory);
	file->memory = NULL;
}

void *elf_at(const struct elf_file *file, uint64_t address, uint64_t count,
	     size_t size, size_t align, uint32_t flags)
{
	for (unsigned int i = 0; i < file->load_count; i++) {
		const Elf64_Phdr *load = &file->load[i];

		if (address < load->p_vaddr ||
		    address - load->p_vaddr > load->p_memsz)
			continue;
		if ((load->p_memsz - (address - load->p_vaddr)) / size < count ||
		    address % align || (load->p_flags & flags) != flags)
			continue;
		return file->memory + address;
	}
	return NULL;
}

const char *elf_string(const struct elf_file *file, uint64_t address)
{
	for (unsigned int i = 0; i < file->load_count; i++) {
		const Elf64_Phdr *load = &file->load[i];
		uint64_t left;

		if (address < load->p_vaddr ||
		    address - load->p_vaddr >= load->p_memsz)
			continue;
		left = load->p_memsz - (address - load->p_vaddr);
		if (memchr(file->memory + address, 0, left))
			return (const char *)file->memory + address;
	}
	return NULL;
}
