// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of dumps without a device: the parts of the library that configure and
 * write them, under AddressSanitizer, with the functions of dump_stub.h in place of
 * the others.  Addresses of the device are addresses here.
 */
#include "dump_files.h"

FIXTURE(files) {
	char text[4096];
};

FIXTURE_SETUP(files)
{
	folder_make();
}

FIXTURE_TEARDOWN(files)
{
	vnpu_dump_drop();
	folder_remove();
	EXPECT_EQ(0, __lsan_do_recoverable_leak_check());
}

static int submitted;

static aclError submit(const void *from)
{
	submitted++;
	return from ? *(const aclError *)from : ACL_SUCCESS;
}

/* Dump an operator with the steps of @call: its result. */
static aclError dump_op(const struct call *call, const char *name,
			const aclError *result)
{
	struct vnpu_dump_run run = { .dump = vnpu_dump_get(), .stream = &stream };
	struct vnpu_dump_op op = {
		.type = "Type", .name = name,
		.call = (const void *)call->bytes, .submit = submit,
		.from = result,
	};
	aclError ret = vnpu_dump_run_init(&run, "net", 7, 2);

	if (!ret)
		ret = vnpu_dump_op(&run, &op);
	vnpu_dump_run_fini(&run);
	vnpu_dump_put(run.dump);
	return ret;
}

/* y = f(x) */
static void make_call(struct call *call, const struct vnpu_tensor *x,
		      const struct vnpu_tensor *y)
{
	call_begin(call);
	call_add(call, 1, 1, x, y);
}

/* Compare the elements of a file, found by the end of its path. */
#define EXPECT_NPY(suffix, head, elements)				\
	do {								\
		EXPECT_TRUE(npy_is(suffix, head, elements,		\
				   sizeof(elements)))			\
			TH_LOG("%s", npy_head);				\
	} while (0)

TEST_F(files, views)
{
	uint16_t halves[] = { 0x3f80, 0xc000, 0x7fc0 };
	int32_t numbers[] = { 1, 2, 3, 4, 5, 6 };
	uint8_t nibbles[] = { 0x21, 0xf3 };
	struct vnpu_tensor x, y;
	struct call call;

	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}]");
	/* Transposed, in part; and reversed. */
	x = tensor(VNPU_DT_I32, numbers, sizeof(numbers), 2, 2, 2);
	x.strides[0] = 1;
	x.strides[1] = 3;
	y = tensor(VNPU_DT_I32, numbers, sizeof(numbers), 1, 6);
	y.offset = 5;
	y.strides[0] = -1;
	make_call(&call, &x, &y);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL)) TH_LOG("%s", message);
	EXPECT_NPY(".a.0.3.*.input.0.npy", "'<i4'*(2,2,)",
		   ((int32_t[]){ 1, 4, 2, 5 }));
	EXPECT_NPY(".a.0.3.*.output.0.npy", "'<i4'*(6,)",
		   ((int32_t[]){ 6, 5, 4, 3, 2, 1 }));
	/* Types that NumPy lacks; a number without dimensions, repeated. */
	x = tensor(VNPU_DT_BF16, halves, sizeof(halves), 1, 3);
	y = tensor(VNPU_DT_I4, nibbles, sizeof(nibbles), 1, 3);
	y.offset = 1;
	make_call(&call, &x, &y);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "b", NULL));
	EXPECT_NPY(".b.0.3.*.input.0.npy", "'<f4'*(3,)",
		   ((uint32_t[]){ 0x3f800000, 0xc0000000, 0x7fc00000 }));
	EXPECT_NPY(".b.0.3.*.output.0.npy", "'|i1'*(3,)",
		   ((int8_t[]){ 2, 3, -1 }));
	x = tensor(VNPU_DT_I32, numbers, sizeof(numbers), 0);
	y = tensor(VNPU_DT_I32, numbers, sizeof(numbers), 2, 2, 2);
	y.strides[0] = 0;
	make_call(&call, &x, &y);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "c", NULL));
	EXPECT_NPY(".c.0.3.*.input.0.npy", "'<i4'*()", ((int32_t[]){ 1 }));
	EXPECT_NPY(".c.0.3.*.output.0.npy", "'<i4'*(1,2,)",
		   ((int32_t[]){ 1, 2 }));
	EXPECT_EQ(6, nr_files());
}

