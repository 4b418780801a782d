/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: parameters of images (AIPP). */
#ifndef SELFTESTS_LIB_FAIL_NTH_AIPP_H
#define SELFTESTS_LIB_FAIL_NTH_AIPP_H

#include "fail_nth_offline.h"

static aclError make_aipp(struct world *w)
{
	w->aipp = aclmdlCreateAIPP(2);
	return made(w->aipp);
}

/* The parameters that the model pictures of offline_models.c needs. */
static aclError make_pictures(struct world *w)
{
	aclError err = make_filled_set(w);

	if (!err)
		err = aclmdlAddDatasetBuffer(w->dataset, w->data);
	if (!err)
		err = aclmdlLoadFromFile(model_path("pictures", "om"),
					 &w->offline);
	if (!err)
		err = make_aipp(w);
	if (!err)
		err = aclmdlSetAIPPInputFormat(w->aipp, ACL_RGB888_U8);
	return err ? err : aclmdlSetAIPPSrcImageSize(w->aipp, 4, 4);
}

CALL(aipp_type, {
	aclmdlInputAippType type;

	return aclmdlGetAippType(w->offline, 0, &type, result(0));
})

CALL(aipp_info, {
	static aclAippInfo info;

	return aclmdlGetFirstAippInfo(w->offline, 0, &info);
})

CALL(destroy_aipp, {
	return END(w, aipp, aclmdlDestroyAIPP(w->aipp));
})

#define AIPP_ROWS(ROW)							\
	ROW(aclmdlGetAippDataSize, NULL, (2, result(0)))		\
	ROW(aclmdlSetAIPPInputFormat, make_aipp, (w->aipp, ACL_RGB888_U8)) \
	ROW(aclmdlSetAIPPCscParams, make_aipp,				\
	    (w->aipp, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6))	\
	ROW(aclmdlSetAIPPRbuvSwapSwitch, make_aipp, (w->aipp, 1))	\
	ROW(aclmdlSetAIPPAxSwapSwitch, make_aipp, (w->aipp, 1))		\
	ROW(aclmdlSetAIPPSrcImageSize, make_aipp, (w->aipp, 4, 4))	\
	ROW(aclmdlSetAIPPScfParams, make_aipp,				\
	    (w->aipp, 1, 16, 16, 32, 32, 1))				\
	ROW(aclmdlSetAIPPCropParams, make_aipp, (w->aipp, 1, 0, 0, 4, 4, 1)) \
	ROW(aclmdlSetAIPPPaddingParams, make_aipp,			\
	    (w->aipp, 1, 1, 2, 3, 4, 1))				\
	ROW(aclmdlSetAIPPDtcPixelMean, make_aipp, (w->aipp, 1, 2, 3, 4, 1)) \
	ROW(aclmdlSetAIPPDtcPixelMin, make_aipp, (w->aipp, 1, 2, 3, 4, 1)) \
	ROW(aclmdlSetAIPPPixelVarReci, make_aipp, (w->aipp, 1, 2, 3, 4, 1)) \
	ROW(aclmdlSetInputAIPP, make_pictures,				\
	    (w->offline, w->dataset, 1, w->aipp))			\
	ROW(aclmdlSetAIPPByInputIndex, make_pictures,			\
	    (w->offline, w->dataset, 0, w->aipp))

AIPP_ROWS(ROW_CALL)

static const struct sweep aipp_calls[] = {
	AIPP_ROWS(ROW_ENTRY)
	{ "aclmdlCreateAIPP", NULL, make_aipp, false, 0 },
	{ "aclmdlDestroyAIPP", make_aipp, call_destroy_aipp, false, 0 },
	{ "aclmdlGetAippType", make_pictures, call_aipp_type, false, 0 },
	{ "aclmdlGetFirstAippInfo", make_pictures, call_aipp_info, false, 0 },
	{ 0 }
};

#endif
