// SPDX-License-Identifier: MIT
/*
 * Names for return addresses, see symbol.h.
 *
 * The dynamic loader knows the names that an object exports.  The names of
 * other functions are in the symbol table of the file, unless it was stripped,
 * which is read if the loader has no name.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "symbol.h"

#define NR_BUCKETS	1024
#define OWN_FRAMES	8	/* limit on the library's own frames */

/* A file that code was loaded from. */
struct object {
	struct object *next;
	uint64_t base;			/* offset of its load addresses */
	const char *image;		/* the file, or NULL */
	size_t size;
	const ElfW(Sym) *symbols;	/* in the image, checked */
	size_t nr_symbols;
	const char *names;
	size_t names_size;
	char path[];
};

struct named {
	struct named *next;
	const void *address;
	struct vnpu_symbol symbol;
	char function[];		/* a copy, as the loader's name goes
					 * with the object */
};

struct vnpu_symbols {
	struct object *objects;
	struct named *buckets[NR_BUCKETS];
};

struct vnpu_symbols *vnpu_symbols_create(void)
{
	return calloc(1, sizeof(struct vnpu_symbols));
}

void vnpu_symbols_destroy(struct vnpu_symbols *symbols)
{
	struct object *object;
	struct named *named;

	if (!symbols)
		return;
	while ((object = symbols->objects)) {
		symbols->objects = object->next;
		if (object->image)
			munmap((void *)object->image, object->size);
		free(object);
	}
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		while ((named = symbols->buckets[i])) {
			symbols->buckets[i] = named->next;
			free(named);
		}
	}
	free(symbols);
}

static void image_map(struct object *object)
{
	int fd = open(object->path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *image = MAP_FAILED;

	if (fd < 0)
		return;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) &&
	    (size_t)stat.st_size >= sizeof(ElfW(Ehdr)))
		image = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED)
		return;
	object->image = image;
	object->size = stat.st_size;
}

/* Get @count items of @each bytes at @offset of the image, or NULL. */
static const void *image_at(const struct object *object, uint64_t offset,
			    uint64_t count, uint64_t each)
{
	if (offset > object->size || offset % 8 ||
	    count > (object->size - offset) / each)
		return NULL;
	return object->image + offset;
}

/* Find the symbol table; the file is not trusted. */
static void table_find(struct object *object)
{
	const ElfW(Ehdr) *head = (const void *)object->image;
	const ElfW(Shdr) *sections, *table, *names;
	size_t i;

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_shentsize != sizeof(*sections))
		return;
	sections = image_at(object, head->e_shoff, head->e_shnum,
			    sizeof(*sections));
	for (i = 0; sections && i < head->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			break;
	if (!sections || i == head->e_shnum ||
	    sections[i].sh_link >= head->e_shnum)
		return;
	table = &sections[i];
	names = &sections[table->sh_link];
	if (names->sh_offset > object->size || !names->sh_size ||
	    names->sh_size > object->size - names->sh_offset)
		return;
	object->names = object->image + names->sh_offset;
	object->names_size = names->sh_size;
	/* Require that each name is terminated. */
	if (object->names[object->names_size - 1])
		return;
	object->symbols = image_at(object, table->sh_offset,
				   table->sh_size / sizeof(*object->symbols),
				   sizeof(*object->symbols));
	if (object->symbols)
		object->nr_symbols = table->sh_size / sizeof(*object->symbols);
}

static struct object *object_get(struct vnpu_symbols *symbols,
				 const struct link_map *map)
{
	/* This name opens the program itself from any directory. */
	const char *path = map->l_name && *map->l_name ? map->l_name :
			   "/proc/self/exe";
	struct object *object;
	char target[4096];
	ssize_t length;

	/*
	 * A previous object at this address may be gone; the program itself
	 * stays.
	 */
	for (object = symbols->objects; object; object = object->next)
		if (object->base == map->l_addr &&
		    (path != map->l_name || !strcmp(object->path, path)))
			return object;
	if (path != map->l_name) {
		length = readlink(path, target, sizeof(target) - 1);
		if (length > 0) {
			target[length] = '\0';
			path = target;
		}
	}
	object = calloc(1, sizeof(*object) + strlen(path) + 1);
	if (!object)
		return NULL;
	strcpy(object->path, path);
	object->base = map->l_addr;
	object->next = symbols->objects;
	symbols->objects = object;
	image_map(object);
	if (object->image)
		table_find(object);
	return object;
}