/* A tensor that is broadcast is written once, and summed up as a whole. */
TEST_F(files, broadcast_tensors)
{
	float pair[] = { 3, NAN }, number = 0.5f;
	struct vnpu_tensor x, y;
	struct call call;

	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}]");
	x = tensor(VNPU_DT_F32, pair, sizeof(pair), 3, 1 << 20, 2, 1 << 16);
	x.strides[0] = x.strides[2] = 0;
	x.strides[1] = 1;
	y = tensor(VNPU_DT_F32, &number, sizeof(number), 2, 1 << 20, 1 << 16);
	y.strides[0] = y.strides[1] = 0;
	make_call(&call, &x, &y);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL)) TH_LOG("%s", message);
	EXPECT_NPY(".input.0.npy", "'<f4'*(1,2,1,)", pair);
	EXPECT_NPY(".output.0.npy", "'<f4'*(1,1,)", ((float[]){ 0.5f }));
	vnpu_dump_drop();
	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}], \"dump_data\": \"stats\", \"dump_stats\": [\"Avg\", \"Nan\", \"L2norm\"]");
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "b", NULL)) TH_LOG("%s", message);
	EXPECT_STREQ("Direction,Index,Type,Shape,Elements,Avg,Nan,L2norm\n"
		     "input,0,f32,1048576x2x65536,137438953472,3,6.87194767e+10,786432\n"
		     "output,0,f32,1048576x65536,68719476736,0.5,0,131072\n",
		     file_text(".csv"));
}

TEST_F(files, empty_tensors)
{
	int32_t numbers[] = { 1 };
	struct vnpu_tensor x =
		tensor(VNPU_DT_I32, numbers, sizeof(numbers), 2, 0, 3);
	struct call call;

	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}]");
	make_call(&call, &x, &x);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL));
	EXPECT_EQ(2, nr_files());
	EXPECT_TRUE(npy_is(".output.0.npy", "(0,3,)", "", 0));
}

/* Tensors that only the steps of an operator use are no inputs or outputs. */
TEST_F(files, several_steps)
{
	int32_t a[] = { 1, 2 }, b[] = { 3, 4 }, c[] = { 5, 6, 7, 8 };
	struct vnpu_tensor x = tensor(VNPU_DT_I32, a, sizeof(a), 1, 2);
	struct vnpu_tensor middle = tensor(VNPU_DT_I32, b, sizeof(b), 1, 2);
	struct vnpu_tensor y = tensor(VNPU_DT_I32, c, sizeof(c), 1, 4);
	struct vnpu_tensor part = y;
	struct call call;

	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}]");
	part.dims[0] = 2;
	call_begin(&call);
	call_add(&call, 0, 1, &y);
	call_add(&call, 1, 1, &x, &middle);
	call_add(&call, 2, 1, &middle, &x, &part);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL)) TH_LOG("%s", message);
	EXPECT_EQ(2, nr_files());
	EXPECT_NPY(".input.0.npy", "(2,)", a);
	EXPECT_NPY(".output.0.npy", "(4,)", c);
}

/* A step may write its input; absent tensors and immediates have no files. */
TEST_F(files, in_place)
{
	int32_t a[] = { 1, 2 };
	struct vnpu_tensor x = tensor(VNPU_DT_I32, a, sizeof(a), 1, 2);
	struct vnpu_tensor none = { 0 }, one = { .dtype = VNPU_DT_F64,
		.flags = VNPU_TENSOR_F_IMMEDIATE };
	struct call call;

	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}]");
	call_begin(&call);
	call_add(&call, 3, 1, &none, &one, &x, &x);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL));
	EXPECT_EQ(2, nr_files());
}

