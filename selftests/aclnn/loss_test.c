// SPDX-License-Identifier: GPL-2.0-only
/* Losses of logarithms, and their gradients, against formulas in f64. */
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_kl_div_backward.h"
#include "typed.h"

enum { NONE, MEAN, SUM, BATCH_MEAN };
enum { ROWS = 3, COLUMNS = 4, COUNT = ROWS * COLUMNS };

/* Targets from 0 to 1. */
static void fill_targets(const struct typed *t, unsigned int seed)
{
	for (int64_t i = 0; i < t->count; i++)
		set(t, i, rint((number(i + seed * 1000ULL) + 2) * 16) / 64);
}

static double with_logits(double x, double target, double weight,
			  double positive)
{
	double yes = -log1p(exp(-x)), no = -log1p(exp(x));

	return -weight * (positive * target * yes + (1 - target) * no);
}

static double with_logits_slope(double x, double target, double weight,
				double positive)
{
	double p = 1 / (1 + exp(-x));

	return weight * ((positive * target + 1 - target) * p -
			 positive * target);
}

/* Check losses, or gradients of 3, for both optional factors or none. */
static bool check_logits(aclDataType dtype, enum layout layout, bool has_weights,
			 int64_t mode)
{
	struct typed x = TYPED(dtype, layout, ROWS, COLUMNS);
	struct typed target = TYPED(dtype, (layout + 1) % LAYOUTS, ROWS, COLUMNS);
	struct typed weight = TYPED(dtype, layout, ROWS, 1);
	struct typed positive = TYPED(dtype, CONTIGUOUS, COLUMNS);
	struct typed up = TYPED(dtype, CONTIGUOUS, 1);
	struct typed of = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	struct typed out = mode ? TYPED(dtype, CONTIGUOUS, 1) :
		TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	double sum = 0, loss;

	fill(&x, 1);
	fill_targets(&target, 2);
	fill_targets(&weight, 3);
	fill_targets(&positive, 4);
	set(&up, 0, 3);
	EXPECT(!RUN(aclnnBinaryCrossEntropyWithLogits, x.tensor, target.tensor,
		    has_weights ? weight.tensor : NULL,
		    has_weights ? positive.tensor : NULL, mode, out.tensor));
	EXPECT(!RUN(aclnnBinaryCrossEntropyWithLogitsBackward, up.tensor,
		    x.tensor, target.tensor, has_weights ? weight.tensor : NULL,
		    has_weights ? positive.tensor : NULL, mode, of.tensor));
	for (unsigned int i = 0; i < COUNT; i++) {
		double w = has_weights ? get(&weight, i / COLUMNS) : 1;
		double p = has_weights ? get(&positive, i % COLUMNS) : 1;

		loss = with_logits(get(&x, i), get(&target, i), w, p);
		sum += loss;
		EXPECT(mode || is(&out, i, loss));
		EXPECT(is(&of, i, 3 * with_logits_slope(get(&x, i),
			get(&target, i), w, p) / (mode == MEAN ? COUNT : 1)));
	}
	EXPECT(!mode || is(&out, 0, mode == MEAN ? sum / COUNT : sum));
	return true;
}

static bool logits(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(float_types); t++)
		for (unsigned int way = 0; way < LAYOUTS * 6; way++) {
			forget_typed();
			EXPECT(check_logits(float_types[t], way % LAYOUTS,
					    way / LAYOUTS % 2,
					    way / LAYOUTS / 2));
		}
	forget_typed();
	return true;
}

/* Numbers that exp() cannot represent in f32, and no numbers at all. */
static bool far_logits(void)
{
	float x[] = { 200, -200 }, target[] = { 0, 1 }, loss[2] = { 0 }, one = 1;

	EXPECT(!RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 2), F32(target, 2),
		    NULL, NULL, NONE, F32(loss, 2)));
	EXPECT(near(loss[0], 200) && near(loss[1], 200));
	EXPECT(!RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 0), F32(target, 0),
		    NULL, NULL, SUM, F32(loss, 1)) && loss[0] == 0);
	EXPECT(!RUN(aclnnBinaryCrossEntropyWithLogitsBackward, F32(&one, 1),
		    F32(x, 0), F32(target, 0), NULL, NULL, MEAN, F32(loss, 0)));
	return true;
}

