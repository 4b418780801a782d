// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for libFuzzer: bytes are compiled as a model, and opened as a
 * program and as a file of programs. Each is refused with a sentence, or accepted; a program that the
 * compiler has made is valid.
 */
#include "om/image.h"
#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Make the checksums of a file right, as far as its gears can be found. */
static void mend(void *data, size_t size)
{
	struct om_head *h = data;
	const struct om_gear *gears;
	uint32_t i;

	if (size < sizeof(*h))
		return;
	if (h->gears_at % 8 == 0 && h->gears_at <= size &&
	    h->gears <= (size - h->gears_at) / sizeof(*gears)) {
		gears = (const void *)((const char *)data + h->gears_at);
		for (i = 0; i < h->gears; i++) {
			struct program_head *p;

			if (gears[i].at % 8 || gears[i].at < sizeof(*h) ||
			    gears[i].at > size ||
			    gears[i].size > size - gears[i].at ||
			    gears[i].size < sizeof(*p))
				break;
			p = (void *)((char *)data + gears[i].at);
			p->checksum = program_checksum(p, gears[i].size);
		}
	}
	h->checksum = program_checksum(data, size);
}

static void open_file(const void *data, size_t size)
{
	void *copy = aligned_alloc(8, (size + 8) / 8 * 8);
	struct program_error error = { 0 };
	struct om_image image;
	int64_t shape[4];
	struct om om;
	int err;

	memcpy(copy, data, size);
	mend(copy, size);
	err = om_open(&om, copy, size, &error);
	if (err && !*error.text)
		abort();
	if (!err && om_image_find(&om, 0, &image))
		om_image_shape(&om, 0, 0, shape);
	free(copy);
}

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
	open_file(data, size);
	if (compile_model(data, size, &options, &r)) {
		if (!*r.error)
			abort();
	} else if (program_open(&p, r.program, r.size, &error) ||
		   program_verify(&p, &error)) {
		abort();
	}
	compile_free(&r);
	return 0;
}
