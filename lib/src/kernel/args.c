// SPDX-License-Identifier: MIT
/*
 * Lists of arguments, see args.h.
 *
 * A list is an object of the library, with a handle, or in memory of the program,
 * see args_user.c.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "args.h"
#include "binary.h"

/* An argument's handle: the number of its list, then its place plus one. */
#define PLACE_BITS	16
#define PLACE_MASK	((1ULL << PLACE_BITS) - 1)

uint32_t vnpu_args_number(void)
{
	static _Atomic uint32_t last;

	return ++last;
}

aclError vnpu_args_get(aclrtArgsHandle handle, struct vnpu_args **args)
{
	if (!handle)
		return vnpu_error_null("argsHandle");
	*args = vnpu_handle_get(VNPU_HANDLE_ARGS, handle);
	if (!*args)
		*args = vnpu_args_user(handle);
	if (*args)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"argsHandle = %p is not a list of arguments, or its binary was unloaded; pass one of aclrtKernelArgsInit",
		handle);
}

void vnpu_args_put(struct vnpu_args *args)
{
	if (!args->handle || !vnpu_handle_put(args->handle))
		return;
	free(args->buffer);
	free(args);
}

void vnpu_args_destroy_all(struct vnpu_args *args)
{
	while (args) {
		struct vnpu_args *next = args->next;

		if (vnpu_handle_remove(VNPU_HANDLE_ARGS,
				       vnpu_u64_to_ptr(args->handle)))
			vnpu_args_put(args);
		args = next;
	}
}

/* Give a new list to the binary; false if that was unloaded. */
static bool add_to_binary(struct vnpu_binary *binary, struct vnpu_args *args)
{
	bool is_live;

	vnpu_lock(&binary->lock);
	is_live = vnpu_handle_is_live(binary->handle);
	if (is_live) {
		args->next = binary->args;
		binary->args = args;
	}
	vnpu_unlock(&binary->lock);
	return is_live;
}

static aclError args_create(struct vnpu_binary *binary, aclrtArgsHandle *handle)
{
	struct vnpu_args *args = calloc(1, sizeof(*args));

	if (args)
		args->buffer = malloc(VNPU_ARGS_BYTES);
	if (args && args->buffer)
		args->handle = vnpu_handle_add(VNPU_HANDLE_ARGS, args);
	if (!args || !args->handle) {
		if (args)
			free(args->buffer);
		free(args);
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
				  "no host memory for a list of arguments");
	}
	args->number = vnpu_args_number();
	args->room = VNPU_ARGS_BYTES;
	*handle = vnpu_u64_to_ptr(args->handle);
	if (add_to_binary(binary, args))
		return ACL_SUCCESS;
	vnpu_args_destroy_all(args);
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"the binary of funcHandle was unloaded during the call");
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
			     aclrtArgsHandle *argsHandle)
{
	VNPU_CALL();
	struct vnpu_function *function;
	aclError ret;

	if (!argsHandle)
		return vnpu_error_null("argsHandle");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	ret = args_create(function->binary, argsHandle);
	vnpu_function_put(function);
	return ret;
}

/* Take room for another argument; the list is not changed on failure. */
static aclError append(struct vnpu_args *args, size_t size,
		       struct vnpu_arg **arg)
{
	uint64_t end = args->end + vnpu_align_up(size, VNPU_ARGS_SLOT);

	if (args->is_final)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the list is final; append before aclrtKernelArgsFinalize");
	if (args->used != args->end)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the list has data of placeholders already; append all arguments before aclrtKernelArgsGetPlaceHolderBuffer");
	if (args->count == VNPU_ARGS_PARAMS)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the list has %d arguments, the maximum", args->count);
	if (size > VNPU_ARGS_BYTES || end > args->room)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%zu more bytes exceed the %u bytes of the list, of which %u are used",
			size, args->room, args->end);
	*arg = &args->args[args->count++];
	**arg = (struct vnpu_arg){ .offset = args->end, .size = size };
	args->end = args->used = end;
	return ACL_SUCCESS;
}

static aclrtParamHandle param_handle(const struct vnpu_args *args,
				     const struct vnpu_arg *arg)
{
	return vnpu_u64_to_ptr((uint64_t)args->number << PLACE_BITS |
			       (arg - args->args + 1));
}

/* Find an argument by its handle; NULL after an error report. */
static struct vnpu_arg *find_arg(struct vnpu_args *args,
				 aclrtParamHandle handle)
{
	uint64_t place = vnpu_ptr_to_u64(handle) & PLACE_MASK;

	if (vnpu_ptr_to_u64(handle) >> PLACE_BITS == args->number && place &&
	    place <= args->count)
		return &args->args[place - 1];
	vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"paramHandle = %p is not an argument of the list, which has %u",
		handle, args->count);
	return NULL;
}

/* Check an argument that a program passes; an error is reported. */
static aclError check_param(const void *param, size_t size)
{
	if (!param)
		return vnpu_error_null("param");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"paramSize is 0; pass the bytes of the argument");
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param,
			       size_t paramSize, aclrtParamHandle *paramHandle)
{
	VNPU_CALL();
	struct vnpu_args *args;
	struct vnpu_arg *arg;
	aclError ret = check_param(param, paramSize);

	if (ret)
		return ret;
	if (!paramHandle)
		return vnpu_error_null("paramHandle");
	ret = vnpu_args_get(argsHandle, &args);
	if (ret)
		return ret;
	ret = append(args, paramSize, &arg);
	if (!ret) {
		memset(args->buffer + arg->offset, 0, args->end - arg->offset);
		memcpy(args->buffer + arg->offset, param, paramSize);
		*paramHandle = param_handle(args, arg);
	}
	vnpu_args_put(args);
	return ret;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
					  aclrtParamHandle *paramHandle)
{
	VNPU_CALL();
	struct vnpu_args *args;
	struct vnpu_arg *arg;
	aclError ret;

	if (!paramHandle)
		return vnpu_error_null("paramHandle");
	ret = vnpu_args_get(argsHandle, &args);
	if (ret)
		return ret;
	ret = append(args, sizeof(uint64_t), &arg);
	if (!ret) {
		memset(args->buffer + arg->offset, 0, sizeof(uint64_t));
		arg->is_place = 1;
		*paramHandle = param_handle(args, arg);
	}
	vnpu_args_put(args);
	return ret;
}

