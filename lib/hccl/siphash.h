/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4, a keyed hash of 64 bits by Jean-Philippe Aumasson and Daniel J.
 * Bernstein.  Without the key, hashes show nothing of it, nor of other hashes.
 */
#ifndef VNPU_HCCL_SIPHASH_H
#define VNPU_HCCL_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hccl_siphash(const uint8_t key[16], const void *bytes, size_t size);

#endif /* VNPU_HCCL_SIPHASH_H */
