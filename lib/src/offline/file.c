// SPDX-License-Identifier: MIT
/* Reading .om files, see file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "file.h"

static aclError no_memory(size_t size)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for a model of %zu bytes", size);
}

static struct vnpu_om *om_alloc(size_t size)
{
	struct vnpu_om *om = malloc(sizeof(*om));

	if (!om)
		return NULL;
	om->map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (om->map == MAP_FAILED) {
		free(om);
		return NULL;
	}
	atomic_init(&om->refs, 1);
	om->size = size;
	om->file[0] = '\0';
	return om;
}

void vnpu_om_ref(struct vnpu_om *om)
{
	atomic_fetch_add_explicit(&om->refs, 1, memory_order_relaxed);
}

void vnpu_om_put(struct vnpu_om *om)
{
	if (atomic_fetch_sub_explicit(&om->refs, 1, memory_order_acq_rel) != 1)
		return;
	munmap(om->map, om->size);
	free(om);
}

/* Describe a file that is no model of vnpu, by its first bytes. */
static const char *guess(const char *data, size_t size)
{
	if (size >= 4 && !memcmp(data, "IMOD", 4))
		return "it is a model that CANN has compiled for a card; compile the ONNX file again by the atc of vnpu";
	if (size >= 4 && !memcmp(data, "PK\3\4", 4))
		return "it is an archive, maybe a model that CANN has compiled for a card; compile the ONNX file again by the atc of vnpu";
	if (size >= 2 && data[0] == 8 && data[1] > 0 && data[1] < 32)
		return "it looks like an ONNX file; compile it by atc first";
	return "it does not begin like one; compile an ONNX file by atc";
}

/* Check the bytes; @name: the file, or "model". */
static aclError check(struct vnpu_om *om, const char *name)
{
	const struct om_head *h = om->map;
	struct program_error error = { 0 };
	int err = om_open(&om->om, om->map, om->size, &error);

	if (!err)
		return ACL_SUCCESS;
	if (om->size < sizeof(h->magic) ||
	    memcmp(h->magic, OM_MAGIC, sizeof(h->magic)))
		return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
				  "%s is no model of vnpu: %s", name,
				  guess(om->map, om->size));
	if (err == -ENOEXEC || om->size < sizeof(*h) || h->size != om->size)
		return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
				  "%s cannot be loaded: %s", name, error.text);
	return vnpu_error(ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED,
			  "%s is damaged: %s", name, error.text);
}

static aclError finish(struct vnpu_om *om, const char *name,
		       struct vnpu_om **result)
{
	aclError ret = check(om, name);

	if (ret)
		vnpu_om_put(om);
	else
		*result = om;
	return ret;
}

/* Read all bytes: 0 or -errno. */
static int fill(int fd, char *to, size_t size)
{
	while (size) {
		ssize_t got = read(fd, to, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		to += got;
		size -= got;
	}
	return 0;
}

static aclError bad_path(const char *path, int err)
{
	if (err == ENOMEM)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to read modelPath = %s", path);
	return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID,
			  "modelPath = %s cannot be read: %s", path,
			  err == ENODATA ? "it became shorter meanwhile" :
					   strerror(err));
}

/* Keep the name of a file without its folder and its suffix. */
static void keep_name(struct vnpu_om *om, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	int length = dot ? dot - name : (int)strlen(name);

	snprintf(om->file, sizeof(om->file), "%.*s", length, name);
}

static aclError read_from(int fd, const char *path, struct vnpu_om **result)
{
	struct vnpu_om *om;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return bad_path(path, errno);
	if (!S_ISREG(st.st_mode))
		return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID,
				  "modelPath = %s is not a file", path);
	if (!st.st_size)
		return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
				  "modelPath = %s is empty", path);
	om = om_alloc(st.st_size);
	if (!om)
		return no_memory(st.st_size);
	err = fill(fd, om->map, om->size);
	if (err) {
		vnpu_om_put(om);
		return bad_path(path, -err);
	}
	keep_name(om, path);
	return finish(om, path, result);
}

aclError vnpu_om_read(const char *path, struct vnpu_om **om)
{
	aclError ret;
	int fd;

	if (!path)
		return vnpu_error_null("modelPath");
	/* A pipe must not block. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return bad_path(path, errno);
	ret = read_from(fd, path, om);
	close(fd);
	return ret;
}

aclError vnpu_om_copy(const void *data, size_t size, struct vnpu_om **om)
{
	struct vnpu_om *new;

	if (!data)
		return vnpu_error_null("model");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"modelSize is 0; pass the bytes of the model");
	new = om_alloc(size);
	if (!new)
		return no_memory(size);
	memcpy(new->map, data, size);
	return finish(new, "the model", om);
}

void vnpu_om_drop_weights(struct vnpu_om *om)
{
	size_t kept = om->om.head->weights_at;

	for (uint32_t gear = 0; gear < om->om.head->gears; gear++) {
		struct program p;

		om_program(&om->om, gear, &p);
		for (uint32_t i = 0; i < p.head->inputs; i++)
			if (p.tensors[i].frozen_at != PROGRAM_NONE)
				return;
	}
	/* They begin at a page, and nothing is behind them. */
	if (kept < om->size && om->om.head->weights_size ==
	    om->size - kept && !munmap((char *)om->map + kept,
				       om->size - kept))
		om->size = kept;
}

aclDataType vnpu_om_type(unsigned int dtype)
{
	static const aclDataType types[VNPU_DT_COUNT] = {
		[VNPU_DT_NONE] = ACL_DT_UNDEFINED,
		[VNPU_DT_F16] = ACL_FLOAT16,
		[VNPU_DT_BF16] = ACL_BF16,
		[VNPU_DT_F32] = ACL_FLOAT,
		[VNPU_DT_F64] = ACL_DOUBLE,
		[VNPU_DT_I8] = ACL_INT8,
		[VNPU_DT_I16] = ACL_INT16,
		[VNPU_DT_I32] = ACL_INT32,
		[VNPU_DT_I64] = ACL_INT64,
		[VNPU_DT_U8] = ACL_UINT8,
		[VNPU_DT_BOOL] = ACL_BOOL,
		[VNPU_DT_I4] = ACL_INT4,
		[VNPU_DT_U16] = ACL_UINT16,
		[VNPU_DT_U32] = ACL_UINT32,
	};

	return dtype < VNPU_DT_COUNT ? types[dtype] : ACL_DT_UNDEFINED;
}
