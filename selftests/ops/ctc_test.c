// SPDX-License-Identifier: GPL-2.0-only
/* The CTC loss, compared with a sum over all paths, and its gradient with that. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "ops_test.h"

enum { TIMES = 5, CLASSES = 4, LABELS = 3, SAMPLES = 4 };

struct sample {
	int64_t times, length, labels[LABELS];
	double p[TIMES][CLASSES];
};

/* Whether a path is the labels, without repetitions and blanks. */
static bool is_path(const struct sample *s, const unsigned int *path,
		    unsigned int blank)
{
	int64_t at = 0;

	for (int64_t t = 0; t < s->times; t++) {
		if (path[t] == blank || (t && path[t] == path[t - 1]))
			continue;
		if (at == s->length || s->labels[at++] != path[t])
			return false;
	}
	return at == s->length;
}

/*
 * The probability of the labels, and its derivatives by logarithms of p, by all
 * paths.
 */
static double all_paths(const struct sample *s, unsigned int blank,
			double of[TIMES][CLASSES])
{
	unsigned int path[TIMES] = { 0 };
	double sum = 0;
	int64_t t;

	memset(of, 0, sizeof(double[TIMES][CLASSES]));
	for (;;) {
		double product = 1;

		for (t = 0; t < s->times; t++)
			product *= s->p[t][path[t]];
		if (is_path(s, path, blank)) {
			sum += product;
			for (t = 0; t < s->times; t++)
				of[t][path[t]] += product;
		}
		for (t = 0; t < s->times && ++path[t] == CLASSES; t++)
			path[t] = 0;
		if (t == s->times)
			return sum;
	}
}

static void choose(struct sample *s, unsigned int blank)
{
	s->times = below(TIMES + 1);
	s->length = below(LABELS + 1);
	for (unsigned int i = 0; i < LABELS; i++)
		s->labels[i] = (blank + 1 + below(CLASSES - 1)) % CLASSES;
	for (unsigned int t = 0; t < TIMES; t++) {
		double sum = 0;

		for (unsigned int c = 0; c < CLASSES; c++)
			sum += s->p[t][c] = uniform(0.1, 1);
		for (unsigned int c = 0; c < CLASSES; c++)
			s->p[t][c] /= sum;
	}
}

/* The tensors of both operators for some samples. */
static void make(struct vnpu_op_launch *l, struct sample *s, unsigned int blank,
		 bool is_joined, bool zeroes)
{
	unsigned int type = below(2) ? VNPU_DT_F32 : VNPU_DT_F64, at = 0;
	unsigned int index = below(2) ? VNPU_DT_I64 : VNPU_DT_I32;
	struct vnpu_tensor probs = VIEW(type, below(LAYOUTS - 1), TIMES,
					SAMPLES, CLASSES);
	struct vnpu_tensor target = is_joined ?
		VIEW(index, below(LAYOUTS - 1), SAMPLES * LABELS) :
		VIEW(index, below(LAYOUTS - 1), SAMPLES, LABELS);
	struct vnpu_tensor lengths = VIEW(VNPU_DT_I64, CONTIGUOUS, SAMPLES);
	struct vnpu_tensor counts = VIEW(VNPU_DT_I32, CONTIGUOUS, SAMPLES);

	fill(&target, 0, 0);
	for (unsigned int n = 0; n < SAMPLES; n++) {
		choose(&s[n], blank);
		set_int(&lengths, n, s[n].times);
		set_int(&counts, n, s[n].length);
		for (int64_t i = 0; i < s[n].length; i++)
			set_int(&target, is_joined ? at++ : n * LABELS + i,
				s[n].labels[i]);
		for (unsigned int i = 0; i < TIMES * CLASSES; i++)
			set(&probs, (i / CLASSES * SAMPLES + n) * CLASSES +
			    i % CLASSES, log(s[n].p[i / CLASSES][i % CLASSES]));
	}
	launch(l, VNPU_OP_CTC_LOSS, 4, 2, &probs, &target, &lengths, &counts,
	       NULL, NULL);
	vnpu_op_set_int(l, 0, blank);
	vnpu_op_set_int(l, 1, zeroes);
	vnpu_op_set_int(l, 2, 2 * LABELS + 1 + below(3));
}

