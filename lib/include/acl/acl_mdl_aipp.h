/* SPDX-License-Identifier: MIT */
/*
 * Images as inputs of offline models (AIPP): acl_mdl.h includes this.
 *
 * atc makes a model take images (--insert_op_conf).  With aipp_mode: static, the
 * file has the values of the preprocessing.  With aipp_mode: dynamic, each run
 * gives them: the image is a buffer of bytes, and the model has one more input
 * with parameters, named ACL_DYNAMIC_AIPP_NAME, before that which chooses a gear.
 *
 *	parameters = aclmdlCreateAIPP(batch);
 *	aclmdlSetAIPPInputFormat(parameters, ACL_RGB888_U8);
 *	aclmdlSetAIPPSrcImageSize(parameters, 256, 256);
 *	aclmdlSetAIPPCropParams(parameters, 1, 16, 16, 224, 224, 0);
 *	aclmdlSetInputAIPP(model, input, index, parameters);
 *
 * An image is cropped, its channels are swapped, its colours converted, it is
 * resized, each channel becomes (x - mean - min) * factor, and borders of zeros
 * are added.  Resizing is linear between the middles of pixels; its results are
 * not rounded.  CANN documents the call for it, but supports it on no card.
 *
 * The images of a batch follow each other in the buffer, each with the bytes that
 * its format and size need.  A run checks the parameters again, and fails with
 * those that are not valid; it never reads outside of the buffer.
 *
 * The ranges of values are those that CANN's documentation of each call gives.
 */
#ifndef ACL_ACL_MDL_AIPP_H
#define ACL_ACL_MDL_AIPP_H

#include "acl_mdl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Name of the input with parameters of images; further ones have _1, _2, ... */
#define ACL_DYNAMIC_AIPP_NAME	"ascend_dynamic_aipp_data"

typedef struct aclmdlAIPP aclmdlAIPP;
typedef struct aclAippExtendInfo aclAippExtendInfo;

/* Formats of images; the first four are supported. */
typedef enum {
	ACL_YUV420SP_U8 = 1,	/* Y, then pairs of U and V for 2 x 2 pixels */
	ACL_XRGB8888_U8,	/* four bytes, the first without a meaning */
	ACL_RGB888_U8,
	ACL_YUV400_U8,		/* gray */
	ACL_NC1HWC0DI_FP16,
	ACL_NC1HWC0DI_S8,
	ACL_ARGB8888_U8,
	ACL_YUYV_U8,
	ACL_YUV422SP_U8,
	ACL_AYUV444_U8,
	ACL_RAW10,
	ACL_RAW12,
	ACL_RAW16,
	ACL_RAW24,
	ACL_AIPP_RESERVED = 0xffff
} aclAippInputFormat;

/* How an input is preprocessed. */
typedef enum {
	ACL_DATA_WITHOUT_AIPP = 0,
	ACL_DATA_WITH_STATIC_AIPP,
	ACL_DATA_WITH_DYNAMIC_AIPP,	/* another input has its parameters */
	ACL_DYNAMIC_AIPP_NODE		/* it has parameters of another input */
} aclmdlInputAippType;

/**
 * struct aclAippDims - the shape of an input that is preprocessed, in a gear
 * @srcDims: the shape before the input became an image
 * @srcSize: its bytes
 * @aippOutdims: the shape that preprocessing makes, which is the same
 * @aippOutSize: its bytes
 */
typedef struct aclAippDims {
	aclmdlIODims srcDims;
	size_t srcSize;
	aclmdlIODims aippOutdims;
	size_t aippOutSize;
} aclAippDims;

/*
 * The preprocessing of an input.  Members before srcFormat have the values of the
 * file of --insert_op_conf with similar names; they are 0 for dynamic AIPP.
 * srcFormat, srcDatatype and srcDimNum describe the input before it became an
 * image, and outDims has its shape in each of shapeCount gears.  aippExtend is
 * NULL.
 */
