// SPDX-License-Identifier: MIT
/*
 * Images, see image.h: the structures of vnpu/kernel.h in a file.
 *
 * They contain pointers, for which the file has relative relocations.  So this
 * reads pointers by vnpu_elf_pointer(), and other members from the bytes.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "base/util.h"
#include "image.h"

#define IMAGE_SYMBOL	"vnpu_image"

/* The argument of the comparisons, which qsort() does not pass. */
static __thread const struct vnpu_image_view *sorted;

static int compare_strings(const char *a, size_t a_length, const char *b,
			   size_t b_length)
{
	size_t common = a_length < b_length ? a_length : b_length;
	int order = memcmp(a, b, common);

	if (order)
		return order;
	return a_length < b_length ? -1 : a_length > b_length;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct vnpu_kernel_entry *x =
		&sorted->kernels[*(const uint32_t *)a];
	const struct vnpu_kernel_entry *y =
		&sorted->kernels[*(const uint32_t *)b];

	return compare_strings(x->symbol, x->length, y->symbol, y->length);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(sorted->kernels[*(const uint32_t *)a].name,
		      sorted->kernels[*(const uint32_t *)b].name);
}

/* Make an array of all kernels, in order. */
static uint32_t *sort(const struct vnpu_image_view *image,
		      int (*compare)(const void *a, const void *b))
{
	uint32_t *order = calloc(image->count + 1UL, sizeof(*order));

	if (!order)
		return NULL;
	for (uint32_t i = 0; i < image->count; i++)
		order[i] = i;
	sorted = image;
	qsort(order, image->count, sizeof(*order), compare);
	sorted = NULL;
	return order;
}

/* Check that the processor has the instructions of an image. */
static bool has_isa(uint32_t isa)
{
	if (isa == VNPU_ISA_BASE)
		return true;
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (isa == VNPU_ISA_X86_64_V2)
		return __builtin_cpu_supports("sse4.2") &&
		       __builtin_cpu_supports("popcnt");
	if (isa == VNPU_ISA_X86_64_V3)
		return __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi2");
	if (isa == VNPU_ISA_X86_64_V4)
		return __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512cd") &&
		       __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl");
#endif
	return false;
}

/* Find the symbol by which a loader finds the image. */
static bool find_image(const struct vnpu_elf *elf, uint64_t *address)
{
	struct vnpu_elf_section table;
	struct vnpu_elf_symbol symbol;
	uint32_t index = 0;

	if (!vnpu_elf_next_section(elf, SHT_DYNSYM, &index, &table))
		return false;
	for (size_t i = 0; vnpu_elf_symbol(elf, &table, i, &symbol); i++) {
		if (symbol.section == SHN_UNDEF ||
		    strcmp(symbol.name, IMAGE_SYMBOL))
			continue;
		*address = symbol.value;
		return true;
	}
	return false;
}

/* Read what describes a function and its parameters. */
static bool read_info(const struct vnpu_elf *elf, uint64_t address,
		      struct vnpu_kernel_entry *entry)
{
	const size_t counts = offsetof(struct vnpu_kernel_info, param_count);
	const uint8_t *raw = vnpu_elf_at(elf, address,
					 sizeof(struct vnpu_kernel_info));
	uint64_t name, params;

	if (!raw || !vnpu_elf_pointer(elf, address, &name) ||
	    !vnpu_elf_pointer(elf, address +
			      offsetof(struct vnpu_kernel_info, params),
			      &params))
		return false;
	memcpy(&entry->param_count, raw + counts, sizeof(uint32_t));
	memcpy(&entry->args_size, raw + counts + sizeof(uint32_t),
	       sizeof(uint32_t));
	entry->name = vnpu_elf_string(elf, name);
	if (entry->param_count)
		entry->params = vnpu_elf_at(elf, params,
					    (uint64_t)entry->param_count *
					    sizeof(struct vnpu_param));
	return entry->name && (entry->params || !entry->param_count);
}

