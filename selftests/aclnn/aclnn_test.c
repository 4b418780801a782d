// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libvnpu-op on the host, under sanitizers.  Prints TAP. */
#include "aclnn_test.h"
#include "dump/args.h"
#include "launch/operators.h"
#include "ops/call.h"

/* Of the thread, as in libvnpu. */
_Thread_local char last_name[64], last_text[512];
atomic_uint launches;

void vnpu_operator_error(const char *name, int code, const char *text)
{
	(void)code;
	snprintf(last_name, sizeof(last_name), "%s", name);
	snprintf(last_text, sizeof(last_text), "%s", text);
}

char description[4096];
bool is_described;

bool vnpu_dump_args_wanted(void)
{
	return is_described;
}

void vnpu_dump_args_write(const char *name, vnpu_dump_args_fn *print,
			  const void *from)
{
	FILE *f = fmemopen(description, sizeof(description), "w");
	long shape;

	if (!f)
		abort();
	fprintf(f, "%s ", name);
	shape = print(from, f);
	fprintf(f, "%ld", shape - (long)strlen(name) - 1);
	fclose(f);
}

/* Compute a call as a core does. */
aclError vnpu_operator_launch(const struct vnpu_op_call *call, uint32_t parts,
			      aclrtStream stream)
{
	struct vnpu_op_error error;
	struct vnpu_op_launch l;
	const void *step;
	size_t at = 0, size;
	const char *why;

	(void)stream;
	launches++;
	why = vnpu_op_call_check(call, call->size);
	if (why || !parts) {
		note("invalid call: %s", why ? why : "no blocks");
		return 1;
	}
	while ((step = vnpu_op_call_step(call, &at, &size))) {
		memcpy(&l, step, size);
		if (vnpu_op_compute(&l, &error)) {
			note("not computed: %s", error.text);
			return 1;
		}
	}
	return ACL_SUCCESS;
}

aclError aclrtMalloc(void **memory, size_t size, aclrtMemMallocPolicy policy)
{
	(void)policy;
	*memory = aligned_alloc(64, (size + 63) / 64 * 64);
	return *memory ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError aclrtFree(void *memory)
{
	free(memory);
	return ACL_SUCCESS;
}

size_t aclDataTypeSize(aclDataType type)
{
	switch (type) {
	case ACL_INT8:
	case ACL_UINT8:
	case ACL_BOOL:
		return 1;
	case ACL_INT16:
	case ACL_UINT16:
	case ACL_FLOAT16:
	case ACL_BF16:
		return 2;
	case ACL_INT64:
	case ACL_UINT64:
	case ACL_DOUBLE:
		return 8;
	default:
		return 4;
	}
}

static aclTensor *tensors[64];
static aclScalar *scalars[64];
static aclIntArray *arrays[64];
static unsigned int tensor_count, scalar_count, array_count;

aclTensor *strided(aclDataType dtype, const void *data, unsigned int rank,
		   const int64_t *dims, const int64_t *strides, int64_t offset,
		   int64_t storage)
{
	return tensors[tensor_count++] = aclCreateTensor(dims, rank, dtype,
			strides, offset, ACL_FORMAT_ND, &storage, 1,
			(void *)(uintptr_t)data);
}

aclTensor *tensor(aclDataType dtype, const void *data, unsigned int rank,
		  const int64_t *dims)
{
	int64_t count = 1;

	for (unsigned int i = 0; i < rank; i++)
		count *= dims[i];
	return strided(dtype, data, rank, dims, NULL, 0, count);
}

aclScalar *scalar(float value)
{
	return scalars[scalar_count++] = aclCreateScalar(&value, ACL_FLOAT);
}

aclScalar *whole(int64_t value)
{
	return scalars[scalar_count++] = aclCreateScalar(&value, ACL_INT64);
}

aclIntArray *ints(unsigned int count, const int64_t *values)
{
	return arrays[array_count++] = aclCreateIntArray(values, count);
}

void forget(void)
{
	while (tensor_count)
		aclDestroyTensor(tensors[--tensor_count]);
	while (scalar_count)
		aclDestroyScalar(scalars[--scalar_count]);
	while (array_count)
		aclDestroyIntArray(arrays[--array_count]);
}

float number(uint64_t index)
{
	uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL;
	return (int64_t)(x >> 40) * 0x1p-22f - 2;
}

void numbers(float *to, unsigned int count, unsigned int seed)
{
	for (unsigned int i = 0; i < count; i++)
		to[i] = number(i + seed * 1000ULL);
}

static bool is_within(double is, double want, double part)
{
	double scale = fabs(want) > 1 ? fabs(want) : 1;

	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(is) : is == want;
	if (fabs(is - want) <= part * scale)
		return true;
	note("is %.9g, expected %.9g", is, want);
	return false;
}

bool near(double is, double want)
{
	return is_within(is, want, 0x1p-19);
}

bool near_half(double is, double want)
{
	return is_within(is, want, 0x1p-9);
}

uint16_t to_half(float value)
{
	int exponent;
	float fraction = frexpf(fabsf(value), &exponent);
	uint16_t sign = signbit(value) ? 0x8000 : 0;

	if (!fraction)
		return sign;
	return sign | (exponent + 14) << 10 |
	       ((uint16_t)lrintf(fraction * 2048) & 0x3ff);
}

float from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	float value = ldexpf((bits & 0x3ff) + (exponent ? 1024 : 0),
			     (exponent ? exponent : 1) - 25);

	return bits & 0x8000 ? -value : value;
}

static const struct test *const groups[] = {
	object_tests, error_tests, math_tests, shape_tests, layer_tests,
	training_tests, gradient_tests, expert_tests, random_tests,
	more_tests, sample_tests, matrix_tests, chain_tests, single_tests,
	attention_tests, attention_gradient_tests, collective_tests,
	grouped_tests, volume_tests, fused_tests, loss_tests,
	repeat_tests, middle_tests, rotary_tests, deep_tests,
	various_tests, complex_tests, quant_tests, lora_tests,
	sparse_tests, table_tests, describe_tests,
};

int main(void)
{
	unsigned int count = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (unsigned int g = 0; g < ARRAY_SIZE(groups); g++)
		for (const struct test *t = groups[g]; t->name; t++) {
			bool is_ok = t->run();

			forget();
			failed += !is_ok;
			printf("%sok %u %s\n", is_ok ? "" : "not ", ++count,
			       t->name);
		}
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}
