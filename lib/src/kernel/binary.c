// SPDX-License-Identifier: MIT
/*
 * Binaries and functions, see binary.h: their life.  binary_call.c has the
 * calls, unit.c the binaries that are part of the program.
 *
 * A list of all binaries serves cores that start again.  Its lock is inside that
 * of a core, and outside that of a binary.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "mem/pinned.h"
#include "args.h"
#include "binary.h"
#include "core.h"

#define COPY_ALIGN	4096
#define STEP_MAX	(16UL << 20)

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_binary *first;	/* protected by the lock, */
static uint32_t last_id;		/* like this */

void vnpu_binary_lock(void)
{
	pthread_mutex_lock(&list_mutex);
}

void vnpu_binary_unlock(void)
{
	pthread_mutex_unlock(&list_mutex);
}

/* Write all bytes; 0 or -errno. */
static int write_all(int file, const char *data, size_t size)
{
	while (size) {
		ssize_t count = write(file, data,
				      size < STEP_MAX ? size : STEP_MAX);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		data += count;
		size -= count;
	}
	return 0;
}

/* Copy what can be read from a file; sets the number of bytes. */
static int copy_file(int from, int to, size_t *size)
{
	char buffer[32768];
	ssize_t count;
	int ret;

	*size = 0;
	for (;;) {
		count = read(from, buffer, sizeof(buffer));
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return count ? -errno : 0;
		*size += count;
		if (*size > VNPU_BINARY_MAX)
			return -EFBIG;
		ret = write_all(to, buffer, count);
		if (ret)
			return ret;
	}
}

/* Free a binary that is in no list and has no handle. */
static void binary_free(struct vnpu_binary *binary)
{
	vnpu_image_close(&binary->image);
	if (binary->data)
		munmap((void *)(uintptr_t)binary->data, binary->size);
	if (binary->file >= 0)
		close(binary->file);
	free(binary->functions);
	free(binary->name);
	free(binary);
}

static struct vnpu_binary *binary_make(const char *name)
{
	struct vnpu_binary *binary = calloc(1, sizeof(*binary));

	if (!binary)
		return NULL;
	binary->file = memfd_create("vnpu-image",
				    MFD_CLOEXEC | MFD_ALLOW_SEALING);
	binary->name = strdup(name);
	if (binary->file >= 0 && binary->name)
		return binary;
	binary_free(binary);
	return NULL;
}

