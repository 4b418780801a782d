/* SPDX-License-Identifier: MIT */
/*
 * Names for return addresses.
 *
 * Only one thread at a time may use a set of names, and without holding a lock,
 * because the lock of the dynamic loader is taken.
 */
#ifndef VNPU_LIB_PROFILE_SYMBOL_H
#define VNPU_LIB_PROFILE_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

struct vnpu_symbols;

/* The location of a return address; strings live as long as the set. */
struct vnpu_symbol {
	const char *function;		/* NULL if unknown */
	uint64_t function_offset;	/* offset of the address in it */
	const char *object;		/* a path; NULL outside of all files */
	uint64_t object_offset;		/* offset in it, for addr2line */
};

/* Create a set of names; NULL without memory. */
struct vnpu_symbols *vnpu_symbols_create(void);
void vnpu_symbols_destroy(struct vnpu_symbols *symbols);

/* Look up a return address; NULL without memory. */
const struct vnpu_symbol *vnpu_symbols_get(struct vnpu_symbols *symbols,
					   const void *address);

/*
 * Count the frames of a stack inside the library, before the call of the
 * program.
 */
size_t vnpu_symbols_skip(struct vnpu_symbols *symbols, void *const *frames,
			 size_t count);

/*
 * Write "function+0x10 (object+0x1234)" to @text of @size bytes, truncated if
 * it is too long.
 */
void vnpu_symbols_text(struct vnpu_symbols *symbols, const void *address,
		       char *text, size_t size);

#endif /* VNPU_LIB_PROFILE_SYMBOL_H */