TEST_F(files, modes)
{
	static const char *const modes[] = { "input", "output", "all" };
	static const unsigned int counts[] = { 1, 1, 2 };
	int32_t a[] = { 1 };
	struct vnpu_tensor x = tensor(VNPU_DT_I32, a, sizeof(a), 1, 1);
	struct call call;

	make_call(&call, &x, &x);
	for (int i = 0; i < 3; i++) {
		snprintf(self->text, sizeof(self->text),
			 "\"dump_mode\": \"%s\", \"dump_list\": [{}]", modes[i]);
		folder_make();
		BEGIN(self->text);
		EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL));
		EXPECT_EQ(counts[i], nr_files());
		vnpu_dump_drop();
		folder_remove();
	}
}

TEST_F(files, statistics)
{
	float numbers[] = { 3, -4, NAN, INFINITY, 0 };
	uint16_t halves[] = { 0x3c00, 0xc400, 0x0001, 0xfc00 };
	struct vnpu_tensor x =
		tensor(VNPU_DT_F32, numbers, sizeof(numbers), 2, 1, 2);
	struct vnpu_tensor y =
		tensor(VNPU_DT_F16, halves, sizeof(halves), 1, 4);
	struct call call;

	BEGIN("\"dump_mode\": \"all\", \"dump_list\": [{}], \"dump_data\": \"stats\"");
	make_call(&call, &x, &y);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL));
	EXPECT_EQ(1, nr_files());
	EXPECT_STREQ("Direction,Index,Type,Shape,Elements,Max,Min,Avg,Nan,Negative Inf,Positive Inf,L2norm\n"
		     "input,0,f32,1x2,2,3,-4,-0.5,0,0,0,5\n"
		     "output,0,f16,4,4,1,-inf,-inf,0,1,0,inf\n",
		     file_text(".csv"));
	vnpu_dump_drop();
	folder_remove();
	folder_make();
	BEGIN("\"dump_list\": [{}], \"dump_data\": \"stats\", \"dump_stats\": [\"Nan\", \"Max\"]");
	y = tensor(VNPU_DT_F32, numbers, sizeof(numbers), 1, 5);
	make_call(&call, &x, &y);
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, "a", NULL));
	EXPECT_STREQ("Direction,Index,Type,Shape,Elements,Max,Nan\n"
		     "output,0,f32,5,5,inf,1\n", file_text(".csv"));
}

/* No name leads out of the folder, and none is too long. */
TEST_F(files, hostile_names)
{
	static const char *const names[] = {
		"", ".", "..", "/", "../../../../tmp/x", "a/b\\c:\n\x80\xff", "-",
	};
	int32_t a[] = { 1 };
	struct vnpu_tensor x = tensor(VNPU_DT_I32, a, sizeof(a), 1, 1);
	char *name = self->text;
	struct call call;

	BEGIN("\"dump_list\": [{}]");
	make_call(&call, &x, &x);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_EQ(ACL_SUCCESS, dump_op(&call, names[i], NULL))
			TH_LOG("%s", message);
	EXPECT_EQ(ARRAY_SIZE(names), nr_files());
	EXPECT_TRUE(find_file("/0/net/7/2/Type.____________tmp_x.0.3.*"));
	EXPECT_TRUE(find_file("/Type.a_b_c____.0.3.*"));
	memset(name, '.', 2000);
	name[2000] = '\0';
	EXPECT_EQ(ACL_SUCCESS, dump_op(&call, name, NULL)) TH_LOG("%s", message);
}