static bool logits_errors(void)
{
	static float x[12], out[12];

	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 3, 4), F32(x, 4),
		   NULL, NULL, NONE, F32(out, 3, 4)));
	TEXT("target: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 4), F32(x, 4),
		   F32(x, 3, 4), NULL, SUM, F32(out, 1)));
	TEXT("weightOptional: expected at most 1 dimension");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 3, 4), F32(x, 3, 4),
		   NULL, F32(x, 3), MEAN, F32(out, 1)));
	TEXT("posWeightOptional: expected 1 or 4 in dimension 0");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 4), F32(x, 4), NULL,
		   NULL, 3, F32(out, 1)));
	TEXT("reduction: expected 0 to 2, given 3");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 4), F32(x, 4), NULL,
		   NULL, NONE, F32(out, 3, 4)));
	TEXT("out: expected 1 dimensions, given 2");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, NULL, F32(x, 4), NULL,
		   NULL, NONE, F32(out, 4)) == ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogitsBackward, F32(x, 4),
		   F32(x, 4), F32(x, 4), NULL, NULL, -1, F32(out, 4)));
	TEXT("reduction: expected 0 to 2, given -1");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogitsBackward, F32(x, 1),
		   F32(x, 4), F32(x, 4), NULL, NULL, NONE, F32(out, 3)));
	TEXT("out: expected 4 in dimension 0, given 3");
	EXPECT(RUN(aclnnBinaryCrossEntropyWithLogits, F32(x, 4), F32(x, 4), NULL,
		   NULL, NONE, I32(out, 4)));
	TEXT("out: expected a floating-point type, given i32");
	return true;
}

/* Targets of one row, or of all. */
static bool check_divergence(aclDataType dtype, enum layout layout, bool is_log,
			     bool is_row, int64_t mode)
{
	struct typed x = TYPED(dtype, layout, ROWS, COLUMNS);
	struct typed target = is_row ? TYPED(dtype, CONTIGUOUS, COLUMNS) :
				       TYPED(dtype, layout, ROWS, COLUMNS);
	struct typed up = TYPED(dtype, CONTIGUOUS, 1);
	struct typed of = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	struct typed out = mode ? TYPED(dtype, CONTIGUOUS, 1) :
		TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	double sum = 0, part[] = { 1, COUNT, 1, ROWS };

	fill(&x, 5);
	fill_targets(&target, 6);
	set(&target, 1, 0);
	set(&up, 0, 2);
	if (mode != BATCH_MEAN)
		EXPECT(!RUN(aclnnKlDiv, x.tensor, target.tensor, mode, is_log,
			    out.tensor));
	EXPECT(!RUN(aclnnKlDivBackward, up.tensor, x.tensor, target.tensor,
		    mode, is_log, of.tensor));
	for (unsigned int i = 0; i < COUNT; i++) {
		double t = get(&target, is_row ? i % COLUMNS : i);
		double p = is_log ? exp(t) : t;
		double loss = p ? p * ((is_log ? t : log(t)) - get(&x, i)) : 0;

		sum += loss;
		EXPECT(mode || is(&out, i, loss));
		EXPECT(is(&of, i, -2 * p / part[mode]));
	}
	EXPECT(!mode || mode == BATCH_MEAN || is(&out, 0, sum / part[mode]));
	return true;
}

static bool divergences(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(float_types); t++)
		for (unsigned int way = 0; way < LAYOUTS * 16; way++) {
			forget_typed();
			EXPECT(check_divergence(float_types[t], way % LAYOUTS,
						way / LAYOUTS % 2,
						way / LAYOUTS / 2 % 2,
						way / LAYOUTS / 4));
		}
	forget_typed();
	return true;
}

