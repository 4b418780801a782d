/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tensors in files: arrays of NumPy (.npy), messages TensorProto of ONNX (.pb),
 * and bytes without a description (.bin and others). Functions return NULL, or a
 * message that the caller frees.
 */
#ifndef VNPU_MODEL_TENSOR_H
#define VNPU_MODEL_TENSOR_H

#include <stdio.h>

#include "program/program.h"

/**
 * struct tensor - a tensor of a file
 * @dtype: type of its elements; VNPU_DT_NONE if the file does not say it
 * @rank: number of dimensions
 * @dims: their sizes
 * @data: the elements in order, allocated
 * @bytes: their bytes
 */
struct tensor {
	unsigned int dtype;
	unsigned int rank;
	int64_t dims[VNPU_TENSOR_DIMS];
	void *data;
	size_t bytes;
};

/**
 * enum tensor_format - formats of files that are written
 * @TENSOR_BIN: the bytes alone
 * @TENSOR_NPY: an array of NumPy
 * @TENSOR_TXT: the elements as text
 */
enum tensor_format {
	TENSOR_BIN,
	TENSOR_NPY,
	TENSOR_TXT,
};

char *tensor_read(struct tensor *t, const char *path);
void tensor_free(struct tensor *t);

/* Write a tensor. */
char *tensor_write(const struct tensor *t, const char *path,
		   enum tensor_format format);

/* Compose a message; never returns NULL. */
char *tensor_message(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Get elements as numbers, freed by the caller; NULL without memory. */
double *tensor_numbers(unsigned int dtype, const void *data, size_t count);

/* Of npy.c: read and write the format of NumPy. */
char *npy_parse(struct tensor *t, const char *path, const char *bytes,
		size_t size);
void npy_print(FILE *f, const void *tensor);

#endif
