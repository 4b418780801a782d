/* SPDX-License-Identifier: MIT */
/*
 * The address manager, which assigns ranges of the window of device addresses.
 * The kernel knows the bindings; this only finds free ranges.
 */
#ifndef VNPU_LIB_VA_H
#define VNPU_LIB_VA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Set the window, once: 0; or -ENOMEM, after which the caller may try again.
 * @base is a multiple of 1 GiB.
 */
int vnpu_va_set_window(uint64_t base, uint64_t size);

/**
 * vnpu_va_alloc() - find a free range for an allocation
 * @page_shift: page class
 * @length: bytes, a multiple of the page class
 * @va: set to an address that is a multiple of the page class
 *
 * The page after the range, of the same class, stays free: a write beyond the
 * end of an allocation finds no binding instead of a neighbour's data.
 *
 * Return: 0, or -EADDRNOTAVAIL if the window has no such range.
 */
int vnpu_va_alloc(unsigned int page_shift, uint64_t length, uint64_t *va);

/*
 * Find a free range for memory that the host may access, in a separate part of
 * the window; @length is a multiple of 2 MiB, and @va will be.  Also fails if
 * the host cannot get access to this part.
 */
int vnpu_va_alloc_managed(uint64_t length, uint64_t *va);

/* Check whether an address is in that part. */
bool vnpu_va_is_managed(uint64_t va);

/*
 * Free an address that one of these returned for the same page class (any, for
 * managed memory) and length.  Nothing may be bound there any more.
 */
void vnpu_va_free(unsigned int page_shift, uint64_t length, uint64_t va);

/* Get the bytes of all addresses for a page class, free or not. */
uint64_t vnpu_va_size(unsigned int page_shift);

/* Around fork(): keep the child's copy consistent. */
void vnpu_va_lock_all(void);
void vnpu_va_unlock_all(void);

#endif /* VNPU_LIB_VA_H */
