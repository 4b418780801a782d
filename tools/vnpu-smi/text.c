// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: untrusted strings, made safe for a terminal.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "text.h"

size_t text_clean(char *dst, size_t size, const char *src)
{
	size_t left = strlen(src);
	mbstate_t state = { 0 };
	size_t columns = 0;

	while (left) {
		wchar_t wide;
		size_t length = mbrtowc(&wide, src, left, &state);
		int width;

		if (length == (size_t)-1 || length == (size_t)-2) {
			memset(&state, 0, sizeof(state));
			length = 1;
			width = -1;
		} else {
			width = wcwidth(wide);
		}
		if (size <= (width > 0 ? length : 1))
			break;
		if (width > 0) {
			memcpy(dst, src, length);
			dst += length;
			size -= length;
			columns += (size_t)width;
		} else {
			*dst++ = '?';
			size--;
			columns++;
		}
		src += length;
		left -= length;
	}
	*dst = '\0';
	return columns;
}

void text_print(FILE *f, const char *src, size_t width)
{
	char clean[TEXT_MAX];
	size_t columns = text_clean(clean, sizeof(clean), src);

	fprintf(f, "%s%*s", clean, columns < width ? (int)(width - columns) : 0,
		"");
}

void format_size(char text[SIZE_TEXT], uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	const char *unit = units;

	/* What is beyond the last digit is left out, as everywhere. */
	while (bytes >= 10000 && unit[1]) {
		bytes >>= 10;
		unit++;
	}
	while (bytes && !(bytes & 1023) && unit[1]) {
		bytes >>= 10;
		unit++;
	}
	snprintf(text, SIZE_TEXT, "%" PRIu64 "%c", bytes, *unit);
}

void format_time(char text[TIME_TEXT])
{
	struct timespec now;
	struct tm tm;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	used = strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, TIME_TEXT - used, ".%06ldZ", now.tv_nsec / 1000);
}

void format_time_short(char text[TIME_TEXT])
{
	struct timespec now;
	struct tm tm;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	used = strftime(text, TIME_TEXT, "%m-%d %H:%M:%S", &tm);
	snprintf(text + used, TIME_TEXT - used, ".%03ld", now.tv_nsec / 1000000);
}
