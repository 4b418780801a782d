// SPDX-License-Identifier: MIT
/*
 * Machine code of a card: its kernels and their properties.
 *
 * A kernel is a function of the code's symbol table.  NAME_mix_aic and
 * NAME_mix_aiv are one kernel on two kinds of cores.  The section
 * .ascend.meta.SYMBOL has a list of properties, each with a type and a length.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "image.h"

#define META_PREFIX	".ascend.meta."

/* Types of properties. */
#define META_KERNEL_TYPE	1
#define META_RATIO		3
#define META_ENTRY		14
#define META_PARAMS		16
#define META_SCHEDULE		18

/* Values of META_KERNEL_TYPE. */
#define META_AIC		2
#define META_AIV		3
#define META_MIX_AIC		4
#define META_MIX_AIV		5

/* Find the section of a kernel, by any of the names that it may have. */
static bool find_section(const struct vnpu_elf *elf,
			 const struct vnpu_kernel_entry *kernel,
			 struct vnpu_elf_section *section)
{
	static const char *const ends[] = { "", "_mix_aic", "_mix_aiv" };
	const size_t prefix = strlen(META_PREFIX);

	for (uint32_t i = 0; i < elf->section_count; i++) {
		const char *rest;

		if (!vnpu_elf_section(elf, i, section) ||
		    strncmp(section->name, META_PREFIX, prefix))
			continue;
		rest = section->name + prefix;
		if (strncmp(rest, kernel->symbol, kernel->length))
			continue;
		for (size_t n = 0; n < sizeof(ends) / sizeof(*ends); n++)
			if (!strcmp(rest + kernel->length, ends[n]))
				return true;
	}
	return false;
}

/* Find a property of at least @length bytes. */
static const uint8_t *find_property(const struct vnpu_elf_section *section,
				    uint16_t type, size_t length)
{
	size_t at = 0;
	uint16_t head[2];

	while (section->size - at >= sizeof(head)) {
		memcpy(head, section->data + at, sizeof(head));
		at += sizeof(head);
		if (head[1] > section->size - at)
			return NULL;
		if (head[0] == type && head[1] >= length)
			return section->data + at;
		at += head[1];
	}
	return NULL;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t own = strlen(end);

	return length > own && !memcmp(text + length - own, end, own);
}

uint32_t vnpu_meta_type(const struct vnpu_image_view *image, uint32_t index)
{
	const struct vnpu_kernel_entry *kernel = &image->kernels[index];
	struct vnpu_elf_section section;
	const uint8_t *at;
	uint32_t type;
	uint16_t ratio[2] = { 1, 2 };

	if (!find_section(&image->elf, kernel, &section))
		return kernel->type;
	at = find_property(&section, META_RATIO, sizeof(ratio));
	if (at)
		memcpy(ratio, at, sizeof(ratio));
	at = find_property(&section, META_KERNEL_TYPE, sizeof(type));
	if (!at)
		return kernel->type;
	memcpy(&type, at, sizeof(type));
	switch (type) {
	case META_AIC:
		return VNPU_KERNEL_TYPE_AIC_ONLY;
	case META_AIV:
		return VNPU_KERNEL_TYPE_AIV_ONLY;
	case META_MIX_AIC:
		return !ratio[1] ? VNPU_KERNEL_TYPE_MIX_AIC_1_0 :
		       ratio[1] == 1 ? VNPU_KERNEL_TYPE_MIX_AIC_1_1 :
				       VNPU_KERNEL_TYPE_MIX_AIC_1_2;
	case META_MIX_AIV:
		return !ratio[0] ? VNPU_KERNEL_TYPE_MIX_AIV_1_0 :
				   VNPU_KERNEL_TYPE_MIX_AIC_1_2;
	default:
		return kernel->type;
	}
}