static bool read_kernel(const struct vnpu_elf *elf, uint64_t address,
			struct vnpu_kernel_entry *entry)
{
	const uint8_t *raw = vnpu_elf_at(elf, address,
					 sizeof(struct vnpu_kernel));
	uint64_t symbol, info;

	if (!raw || !vnpu_elf_pointer(elf, address, &symbol) ||
	    !vnpu_elf_pointer(elf, address + offsetof(struct vnpu_kernel, entry),
			      &entry->address) ||
	    !vnpu_elf_pointer(elf, address + offsetof(struct vnpu_kernel, info),
			      &info))
		return false;
	memcpy(&entry->type, raw + offsetof(struct vnpu_kernel, type),
	       sizeof(entry->type));
	entry->symbol = vnpu_elf_string(elf, symbol);
	if (!entry->symbol || entry->type > VNPU_KERNEL_TYPE_MIX_AIC_1_2)
		return false;
	entry->length = strlen(entry->symbol);
	return read_info(elf, info, entry);
}

/* Read the table of kernels between two addresses. */
static int read_kernels(struct vnpu_image_view *image, uint64_t begin,
			uint64_t end, const char **why)
{
	const size_t step = sizeof(struct vnpu_kernel);
	uint64_t count = (end - begin) / step;

	*why = "its table of kernels is invalid";
	if (end < begin || (end - begin) % step || count > UINT32_MAX / 2 ||
	    (count && !vnpu_elf_at(&image->elf, begin, end - begin)))
		return -ENOEXEC;
	image->kernels = calloc(count + 1, sizeof(*image->kernels));
	if (!image->kernels)
		return -ENOMEM;
	image->count = count;
	for (uint32_t i = 0; i < count; i++)
		if (!read_kernel(&image->elf, begin + i * step,
				 &image->kernels[i]))
			return -ENOEXEC;
	image->by_symbol = sort(image, compare_symbols);
	image->by_name = sort(image, compare_names);
	return image->by_symbol && image->by_name ? 0 : -ENOMEM;
}

static int open_one(struct vnpu_image_view *image, const void *data,
		    size_t size, bool is_inner, const char **why);

/* Read the image for cube cores, if the file contains one. */
static int read_cube(struct vnpu_image_view *image, uint64_t begin,
		     uint64_t end, const char **why)
{
	const void *data;

	if (begin == end)
		return 0;
	data = end > begin ? vnpu_elf_at(&image->elf, begin, end - begin) :
			     NULL;
	*why = "its image for cube cores is outside of the file";
	if (!data)
		return -ENOEXEC;
	image->cube = calloc(1, sizeof(*image->cube));
	if (!image->cube)
		return -ENOMEM;
	return open_one(image->cube, data, end - begin, true, why);
}

/* Read an image for this machine, from its struct vnpu_image on. */
static int read_image(struct vnpu_image_view *image, bool is_inner,
		      const char **why)
{
	const struct vnpu_elf *elf = &image->elf;
	uint64_t at, kernels, end, source, cube, cube_end;
	struct vnpu_image raw;
	const void *bytes;
	int ret;

	*why = "it exports no symbol " IMAGE_SYMBOL;
	if (!find_image(elf, &at))
		return -ENOEXEC;
	bytes = vnpu_elf_at(elf, at, sizeof(raw));
	*why = "its description is outside of the file";
	if (!bytes)
		return -ENOEXEC;
	memcpy(&raw, bytes, sizeof(raw));
	*why = "its description has another format";
	if (raw.magic != VNPU_IMAGE_MAGIC || raw.size < sizeof(raw))
		return -ENOEXEC;
	*why = "another version of vnpu-cc has compiled it; compile it again";
	if (raw.abi != VNPU_KERNEL_ABI)
		return -ENOEXEC;
	*why = "it needs instructions that this processor lacks; compile it with a lower -march";
	if (!has_isa(raw.isa))
		return -ENOEXEC;
	image->arch = raw.arch;
	image->cores = raw.cores;

	*why = "its description has invalid addresses";
#define POINTER(member, value) \
	vnpu_elf_pointer(elf, at + offsetof(struct vnpu_image, member), value)
	if (!POINTER(kernels, &kernels) || !POINTER(kernels_end, &end) ||
	    !POINTER(source, &source) || !POINTER(cube, &cube) ||
	    !POINTER(cube_end, &cube_end))
		return -ENOEXEC;
#undef POINTER
	image->source = vnpu_elf_string(elf, source);
	ret = read_kernels(image, kernels, end, why);
	if (ret || is_inner)
		return ret;
	return read_cube(image, cube, cube_end, why);
}

