/* SPDX-License-Identifier: MIT */
/*
 * Names for return addresses.
 *
 * A set of names may be used by one thread at a time, and not while a lock is
 * held: the loader's is taken.
 */
#ifndef VNPU_LIB_PROFILE_SYMBOL_H
#define VNPU_LIB_PROFILE_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

struct vnpu_symbols;

/* What a return address is in; strings stay until the set is destroyed. */
struct vnpu_symbol {
	const char *function;		/* NULL if that is not known */
	uint64_t function_offset;	/* of the address in it */
	const char *object;		/* a path; NULL if it is in no file */
	uint64_t object_offset;		/* in it, as addr2line counts */
};

/* NULL without memory. */
struct vnpu_symbols *vnpu_symbols_create(void);
void vnpu_symbols_destroy(struct vnpu_symbols *symbols);

/* NULL without memory. */
const struct vnpu_symbol *vnpu_symbols_get(struct vnpu_symbols *symbols,
					   const void *address);

/*
 * How many frames of a stack are the library's own work: those before the call
 * that the program made.
 */
size_t vnpu_symbols_skip(struct vnpu_symbols *symbols, void *const *frames,
			 size_t count);

/*
 * "function+0x10 (object+0x1234)" into @text of @size bytes, cut off if that is
 * too long.
 */
void vnpu_symbols_text(struct vnpu_symbols *symbols, const void *address,
		       char *text, size_t size);

#endif /* VNPU_LIB_PROFILE_SYMBOL_H */