static aclError place_data(struct vnpu_args *args, aclrtParamHandle handle,
			   size_t size, void **buffer)
{
	uint64_t begin = vnpu_align_up(args->used, VNPU_ARGS_DATA_ALIGN);
	struct vnpu_arg *arg;

	if (args->is_final)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the list is final; call this before aclrtKernelArgsFinalize");
	arg = find_arg(args, handle);
	if (!arg)
		return ACL_ERROR_RT_PARAM_INVALID;
	if (!arg->is_place || arg->data)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"paramHandle = %p is not a placeholder, or has its buffer already",
			handle);
	if (size > VNPU_ARGS_BYTES || begin + size > args->room)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"dataSize = %zu exceeds the %u bytes of the list, of which %u are used",
			size, args->room, args->used);
	arg->data = begin;
	args->used = begin + size;
	*buffer = args->buffer + begin;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
					     aclrtParamHandle paramHandle,
					     size_t dataSize,
					     void **bufferAddr)
{
	VNPU_CALL();
	struct vnpu_args *args;
	aclError ret;

	if (!bufferAddr)
		return vnpu_error_null("bufferAddr");
	if (!dataSize)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"dataSize is 0; pass the bytes of the data");
	ret = vnpu_args_get(argsHandle, &args);
	if (ret)
		return ret;
	ret = place_data(args, paramHandle, dataSize, bufferAddr);
	vnpu_args_put(args);
	return ret;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
				   aclrtParamHandle paramHandle, void *param,
				   size_t paramSize)
{
	VNPU_CALL();
	struct vnpu_args *args;
	struct vnpu_arg *arg;
	aclError ret = check_param(param, paramSize);

	if (!ret)
		ret = vnpu_args_get(argsHandle, &args);
	if (ret)
		return ret;
	arg = find_arg(args, paramHandle);
	if (!arg) {
		ret = ACL_ERROR_RT_PARAM_INVALID;
	} else if (arg->is_place || paramSize > arg->size) {
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"paramSize = %zu: the argument %s", paramSize,
			arg->is_place ? "is a placeholder" : "has fewer bytes");
	} else {
		memcpy(args->buffer + arg->offset, param, paramSize);
		args->is_final = false;
	}
	vnpu_args_put(args);
	return ret;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
	VNPU_CALL();
	struct vnpu_args *args;
	aclError ret = vnpu_args_get(argsHandle, &args);

	if (ret)
		return ret;
	args->is_final = true;
	vnpu_args_put(args);
	return ACL_SUCCESS;
}

/* Check if the list has one argument for each parameter. */
static bool is_whole(const struct vnpu_args *args,
		     const struct vnpu_function *function)
{
	const struct vnpu_kernel_entry *entry = vnpu_function_entry(function);

	return entry->params && args->count == entry->param_count;
}

/* Get the place of an argument in the block. */
static void place_of(const struct vnpu_args *args,
		     const struct vnpu_function *function, uint32_t i,
		     uint32_t *offset, uint32_t *size)
{
	*offset = args->args[i].offset;
	*size = args->args[i].size;
	if (is_whole(args, function))
		vnpu_image_param(&function->binary->image, function->index, i,
				 offset, size);
}

/* Get the bytes of a block's arguments, without the data of placeholders. */
static uint32_t block_end(const struct vnpu_args *args,
			  const struct vnpu_function *function)
{
	return is_whole(args, function) ?
	       vnpu_function_entry(function)->args_size : args->end;
}

aclError vnpu_args_size(const struct vnpu_args *args,
			const struct vnpu_function *function, size_t *size)
{
	uint32_t end = block_end(args, function), offset, bytes;
	size_t whole = end;

	for (uint32_t i = 0; i < args->count; i++) {
		place_of(args, function, i, &offset, &bytes);
		if (bytes > args->args[i].size)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"argument %u of the list has %u bytes, but the kernel's parameter has %u",
				i, args->args[i].size, bytes);
		if (offset > end || bytes > end - offset ||
		    end > VNPU_ARGS_BYTES)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"the binary places parameter %u outside of its arguments",
				i);
	}
	*size = vnpu_align_up(end, VNPU_ARGS_DATA_ALIGN) + args->used -
		args->end;
	return vnpu_function_check_args(function, &whole);
}

void vnpu_args_write(const struct vnpu_args *args,
		     const struct vnpu_function *function, char *to,
		     uint64_t va)
{
	uint32_t end = vnpu_align_up(block_end(args, function),
				     VNPU_ARGS_DATA_ALIGN);
	uint32_t data = vnpu_align_up(args->end, VNPU_ARGS_DATA_ALIGN);
	uint32_t offset, size;

	memset(to, 0, end);
	for (uint32_t i = 0; i < args->count; i++) {
		const struct vnpu_arg *arg = &args->args[i];
		uint64_t address = arg->data ? va + end + (arg->data - data) :
					       0;

		place_of(args, function, i, &offset, &size);
		memcpy(to + offset, arg->is_place ? (char *)&address :
		       args->buffer + arg->offset, size);
	}
	if (args->used > data)
		memcpy(to + end, args->buffer + data, args->used - data);
}
