/* SPDX-License-Identifier: MIT */
/*
 * Lists of arguments, of aclrtKernelArgsInit().
 */
#ifndef VNPU_LIB_KERNEL_ARGS_H
#define VNPU_LIB_KERNEL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_function;

/* Limits of a list. */
#define VNPU_ARGS_PARAMS	128
#define VNPU_ARGS_BYTES		65536U
#define VNPU_ARGS_SLOT		8
#define VNPU_ARGS_DATA_ALIGN	32

/* An argument: its place, and that of its data if it is a placeholder. */
struct vnpu_arg {
	uint32_t offset;
	uint32_t size;
	uint32_t data;		/* offset of the data, or 0 */
	uint32_t is_place;
};

/**
 * struct vnpu_args - a list
 * @magic: distinguishes a list in the program's memory from other memory
 * @self: where such a list is
 * @binary: handle of the binary of such a list
 * @next: of the lists of a binary; the lock of the binary
 * @handle: its handle, or 0 if it is in the program's memory
 * @buffer: the arguments, then the data of placeholders
 * @room: bytes at @buffer
 * @end: bytes of it that the arguments take
 * @used: the same with the data of placeholders
 * @count: number of arguments
 * @number: of the list, in the handles of its arguments
 * @is_final: nothing can be appended
 * @args: the arguments
 *
 * As in CANN, one thread at a time may change a list.
 */
struct vnpu_args {
	uint64_t magic;
	uint64_t self;
	uint64_t binary;
	struct vnpu_args *next;
	uint64_t handle;
	char *buffer;
	uint32_t room;
	uint32_t end;
	uint32_t used;
	uint32_t count;
	uint32_t number;
	bool is_final;
	struct vnpu_arg args[VNPU_ARGS_PARAMS];
};

/* Find a list; reports an error.  vnpu_args_put() drops it. */
aclError vnpu_args_get(aclrtArgsHandle handle, struct vnpu_args **args);
void vnpu_args_put(struct vnpu_args *args);

/* A number for a new list. */
uint32_t vnpu_args_number(void);

/* Find a list in memory of the program; NULL if there is none. */
struct vnpu_args *vnpu_args_user(aclrtArgsHandle handle);

/* Destroy the lists of a binary, from @args on. */
void vnpu_args_destroy_all(struct vnpu_args *args);

/*
 * Get the bytes that a kernel's argument block takes with this list, or report
 * that an argument does not fit its parameter.
 *
 * A list has each argument at a multiple of 8.  If it has one for each parameter
 * of the kernel, the block has them where the kernel expects them; otherwise it
 * is like the list.
 */
aclError vnpu_args_size(const struct vnpu_args *args,
			const struct vnpu_function *function, size_t *size);

/*
 * Write the block, of the above size, with the addresses of placeholders to
 * @to. @va is the device address of @to.
 */
void vnpu_args_write(const struct vnpu_args *args,
		     const struct vnpu_function *function, char *to,
		     uint64_t va);

#endif /* VNPU_LIB_KERNEL_ARGS_H */