/* Map the image; nothing changes its bytes after they were checked. */
static int binary_map(struct vnpu_binary *binary, const char **why)
{
	void *data;

	*why = "it is empty";
	if (!binary->size)
		return -ENOEXEC;
	if (fcntl(binary->file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK |
		  F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	data = mmap(NULL, binary->size, PROT_READ, MAP_SHARED, binary->file,
		    0);
	if (data == MAP_FAILED)
		return -errno;
	binary->data = data;
	return 0;
}

/* Read the image, and publish the binary. */
static int binary_add(struct vnpu_binary *binary, const char **why)
{
	int ret = binary_map(binary, why);

	if (!ret)
		ret = vnpu_image_open(&binary->image, binary->data,
				      binary->size, why);
	if (ret)
		return ret;
	binary->functions = calloc(binary->image.count + 1UL,
				   sizeof(*binary->functions));
	if (!binary->functions)
		return -ENOMEM;
	vnpu_binary_lock();
	binary->id = last_id + 1;
	binary->handle = vnpu_handle_add(VNPU_HANDLE_BINARY, binary);
	if (binary->handle) {
		last_id++;
		binary->next = first;
		first = binary;
	}
	vnpu_binary_unlock();
	return binary->handle ? 0 : -ENOMEM;
}

int vnpu_binary_create(const void *data, size_t size, const char *name,
		       bool is_unit, struct vnpu_binary **binary,
		       const char **why)
{
	struct vnpu_binary *new;
	int ret;

	if (size > VNPU_BINARY_MAX)
		return -EFBIG;
	new = binary_make(name);
	if (!new)
		return -ENOMEM;
	new->size = size;
	new->is_unit = is_unit;
	ret = write_all(new->file, data, size);
	if (!ret)
		ret = binary_add(new, why);
	if (ret)
		binary_free(new);
	else
		*binary = new;
	return ret;
}

int vnpu_binary_create_from(int file, const char *name,
			    struct vnpu_binary **binary, const char **why)
{
	struct vnpu_binary *new = binary_make(name);
	int ret;

	if (!new)
		return -ENOMEM;
	ret = copy_file(file, new->file, &new->size);
	if (!ret)
		ret = binary_add(new, why);
	if (ret)
		binary_free(new);
	else
		*binary = new;
	return ret;
}

static uint64_t copy_length(const struct vnpu_binary *binary)
{
	return vnpu_align_up(binary->size, COPY_ALIGN);
}

int vnpu_binary_address(struct vnpu_binary *binary, uint64_t *va)
{
	void *copy;
	int ret;

	vnpu_lock(&binary->lock);
	*va = binary->copy_va;
	vnpu_unlock(&binary->lock);
	if (*va)
		return 0;
	ret = vnpu_pinned_alloc(copy_length(binary), &copy, va);
	if (ret)
		return ret;
	memcpy(copy, binary->data, binary->size);
	vnpu_lock(&binary->lock);
	if (!binary->copy) {
		binary->copy = copy;
		binary->copy_va = *va;
		copy = NULL;
	}
	vnpu_unlock(&binary->lock);
	/* Another thread was faster. */
	if (copy) {
		vnpu_pinned_free(copy, copy_length(binary), *va);
		*va = binary->copy_va;
	}
	return 0;
}

void vnpu_binary_put(struct vnpu_binary *binary)
{
	struct vnpu_binary **link = &first;

	if (!vnpu_handle_put(binary->handle))
		return;
	vnpu_binary_lock();
	while (*link != binary)
		link = &(*link)->next;
	*link = binary->next;
	vnpu_binary_unlock();
	vnpu_core_forget(binary->id, atomic_load(&binary->devices));
	if (binary->copy)
		vnpu_pinned_free(binary->copy, copy_length(binary),
				 binary->copy_va);
	binary_free(binary);
}

void vnpu_function_put(struct vnpu_function *function)
{
	struct vnpu_binary *binary = function->binary;

	if (!vnpu_handle_put(function->handle))
		return;
	free(function);
	vnpu_binary_put(binary);
}

void vnpu_binary_unload(struct vnpu_binary *binary)
{
	struct vnpu_args *args;

	for (uint32_t i = 0; i < binary->image.count; i++) {
		struct vnpu_function *function;

		vnpu_lock(&binary->lock);
		function = binary->functions[i];
		binary->functions[i] = NULL;
		vnpu_unlock(&binary->lock);
		if (function && vnpu_handle_remove(VNPU_HANDLE_FUNCTION,
				vnpu_u64_to_ptr(function->handle)))
			vnpu_function_put(function);
	}
	vnpu_lock(&binary->lock);
	args = binary->args;
	binary->args = NULL;
	vnpu_unlock(&binary->lock);
	vnpu_args_destroy_all(args);
	vnpu_binary_put(binary);
}

int vnpu_binary_for_each(uint32_t device,
			 int (*call)(struct vnpu_binary *binary, void *arg),
			 void *arg)
{
	struct vnpu_binary *binary;
	int ret = 0;

	vnpu_binary_lock();
	for (binary = first; binary && !ret; binary = binary->next)
		if (atomic_load(&binary->devices) >> device & 1)
			ret = call(binary, arg);
	vnpu_binary_unlock();
	return ret;
}

/* Make a function; its handle's reference belongs to the binary's table. */
static struct vnpu_function *function_make(struct vnpu_binary *binary,
					   uint32_t index)
{
	struct vnpu_function *function = calloc(1, sizeof(*function));

	if (!function)
		return NULL;
	function->binary = binary;
	function->index = index;
	function->cores = vnpu_image_cores(&binary->image, index);
	function->handle = vnpu_handle_add(VNPU_HANDLE_FUNCTION, function);
	if (!function->handle) {
		free(function);
		return NULL;
	}
	vnpu_handle_ref(binary->handle);
	return function;
}

struct vnpu_function *vnpu_binary_function(struct vnpu_binary *binary,
					   uint32_t index)
{
	struct vnpu_function *function;

	vnpu_lock(&binary->lock);
	function = binary->functions[index];
	if (!function && vnpu_handle_is_live(binary->handle)) {
		function = function_make(binary, index);
		binary->functions[index] = function;
	}
	if (function)
		vnpu_handle_ref(function->handle);
	vnpu_unlock(&binary->lock);
	return function;
}

struct vnpu_function *vnpu_function_find(uint64_t number)
{
	uint32_t id = number >> 32, index = number;
	struct vnpu_function *function = NULL;
	struct vnpu_binary *binary;

	vnpu_binary_lock();
	for (binary = first; binary; binary = binary->next)
		if (binary->id == id)
			break;
	if (binary && index < binary->image.count) {
		vnpu_lock(&binary->lock);
		function = binary->functions[index];
		if (function)
			vnpu_handle_ref(function->handle);
		vnpu_unlock(&binary->lock);
	}
	vnpu_binary_unlock();
	return function;
}

aclError vnpu_function_check_args(const struct vnpu_function *function,
				  size_t *size)
{
	const struct vnpu_kernel_entry *entry = vnpu_function_entry(function);
	uint32_t offset, length;
	uint64_t end = 0;

	if (entry->param_count &&
	    vnpu_image_param(&function->binary->image, function->index,
			     entry->param_count - 1, &offset, &length))
		end = (uint64_t)offset + length;
	if (*size < end)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"argsSize = %zu is less than the %llu bytes of the parameters of kernel %.*s",
			*size, (unsigned long long)end, (int)entry->length,
			entry->symbol);
	if (*size < entry->args_size)
		*size = entry->args_size;
	return ACL_SUCCESS;
}

aclError vnpu_function_get(aclrtFuncHandle handle,
			   struct vnpu_function **function)
{
	*function = vnpu_handle_get(VNPU_HANDLE_FUNCTION, handle);
	if (*function)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"funcHandle = %p is not a function, or its binary was unloaded; pass one of aclrtBinaryGetFunction",
		handle);
}

aclError vnpu_function_get_any(const void *func,
			       struct vnpu_function **function)
{
	if (!func)
		return vnpu_error_null("func");
	*function = vnpu_handle_get(VNPU_HANDLE_FUNCTION, func);
	if (!*function)
		*function = vnpu_unit_find_stub(func);
	if (*function)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"func = %p is neither a function of a loaded binary nor a kernel of this program",
		func);
}

aclError vnpu_binary_get(aclrtBinHandle handle, struct vnpu_binary **binary)
{
	if (!handle)
		return vnpu_error_null("binHandle");
	*binary = vnpu_handle_get(VNPU_HANDLE_BINARY, handle);
	if (*binary)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"binHandle = %p is not a binary, or was unloaded; pass one of aclrtBinaryLoadFromFile",
		handle);
}

aclError vnpu_binary_foreign(const struct vnpu_function *function)
{
	const struct vnpu_kernel_entry *entry = vnpu_function_entry(function);

	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"kernel %.*s of %s is machine code of a card (ELF machine 0x%x), which this device cannot run; compile its source with vnpu-cc",
		(int)entry->length, entry->symbol, function->binary->name,
		function->binary->image.elf.machine);
}
