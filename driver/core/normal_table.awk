#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0-only
#
# Print normal_table.h, which normal.c includes: for each segment of each octave,
# the coefficients of a polynomial, in ascending powers of the place in the
# segment. Kbuild itself requires awk. A host program in C would require headers
# of libc, which a host that builds the module by DKMS may not have.
#
# Each awk prints the same table. No coefficient is within 0.001 of a half before
# it is rounded, and errors of log() change coefficients by less than 0.0001.

# Evaluate a polynomial, with coefficients in descending powers.
function polynomial(text, x,	c, n, i, y)
{
	n = split(text, c, " ")
	for (i = 1; i <= n; i++)
		y = y * x + c[i]
	return y
}

# The quantile for a probability of the tail, by Wichura's algorithm AS 241.
function quantile(p,	q, r)
{
	q = 0.5 - p
	if (q <= 0.425) {
		r = 0.180625 - q * q
		return q * polynomial(near_above, r) / polynomial(near_below, r)
	}
	r = sqrt(-log(p))
	if (r <= 5) {
		r -= 1.6
		return polynomial(tail_above, r) / polynomial(tail_below, r)
	}
	r -= 5
	return polynomial(far_above, r) / polynomial(far_below, r)
}

# Print the polynomial of degree 3 over 0..1 that is the quantile at Chebyshev's
# nodes, for the probabilities from @first to @first + @size: by Newton's
# divided differences, then multiplied out.
function fit(first, size,	c, y, i, k)
{
	for (k = 0; k < 4; k++)
		y[k] = quantile(first + node[k] * size)
	for (i = 1; i < 4; i++)
		for (k = 3; k >= i; k--)
			y[k] = (y[k] - y[k - 1]) / (node[k] - node[k - i])
	for (k = 3; k >= 0; k--) {
		for (i = 3; i > 0; i--)
			c[i] = c[i - 1] - node[k] * c[i]
		c[0] = y[k] - node[k] * c[0]
	}
	for (i = 0; i < 4; i++)
		printf "%s%.0f", i ? ", " : "{ ", c[i] * FRACTION
	print " },"
}

BEGIN {
	OCTAVES = 32
	SEGMENTS = 16
	FRACTION = 2 ^ 28	# VNPU_NORMAL_FRACTION
	PI = 3.141592653589793
	near_above = "2509.0809287301226727 33430.575583588128105" \
		" 67265.770927008700853 45921.953931549871457" \
		" 13731.693765509461125 1971.5909503065514427" \
		" 133.14166789178437745 3.387132872796366608"
	near_below = "5226.495278852854561 28729.085735721942674" \
		" 39307.89580009271061 21213.794301586595867" \
		" 5394.1960214247511077 687.1870074920579083" \
		" 42.313330701600911252 1"
	tail_above = "7.7454501427834140764e-4 0.0227238449892691845833" \
		" 0.24178072517745061177 1.27045825245236838258" \
		" 3.64784832476320460504 5.7694972214606914055" \
		" 4.6303378461565452959 1.42343711074968357734"
	tail_below = "1.05075007164441684324e-9 5.475938084995344946e-4" \
		" 0.0151986665636164571966 0.14810397642748007459" \
		" 0.68976733498510000455 1.6763848301838038494" \
		" 2.05319162663775882187 1"
	far_above = "2.01033439929228813265e-7 2.71155556874348757815e-5" \
		" 0.0012426609473880784386 0.026532189526576123093" \
		" 0.29656057182850489123 1.7848265399172913358" \
		" 5.4637849111641143699 6.6579046435011037772"
	far_below = "2.04426310338993978564e-15 1.4215117583164458887e-7" \
		" 1.8463183175100546818e-5 7.868691311456132591e-4" \
		" 0.0148753612908506148525 0.13692988092273580531" \
		" 0.59983220655588793769 1"
	for (k = 0; k < 4; k++)
		node[k] = (1 - cos(PI * (2 * k + 1) / 8)) / 2
	for (octave = 0; octave < OCTAVES; octave++)
		for (segment = 0; segment < SEGMENTS; segment++) {
			scale = 0.25 / 2 ^ octave / SEGMENTS
			fit((SEGMENTS + segment) * scale, scale)
		}
}