static int open_one(struct vnpu_image_view *image, const void *data,
		    size_t size, bool is_inner, const char **why)
{
	int ret;

	*image = (struct vnpu_image_view){ 0 };
	ret = vnpu_elf_open(&image->elf, data, size, why);
	if (ret)
		return ret;
	if (image->elf.machine == vnpu_elf_host_machine()) {
		ret = read_image(image, is_inner, why);
	} else if (is_inner) {
		*why = "its image for cube cores is for another machine";
		ret = -ENOEXEC;
	} else {
		image->is_foreign = true;
		ret = vnpu_meta_read(image, why);
		if (!ret)
			image->by_symbol = sort(image, compare_symbols);
		if (!ret && !image->by_symbol)
			ret = -ENOMEM;
	}
	return ret;
}

int vnpu_image_open(struct vnpu_image_view *image, const void *data,
		    size_t size, const char **why)
{
	int ret = open_one(image, data, size, false, why);

	if (ret)
		vnpu_image_close(image);
	return ret;
}

void vnpu_image_close(struct vnpu_image_view *image)
{
	if (image->cube)
		vnpu_image_close(image->cube);
	free(image->cube);
	free(image->by_name);
	free(image->by_symbol);
	free(image->kernels);
	vnpu_elf_close(&image->elf);
	*image = (struct vnpu_image_view){ 0 };
}

