/* SPDX-License-Identifier: MIT */
/*
 * The address manager: which part of the window of device addresses is used
 * for what.  The kernel knows what is bound where; this only finds room.
 */
#ifndef VNPU_LIB_VA_H
#define VNPU_LIB_VA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Hand over the window, once: 0, or -ENOMEM, and it can be tried again.  @base is
 * a multiple of 1 GiB.
 */
int vnpu_va_init(uint64_t base, uint64_t size);

/**
 * vnpu_va_alloc() - find room for an allocation
 * @page_shift: its page class
 * @length: its bytes, a multiple of the page class
 * @va: set to an address that is a multiple of the page class
 *
 * The page after the range, of the same class, is kept free: a write beyond an
 * allocation's end finds nothing bound instead of a neighbour's data.
 *
 * Return: 0, or -EADDRNOTAVAIL when the window has no such room.
 */
int vnpu_va_alloc(unsigned int page_shift, uint64_t length, uint64_t *va);

/*
 * The same for memory that the host may touch, which has a part of the window
 * for itself; @length is a multiple of 2 MiB, and @va will be.  Fails also when
 * the host cannot be let into it.
 */
int vnpu_va_alloc_managed(uint64_t length, uint64_t *va);

/* Is it in that part? */
bool vnpu_va_is_managed(uint64_t va);

/*
 * Give an address back that one of these returned for the same page class (of
 * managed memory, any) and length.  Nothing may be bound there any more.
 */
void vnpu_va_free(unsigned int page_shift, uint64_t length, uint64_t va);

/* Around fork(): keep the child's copy consistent. */
void vnpu_va_lock_all(void);
void vnpu_va_unlock_all(void);

#endif /* VNPU_LIB_VA_H */
