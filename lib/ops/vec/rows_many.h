/* SPDX-License-Identifier: MIT */
/* Rows of operators with three inputs or more. See rows.h. */

ROW3(FDIL, where, x != 0 ? y : z)
/* The upper limit wins over the lower one. */
ROW3(FDIL, clamp, MIN(MAX(x, y), z))
ROW3(FDIL, addcmul, x + P(0) * y * z)
ROW3(FD, addcdiv, x + P(0) * y / z)
/* From the nearer end, so that weights of 0 and 1 are exact. */
ROW3(FD, lerp, z < (T)0.5 ? x + z * (y - x) : y - (y - x) * (1 - z))

#define ROW_SGD(c, CT)							\
static void row_sgd_##c(const struct ops_row *shared)			\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *p = r->in[0], *g = r->in[1], *m = r->in[2];		\
	T *po = r->out[0], *mo = r->out[1];				\
	T rate = P(0), momentum = P(1), keep = 1 - P(2), decay = P(3);	\
	T nesterov = P(4);						\
									\
	LOOP(T grad = g[i] + decay * p[i];				\
	     T sum = momentum * m[i] + keep * grad;			\
	     T step = nesterov != 0 ? grad + momentum * sum : sum;	\
	     mo[i] = sum;						\
	     po[i] = p[i] - rate * step;)				\
}
ROW_SGD(f, float)
ROW_SGD(d, double)

#define ROW_ADAM(c, CT)							\
static void row_adam_##c(const struct ops_row *shared)			\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *p = r->in[0], *g = r->in[1], *m = r->in[2];		\
	const T *v = r->in[3];						\
	T *po = r->out[0], *mo = r->out[1], *vo = r->out[2];		\
	T beta1 = P(1), beta2 = P(2), eps = P(3), decay = P(4);		\
	T rest1 = 1 - r->param[1], rest2 = 1 - r->param[2];		\
	T correct = sqrt(1 - pow(r->param[2], r->param[6]));		\
	T rate = r->param[0] / (1 - pow(r->param[1], r->param[6]));	\
	T keep = r->param[5] != 0 ? 1 - r->param[0] * r->param[4] : 1;	\
	T couple = r->param[5] != 0 ? 0 : decay;			\
									\
	LOOP(T param = p[i] * keep;					\
	     T grad = g[i] + couple * p[i];				\
	     T mean = beta1 * m[i] + rest1 * grad;			\
	     T square = beta2 * v[i] + rest2 * grad * grad;		\
	     mo[i] = mean;						\
	     vo[i] = square;						\
	     po[i] = param - rate * mean / (SQRT(square) / correct + eps);) \
}
ROW_ADAM(f, float)
ROW_ADAM(d, double)
