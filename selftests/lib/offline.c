// SPDX-License-Identifier: GPL-2.0-only
/* Offline models: loading from files and memory. */
#include "acl-offline.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ID_INVALID	ACL_ERROR_GE_EXEC_MODEL_ID_INVALID
#define PATH_INVALID	ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID
#define SIZE_INVALID	ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID
#define DAMAGED		ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED

FIXTURE(offline) {
	char *bytes;	/* of linear.om */
	size_t size;
	uint32_t id;
};

FIXTURE_SETUP(offline)
{
	OK(aclrtSetDevice(0));
	self->bytes = read_all(model_path("linear", "om"), &self->size);
	ASSERT_NE(NULL, self->bytes);
}

FIXTURE_TEARDOWN(offline)
{
	free(self->bytes);
	OK(aclrtResetDeviceForce(0));
}

TEST_F(offline, numbers_of_models)
{
	uint32_t second;

	OK(aclmdlLoadFromFile(model_path("linear", "om"), &self->id));
	EXPECT_EQ(1, self->id);
	OK(aclmdlLoadFromMem(self->bytes, self->size, &second));
	EXPECT_EQ(2, second);
	OK(aclmdlUnload(self->id));
	EXPECT_ACL(ID_INVALID, aclmdlUnload(self->id));
	EXPECT_ACL(ID_INVALID, aclmdlUnload(0));
	OK(aclmdlUnload(second));
}

