// SPDX-License-Identifier: MIT
/*
 * The table of kernels of an image.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "file.h"
#include "vnpu/kernel.h"

#define KERNELS_MAX	65536U
#define PARAMS_MAX	4096U
#define ARGS_MAX	65536U

uint32_t image_isa(void)
{
#ifdef __x86_64__
	/* Processors with these features have the rest of their level. */
	if (!__builtin_cpu_supports("sse4.2") ||
	    !__builtin_cpu_supports("popcnt"))
		return VNPU_ISA_BASE;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
	    !__builtin_cpu_supports("bmi2"))
		return VNPU_ISA_X86_64_V2;
	if (!__builtin_cpu_supports("avx512f") ||
	    !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("avx512vl"))
		return VNPU_ISA_X86_64_V3;
	return VNPU_ISA_X86_64_V4;
#else
	return VNPU_ISA_BASE;
#endif
}

static bool is_code(const struct elf_file *file, const void *address)
{
	return elf_at(file, (uintptr_t)address, 1, 1, 1, PF_X);
}

/* Pointers of the image are addresses of the file's memory. */
static int kernel_check(struct elf_file *file, const struct vnpu_kernel *kernel)
{
	const struct vnpu_kernel_info *info =
		elf_at(file, (uintptr_t)kernel->info, 1, sizeof(*info), 8, PF_R);
	const char *symbol = elf_string(file, (uintptr_t)kernel->symbol);
	const struct vnpu_param *params;

	if (!symbol || !info || !elf_string(file, (uintptr_t)info->name))
		return elf_refuse(file, "a kernel has no name");
	if (!is_code(file, (const void *)kernel->entry) ||
	    !is_code(file, (const void *)info->call))
		return elf_refuse(file, "kernel %.64s has no code", symbol);
	if (kernel->type > VNPU_KERNEL_TYPE_MIX_AIC_1_2)
		return elf_refuse(file, "kernel %.64s has the type %u",
				  symbol, kernel->type);
	params = elf_at(file, (uintptr_t)info->params, info->param_count,
			sizeof(*params), 4, PF_R);
	if (info->param_count > PARAMS_MAX || info->args_size > ARGS_MAX ||
	    (info->param_count && !params))
		return elf_refuse(file, "the parameters of kernel %.64s are invalid",
				  symbol);
	for (uint32_t i = 0; i < info->param_count; i++)
		if (params[i].offset > info->args_size ||
		    params[i].size > info->args_size - params[i].offset)
			return elf_refuse(file, "parameter %u of kernel %.64s is outside of its arguments",
					  i, symbol);
	return 0;
}

static int kernels_check(struct elf_file *file, const struct vnpu_image *image,
			 struct image_facts *facts)
{
	uint64_t first = (uintptr_t)image->kernels;
	uint64_t end = (uintptr_t)image->kernels_end;
	uint64_t count = (end - first) / sizeof(struct vnpu_kernel);
	const struct vnpu_kernel *kernels =
		elf_at(file, first, count, sizeof(*kernels), 8, PF_R);
	int ret;

	if (end < first || (end - first) % sizeof(*kernels) ||
	    count > KERNELS_MAX || (count && !kernels))
		return elf_refuse(file, "its table of kernels is invalid");
	for (uint64_t i = 0; i < count; i++) {
		ret = kernel_check(file, &kernels[i]);
		if (ret)
			return ret;
	}
	facts->kernel_count = count;
	return 0;
}

/* The image for cube cores must be in the file as it is in memory. */
static int cube_find(struct elf_file *file, const struct vnpu_image *image,
		     struct image_facts *facts)
{
	uint64_t first = (uintptr_t)image->cube;
	uint64_t end = (uintptr_t)image->cube_end;

	if (first == end)
		return 0;
	for (unsigned int i = 0; i < file->load_count; i++) {
		const Elf64_Phdr *load = &file->load[i];

		if (first >= load->p_vaddr && end >= first &&
		    end - load->p_vaddr <= load->p_filesz) {
			facts->cube = load->p_offset + (first - load->p_vaddr);
			facts->cube_size = end - first;
			return 0;
		}
	}
	return elf_refuse(file, "its image for cube cores is not in a segment");
}

static int image_read(struct elf_file *file, uint64_t address, uint32_t isa,
		      struct image_facts *facts)
{
	const struct vnpu_image *image =
		elf_at(file, address, 1, sizeof(*image), 8, PF_R);
	int ret;

	if (!image)
		return elf_refuse(file, "vnpu_image is not in a segment");
	if (image->magic != VNPU_IMAGE_MAGIC || image->size < sizeof(*image))
		return elf_refuse(file, "vnpu_image is not of this kind: its magic number is 0x%llx",
				  (unsigned long long)image->magic);
	if (image->abi != VNPU_KERNEL_ABI)
		return elf_refuse(file, "it has version %u of the interface, this core has %u: compile the kernel again",
				  image->abi, VNPU_KERNEL_ABI);
	if (image->isa > isa)
		return elf_refuse(file, "it was compiled for processors of level x86-64-v%u, and this one has level %u: compile the kernel with -march=x86-64%s%.0u",
				  image->isa, isa, isa ? "-v" : "", isa);
	if (image->cores != VNPU_CORE_VECTOR && image->cores != VNPU_CORE_CUBE)
		return elf_refuse(file, "it is for cores of the kind %u",
				  image->cores);
	if (image->state_size > IMAGE_STATE_MAX)
		return elf_refuse(file, "its blocks have %u bytes of state, more than %u",
				  image->state_size, IMAGE_STATE_MAX);
	if (!elf_string(file, (uintptr_t)image->source))
		return elf_refuse(file, "it does not name its source");
	facts->cores = image->cores;
	facts->state_size = image->state_size;
	ret = kernels_check(file, image, facts);
	return ret ? ret : cube_find(file, image, facts);
}

int image_check(const void *data, size_t size, uint32_t isa,
		struct image_facts *facts, char *error)
{
	struct elf_file file;
	uint64_t address;
	int ret;

	memset(facts, 0, sizeof(*facts));
	ret = elf_open(&file, data, size, error);
	if (ret)
		return ret;
	ret = elf_memory_make(&file);
	if (!ret)
		ret = elf_dynamic_check(&file, &address);
	if (!ret)
		ret = image_read(&file, address, isa, facts);
	for (unsigned int i = 0; i < file.load_count; i++)
		if (file.load[i].p_flags & PF_X) {
			facts->text = file.load[i].p_vaddr;
			facts->text_end = facts->text + file.load[i].p_memsz;
			break;
		}
	elf_close(&file);
	return ret;
}
