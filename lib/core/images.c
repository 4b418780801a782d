// SPDX-License-Identifier: MIT
/*
 * The images that the library has sent: checked, then loaded by dlopen().
 *
 * The dynamic loader is used instead of an own one because debuggers follow it: a
 * breakpoint in a kernel works once its image is loaded.  Its name is the path of
 * the memfd below /proc/PID/fd, where a debugger finds it as well; so that
 * descriptor stays open.
 *
 * An image that cannot be loaded keeps its error for launches of its kernels.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "elf/check.h"

/* One of the two files of an image. */
struct part {
	int fd;
	void *data;
	size_t size;
	void *handle;
	uint64_t base;		/* where it is loaded */
	struct image_facts facts;
	const struct vnpu_image *image;
};

struct image {
	struct image *next;
	uint32_t id;
	uint32_t references;	/* launches, and 1 for the table */
	struct part parts[EXEC_KINDS];
	struct kernel *kernels;
	uint32_t kernel_count;
	char *name;
	char error[IMAGE_ERROR_MAX + 128];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;

static void part_close(struct part *part)
{
	if (part->handle)
		dlclose(part->handle);
	if (part->data)
		munmap(part->data, part->size);
	if (part->fd >= 0)
		close(part->fd);
}

_Static_assert(IMAGE_STATE_MAX == EXEC_STATE_MAX, "state of a block");

static void image_free(struct image *image)
{
	for (unsigned int i = 0; i < EXEC_KINDS; i++)
		part_close(&image->parts[i]);
	for (uint32_t i = 0; i < image->kernel_count; i++)
		free(image->kernels[i].name);
	free(image->kernels);
	free(image->name);
	free(image);
}

/* Load a part by a path by which debuggers open it, too. */
static void *part_open(const struct part *part, const char *name)
{
	char path[CORE_PATH_MAX];
	void *handle = NULL;

	if (core.is_thread &&
	    !store_image(name, part->data, part->size, path, sizeof(path)))
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		return handle;
	/*
	 * Without a file, or with one that may not be executed, only its symbols
	 * are missing in tools.
	 */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), part->fd);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Check and load the file @part->fd of @size bytes. */
static int part_load(struct part *part, uint64_t size, const char *name,
		     char *error)
{
	const struct link_map *map;
	struct stat status = { 0 };
	int ret;

	if (fstat(part->fd, &status) || !size || (uint64_t)status.st_size < size) {
		snprintf(error, IMAGE_ERROR_MAX,
			 "its file has %lld bytes instead of %llu",
			 (long long)status.st_size, (unsigned long long)size);
		return -ENOEXEC;
	}
	part->size = size;
	part->data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, part->fd, 0);
	if (part->data == MAP_FAILED) {
		part->data = NULL;
		snprintf(error, IMAGE_ERROR_MAX, "it cannot be mapped");
		return -ENOMEM;
	}
	ret = image_check(part->data, size, image_isa(), &part->facts, error);
	if (ret)
		return ret;
	part->handle = part_open(part, name);
	if (!part->handle || dlinfo(part->handle, RTLD_DI_LINKMAP, &map)) {
		snprintf(error, IMAGE_ERROR_MAX, "%s", dlerror());
		return -ENOEXEC;
	}
	part->base = map->l_addr;
	part->image = dlsym(part->handle, "vnpu_image");
	if (part->image)
		return 0;
	snprintf(error, IMAGE_ERROR_MAX, "it does not export vnpu_image");
	return -ENOEXEC;
}

/* The image for cube cores, a file in the file. */
static int cube_load(struct image *image, char *error)
{
	const struct part *outer = &image->parts[EXEC_VECTOR];
	struct part *part = &image->parts[EXEC_CUBE];
	const char *data = (const char *)outer->data + outer->facts.cube;
	uint64_t done = 0, size = outer->facts.cube_size;

	part->fd = memfd_create("cube", MFD_CLOEXEC);
	while (part->fd >= 0 && done < size) {
		ssize_t some = write(part->fd, data + done, size - done);

		if (some <= 0)
			break;
		done += some;
	}
	if (part->fd < 0 || done < size) {
		snprintf(error, IMAGE_ERROR_MAX,
			 "there is no memory for its part for cube cores");
		return -ENOMEM;
	}
	return part_load(part, size, image->name, error);
}

/* "void scale<T>(float *) [with T = int]" -> "scale<T>" */
static char *name_make(const char *full)
{
	static const char hidden[] = "(anonymous namespace)";
	const char *start = full, *at = full;
	int depth = 0;

	for (; *at; at++) {
		if (!strncmp(at, hidden, sizeof(hidden) - 1))
			at += sizeof(hidden) - 2;
		else if (*at == '<')
			depth++;
		else if (*at == '>')
			depth--;
		else if (*at == ' ' && !depth)
			start = at + 1;
		else if (*at == '(' && !depth)
			break;
	}
	return strndup(start, at - start);
}

static void code_set(struct exec_code *code, const struct part *part,
		     const struct vnpu_kernel *kernel)
{
	code->kernel = kernel;
	code->state_size = part->facts.state_size;
	code->text = part->base + part->facts.text;
	code->text_end = part->base + part->facts.text_end;
}