uint32_t vnpu_image_find_symbol(const struct vnpu_image_view *image,
				const char *symbol)
{
	size_t length = strlen(symbol), low = 0, high = image->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct vnpu_kernel_entry *entry =
			&image->kernels[image->by_symbol[middle]];
		int order = compare_strings(entry->symbol, entry->length,
					    symbol, length);

		if (!order)
			return image->by_symbol[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return VNPU_KERNEL_NONE;
}

uint32_t vnpu_image_find_name(const struct vnpu_image_view *image,
			      const char *name)
{
	size_t low = 0, high = image->by_name ? image->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(image->kernels[image->by_name[middle]].name,
				   name);

		if (!order)
			return image->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return VNPU_KERNEL_NONE;
}

/* Get the number at the end of NAME_123; false without one. */
static bool suffix(const struct vnpu_kernel_entry *kernel, uint64_t *entry)
{
	const char *begin = kernel->symbol, *at = begin + kernel->length;
	uint64_t value = 0, scale = 1;

	for (; at > begin && at[-1] >= '0' && at[-1] <= '9'; at--) {
		uint64_t digit = at[-1] - '0', part;

		if (__builtin_mul_overflow(digit, scale, &part) ||
		    __builtin_add_overflow(value, part, &value))
			return false;
		if (at - 1 > begin && at[-2] >= '0' && at[-2] <= '9' &&
		    __builtin_mul_overflow(scale, 10, &scale))
			return false;
	}
	*entry = value;
	return at > begin && at[-1] == '_' && *at >= '0' && *at <= '9' &&
	       at < begin + kernel->length;
}

uint32_t vnpu_image_find_entry(const struct vnpu_image_view *image,
			       uint64_t entry)
{
	uint32_t found = VNPU_KERNEL_NONE;
	uint64_t own;

	if (image->is_foreign)
		found = vnpu_meta_find_entry(image, entry);
	for (uint32_t i = 0; i < image->count && found == VNPU_KERNEL_NONE; i++)
		if (suffix(&image->kernels[i], &own) && own == entry)
			found = i;
	return found;
}

/* Find a symbol of a type in the full table, which a file may lack. */
static bool find_symbol(const struct vnpu_elf *elf, const char *name,
			uint8_t type, struct vnpu_elf_symbol *symbol)
{
	struct vnpu_elf_section table;
	uint32_t index = 0;

	if (!vnpu_elf_next_section(elf, SHT_SYMTAB, &index, &table))
		return false;
	for (size_t i = 0; vnpu_elf_symbol(elf, &table, i, symbol); i++)
		if (symbol->type == type && symbol->section != SHN_UNDEF &&
		    !strcmp(symbol->name, name))
			return true;
	return false;
}

bool vnpu_image_find_global(const struct vnpu_image_view *image,
			    const char *name, uint64_t *address,
			    uint64_t *size)
{
	struct vnpu_elf_symbol symbol;

	if (!find_symbol(&image->elf, name, STT_OBJECT, &symbol))
		return false;
	*address = symbol.value;
	*size = symbol.size;
	return true;
}

static uint32_t type_of(const struct vnpu_image_view *image, uint32_t kernel)
{
	return image->is_foreign ? vnpu_meta_type(image, kernel) :
				   image->kernels[kernel].type;
}

uint32_t vnpu_image_cores(const struct vnpu_image_view *image, uint32_t kernel)
{
	switch (type_of(image, kernel)) {
	case VNPU_KERNEL_TYPE_AIV_ONLY:
	case VNPU_KERNEL_TYPE_MIX_AIV_1_0:
		return VNPU_CORE_VECTOR;
	case VNPU_KERNEL_TYPE_AIC_ONLY:
	case VNPU_KERNEL_TYPE_MIX_AIC_1_0:
		return VNPU_CORE_CUBE;
	case VNPU_KERNEL_TYPE_MIX_AIC_1_1:
	case VNPU_KERNEL_TYPE_MIX_AIC_1_2:
		return VNPU_CORE_VECTOR | VNPU_CORE_CUBE;
	default:
		return image->cores == VNPU_CORE_CUBE ? VNPU_CORE_CUBE :
							VNPU_CORE_VECTOR;
	}
}

uint32_t vnpu_image_ratio(const struct vnpu_image_view *image, uint32_t kernel)
{
	switch (type_of(image, kernel)) {
	case VNPU_KERNEL_TYPE_MIX_AIC_1_1:
		return 1;
	case VNPU_KERNEL_TYPE_MIX_AIC_1_2:
		return 2;
	default:
		return 0;
	}
}

bool vnpu_image_param(const struct vnpu_image_view *image, uint32_t kernel,
		      size_t index, uint32_t *offset, uint32_t *size)
{
	const struct vnpu_kernel_entry *entry = &image->kernels[kernel];
	struct vnpu_param param;

	if (index >= entry->param_count || !entry->params)
		return false;
	memcpy(&param, entry->params + index * sizeof(param), sizeof(param));
	*offset = param.offset;
	*size = param.size;
	return true;
}

uint64_t vnpu_image_code_size(const struct vnpu_image_view *image,
			      uint32_t kernel, uint32_t core)
{
	const struct vnpu_image_view *of = image;
	struct vnpu_elf_symbol symbol;

	if (!(vnpu_image_cores(image, kernel) & core))
		return 0;
	if (core == VNPU_CORE_CUBE && image->cube)
		of = image->cube;
	if (!find_symbol(&of->elf, image->kernels[kernel].symbol, STT_FUNC,
			 &symbol))
		return 0;
	return symbol.size;
}
