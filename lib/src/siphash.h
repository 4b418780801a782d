/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4: a keyed hash. Who does not know the key can neither predict it
 * nor learn the key from it.
 */
#ifndef VNPU_LIB_SIPHASH_H
#define VNPU_LIB_SIPHASH_H

#include <stdint.h>

/* The hash of the 16 bytes of two numbers in little-endian order. */
uint64_t vnpu_siphash(const uint64_t key[2], uint64_t first, uint64_t second);

#endif /* VNPU_LIB_SIPHASH_H */