typedef struct aclAippInfo {
	aclAippInputFormat inputFormat;
	int32_t srcImageSizeW;
	int32_t srcImageSizeH;
	int8_t cropSwitch;
	int32_t loadStartPosW;
	int32_t loadStartPosH;
	int32_t cropSizeW;
	int32_t cropSizeH;
	int8_t resizeSwitch;
	int32_t resizeOutputW;
	int32_t resizeOutputH;
	int8_t paddingSwitch;
	int32_t leftPaddingSize;
	int32_t rightPaddingSize;
	int32_t topPaddingSize;
	int32_t bottomPaddingSize;
	int8_t cscSwitch;
	int8_t rbuvSwapSwitch;
	int8_t axSwapSwitch;
	int8_t singleLineMode;
	int32_t matrixR0C0;
	int32_t matrixR0C1;
	int32_t matrixR0C2;
	int32_t matrixR1C0;
	int32_t matrixR1C1;
	int32_t matrixR1C2;
	int32_t matrixR2C0;
	int32_t matrixR2C1;
	int32_t matrixR2C2;
	int32_t outputBias0;
	int32_t outputBias1;
	int32_t outputBias2;
	int32_t inputBias0;
	int32_t inputBias1;
	int32_t inputBias2;
	int32_t meanChn0;
	int32_t meanChn1;
	int32_t meanChn2;
	int32_t meanChn3;
	float minChn0;
	float minChn1;
	float minChn2;
	float minChn3;
	float varReciChn0;
	float varReciChn1;
	float varReciChn2;
	float varReciChn3;
	aclFormat srcFormat;
	aclDataType srcDatatype;
	size_t srcDimNum;
	size_t shapeCount;
	aclAippDims outDims[ACL_MAX_SHAPE_COUNT];
	aclAippExtendInfo *aippExtend;
} aclAippInfo;

/**
 * aclmdlCreateAIPP() - make parameters of the images of a batch
 * @batchSize: number of images, 1 to 65536: the batch of the model, or its
 *	largest one
 *
 * Without further calls, no step is done, and factors are 1.
 *
 * Returns NULL for another number, and without host memory.
 */
ACL_FUNC_VISIBILITY aclmdlAIPP *aclmdlCreateAIPP(uint64_t batchSize);

/**
 * aclmdlDestroyAIPP() - destroy parameters of images
 * @aippParmsSet: the parameters
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if they were destroyed before.
 */
ACL_FUNC_VISIBILITY aclError aclmdlDestroyAIPP(const aclmdlAIPP *aippParmsSet);