static int kernels_make(struct image *image, enum exec_kind outer)
{
	const struct part *part = &image->parts[outer];
	const struct part *cube = &image->parts[EXEC_CUBE];

	image->kernels = calloc(part->facts.kernel_count,
				sizeof(*image->kernels));
	if (!image->kernels && part->facts.kernel_count)
		return -ENOMEM;
	image->kernel_count = part->facts.kernel_count;
	for (uint32_t i = 0; i < image->kernel_count; i++) {
		const struct vnpu_kernel *from = &part->image->kernels[i];
		struct kernel *kernel = &image->kernels[i];

		kernel->image = image;
		kernel->name = name_make(from->info->name);
		if (!kernel->name)
			return -ENOMEM;
		code_set(&kernel->exec.code[outer], part, from);
		for (uint32_t k = 0; part != cube && cube->image &&
		     k < cube->facts.kernel_count; k++) {
			const struct vnpu_kernel *other =
				&cube->image->kernels[k];

			if (strcmp(other->info->name, from->info->name))
				continue;
			code_set(&kernel->exec.code[EXEC_CUBE], cube, other);
			break;
		}
	}
	return 0;
}

static int image_load(struct image *image, int fd, uint64_t size, char *error)
{
	struct part *vector = &image->parts[EXEC_VECTOR];
	struct part *cube = &image->parts[EXEC_CUBE];
	enum exec_kind outer = EXEC_VECTOR;
	int ret;

	vector->fd = fd;
	ret = part_load(vector, size, image->name, error);
	if (ret)
		return ret;
	if (vector->facts.cores == VNPU_CORE_CUBE) {
		*cube = *vector;
		*vector = (struct part){ .fd = -1 };
		outer = EXEC_CUBE;
	} else if (vector->facts.cube_size) {
		ret = cube_load(image, error);
		if (ret)
			return ret;
	}
	ret = kernels_make(image, outer);
	if (ret)
		snprintf(error, IMAGE_ERROR_MAX, "there is no memory for it");
	return ret;
}

void images_add(uint32_t id, int fd, uint64_t size, const char *name)
{
	struct image *image = calloc(1, sizeof(*image));
	char error[IMAGE_ERROR_MAX];

	if (!image) {
		close(fd);
		return;
	}
	image->id = id;
	image->references = 1;
	image->parts[EXEC_VECTOR].fd = image->parts[EXEC_CUBE].fd = -1;
	image->name = strdup(name);
	if (image_load(image, fd, size, error))
		snprintf(image->error, sizeof(image->error),
			 "the image %.100s cannot be loaded: %.250s", name,
			 error);
	pthread_mutex_lock(&lock);
	image->next = images;
	images = image;
	pthread_mutex_unlock(&lock);
}

static void put_locked(struct image *image)
{
	if (!--image->references)
		image_free(image);
}

void images_remove(uint32_t id)
{
	struct image **at;

	pthread_mutex_lock(&lock);
	for (at = &images; *at; at = &(*at)->next)
		if ((*at)->id == id) {
			struct image *image = *at;

			*at = image->next;
			put_locked(image);
			break;
		}
	pthread_mutex_unlock(&lock);
}

void images_remove_all(void)
{
	pthread_mutex_lock(&lock);
	while (images) {
		struct image *image = images;

		images = image->next;
		put_locked(image);
	}
	pthread_mutex_unlock(&lock);
}

static struct kernel *find_locked(uint64_t function, char *error, size_t size,
				  int *result)
{
	uint32_t id = function >> 32, index = (uint32_t)function;
	struct image *image;

	for (image = images; image && image->id != id; image = image->next)
		;
	*result = ENOENT;
	if (!image) {
		snprintf(error, size,
			 "kernel %u of image %u: there is no such image", index,
			 id);
		return NULL;
	}
	if (image->error[0]) {
		*result = ENOEXEC;
		snprintf(error, size, "%s", image->error);
		return NULL;
	}
	if (index >= image->kernel_count) {
		snprintf(error, size,
			 "kernel %u of image %s: there is no such kernel, the image has %u",
			 index, image->name, image->kernel_count);
		return NULL;
	}
	image->references++;
	return &image->kernels[index];
}

struct kernel *images_get(uint64_t function, char *error, size_t size,
			  int *result)
{
	struct kernel *kernel;

	pthread_mutex_lock(&lock);
	kernel = find_locked(function, error, size, result);
	pthread_mutex_unlock(&lock);
	if (kernel || *result != ENOENT)
		return kernel;
	/* The image was sent before the launch, but may not have been read. */
	channel_drain();
	pthread_mutex_lock(&lock);
	kernel = find_locked(function, error, size, result);
	pthread_mutex_unlock(&lock);
	return kernel;
}

void images_put(struct kernel *kernel)
{
	pthread_mutex_lock(&lock);
	put_locked(kernel->image);
	pthread_mutex_unlock(&lock);
}

uint64_t images_pc(const struct kernel *kernel, uint64_t pc, const void **data,
		   size_t *size)
{
	for (unsigned int i = 0; kernel->image && i < EXEC_KINDS; i++) {
		const struct part *part = &kernel->image->parts[i];

		if (!part->image || pc < part->base + part->facts.text ||
		    pc >= part->base + part->facts.text_end)
			continue;
		*data = part->data;
		*size = part->size;
		return pc - part->base;
	}
	return 0;
}