static bool divergence_errors(void)
{
	static float x[12], out[12];

	EXPECT(RUN(aclnnKlDiv, F32(x, 3, 4), F32(x, 3), NONE, false,
		   F32(out, 3, 4)));
	EXPECT(RUN(aclnnKlDiv, F32(x, 4), F32(x, 4), BATCH_MEAN, false,
		   F32(out, 1)));
	TEXT("reduction: expected 0 to 2, given 3");
	EXPECT(RUN(aclnnKlDiv, F32(x, 4), F32(x, 4), NONE, false,
		   F32(out, 3, 4)));
	TEXT("out: expected 1 dimensions, given 2");
	EXPECT(RUN(aclnnKlDivBackward, F32(x, 1), F32(x, 4), F32(x, 4), 4, false,
		   F32(out, 4)));
	TEXT("reduction: expected 0 to 3, given 4");
	EXPECT(RUN(aclnnKlDivBackward, F32(x, 1), F32(x, 4), F32(x, 3, 4), NONE,
		   false, F32(out, 4)));
	EXPECT(RUN(aclnnKlDivBackward, F32(x, 1), F32(x, 4), NULL, NONE, false,
		   F32(out, 4)) == ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(!RUN(aclnnKlDivBackward, F32(x, 1), F32(x, 0, 4), F32(x, 0, 4),
		    MEAN, false, F32(out, 0, 4)));
	/* A negative target has no logarithm. */
	x[1] = -1;
	EXPECT(!RUN(aclnnKlDiv, F32(x, 2), F32(x, 2), NONE, false,
		    F32(out, 2)) && out[0] == 0 && isnan(out[1]));
	return true;
}

/* Check the loss of classes and its gradient; row 1 is ignored. */
static bool check_classes(aclDataType dtype, enum layout layout, bool has_weight,
			  double smoothing, unsigned int mode)
{
	static char *const names[] = { "none", "mean", "sum" };
	static const int64_t classes[ROWS] = { 3, 1, 0 };
	struct typed x = TYPED(dtype, layout, ROWS, COLUMNS);
	struct typed target = TYPED(ACL_INT64, layout % OUT_LAYOUTS, ROWS);
	struct typed weight = TYPED(ACL_FLOAT, CONTIGUOUS, COLUMNS);
	struct typed up = mode ? make_typed(dtype, CONTIGUOUS, 0, NULL) :
				 TYPED(dtype, CONTIGUOUS, ROWS);
	struct typed out = mode ? make_typed(dtype, CONTIGUOUS, 0, NULL) :
				  TYPED(dtype, layout % OUT_LAYOUTS, ROWS);
	struct typed logs = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	struct typed of = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	double loss[ROWS], slope[COUNT], sum = 0, total = 0;

	fill(&x, 7);
	fill_targets(&weight, 8);
	for (unsigned int i = 0; i < up.count; i++)
		set(&up, i, 2 + i);
	for (unsigned int i = 0; i < ROWS; i++)
		set(&target, i, classes[i]);
	EXPECT(!RUN(aclnnCrossEntropyLoss, x.tensor, target.tensor,
		    has_weight ? weight.tensor : NULL, names[mode], 1, smoothing,
		    0, false, out.tensor, logs.tensor, NULL, NULL));
	EXPECT(!RUN(aclnnCrossEntropyLossGrad, up.tensor, logs.tensor,
		    target.tensor, has_weight ? weight.tensor : NULL, NULL, NULL,
		    names[mode], 1, smoothing, 0, of.tensor));
	for (unsigned int row = 0; row < ROWS; row++) {
		double all = 0;

		loss[row] = 0;
		for (unsigned int i = 0; i < COLUMNS; i++)
			all += exp(get(&x, row * COLUMNS + i));
		for (unsigned int i = 0; i < COLUMNS; i++) {
			unsigned int at = row * COLUMNS + i;
			double log_p = get(&x, at) - log(all), part;

			part = (has_weight ? get(&weight, i) : 1) *
			       (smoothing / COLUMNS + (i == classes[row] ?
						       1 - smoothing : 0));
			slope[at] = row == 1 ? 0 : -part;
			loss[row] += slope[at] * log_p;
			EXPECT(is(&logs, at, log_p));
			if (row != 1 && i == classes[row])
				total += has_weight ? get(&weight, i) : 1;
		}
		sum += loss[row];
		EXPECT(mode || is(&out, row, loss[row]));
	}
	EXPECT(!mode || is(&out, 0, mode == MEAN ? sum / total : sum));
	for (unsigned int row = 0; row < ROWS; row++) {
		double scale = get(&up, mode ? 0 : row), all = 0;

		scale /= mode == MEAN ? total : 1;
		for (unsigned int i = 0; i < COLUMNS; i++)
			all += slope[row * COLUMNS + i];
		for (unsigned int i = 0; i < COLUMNS; i++) {
			unsigned int at = row * COLUMNS + i;

			EXPECT(is(&of, at, scale * (slope[at] -
				  exp(get(&logs, at)) * all)));
		}
	}
	return true;
}

static bool classes(void)
{
	for (unsigned int t = 0; t < 3; t++)
		for (unsigned int way = 0; way < LAYOUTS * 12; way++) {
			forget_typed();
			EXPECT(check_classes(float_types[t], way % LAYOUTS,
					     way / LAYOUTS % 2,
					     way / LAYOUTS / 2 % 2 ? 0.25 : 0,
					     way / LAYOUTS / 4));
		}
	forget_typed();
	return true;
}

static bool class_errors(void)
{
	static float x[12], out[12];
	int64_t target[] = { 0, 4, 1 };

	/* The device finds a class that does not exist. */
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 3, 4), I64(target, 3), NULL,
		   "sum", -100, 0, 0, false, F32(out, 1), F32(out, 3, 4), NULL,
		   NULL));
	EXPECT(!RUN(aclnnCrossEntropyLoss, F32(x, 0, 4), I64(target, 0), NULL,
		    "sum", -100, 0.5, 0, false, F32(out, 1), F32(out, 0, 4),
		    NULL, NULL) && out[0] == 0);
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 3, 4), I64(target, 3), NULL,
		   "most", -100, 0, 0, false, F32(out, 1), F32(out, 3, 4), NULL,
		   NULL));
	TEXT("expected none, mean or sum, given most");
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 3, 4), I64(target, 3), NULL,
		   "sum", -100, 1.5, 0, false, F32(out, 1), F32(out, 3, 4), NULL,
		   NULL));
	TEXT("labelSmoothing: expected 0 to 1, given 1.5");
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 3, 4), I64(target, 3), NULL,
		   "sum", -100, 0, 0, true, F32(out, 1), F32(out, 3, 4), NULL,
		   NULL));
	TEXT("returnZloss: expected false, given true");
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 12), I64(target, 3), NULL,
		   "sum", -100, 0, 0, false, F32(out, 1), F32(out, 12), NULL,
		   NULL));
	TEXT("input: expected [row, class], given 1 dim");
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 3, 4), I64(target, 2), NULL,
		   "sum", -100, 0, 0, false, F32(out, 1), F32(out, 3, 4), NULL,
		   NULL));
	EXPECT(RUN(aclnnCrossEntropyLoss, F32(x, 3, 4), I64(target, 3),
		   F32(x, 3), "sum", -100, 0, 0, false, F32(out, 1),
		   F32(out, 3, 4), NULL, NULL));
	EXPECT(RUN(aclnnCrossEntropyLossGrad, F32(x, 1), F32(x, 3, 4),
		   I64(target, 3), NULL, NULL, NULL, "sum", -100, 0, 1,
		   F32(out, 3, 4)));
	TEXT("lseSquareScaleForZloss: expected 0, given 1");
	EXPECT(RUN(aclnnCrossEntropyLossGrad, F32(x, 2), F32(x, 3, 4),
		   I64(target, 3), NULL, NULL, NULL, "mean", -100, 0, 0,
		   F32(out, 3, 4)));
	EXPECT(RUN(aclnnCrossEntropyLossGrad, F32(x, 1), F32(x, 3, 4),
		   I64(target, 3), NULL, NULL, NULL, "sum", -100, 0, 0,
		   F32(out, 4, 3)));
	TEXT("out: expected 3 in dimension 0, given 4");
	return true;
}

const struct test loss_tests[] = {
	{ "losses of logits, by type and layout", logits },
	{ "losses of large logits, and of none", far_logits },
	{ "errors of losses of logits", logits_errors },
	{ "divergences, by type and layout", divergences },
	{ "errors of divergences", divergence_errors },
	{ "losses of classes, by type and layout", classes },
	{ "errors of losses of classes", class_errors },
	{ 0 }
};