/* An error names the file and the reason, and leaves no part of the file. */
TEST_F(files, write_errors)
{
	static char many[1 << 16];
	const struct rlimit limit = { 4096, 4096 };
	struct vnpu_tensor x =
		tensor(VNPU_DT_U8, many, sizeof(many), 1, (int)sizeof(many));
	struct call call;

	make_call(&call, &x, &x);
	BEGIN("\"dump_list\": [{}]");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	EXPECT_EQ(ACL_ERROR_WRITE_FILE, dump_op(&call, "a", NULL));
	EXPECT_NE(NULL, strstr(message, "File too large")) TH_LOG("%s", message);
	EXPECT_NE(NULL, strstr(message, folder));
	EXPECT_EQ(0, nr_files());
	EXPECT_EQ(1, submitted);
	folder_remove();
	EXPECT_EQ(ACL_ERROR_WRITE_FILE, dump_op(&call, "a", NULL));
	EXPECT_NE(NULL, strstr(message, "No such file")) TH_LOG("%s", message);
	/* A file in place of the folder. */
	close(creat(folder, 0600));
	EXPECT_EQ(ACL_ERROR_WRITE_FILE, dump_op(&call, "a", NULL));
	EXPECT_NE(NULL, strstr(message, "Not a directory"))
		TH_LOG("%s", message);
	unlink(folder);
	folder_make();
}

/* Errors of the stream and of the operator are returned. */
TEST_F(files, other_errors)
{
	static const aclError failure = ACL_ERROR_RT_INTERNAL_ERROR;
	int32_t a[] = { 1 };
	struct vnpu_tensor x = tensor(VNPU_DT_I32, a, sizeof(a), 1, 1);
	struct call call;

	make_call(&call, &x, &x);
	BEGIN("\"dump_list\": [{}], \"dump_data\": \"stats\"");
	EXPECT_EQ(failure, dump_op(&call, "a", &failure));
	EXPECT_EQ(0, nr_files());
	wait_result = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
	EXPECT_EQ(wait_result, dump_op(&call, "a", NULL));
	wait_result = ACL_SUCCESS;
	stream.flags = ACL_STREAM_PERSISTENT;
	EXPECT_EQ(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, dump_op(&call, "a", NULL));
	stream.flags = 0;
	reach = false;
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, dump_op(&call, "a", NULL));
	reach = true;
	x.bytes = 1;
	make_call(&call, &x, &x);
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, dump_op(&call, "a", NULL));
	EXPECT_EQ(0, nr_files());
}

/* Each allocation fails once; nothing is left then. */
TEST_F(files, without_memory)
{
	int32_t a[] = { 1, 2 };
	struct vnpu_tensor x = tensor(VNPU_DT_I32, a, sizeof(a), 1, 2);
	unsigned int n;
	aclError ret;
	struct call call;

	x.strides[0] = -1;
	x.offset = 1;
	make_call(&call, &x, &x);
	EXPECT_EQ(ACL_SUCCESS, aclmdlInitDump());
	for (n = 1, ret = ACL_ERROR_BAD_ALLOC; ret; n++) {
		fail_at = n;
		ret = set_text("{\"dump\": {\"dump_path\": \"@\", \"dump_step\": \"2\", \"dump_mode\": \"all\", \"dump_list\": [{\"model_name\": \"a\", \"layer\": [\"b\", \"c\"]}, {}]}}");
		ASSERT_EQ(fail_at ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC, ret)
			TH_LOG("%u: %s", n, message);
	}
	EXPECT_LT(10, n);
	for (n = 1, ret = ACL_ERROR_BAD_ALLOC; ret; n++) {
		fail_at = n;
		ret = dump_op(&call, "a", NULL);
		ASSERT_EQ(fail_at ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC, ret)
			TH_LOG("%u: %s", n, message);
	}
	EXPECT_LT(5, n);
	fail_at = 0;
	EXPECT_EQ(ACL_SUCCESS, aclmdlFinalizeDump());
}

TEST_HARNESS_MAIN