/* Memory of the program: too little is refused, and the rest stays its own. */
TEST_F(offline, memory_of_the_program)
{
	size_t work, weights, also[2], before;
	void *w, *v;

	OK(aclmdlQuerySize(model_path("linear", "om"), &work, &weights));
	OK(aclmdlQuerySizeFromMem(self->bytes, self->size, &also[0], &also[1]));
	EXPECT_EQ(work, also[0]);
	EXPECT_EQ(weights, also[1]);
	ASSERT_NE(0, work);
	OK(aclrtMalloc(&w, work, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc(&v, weights, ACL_MEM_MALLOC_NORMAL_ONLY));
	before = free_bytes();
	OK(aclmdlLoadFromFileWithMem(model_path("linear", "om"), &self->id, w,
				     work, v, weights));
	EXPECT_EQ(before, free_bytes());
	OK(aclmdlUnload(self->id));
	OK(aclmdlLoadFromMemWithMem(self->bytes, self->size, &self->id, w, work,
				    NULL, 0));
	OK(aclmdlUnload(self->id));
	EXPECT_EQ(before, free_bytes());
	EXPECT_ACL(ACL_ERROR_GE_PARAM_INVALID,
		   aclmdlLoadFromMemWithMem(self->bytes, self->size, &self->id,
					    w, work - 1, v, weights));
	EXPECT_ACL(ACL_ERROR_GE_PARAM_INVALID,
		   aclmdlLoadFromMemWithMem(self->bytes, self->size, &self->id,
					    w, work, v, weights - 1));
	EXPECT_ACL(ACL_ERROR_GE_PARAM_INVALID,
		   aclmdlLoadFromMemWithMem(self->bytes, self->size, &self->id,
					    (char *)w + 1, work, v, weights));
	OK(aclrtFree(w));
	OK(aclrtFree(v));
}

/* Both loads put the same weights there. */
TEST_F(offline, shared_weights)
{
	struct model a = { 0 }, b = { 0 };
	size_t work, weights;
	void *v;

	OK(aclmdlQuerySize(model_path("linear", "om"), &work, &weights));
	OK(aclrtMalloc(&v, weights, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclmdlLoadFromMemWithMem(self->bytes, self->size, &a.id, NULL, 0, v,
				    weights));
	OK(aclmdlLoadFromMemWithMem(self->bytes, self->size, &b.id, NULL, 0, v,
				    weights));
	OK(model_open(&a, "linear"));
	OK(model_open(&b, "linear"));
	OK(model_put(&a));
	OK(model_put(&b));
	OK(aclmdlExecute(a.id, a.in, a.out));
	OK(model_close(&a));
	OK(aclmdlExecute(b.id, b.in, b.out));
	EXPECT_TRUE(model_is_right(&b));
	OK(model_close(&b));
	OK(aclrtFree(v));
}

/* Return the error of loading bytes; the message must contain @text. */
static aclError load(const void *bytes, size_t size, const char *text)
{
	uint32_t id = 0;
	aclError err = aclmdlLoadFromMem(bytes, size, &id);

	if (!err) {
		aclmdlUnload(id);
		return 0;
	}
	return strstr(recent(), text) && !id ? err : -1;
}

TEST_F(offline, bytes_that_are_no_model)
{
	static const char card[300] = "IMOD", archive[] = "PK\3\4....",
			  onnx[] = { 8, 7, 18, 4 }, text[] = "hello";
	char old;

	EXPECT_ACL(SIZE_INVALID, load(card, sizeof(card), "for a card"));
	EXPECT_ACL(SIZE_INVALID, load(archive, sizeof(archive), "archive"));
	EXPECT_ACL(SIZE_INVALID, load(onnx, sizeof(onnx), "ONNX file"));
	EXPECT_ACL(SIZE_INVALID, load(text, sizeof(text), "no model of vnpu"));
	EXPECT_ACL(NULL_OR_ZERO, load(text, 0, "modelSize"));
	EXPECT_ACL(NULL_OR_ZERO, load(NULL, 1, "model"));
	EXPECT_ACL(SIZE_INVALID,
		   load(self->bytes, self->size - 1, "expected"));
	EXPECT_ACL(SIZE_INVALID, load(self->bytes, 20, "cut off"));
	for (size_t at = 100; at < self->size; at += 997) {
		old = self->bytes[at];
		self->bytes[at] ^= 1;
		EXPECT_ACL(DAMAGED,
			   load(self->bytes, self->size, "checksum"));
		self->bytes[at] = old;
	}
	self->bytes[8] ^= 1;
	EXPECT_ACL(SIZE_INVALID, load(self->bytes, self->size, "version"));
	self->bytes[8] ^= 1;
	OK(load(self->bytes, self->size, ""));
}

TEST_F(offline, paths)
{
	char folder[] = "/tmp/vnpu-offline-XXXXXX", path[64];
	size_t work, weights;

	ASSERT_NE(NULL, mkdtemp(folder));
	EXPECT_ACL(PATH_INVALID, aclmdlLoadFromFile(folder, &self->id));
	snprintf(path, sizeof(path), "%s/x", folder);
	EXPECT_ACL(PATH_INVALID, aclmdlLoadFromFile(path, &self->id));
	EXPECT_NE(NULL, strstr(recent(), "No such file"));
	EXPECT_ACL(PATH_INVALID, aclmdlQuerySize(path, &work, &weights));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_ACL(PATH_INVALID, aclmdlLoadFromFile(path, &self->id));
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	EXPECT_ACL(SIZE_INVALID, aclmdlLoadFromFile(path, &self->id));
	unlink(path);
	rmdir(folder);
	EXPECT_ACL(NULL_OR_ZERO, aclmdlLoadFromFile(NULL, &self->id));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlLoadFromFile(model_path("linear", "om"), NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlQuerySize(path, NULL, &weights));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlQuerySize(path, &work, NULL));
}

/* A load that does not fit leaves nothing. */
TEST_F(offline, without_memory)
{
	size_t before, part = total_bytes() / 64;
	void *blocks[64];
	int count = 0;

	before = free_bytes();
	while (count < 63 && !aclrtMalloc(&blocks[count], part,
					  ACL_MEM_MALLOC_NORMAL_ONLY))
		count++;
	while (count < 64 && free_bytes() > 8 * KIB &&
	       !aclrtMalloc(&blocks[count], free_bytes() - 8 * KIB,
			    ACL_MEM_MALLOC_NORMAL_ONLY))
		count++;
	if (free_bytes() < 16 * KIB)
		EXPECT_ACL(ACL_ERROR_GE_MEMORY_ALLOCATION,
			   aclmdlLoadFromFile(model_path("deep", "om"),
					      &self->id));
	while (count--)
		OK(aclrtFree(blocks[count]));
	EXPECT_EQ(before, free_bytes());
}

TEST_F(offline, options_of_loads)
{
	aclmdlConfigHandle *config = aclmdlCreateConfigHandle();
	size_t type = ACL_MDL_LOAD_FROM_FILE;
	const char *path = model_path("linear", "om");
	const void *bytes = self->bytes;
	int32_t priority = 8;

	ASSERT_NE(NULL, config);
	EXPECT_ACL(NULL_OR_ZERO, aclmdlLoadWithConfig(config, &self->id));
	OK(aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &type,
			      sizeof(type)));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlLoadWithConfig(config, &self->id));
	OK(aclmdlSetConfigOpt(config, ACL_MDL_PATH_PTR, &path, sizeof(path)));
	OK(aclmdlLoadWithConfig(config, &self->id));
	OK(aclmdlUnload(self->id));
	type = ACL_MDL_LOAD_FROM_MEM;
	OK(aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &type,
			      sizeof(type)));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlLoadWithConfig(config, &self->id));
	OK(aclmdlSetConfigOpt(config, ACL_MDL_MEM_ADDR_PTR, &bytes,
			      sizeof(bytes)));
	OK(aclmdlSetConfigOpt(config, ACL_MDL_MEM_SIZET, &self->size,
			      sizeof(size_t)));
	OK(aclmdlLoadWithConfig(config, &self->id));
	OK(aclmdlUnload(self->id));
	type = ACL_MDL_LOAD_FROM_FILE_WITH_Q;
	OK(aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &type,
			      sizeof(type)));
	EXPECT_ACL(ACL_ERROR_API_NOT_SUPPORT,
		   aclmdlLoadWithConfig(config, &self->id));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &type,
				      4));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetConfigOpt(config, ACL_MDL_PATH_PTR, NULL, 8));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetConfigOpt(config, ACL_MDL_PRIORITY_INT32, &priority,
				      sizeof(priority)));
	EXPECT_ACL(ACL_ERROR_API_NOT_SUPPORT,
		   aclmdlSetConfigOpt(config, ACL_MDL_INPUTQ_NUM_SIZET, &type,
				      sizeof(type)));
	OK(aclmdlDestroyConfigHandle(config));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlDestroyConfigHandle(config));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlLoadWithConfig(config, &self->id));
}

TEST_F(offline, needs_a_context)
{
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(NO_CONTEXT,
		   aclmdlLoadFromMem(self->bytes, self->size, &self->id));
	OK(aclrtSetDevice(0));
}

static void *describe(void *bytes)
{
	aclmdlDesc *desc = aclmdlCreateDesc();
	bool right;

	(void)bytes;
	right = !aclmdlGetDescFromFile(desc, model_path("batch", "om")) &&
		aclmdlGetNumInputs(desc) == 2;
	aclmdlDestroyDesc(desc);
	return right ? desc : NULL;
}

/* The child has none of the parent's models, but may read files. */
TEST_F(offline, fork)
{
	int status;
	pid_t child;

	OK(aclmdlLoadFromMem(self->bytes, self->size, &self->id));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(aclmdlUnload(self->id) == ACL_SUCCESS ||
		      !describe(NULL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	OK(aclmdlUnload(self->id));
}

TEST_HARNESS_MAIN