/* Find the function that contains @offset of an object. */
static void function_find(const struct object *object, uint64_t offset,
			  struct vnpu_symbol *symbol)
{
	for (size_t i = 0; i < object->nr_symbols; i++) {
		const ElfW(Sym) *sym = &object->symbols[i];

		if ((sym->st_info & 0xf) != STT_FUNC || !sym->st_shndx ||
		    offset - sym->st_value >= sym->st_size ||
		    sym->st_name >= object->names_size)
			continue;
		symbol->function = object->names + sym->st_name;
		symbol->function_offset = offset - sym->st_value;
		return;
	}
}

static void symbol_find(struct vnpu_symbols *symbols, const void *address,
			struct vnpu_symbol *symbol)
{
	/*
	 * Look up the call, as the return address may be beyond its function.
	 */
	const char *call = (const char *)address - 1;
	struct link_map *map = NULL;
	struct object *object;
	Dl_info info;

	if (!dladdr1(call, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return;
	object = object_get(symbols, map);
	if (!object)
		return;
	symbol->object = object->path;
	symbol->object_offset = vnpu_ptr_to_u64(call) - object->base;
	if (info.dli_sname) {
		symbol->function = info.dli_sname;
		symbol->function_offset = call - (const char *)info.dli_saddr;
	} else {
		function_find(object, symbol->object_offset, symbol);
	}
}

const struct vnpu_symbol *vnpu_symbols_get(struct vnpu_symbols *symbols,
					   const void *address)
{
	struct vnpu_symbol found = { 0 };
	struct named **bucket, *named;
	size_t length;

	bucket = &symbols->buckets[vnpu_ptr_to_u64(address) % NR_BUCKETS];
	for (named = *bucket; named; named = named->next)
		if (named->address == address)
			return &named->symbol;
	symbol_find(symbols, address, &found);
	length = found.function ? strlen(found.function) + 1 : 0;
	named = calloc(1, sizeof(*named) + length);
	if (!named)
		return NULL;
	named->address = address;
	named->symbol = found;
	if (length)
		named->symbol.function = memcpy(named->function,
						found.function, length);
	named->next = *bucket;
	*bucket = named;
	return &named->symbol;
}

size_t vnpu_symbols_skip(struct vnpu_symbols *symbols, void *const *frames,
			 size_t count)
{
	static const char *const calls[] = { "aclrt", "vnpu_malloc" };
	const struct vnpu_symbol *symbol;

	for (size_t i = 0; i < count && i < OWN_FRAMES; i++) {
		symbol = vnpu_symbols_get(symbols, frames[i]);
		for (size_t j = 0; j < ARRAY_SIZE(calls); j++)
			if (symbol && symbol->function &&
			    !strncmp(symbol->function, calls[j],
				     strlen(calls[j])))
				return i;
	}
	return 0;
}

void vnpu_symbols_text(struct vnpu_symbols *symbols, const void *address,
		       char *text, size_t size)
{
	const struct vnpu_symbol *symbol = vnpu_symbols_get(symbols, address);

	if (!symbol || !symbol->object)
		snprintf(text, size, "%p", address);
	else if (!symbol->function)
		snprintf(text, size, "(%s+0x%llx)", symbol->object,
			 (unsigned long long)symbol->object_offset);
	else
		snprintf(text, size, "%s+0x%llx (%s+0x%llx)", symbol->function,
			 (unsigned long long)symbol->function_offset,
			 symbol->object,
			 (unsigned long long)symbol->object_offset);
}
