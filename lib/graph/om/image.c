// SPDX-License-Identifier: MIT
/* Lines about images. See image.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "om/image.h"

#define MOST	1000000000

static const char image_key[] = "image=", shape_key[] = "image_shape=";

void om_image_print(char *line, const struct om_image *image)
{
	const float *numbers = &image->input;
	uint32_t bits;
	size_t used, i;

	used = snprintf(line, OM_IMAGE_LINE, "%s", image_key);
	for (i = 0; i < OM_IMAGE_NUMBERS; i++) {
		memcpy(&bits, &numbers[i], sizeof(bits));
		used += snprintf(line + used, OM_IMAGE_LINE - used, "%x%c",
				 bits, i + 1 < OM_IMAGE_NUMBERS ? ' ' : '\n');
	}
}

void om_image_print_shape(char *line, uint32_t input, const int64_t *shape)
{
	snprintf(line, OM_IMAGE_LINE, "%s%u %lld %lld %lld %lld\n", shape_key,
		 input, (long long)shape[0], (long long)shape[1],
		 (long long)shape[2], (long long)shape[3]);
}

/* Find the next line with a key; return its value, or NULL. */
static const char *next_line(const char *at, const char *key)
{
	while (at && strncmp(at, key, strlen(key))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? at + strlen(key) : NULL;
}

/*
 * Read integers of a line with a space between them; false if one is missing, or there
 * are more. strtoll() alone would go on in the next line.
 */
static bool read_integers(const char *at, int base, int64_t *to, size_t count)
{
	char *end;
	size_t i;

	for (i = 0; i < count; i++, at = end) {
		if (i && *at++ != ' ')
			return false;
		if (!isxdigit((unsigned char)*at))
			return false;
		to[i] = strtoll(at, &end, base);
		if (end == at)
			return false;
	}
	return *at == '\n';
}

/* Read the numbers of an image, of which the model may have any. */
static bool read_image(const char *at, struct om_image *image)
{
	int64_t read[OM_IMAGE_NUMBERS];
	float *numbers = &image->input;
	uint32_t bits;
	size_t i;

	if (!read_integers(at, 16, read, OM_IMAGE_NUMBERS))
		return false;
	for (i = 0; i < OM_IMAGE_NUMBERS; i++) {
		bits = read[i];
		memcpy(&numbers[i], &bits, sizeof(bits));
		if (!(numbers[i] >= -MOST && numbers[i] <= MOST))
			return false;
	}
	return true;
}

static bool is_input(const struct om *om, double number)
{
	return number >= 0 && number < om->head->inputs &&
	       number == (uint32_t)number;
}

bool om_image_find(const struct om *om, size_t input, struct om_image *image)
{
	const char *at = om->text + om->head->info;

	while ((at = next_line(at, image_key))) {
		if (!read_image(at, image) || !is_input(om, image->input) ||
		    (image->parameters != -1 &&
		     !is_input(om, image->parameters)) ||
		    !(image->dtype >= 0 && image->dtype < VNPU_DT_COUNT))
			continue;
		if (image->input == input || image->parameters == input)
			return true;
	}
	return false;
}

bool om_image_shape(const struct om *om, uint32_t input, unsigned int gear,
		    int64_t *shape)
{
	const char *at = om->text + om->head->info;
	unsigned int i, seen = 0;
	int64_t read[5];

	while ((at = next_line(at, shape_key))) {
		if (!read_integers(at, 10, read, 5) || read[0] != input ||
		    seen++ != gear)
			continue;
		for (i = 0; i < 4 && read[1 + i] >= 1 && read[1 + i] <= MOST; i++)
			shape[i] = read[1 + i];
		return i == 4;
	}
	return false;
}