static bool is_equal(const struct vnpu_tensor *t, int64_t at, double want)
{
	double is = get(t, at);

	if (is == want || fabs(is - want) <= 1e-5 * (1 + fabs(want)) ||
	    (isnan(is) && isnan(want)))
		return true;
	note("%.17g, expected %.17g", is, want);
	return false;
}

static bool test_ctc(void)
{
	for (unsigned int round = 0; round < 60; round++) {
		unsigned int blank = below(CLASSES);
		bool zeroes = below(2);
		double of[SAMPLES][TIMES][CLASSES], p[SAMPLES];
		struct vnpu_op_launch l, back;
		struct vnpu_tensor grad = RANDOM(SAMPLES);
		struct sample s[SAMPLES];

		make(&l, s, blank, below(2), zeroes);
		EXPECT(make_outputs(&l) && run(&l));
		for (unsigned int n = 0; n < SAMPLES; n++) {
			p[n] = all_paths(&s[n], blank, of[n]);
			EXPECT(is_equal(&l.tensor[4], n, !p[n] && zeroes ? 0 :
					-log(p[n])));
		}
		launch(&back, VNPU_OP_CTC_LOSS_BACKWARD, 7, 1, &grad,
		       &l.tensor[0], &l.tensor[1], &l.tensor[2], &l.tensor[3],
		       &l.tensor[4], &l.tensor[5], NULL);
		vnpu_op_set_int(&back, 0, blank);
		vnpu_op_set_int(&back, 1, zeroes);
		EXPECT(make_outputs(&back) && run(&back));
		/* As PyTorch has it: that of softmax, whose inputs are probs. */
		for (unsigned int i = 0; i < TIMES * SAMPLES * CLASSES; i++) {
			unsigned int c = i % CLASSES, n = i / CLASSES % SAMPLES;
			unsigned int t = i / CLASSES / SAMPLES;
			double want = 0;

			if (t < s[n].times && (p[n] || !zeroes))
				want = (s[n].p[t][c] - of[n][t][c] / p[n]) *
				       get(&grad, n);
			EXPECT(is_equal(&back.tensor[7], i, want));
		}
	}
	return true;
}

/* A blank that is NaN is not hidden by a label that is impossible. */
static bool test_nan(void)
{
	struct vnpu_tensor probs = VIEW(VNPU_DT_F32, CONTIGUOUS, 1, 1, 2);
	struct vnpu_tensor target = VIEW(VNPU_DT_I64, CONTIGUOUS, 1, 1);
	struct vnpu_tensor one = VIEW(VNPU_DT_I64, CONTIGUOUS, 1);
	struct vnpu_op_launch l;

	set(&probs, 0, NAN);
	set(&probs, 1, -INFINITY);
	fill(&target, 1, 1);
	set_int(&one, 0, 1);
	launch(&l, VNPU_OP_CTC_LOSS, 4, 2, &probs, &target, &one, &one, NULL,
	       NULL);
	vnpu_op_set_int(&l, 1, 1);
	vnpu_op_set_int(&l, 2, 3);
	EXPECT(make_outputs(&l) && run(&l));
	return isnan(get(&l.tensor[4], 0));
}

static bool test_errors(void)
{
	struct vnpu_op_error error;
	struct sample s[SAMPLES];
	struct vnpu_op_launch l;
	int64_t kept;

	make(&l, s, 0, false, false);
	EXPECT(make_outputs(&l));
	kept = get_int(&l.tensor[2], 1);
	set_int(&l.tensor[2], 1, TIMES + 1);
	EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	set_int(&l.tensor[2], 1, kept);
	set_int(&l.tensor[3], 1, LABELS + 1);
	EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	set_int(&l.tensor[3], 1, 1);
	set_int(&l.tensor[1], LABELS, CLASSES);
	EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	vnpu_op_set_int(&l, 0, CLASSES);
	EXPECT(vnpu_op_check(&l, &error) == -EINVAL);
	EXPECT(strstr(error.text, "blank: expected a class of 4, given 4"));
	return true;
}

const struct test ctc_tests[] = {
	{ "ctc", test_ctc },
	{ "ctc_nan", test_nan },
	{ "ctc_errors", test_errors },
	{ }
};
