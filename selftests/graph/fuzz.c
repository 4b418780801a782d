// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for libFuzzer: bytes are compiled as a model, and opened as a
 * program. Each is refused with a sentence, or accepted; a program that the
 * compiler has made is valid.
 */
#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_program(const void *data, size_t size)
{
	struct program_error error;
	struct program p;
	void *copy = aligned_alloc(8, (size + 8) / 8 * 8);

	memcpy(copy, data, size);
	/* Damage behind a right checksum is what the checks are for. */
	if (size >= sizeof(struct program_head))
		((struct program_head *)copy)->checksum =
			program_checksum(copy, size);
	*error.text = 0;
	if (program_open(&p, copy, size, &error) && !*error.text)
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compile_options options = { 0 };
	struct program_error error;
	struct compile_result r;
	struct program p;

	open_program(data, size);
	if (compile_model(data, size, &options, &r)) {
		if (!*r.error)
			abort();
	} else if (program_open(&p, r.program, r.size, &error)) {
		abort();
	}
	compile_free(&r);
	return 0;
}