/* Add the kernel of a symbol, unless the other half of it is there. */
static void add_kernel(struct vnpu_image_view *image,
		       const struct vnpu_elf_symbol *symbol)
{
	struct vnpu_kernel_entry *kernel = &image->kernels[image->count];
	size_t length = strlen(symbol->name);
	uint32_t type = VNPU_KERNEL_TYPE_DEFAULT;

	if (ends_with(symbol->name, length, "_mix_aic") ||
	    ends_with(symbol->name, length, "_mix_aiv")) {
		length -= strlen("_mix_aiv");
		type = VNPU_KERNEL_TYPE_MIX_AIC_1_2;
		/* Symbols of one kernel are neighbours. */
		if (image->count && kernel[-1].length == length &&
		    !memcmp(kernel[-1].symbol, symbol->name, length))
			return;
	}
	*kernel = (struct vnpu_kernel_entry){
		.symbol = symbol->name,
		.length = length,
		.type = type,
		.address = symbol->value,
	};
	image->count++;
}

int vnpu_meta_read(struct vnpu_image_view *image, const char **why)
{
	const struct vnpu_elf *elf = &image->elf;
	struct vnpu_elf_section table;
	struct vnpu_elf_symbol symbol;
	uint32_t index = 0;
	size_t room = 0;

	*why = "it has no symbols";
	if (!vnpu_elf_next_section(elf, SHT_SYMTAB, &index, &table))
		return -ENOEXEC;
	for (size_t i = 0; vnpu_elf_symbol(elf, &table, i, &symbol); i++)
		room += symbol.type == STT_FUNC;
	image->kernels = calloc(room + 1, sizeof(*image->kernels));
	if (!image->kernels)
		return -ENOMEM;
	for (size_t i = 0; vnpu_elf_symbol(elf, &table, i, &symbol); i++)
		if (symbol.type == STT_FUNC && symbol.section != SHN_UNDEF &&
		    *symbol.name)
			add_kernel(image, &symbol);
	return 0;
}

/* Find the kernel of a section's name, without the end of a mixed kernel. */
static uint32_t find_kernel(const struct vnpu_image_view *image,
			    const char *name)
{
	size_t length = strlen(name);
	char *copy;
	uint32_t found = vnpu_image_find_symbol(image, name);

	if (found != VNPU_KERNEL_NONE ||
	    (!ends_with(name, length, "_mix_aic") &&
	     !ends_with(name, length, "_mix_aiv")))
		return found;
	copy = strndup(name, length - strlen("_mix_aiv"));
	if (copy)
		found = vnpu_image_find_symbol(image, copy);
	free(copy);
	return found;
}

uint32_t vnpu_meta_find_entry(const struct vnpu_image_view *image,
			      uint64_t entry)
{
	const size_t prefix = strlen(META_PREFIX);
	struct vnpu_elf_section section;
	const uint8_t *at;
	uint64_t own;

	for (uint32_t i = 0; i < image->elf.section_count; i++) {
		if (!vnpu_elf_section(&image->elf, i, &section) ||
		    strncmp(section.name, META_PREFIX, prefix))
			continue;
		at = find_property(&section, META_ENTRY, 1 + sizeof(own));
		if (!at || !*at)
			continue;
		memcpy(&own, at + 1, sizeof(own));
		if (own == entry)
			return find_kernel(image, section.name + prefix);
	}
	return VNPU_KERNEL_NONE;
}

bool vnpu_meta_param_count(const struct vnpu_image_view *image,
			   uint32_t kernel, uint32_t *count)
{
	struct vnpu_elf_section section;
	const uint8_t *at;

	if (!find_section(&image->elf, &image->kernels[kernel], &section))
		return false;
	at = find_property(&section, META_PARAMS,
			   sizeof(uint32_t) + sizeof(uint64_t));
	if (at)
		memcpy(count, at, sizeof(*count));
	return at;
}

uint32_t vnpu_meta_schedule(const struct vnpu_image_view *image,
			    uint32_t kernel)
{
	struct vnpu_elf_section section;
	const uint8_t *at = NULL;
	uint32_t mode = 0;

	if (image->is_foreign &&
	    find_section(&image->elf, &image->kernels[kernel], &section))
		at = find_property(&section, META_SCHEDULE, sizeof(mode));
	if (at)
		memcpy(&mode, at, sizeof(mode));
	return mode;
}