/**
 * aclmdlGetAippDataSize() - get the bytes of an input with parameters
 * @batchSize: number of images, 1 to 65536
 * @size: set to the bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or another number.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetAippDataSize(uint64_t batchSize,
	size_t *size);

/**
 * aclmdlSetAIPPInputFormat() - set the format of all images
 * @aippParmsSet: the parameters
 * @inputFormat: ACL_YUV420SP_U8, ACL_XRGB8888_U8, ACL_RGB888_U8 or ACL_YUV400_U8
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another format, and those of
 * aclmdlDestroyAIPP().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPInputFormat(aclmdlAIPP *aippParmsSet,
	aclAippInputFormat inputFormat);

/**
 * aclmdlSetAIPPCscParams() - set the conversion of the colours of all images
 * @aippParmsSet: the parameters
 * @cscSwitch: 1 to convert, or 0: then the values below are ignored
 * @cscMatrixR0C0: colours become matrix * (x - input bias) / 256 + output bias,
 *	rounded down, and 0 to 255; this and the next eight are the matrix
 * @cscMatrixR0C1: row 0, column 1
 * @cscMatrixR0C2: row 0, column 2
 * @cscMatrixR1C0: row 1, column 0
 * @cscMatrixR1C1: row 1, column 1
 * @cscMatrixR1C2: row 1, column 2
 * @cscMatrixR2C0: row 2, column 0
 * @cscMatrixR2C1: row 2, column 1
 * @cscMatrixR2C2: row 2, column 2
 * @cscOutputBiasR0: output bias of channel 0
 * @cscOutputBiasR1: that of channel 1
 * @cscOutputBiasR2: that of channel 2
 * @cscInputBiasR0: input bias of channel 0
 * @cscInputBiasR1: that of channel 1
 * @cscInputBiasR2: that of channel 2
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another switch, and those of
 * aclmdlDestroyAIPP().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPCscParams(aclmdlAIPP *aippParmsSet,
	int8_t cscSwitch, int16_t cscMatrixR0C0, int16_t cscMatrixR0C1,
	int16_t cscMatrixR0C2, int16_t cscMatrixR1C0, int16_t cscMatrixR1C1,
	int16_t cscMatrixR1C2, int16_t cscMatrixR2C0, int16_t cscMatrixR2C1,
	int16_t cscMatrixR2C2, uint8_t cscOutputBiasR0, uint8_t cscOutputBiasR1,
	uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0, uint8_t cscInputBiasR1,
	uint8_t cscInputBiasR2);

/**
 * aclmdlSetAIPPRbuvSwapSwitch() - swap red and blue, or U and V, of all images
 * @aippParmsSet: the parameters
 * @rbuvSwapSwitch: 1 to swap, or 0
 *
 * Errors: as aclmdlSetAIPPCscParams().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP *aippParmsSet, int8_t rbuvSwapSwitch);

/**
 * aclmdlSetAIPPAxSwapSwitch() - move the first channel of all images to the end
 * @aippParmsSet: the parameters
 * @axSwapSwitch: 1 to make RGBX of XRGB, or 0
 *
 * Errors: as aclmdlSetAIPPCscParams().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP *aippParmsSet, int8_t axSwapSwitch);

/**
 * aclmdlSetAIPPSrcImageSize() - set the size of all images, which is needed
 * @aippParmsSet: the parameters
 * @srcImageSizeW: columns, 2 to 4096; even for ACL_YUV420SP_U8
 * @srcImageSizeH: lines, 1 to 4096; likewise
 *
 * Errors: ACL_ERROR_INVALID_PARAM for other numbers, and those of
 * aclmdlDestroyAIPP().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetAIPPSrcImageSize(aclmdlAIPP *aippParmsSet, int32_t srcImageSizeW,
	int32_t srcImageSizeH);

/**
 * aclmdlSetAIPPScfParams() - resize an image
 * @aippParmsSet: the parameters
 * @scfSwitch: 1 to resize, or 0: then the sizes are ignored
 * @scfInputSizeW: columns before, after cropping, 16 to 4096
 * @scfInputSizeH: lines before, likewise
 * @scfOutputSizeW: columns afterwards, 16 to 1920
 * @scfOutputSizeH: lines afterwards, 16 to 4096
 * @batchIndex: number of the image
 *
 * Both sizes change by a factor of 1/16 to 16.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for other numbers, and those of
 * aclmdlDestroyAIPP().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPScfParams(aclmdlAIPP *aippParmsSet,
	int8_t scfSwitch, int32_t scfInputSizeW, int32_t scfInputSizeH,
	int32_t scfOutputSizeW, int32_t scfOutputSizeH, uint64_t batchIndex);

/**
 * aclmdlSetAIPPCropParams() - use a part of an image
 * @aippParmsSet: the parameters
 * @cropSwitch: 1 to crop, or 0: then the part is ignored
 * @cropStartPosW: first column, 0 to 4095
 * @cropStartPosH: first line, likewise
 * @cropSizeW: columns, 1 to 4096
 * @cropSizeH: lines, likewise
 * @batchIndex: number of the image
 *
 * Errors: as aclmdlSetAIPPScfParams().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPCropParams(aclmdlAIPP *aippParmsSet,
	int8_t cropSwitch, int32_t cropStartPosW, int32_t cropStartPosH,
	int32_t cropSizeW, int32_t cropSizeH, uint64_t batchIndex);

/**
 * aclmdlSetAIPPPaddingParams() - add borders of zeros to an image
 * @aippParmsSet: the parameters
 * @paddingSwitch: 1 to add them, or 0: then the sizes are ignored
 * @paddingSizeTop: lines, 0 to 32
 * @paddingSizeBottom: likewise
 * @paddingSizeLeft: columns, 0 to 32
 * @paddingSizeRight: likewise
 * @batchIndex: number of the image
 *
 * Errors: as aclmdlSetAIPPScfParams().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetAIPPPaddingParams(aclmdlAIPP *aippParmsSet, int8_t paddingSwitch,
	int32_t paddingSizeTop, int32_t paddingSizeBottom,
	int32_t paddingSizeLeft, int32_t paddingSizeRight, uint64_t batchIndex);

/**
 * aclmdlSetAIPPDtcPixelMean() - set the mean of each channel of an image
 * @aippParmsSet: the parameters
 * @dtcPixelMeanChn0: number to subtract from channel 0, 0 to 255
 * @dtcPixelMeanChn1: from channel 1
 * @dtcPixelMeanChn2: from channel 2
 * @dtcPixelMeanChn3: from channel 3
 * @batchIndex: number of the image
 *
 * Errors: as aclmdlSetAIPPScfParams().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetAIPPDtcPixelMean(aclmdlAIPP *aippParmsSet, int16_t dtcPixelMeanChn0,
	int16_t dtcPixelMeanChn1, int16_t dtcPixelMeanChn2,
	int16_t dtcPixelMeanChn3, uint64_t batchIndex);

/**
 * aclmdlSetAIPPDtcPixelMin() - set the minimum of each channel of an image
 * @aippParmsSet: the parameters
 * @dtcPixelMinChn0: second number to subtract from channel 0, 0 to 255
 * @dtcPixelMinChn1: from channel 1
 * @dtcPixelMinChn2: from channel 2
 * @dtcPixelMinChn3: from channel 3
 * @batchIndex: number of the image
 *
 * Errors: as aclmdlSetAIPPScfParams().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP *aippParmsSet,
	float dtcPixelMinChn0, float dtcPixelMinChn1, float dtcPixelMinChn2,
	float dtcPixelMinChn3, uint64_t batchIndex);

/**
 * aclmdlSetAIPPPixelVarReci() - set the factor of each channel of an image
 * @aippParmsSet: the parameters
 * @dtcPixelVarReciChn0: factor of channel 0, -65504 to 65504; 1 without this call
 * @dtcPixelVarReciChn1: of channel 1
 * @dtcPixelVarReciChn2: of channel 2
 * @dtcPixelVarReciChn3: of channel 3
 * @batchIndex: number of the image
 *
 * Errors: as aclmdlSetAIPPScfParams().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP *aippParmsSet,
	float dtcPixelVarReciChn0, float dtcPixelVarReciChn1,
	float dtcPixelVarReciChn2, float dtcPixelVarReciChn3,
	uint64_t batchIndex);

/**
 * aclmdlSetInputAIPP() - give a dataset parameters of images
 * @modelId: the model
 * @dataset: the inputs
 * @index: number of the input with parameters, such as ACL_DYNAMIC_AIPP_NAME
 * @aippParmsSet: the parameters, which are copied to the memory of the input
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, parameters of another number of
 * images than the largest batch of the model, or of images that do not fit the
 * buffer or the model; ACL_ERROR_GE_AIPP_NOT_EXIST if the input has no AIPP,
 * ACL_ERROR_GE_AIPP_MODE_INVALID if that is static;
 * ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID and
 * ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID for a data buffer without memory or
 * with too little; ACL_ERROR_GE_EXEC_MODEL_ID_INVALID; ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetInputAIPP(uint32_t modelId,
	aclmdlDataset *dataset, size_t index, const aclmdlAIPP *aippParmsSet);

/**
 * aclmdlSetAIPPByInputIndex() - give a dataset parameters of images
 * @modelId: the model
 * @dataset: the inputs
 * @index: number of the input that is the image
 * @aippParmsSet: the parameters
 *
 * Errors: as aclmdlSetInputAIPP().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAIPPByInputIndex(uint32_t modelId,
	aclmdlDataset *dataset, size_t index, const aclmdlAIPP *aippParmsSet);

/**
 * aclmdlGetAippType() - find out how an input is preprocessed
 * @modelId: the model
 * @index: number of the input
 * @type: set to the kind
 * @dynamicAttachedDataIndex: set to the number of the input with its parameters,
 *	or to 0xFFFFFFFF unless the kind is ACL_DATA_WITH_DYNAMIC_AIPP
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if there is no such input;
 * ACL_ERROR_GE_EXEC_MODEL_ID_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetAippType(uint32_t modelId, size_t index,
	aclmdlInputAippType *type, size_t *dynamicAttachedDataIndex);

/**
 * aclmdlGetFirstAippInfo() - get the preprocessing of an input
 * @modelId: the model
 * @index: number of the input that is the image
 * @aippInfo: set to its values
 *
 * Errors: as aclmdlGetAippType(); ACL_ERROR_GE_AIPP_NOT_EXIST if the input is not
 * preprocessed.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetFirstAippInfo(uint32_t modelId,
	size_t index, aclAippInfo *aippInfo);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_MDL_AIPP_H */
