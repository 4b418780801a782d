// SPDX-License-Identifier: MIT
/*
 * Sections of debug information, and the numbers in them.
 */
#include <elf.h>
#include <string.h>

#include "dwarf.h"

uint64_t dwarf_number(struct bytes *bytes, unsigned int size)
{
	uint64_t value = 0;

	if ((size_t)(bytes->end - bytes->at) < size) {
		bytes->at = bytes->end;
		bytes->is_bad = true;
		return 0;
	}
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	return value;
}

uint64_t dwarf_uleb(struct bytes *bytes)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = dwarf_number(bytes, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

int64_t dwarf_sleb(struct bytes *bytes)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = dwarf_number(bytes, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~0ULL << shift;
	return value;
}

void dwarf_skip(struct bytes *bytes, uint64_t count)
{
	if ((uint64_t)(bytes->end - bytes->at) < count) {
		bytes->at = bytes->end;
		bytes->is_bad = true;
	} else {
		bytes->at += count;
	}
}

const char *dwarf_string(struct bytes *bytes)
{
	const uint8_t *start = bytes->at, *zero = NULL;

	if (start < bytes->end)
		zero = memchr(start, 0, bytes->end - start);
	if (!zero) {
		bytes->at = bytes->end;
		bytes->is_bad = true;
		return "";
	}
	bytes->at = zero + 1;
	return (const char *)start;
}

const char *dwarf_string_in(struct bytes section, uint64_t offset)
{
	dwarf_skip(&section, offset);
	return section.is_bad ? "" : dwarf_string(&section);
}

struct bytes dwarf_section(const uint8_t *data, size_t size, const char *name)
{
	struct bytes none = {};
	Elf64_Shdr names, at;
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return none;
	memcpy(&head, data, sizeof(head));
	if (head.e_shentsize != sizeof(at) || head.e_shoff > size ||
	    head.e_shnum > (size - head.e_shoff) / sizeof(at) ||
	    head.e_shstrndx >= head.e_shnum)
		return none;
	memcpy(&names, data + head.e_shoff + head.e_shstrndx * sizeof(at),
	       sizeof(names));
	if (names.sh_offset > size || names.sh_size > size - names.sh_offset)
		return none;
	for (unsigned int i = 0; i < head.e_shnum; i++) {
		struct bytes strings = {
			data + names.sh_offset,
			data + names.sh_offset + names.sh_size, false,
		};

		memcpy(&at, data + head.e_shoff + i * sizeof(at), sizeof(at));
		if (strcmp(dwarf_string_in(strings, at.sh_name), name) ||
		    at.sh_type == SHT_NOBITS || (at.sh_flags & SHF_COMPRESSED) ||
		    at.sh_offset > size || at.sh_size > size - at.sh_offset)
			continue;
		return (struct bytes){ data + at.sh_offset,
			data + at.sh_offset + at.sh_size, false };
	}
	return none;
}

