/* SPDX-License-Identifier: MIT */
/*
 * Checks of images.  The dynamic loader trusts its files and runs their code,
 * so the core first checks everything that it or the loader reads in an image.
 */
#ifndef VNPU_CORE_CHECK_H
#define VNPU_CORE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_ERROR_MAX	256

/* vnpu_image.state_size, at most. */
#define IMAGE_STATE_MAX	(2U << 20)

/**
 * struct image_facts - the facts about a valid image
 * @kernel_count: number of its kernels
 * @cores: vnpu_image.cores
 * @state_size: vnpu_image.state_size
 * @text: address of its code, relative to where it is loaded
 * @text_end: end of its code
 * @cube: position of the image for cube cores in the file
 * @cube_size: its bytes; 0 if there is none
 */
struct image_facts {
	uint32_t kernel_count;
	uint32_t cores;
	uint32_t state_size;
	uint64_t text;
	uint64_t text_end;
	uint64_t cube;
	uint64_t cube_size;
};

/**
 * image_check() - check an image
 * @data: the file
 * @size: its bytes
 * @isa: the level of this processor, VNPU_ISA_*
 * @facts: filled in
 * @error: a clause that says what is wrong, IMAGE_ERROR_MAX bytes
 *
 * Does not check the image for cube cores inside.
 *
 * Return: 0, -ENOEXEC if the file is not an image that this core can run, or
 * -ENOMEM.
 */
int image_check(const void *data, size_t size, uint32_t isa,
		struct image_facts *facts, char *error);

/**
 * image_isa() - find the level of this processor
 *
 * Return: VNPU_ISA_*.
 */
uint32_t image_isa(void);

#endif /* VNPU_CORE_CHECK_H */
