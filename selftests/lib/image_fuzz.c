// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of images, with files that are damaged in every way: it runs under
 * AddressSanitizer, so that it may refuse a file or read nonsense from it, but not
 * leave the file.
 *
 * usage: image_fuzz [ROUNDS [SEED]]
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vnpu/kernel.h>

#include "kernel/image.h"
#include "acl-kernel.h"

static uint64_t state;
static unsigned int number;
static unsigned int opened;

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t limit)
{
	return limit ? random_number() % limit : 0;
}

static void ok(int is_ok, const char *what)
{
	printf("%sok %u - %s\n", is_ok ? "" : "not ", ++number, what);
	if (!is_ok)
		exit(1);
}

/* Use whatever an image offers. */
static void use(struct vnpu_image_view *image)
{
	uint32_t offset, size, count = image->count;
	uint64_t address, length;

	if (count > 64)
		count = 64;
	for (uint32_t i = 0; i < count; i++) {
		const struct vnpu_kernel_entry *entry = &image->kernels[i];

		vnpu_image_cores(image, i);
		vnpu_image_ratio(image, i);
		vnpu_image_param(image, i, below(8), &offset, &size);
		vnpu_image_param(image, i, entry->param_count - 1, &offset,
				 &size);
		vnpu_image_code_size(image, i, VNPU_CORE_CUBE);
		vnpu_image_code_size(image, i, VNPU_CORE_VECTOR);
		vnpu_meta_schedule(image, i);
		if (image->is_foreign)
			vnpu_meta_param_count(image, i, &size);
		if (entry->name)
			vnpu_image_find_name(image, entry->name);
	}
	vnpu_image_find_symbol(image, "add");
	vnpu_image_find_entry(image, 23);
	vnpu_image_find_global(image, "x", &address, &length);
}

/* Read a copy of exactly these bytes. */
static int try(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct vnpu_image_view image;
	const char *why = NULL;
	int ret;

	memcpy(copy, data, size);
	ret = vnpu_image_open(&image, copy, size, &why);
	if (!ret) {
		opened++;
		use(&image);
		vnpu_image_close(&image);
	} else if (ret == -ENOEXEC && !why) {
		ok(0, "a refused file has a reason");
	}
	free(copy);
	return ret;
}

/* Numbers that overflow, or are just outside. */
static uint64_t nasty(size_t size)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return INT64_MAX;
	case 3:
		return UINT32_MAX;
	case 4:
		return size - below(16);
	case 5:
		return -(uint64_t)below(4096);
	case 6:
		return 1ULL << below(64);
	default:
		return below(size);
	}
}

/* Change a few numbers of the headers, tables or descriptions. */
static void damage(uint8_t *data, size_t size)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)data;
	unsigned int changes = 1 + below(4);

	while (changes--) {
		uint64_t value = nasty(size), at;
		size_t width = 1ULL << below(4);

		switch (below(5)) {
		case 0:
			at = below(sizeof(*header));
			break;
		case 1:
			at = header->e_shoff + below(40 * sizeof(Elf64_Shdr));
			break;
		case 2:
			at = header->e_phoff + below(12 * sizeof(Elf64_Phdr));
			break;
		case 3:
			/* Relocations, strings and symbols come first. */
			at = below(0x1000);
			break;
		default:
			at = below(size);
		}
		if (at <= size && width <= size - at)
			memcpy(data + at, &value, width);
	}
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 5000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) :
				   (uint64_t)time(NULL) * 2654435761U | 1;
	uint8_t *data, *copy;
	char path[PATH_MAX];
	size_t size;

	printf("TAP version 13\n1..4\n# seed %llu\n", (unsigned long long)seed);
	state = seed;
	kernels_path(path, sizeof(path));
	data = read_all(path, &size);
	if (!data)
		ok(0, "the image can be opened");
	copy = malloc(size);
	ok(!try(data, size), "the image is read");

	for (size_t length = 0; length < size;
	     length += length < 4096 ? 1 : 1 + below(512))
		try(data, length);
	ok(1, "truncated files");

	opened = 0;
	for (unsigned long i = 0; i < rounds; i++) {
		memcpy(copy, data, size);
		damage(copy, size);
		try(copy, size);
	}
	printf("# %u of %lu damaged files were accepted\n", opened, rounds);
	ok(opened && opened < rounds, "damaged files");

	/* The same for a card's code: another machine. */
	for (unsigned long i = 0; i < rounds; i++) {
		memcpy(copy, data, size);
		((Elf64_Ehdr *)copy)->e_machine = 0x1029;
		if (i)
			damage(copy, size);
		try(copy, size);
	}
	ok(1, "damaged code of a card");
	free(copy);
	free(data);
	return 0;
}
