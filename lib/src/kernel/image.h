/* SPDX-License-Identifier: MIT */
/*
 * Images: the contents of a file of kernels, read from its bytes.
 *
 * There are two kinds.  An image of vnpu-cc is a shared object for the machine of
 * the host, see Documentation/kernels.md.  An object of CANN's compiler has the
 * machine code of a card.  It cannot run here, but has names and properties.
 *
 * Names and parameters stay in the file, which has to stay unchanged.  An image
 * is constant after vnpu_image_open(), so any thread may read it.
 */
#ifndef VNPU_LIB_KERNEL_IMAGE_H
#define VNPU_LIB_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf.h"

/* A kernel that does not exist. */
#define VNPU_KERNEL_NONE	UINT32_MAX

/**
 * struct vnpu_kernel_entry - a kernel of an image
 * @symbol: its name in the symbol table
 * @length: bytes of @symbol that are the kernel's name
 * @name: the compiler's spelling, or NULL for machine code of a card
 * @type: VNPU_KERNEL_TYPE_* of vnpu/kernel.h
 * @address: of the function in the image
 * @args_size: bytes of the argument block
 * @param_count: number of parameters
 * @params: their struct vnpu_param, not aligned; NULL for a card's code
 */
struct vnpu_kernel_entry {
	const char *symbol;
	uint32_t length;
	const char *name;
	uint32_t type;
	uint64_t address;
	uint32_t args_size;
	uint32_t param_count;
	const uint8_t *params;
};

/**
 * struct vnpu_image_view - an open image
 * @elf: the file
 * @is_foreign: it is machine code of a card
 * @arch: architecture that it was compiled for, or 0
 * @cores: VNPU_CORE_* that it was compiled for
 * @source: path of its source file, or NULL
 * @count: number of kernels
 * @kernels: the kernels, in the order of the image
 * @by_symbol: their indexes, sorted by symbol
 * @by_name: their indexes, sorted by name; NULL if they have none
 * @cube: the image for cube cores that this contains, or NULL
 */
struct vnpu_image_view {
	struct vnpu_elf elf;
	bool is_foreign;
	uint32_t arch;
	uint32_t cores;
	const char *source;
	uint32_t count;
	struct vnpu_kernel_entry *kernels;
	uint32_t *by_symbol;
	uint32_t *by_name;
	struct vnpu_image_view *cube;
};

/*
 * Read an image: 0, -ENOMEM, or -ENOEXEC and @why, a sentence without an end.
 */
int vnpu_image_open(struct vnpu_image_view *image, const void *data,
		    size_t size, const char **why);
void vnpu_image_close(struct vnpu_image_view *image);

/* Find a kernel by symbol; VNPU_KERNEL_NONE without one. */
uint32_t vnpu_image_find_symbol(const struct vnpu_image_view *image,
				const char *symbol);

/* Find a kernel by the compiler's spelling, likewise. */
uint32_t vnpu_image_find_name(const struct vnpu_image_view *image,
			      const char *name);

/* Find a kernel by its function entry, the number at the end of its name. */
uint32_t vnpu_image_find_entry(const struct vnpu_image_view *image,
			       uint64_t entry);

/* Find the global variable of a card's code or of an image. */
bool vnpu_image_find_global(const struct vnpu_image_view *image,
			    const char *name, uint64_t *address,
			    uint64_t *size);

/* Get the cores that a kernel runs on, VNPU_CORE_*. */
uint32_t vnpu_image_cores(const struct vnpu_image_view *image, uint32_t kernel);

/* Get the vector cores for each cube core of a mixed kernel; 0 if it is none. */
uint32_t vnpu_image_ratio(const struct vnpu_image_view *image, uint32_t kernel);

/* Get a parameter's place; false without such a parameter. */
bool vnpu_image_param(const struct vnpu_image_view *image, uint32_t kernel,
		      size_t index, uint32_t *offset, uint32_t *size);

/* Get the bytes of code on one kind of core, VNPU_CORE_*; 0 if unknown. */
uint64_t vnpu_image_code_size(const struct vnpu_image_view *image,
			      uint32_t kernel, uint32_t core);

/* Read the table of kernels of a card's code, see meta.c; as above. */
int vnpu_meta_read(struct vnpu_image_view *image, const char **why);

/* Get the VNPU_KERNEL_TYPE_* of a card's kernel. */
uint32_t vnpu_meta_type(const struct vnpu_image_view *image, uint32_t kernel);

/* Find a card's kernel by the function entry that its code records. */
uint32_t vnpu_meta_find_entry(const struct vnpu_image_view *image,
			      uint64_t entry);

/* Get the number of parameters of a card's kernel; false if unknown. */
bool vnpu_meta_param_count(const struct vnpu_image_view *image,
			   uint32_t kernel, uint32_t *count);

/* Get the scheduling mode of a card's kernel; 0 if it has none. */
uint32_t vnpu_meta_schedule(const struct vnpu_image_view *image,
			    uint32_t kernel);

#endif /* VNPU_LIB_KERNEL_IMAGE_H */
