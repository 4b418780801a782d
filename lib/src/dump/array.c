// SPDX-License-Identifier: MIT
/* Copies of tensors, and .npy files; see array.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stream/copy.h"
#include "array.h"

#define NPY_MAGIC	"\x93NUMPY\1"
#define NPY_ALIGN	64

struct vnpu_dump_span vnpu_dump_span(const struct vnpu_tensor *view)
{
	uint64_t bits = vnpu_dtype_bits(view->dtype);
	int64_t first = view->offset, last = view->offset;
	struct vnpu_dump_span span;

	for (unsigned int i = 0; i < view->rank; i++) {
		int64_t distance = (view->dims[i] - 1) * view->strides[i];

		if (distance < 0)
			first += distance;
		else
			last += distance;
	}
	span.first = first;
	span.start = (uint64_t)first * bits / 8;
	span.bytes = ((uint64_t)(last + 1) * bits + 7) / 8 - span.start;
	return span;
}

static void put_element(char *to, const char *storage, int64_t index,
			unsigned int dtype)
{
	unsigned int size = vnpu_dtype_bits(dtype) / 8;
	uint32_t bits;
	uint16_t half;

	switch (dtype) {
	case VNPU_DT_BF16:
		memcpy(&half, storage + index * 2, 2);
		bits = (uint32_t)half << 16;
		memcpy(to, &bits, 4);
		break;
	case VNPU_DT_I4:
		bits = (uint8_t)storage[index / 2] >> (index % 2 * 4) & 15;
		*to = (char)((int)(bits ^ 8) - 8);
		break;
	default:
		memcpy(to, storage + index * size, size);
	}
}

/* Advance to the next element of a view in the order of C. */
static void advance(const struct vnpu_tensor *view, int64_t *at,
		    int64_t *element)
{
	for (unsigned int i = view->rank; i-- > 0;) {
		*element += view->strides[i];
		if (++at[i] < view->dims[i])
			return;
		*element -= view->dims[i] * view->strides[i];
		at[i] = 0;
	}
}

/* Copy the elements of a span in the order of C; @bytes is its first byte. */
static void order(struct vnpu_dump_array *array, const struct vnpu_dump_span *span,
		  const char *bytes)
{
	const struct vnpu_tensor *view = &array->once;
	size_t size = vnpu_dtype_bits(array->dtype) / 8;
	int64_t at[VNPU_TENSOR_DIMS] = { 0 };
	int64_t element = view->offset - span->first;

	/* Half a byte of i4 may be in front of the first element. */
	if (view->dtype == VNPU_DT_I4)
		element += span->first % 2;
	for (size_t i = 0; i < array->count; i++) {
		put_element(array->data + i * size, bytes, element,
			    view->dtype);
		advance(view, at, &element);
	}
}

static aclError no_memory(uint64_t bytes)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
		"no host memory to dump a tensor of %" PRIu64 " bytes", bytes);
}

/* Copy a span from the device into memory that the caller frees. */
static aclError fetch(const struct vnpu_tensor *view, const struct vnpu_dump_span *span,
		      char **bytes)
{
	void *from = vnpu_u64_to_ptr(view->data + span->start);
	uint64_t va;
	aclError ret;

	if (!vnpu_copy_reach(from, span->bytes, &va))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"a tensor at %p is not in device memory", from);
	*bytes = malloc(span->bytes);
	if (!*bytes)
		return no_memory(span->bytes);
	ret = vnpu_copy(*bytes, from, span->bytes);
	if (ret)
		free(*bytes);
	return ret;
}

static aclError gather(struct vnpu_dump_array *array)
{
	const struct vnpu_tensor *view = &array->once;
	const struct vnpu_dump_span span = vnpu_dump_span(view);
	uint64_t size = vnpu_dtype_bits(array->dtype) / 8;
	char *bytes;
	aclError ret = fetch(view, &span, &bytes);

	if (ret)
		return ret;
	if (array->dtype == view->dtype && vnpu_tensor_is_contiguous(view)) {
		array->data = bytes;
		return ACL_SUCCESS;
	}
	array->data = malloc(array->count * size);
	if (array->data)
		order(array, &span, bytes);
	free(bytes);
	return array->data ? ACL_SUCCESS : no_memory(array->count * size);
}

/* Set @once: the view without its repeated elements. */
static void find_once(struct vnpu_dump_array *array)
{
	struct vnpu_tensor *once = &array->once;

	*once = *array->view;
	for (unsigned int i = 0; i < once->rank; i++)
		if (!once->strides[i] && once->dims[i] > 1)
			once->dims[i] = 1;
	array->count = vnpu_tensor_elements(once);
}

aclError vnpu_dump_gather(const struct vnpu_tensor *view,
			  struct vnpu_dump_array *array)
{
	const char *why;

	*array = (struct vnpu_dump_array){ .view = view, .dtype = view->dtype };
	if (view->dtype == VNPU_DT_BF16)
		array->dtype = VNPU_DT_F32;
	else if (view->dtype == VNPU_DT_I4)
		array->dtype = VNPU_DT_I8;
	if (vnpu_tensor_check(view, &why))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"a tensor cannot be dumped: %s", why);
	find_once(array);
	return array->count ? gather(array) : ACL_SUCCESS;
}

void vnpu_dump_print_npy(const struct vnpu_dump_array *array, FILE *f)
{
	static const char *const types[VNPU_DT_COUNT] = {
		[VNPU_DT_F16] = "<f2", [VNPU_DT_F32] = "<f4",
		[VNPU_DT_F64] = "<f8", [VNPU_DT_I8] = "|i1",
		[VNPU_DT_I16] = "<i2", [VNPU_DT_I32] = "<i4",
		[VNPU_DT_I64] = "<i8", [VNPU_DT_U8] = "|u1",
		[VNPU_DT_BOOL] = "|b1", [VNPU_DT_U16] = "<u2",
		[VNPU_DT_U32] = "<u4",
	};
	const struct vnpu_tensor *view = &array->once;
	char head[384];
	size_t length, total;

	length = sprintf(head, "{'descr': '%s', 'fortran_order': False, 'shape': (",
			 types[array->dtype]);
	for (unsigned int i = 0; i < view->rank; i++)
		length += sprintf(head + length, "%" PRId64 ",", view->dims[i]);
	length += sprintf(head + length, "), }");
	/* The elements begin at a multiple of 64 bytes, after a line feed. */
	total = vnpu_align_up(10 + length + 1, NPY_ALIGN) - 10;
	fwrite(NPY_MAGIC, 1, 8, f);
	putc(total & 255, f);
	putc(total >> 8, f);
	fprintf(f, "%s%*s\n", head, (int)(total - length - 1), "");
	if (array->count)
		fwrite(array->data, vnpu_dtype_bits(array->dtype) / 8,
		       array->count, f);
}
