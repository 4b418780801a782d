// SPDX-License-Identifier: MIT
/* Statistics of tensors, see array.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "array.h"
#include "config.h"
#include "plain.h"

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023, value;

	if (exponent == 31)
		value = fraction ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(1024 + fraction, exponent - 25);
	else
		value = ldexp(fraction, -24);
	return bits & 0x8000 ? -value : value;
}

/* Return *(TYPE *)@from, which is not aligned. */
#define LOAD(type) ({ type value_; memcpy(&value_, from, sizeof(value_)); \
		      value_; })

static double value_of(unsigned int dtype, const char *from)
{
	switch (dtype) {
	case VNPU_DT_F16:
		return half_value(LOAD(uint16_t));
	case VNPU_DT_F32:
		return (double)LOAD(float);
	case VNPU_DT_F64:
		return LOAD(double);
	case VNPU_DT_I8:
		return LOAD(int8_t);
	case VNPU_DT_I16:
		return LOAD(int16_t);
	case VNPU_DT_I32:
		return LOAD(int32_t);
	case VNPU_DT_I64:
		return (double)LOAD(int64_t);
	case VNPU_DT_U16:
		return LOAD(uint16_t);
	case VNPU_DT_U32:
		return LOAD(uint32_t);
	case VNPU_DT_BOOL:
		return *from != 0;
	default:
		return LOAD(uint8_t);
	}
}

/* Compute a square root; the library is not linked with libm. */
static double square_root(double value)
{
	int exponent;
	double root;

	if (!(value > 0) || isinf(value))
		return value;
	frexp(value, &exponent);
	root = ldexp(1, (exponent + 1) / 2);
	/* Each step doubles the number of digits. */
	for (int i = 0; i < 7; i++)
		root = (root + value / root) / 2;
	return root;
}

/* Get how often the view repeats each element of @array. */
static double repeats_of(const struct vnpu_dump_array *array)
{
	return array->count ? (double)vnpu_tensor_elements(array->view) /
			      (double)array->count : 1;
}

/* Sum up the elements that are numbers, and count the others. */
static void sum_up(const struct vnpu_dump_array *array, double *stats)
{
	double repeats = repeats_of(array);
	size_t size = vnpu_dtype_bits(array->dtype) / 8, numbers = 0;
	double sum = 0, squares = 0;

	stats[VNPU_DUMP_MAX] = -INFINITY;
	stats[VNPU_DUMP_MIN] = INFINITY;
	for (size_t i = 0; i < array->count; i++) {
		double value = value_of(array->dtype, array->data + i * size);

		if (isnan(value)) {
			stats[VNPU_DUMP_NAN] += repeats;
			continue;
		}
		if (isinf(value))
			stats[value < 0 ? VNPU_DUMP_NEGATIVE_INF :
					  VNPU_DUMP_POSITIVE_INF] += repeats;
		if (value > stats[VNPU_DUMP_MAX])
			stats[VNPU_DUMP_MAX] = value;
		if (value < stats[VNPU_DUMP_MIN])
			stats[VNPU_DUMP_MIN] = value;
		sum += value;
		squares += value * value;
		numbers++;
	}
	if (!numbers)
		stats[VNPU_DUMP_MAX] = stats[VNPU_DUMP_MIN] = NAN;
	stats[VNPU_DUMP_AVG] = numbers ? sum / (double)numbers : (double)NAN;
	stats[VNPU_DUMP_L2NORM] = square_root(squares * repeats);
}

void vnpu_dump_print_columns(uint32_t columns, FILE *f)
{
	static const char *const names[] = { VNPU_DUMP_COLUMN_NAMES };

	fprintf(f, "Direction,Index,Type,Shape,Elements");
	for (unsigned int i = 0; i < VNPU_DUMP_COLUMNS; i++)
		if (columns & 1U << i)
			fprintf(f, ",%s", names[i]);
	putc('\n', f);
}

static void print_stats(const struct vnpu_dump_array *array, uint32_t columns,
			FILE *f)
{
	const struct vnpu_tensor *view = array->view;
	double stats[VNPU_DUMP_COLUMNS] = { 0 };

	sum_up(array, stats);
	fprintf(f, "%s,", vnpu_dtype_name(view->dtype));
	for (unsigned int i = 0; i < view->rank; i++)
		fprintf(f, "%s%" PRId64, i ? "x" : "", view->dims[i]);
	fprintf(f, ",%" PRId64, vnpu_tensor_elements(view));
	for (unsigned int i = 0; i < VNPU_DUMP_COLUMNS; i++)
		if (columns & 1U << i)
			fprintf(f, ",%.9g", stats[i]);
	putc('\n', f);
}

void vnpu_dump_print_stats(const struct vnpu_dump_array *array,
			   uint32_t columns, FILE *f)
{
	struct vnpu_plain plain;

	vnpu_plain_begin(&plain);
	print_stats(array, columns, f);
	vnpu_plain_end(&plain);
}
