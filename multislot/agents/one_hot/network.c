/* Networks of two hidden layers on one-hot observations: forward, backward, and one step of the optimiser.
 *
 * Why rows collapse. A network with one-hot input maps observation o to out(o), whatever else is in the batch. The loss
 * of a minibatch of B transitions is a sum of terms that depend on the parameters through out(o_i) alone, so
 *
 *     d loss / d parameters  =  sum over distinct o of  D(o) . d out(o) / d parameters,
 *     D(o)  =  sum over transitions i with o_i = o of  d loss_i / d out(o).
 *
 * The network is therefore run forward and backward once for every *distinct* observation and not for B transitions.
 * The caller sums D(o) into `d_output`.
 *
 * Why the large gradient is never stored. With h(o) the activity before a layer and d(o) the gradient after it, the
 * gradient of the layer's weights is the sum of outer products G = sum_o h(o) d(o)^T. Clipping needs its norm first:
 *
 *     |G|^2  =  sum over o, q of  (h(o) . h(q)) (d(o) . d(q)),
 *
 * a few products of vectors (Gram matrices) instead of width1 x width2 numbers; the bias adds d(o) . d(q), and rows of
 * the first weights belong to one observation each. The optimiser then forms each row of G while it updates that row.
 *
 * Same bits everywhere. Sums run in one fixed order (LANES partial sums, added as a fixed tree), no multiplication is
 * fused with an addition (-ffp-contract=off), and no function of the C library is called but sqrtf, which is exact. So
 * plain, AVX2, AVX-512 and NEON code give the same bits.
 */
#include "network.h"

#include <math.h>
#include <string.h>

/* Which instructions are used is chosen when the module is loaded, where the loader can do that. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(MULTISLOT_PLAIN)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))
#define TUNED 64 /* the width that the compiler sees as a constant */

typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef float Half __attribute__((vector_size(2 * LANES), may_alias));
typedef float Wide __attribute__((vector_size(TUNED), aligned(4), may_alias)); /* a quarter of a tuned row */

/* Lanes are added as a tree, the upper half to the lower one first: a compiler does that with a few instructions. */
INLINE float dot(const float *a, const float *b, int n)
{
    union { Lanes whole; Half half[2]; } s = {.whole = {0}};
    for (int j = 0; j < n; j += LANES)
        s.whole += *(const Lanes *)(a + j) * *(const Lanes *)(b + j);
    Half sum = s.half[0] + s.half[1];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* sum = x[0] * first row + x[stride] * second row + ..., from 0 on and in this order; `x` NULL stands for ones. Tuned
 * rows are summed in registers. */
INLINE void weighted(float *restrict sum, const float *x, int stride, const float *restrict rows, int n_rows, int n)
{
    if (n == TUNED) {
        Wide a = {0}, b = {0}, c = {0}, d = {0};
        for (int r = 0; r < n_rows; r++) {
            const Wide *row = (const Wide *)(rows + (long)r * n);
            float factor = x ? x[(long)r * stride] : 1.0f;
            a += factor * row[0];
            b += factor * row[1];
            c += factor * row[2];
            d += factor * row[3];
        }
        Wide *found = (Wide *)sum;
        found[0] = a;
        found[1] = b;
        found[2] = c;
        found[3] = d;
        return;
    }
    memset(sum, 0, sizeof(float) * n);
    for (int r = 0; r < n_rows; r++)
        for (int j = 0; j < n; j++)
            sum[j] += (x ? x[(long)r * stride] : 1.0f) * rows[(long)r * n + j];
}

/* Gradients below SMALL, and moments below SMALL squared, count as 0: they move nothing in single precision, but
 * they or their squares are denormal numbers, with which a processor is a hundred times slower. */
#define SMALL 1e-15f
#define SMALL_SQUARED 1e-30f

INLINE float kept(float x, float least)
{
    return fabsf(x) < least ? 0 : x;
}

/* Return e^r - 1 for |r| <= ln(2) / 2 (the polynomial of Cephes' expf). */
INLINE float small_exponential(float r)
{
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return p * r * r + r;
}

/* Split x = n ln(2) + r; return r, and 2^n in `power`. |x| < 88, or NaN, which has no whole number to be cast to. */
INLINE float reduced(float x, float *power)
{
    /* Adding 1.5 * 2^23 rounds to the nearest whole number, which then is in the last bits. */
    union { float number; uint32_t bits; } shifted = {.number = x * 1.44269504f + 12582912.0f}, s;
    float n = shifted.number - 12582912.0f;
    s.bits = (shifted.bits - 0x4b400000u + 127u) << 23;
    *power = s.number;
    return (x - n * 0.693359375f) - n * -2.12194440e-4f;
}

INLINE float bounded(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

INLINE float exponential(float x)
{
    float power, r = reduced(bounded(x, -87.0f, 87.0f), &power);
    return small_exponential(r) * power + power;
}

/* tanh |x| = -(e^y - 1) / (e^y + 1) with y = -2 |x|, from e^y - 1, so that nothing cancels near 0 */
INLINE float hyperbolic_tangent(float x)
{
    float power, r = reduced(-2.0f * bounded(fabsf(x), 0.0f, 9.1f), &power);
    float e = small_exponential(r) * power + (power - 1.0f);
    return copysignf(-e / (e + 2.0f), x);
}

/* Replace every x by e^x. */
CLONES void network_exponentials(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = exponential(x[i]);
}

/* Return ln(x) of a normal x > 0: ln(m) = 2 artanh((m - 1) / (m + 1)), summed in doubles. */
float logarithm(float x)
{
    union { float number; int32_t bits; } s = {.number = x};
    int exponent = (s.bits >> 23) - 127;
    s.bits = (s.bits & 0x7fffff) | 127 << 23;
    double m = s.number;
    if (m > 1.4142135623730951) {
        m /= 2;
        exponent++;
    }
    double y = (m - 1) / (m + 1), power = y, sum = 0;
    for (int k = 1; k < 21; k += 2, power *= y * y)
        sum += power / k;
    return (float)(exponent * 0.6931471805599453 + 2 * sum);
}

long tower_size(const Shape *s)
{
    return (long)s->width1 * (s->n_inputs + 1) + (long)s->width2 * (s->width1 + 1) + (long)s->n_outputs * (s->width2 + 1);
}

typedef struct {
    float *first, *first_bias, *second, *second_bias, *last, *last_bias;
} Layers;

INLINE Layers layers(const Shape *s, float *w)
{
    Layers l;
    l.first = w;
    l.first_bias = l.first + (long)s->n_inputs * s->width1;
    l.second = l.first_bias + s->width1;
    l.second_bias = l.second + (long)s->width1 * s->width2;
    l.last = l.second_bias + s->width2;
    l.last_bias = l.last + (long)s->n_outputs * s->width2;
    return l;
}

INLINE void activate(float *restrict h, const float *restrict z, const float *restrict bias, int n, int relu)
{
    if (relu)
        for (int j = 0; j < n; j++) {
            float x = z[j] + bias[j];
            h[j] = x > 0 ? x : 0;
        }
    else
        for (int j = 0; j < n; j++)
            h[j] = hyperbolic_tangent(z[j] + bias[j]);
}

/* d = gradient with respect to what goes into the activation, from the gradient with respect to what comes out */
INLINE void deactivate(float *restrict d, const float *restrict h, int n, int relu)
{
    if (relu)
        for (int j = 0; j < n; j++)
            d[j] = h[j] > 0 ? kept(d[j], SMALL) : 0;
    else
        for (int j = 0; j < n; j++)
            d[j] = kept(d[j] * (1 - h[j] * h[j]), SMALL);
}

INLINE void forward_row(const Shape *s, const Layers *l, int input, float *first, float *second, float *output, int n1,
                        int n2)
{
    float z[n2];
    activate(first, l->first + (long)input * n1, l->first_bias, n1, s->relu);
    weighted(z, first, 1, l->second, n1, n2);
    activate(second, z, l->second_bias, n2, s->relu);
    for (int k = 0; k < s->n_outputs; k++)
        output[k] = dot(l->last + (long)k * n2, second, n2) + l->last_bias[k];
}

/* Fill first, second and output of every row. */
CLONES void network_forward(const Shape *s, const float *w, const Distinct *batch, Activity *a)
{
    int n1 = s->width1, n2 = s->width2;
    Layers l = layers(s, (float *)w);
    for (int r = 0; r < batch->rows; r++) {
        float *first = a->first + (long)r * n1, *second = a->second + (long)r * n2, *out = a->output + r * s->n_outputs;
        if (n1 == TUNED && n2 == TUNED)
            forward_row(s, &l, batch->input[r], first, second, out, TUNED, TUNED);
        else
            forward_row(s, &l, batch->input[r], first, second, out, n1, n2);
    }
}

INLINE void backward_row(const Shape *s, const Layers *l, const Activity *a, int r, int n1, int n2)
{
    float *d_output = a->d_output + r * s->n_outputs, *d_second = a->d_second + (long)r * n2, *d_first = a->d_first + (long)r * n1;
    for (int k = 0; k < s->n_outputs; k++)
        d_output[k] = kept(d_output[k], SMALL);
    weighted(d_second, d_output, 1, l->last, s->n_outputs, n2);
    deactivate(d_second, a->second + (long)r * n2, n2, s->relu);
    for (int i = 0; i < n1; i++)
        d_first[i] = dot(l->second + (long)i * n2, d_second, n2);
    deactivate(d_first, a->first + (long)r * n1, n1, s->relu);
}

/* Return what rows r and q add to the squared norm of the gradient: Gram products layer by layer. */
INLINE double shared_norm(const Shape *s, const Activity *a, int r, int q, int n1, int n2)
{
    const float *dr = a->d_output + r * s->n_outputs, *dq = a->d_output + q * s->n_outputs;
    double last = 0, one = r == q;
    for (int k = 0; k < s->n_outputs; k++)
        last += (double)dr[k] * dq[k];
    double h2 = dot(a->second + (long)r * n2, a->second + (long)q * n2, n2);
    double h1 = dot(a->first + (long)r * n1, a->first + (long)q * n1, n1);
    double second = dot(a->d_second + (long)r * n2, a->d_second + (long)q * n2, n2);
    double first = dot(a->d_first + (long)r * n1, a->d_first + (long)q * n1, n1);
    return first * (one + 1) + second * (h1 + 1) + last * (h2 + 1);
}

/* From d_output, fill d_second and d_first; return the squared norm of the gradient of all parameters. */
CLONES double network_backward(const Shape *s, const float *w, int rows, Activity *a)
{
    int n1 = s->width1, n2 = s->width2, tuned = n1 == TUNED && n2 == TUNED;
    Layers l = layers(s, (float *)w);
    double norm = 0;
    for (int r = 0; r < rows; r++) {
        if (tuned)
            backward_row(s, &l, a, r, TUNED, TUNED);
        else
            backward_row(s, &l, a, r, n1, n2);
        for (int q = 0; q < r; q++)
            norm += 2 * (tuned ? shared_norm(s, a, r, q, TUNED, TUNED) : shared_norm(s, a, r, q, n1, n2));
        norm += tuned ? shared_norm(s, a, r, r, TUNED, TUNED) : shared_norm(s, a, r, r, n1, n2);
    }
    return norm;
}

/* Roots and quotients take most of an update's time. Parameters that do not move (those of observations never seen,
 * and of rectified units that are silent) need none; their moments decay all the same. */
INLINE void apply_rms(const Rule *u, float *restrict p, float *restrict v, const float *restrict g, int n)
{
    float scale = u->scale, keep = u->keep2, take = 1 - u->keep2, rate = u->rate, tiny = u->tiny;
    int moves = 0;
    for (int j = 0; j < n; j++) {
        float x = kept(g[j] * scale, SMALL);
        v[j] = kept(v[j] * keep + take * x * x, SMALL_SQUARED);
        moves |= x != 0;
    }
    for (int j = 0; moves && j < n; j++)
        p[j] -= rate * kept(g[j] * scale, SMALL) / (sqrtf(v[j]) + tiny);
}

INLINE void apply_adam(const Rule *u, float *restrict p, float *restrict m, float *restrict v,
                       const float *restrict g, int n)
{
    float scale = u->scale, take1 = 1 - u->keep1, keep2 = u->keep2, take2 = 1 - u->keep2;
    float step = u->step, root = u->root, tiny = u->tiny;
    int moves = 0;
    for (int j = 0; j < n; j++) {
        float x = kept(g[j] * scale, SMALL);
        m[j] = kept(m[j] + take1 * (x - m[j]), SMALL_SQUARED);
        v[j] = kept(v[j] * keep2 + take2 * x * x, SMALL_SQUARED);
        moves |= m[j] != 0;
    }
    for (int j = 0; moves && j < n; j++)
        p[j] -= step * m[j] / (sqrtf(v[j]) * root + tiny);
}

INLINE void apply(const Rule *u, float *w, float *m, float *v, const float *g, long at, int n)
{
    if (u->rms)
        apply_rms(u, w + at, v + at, g, n);
    else
        apply_adam(u, w + at, m + at, v + at, g, n);
}

INLINE void descend_layers(const Shape *s, const Rule *u, float *w, float *m, float *v, const Distinct *batch,
                           const Activity *a, float *g, int n1, int n2)
{
    int rows = batch->rows, n3 = s->n_outputs;
    long at = 0;
    for (int o = 0; o < s->n_inputs; o++, at += n1) {
        if (batch->row[o] < 0)
            memset(g, 0, sizeof(float) * n1);
        apply(u, w, m, v, batch->row[o] < 0 ? g : a->d_first + (long)batch->row[o] * n1, at, n1);
    }
    weighted(g, NULL, 0, a->d_first, rows, n1);
    apply(u, w, m, v, g, at, n1);
    at += n1;
    for (int i = 0; i < n1; i++, at += n2) {
        weighted(g, a->first + i, n1, a->d_second, rows, n2);
        apply(u, w, m, v, g, at, n2);
    }
    weighted(g, NULL, 0, a->d_second, rows, n2);
    apply(u, w, m, v, g, at, n2);
    at += n2;
    for (int k = 0; k < n3; k++, at += n2) {
        weighted(g, a->d_output + k, n3, a->second, rows, n2);
        apply(u, w, m, v, g, at, n2);
    }
    weighted(g, NULL, 0, a->d_output, rows, n3);
    apply(u, w, m, v, g, at, n3);
}

/* Take one step of the optimiser; `gradient` is room for max(width1, width2, n_outputs) numbers. */
CLONES void network_descend(const Shape *s, const Rule *u, float *w, float *m, float *v, const Distinct *batch,
                            const Activity *a, float *gradient)
{
    if (s->width1 == TUNED && s->width2 == TUNED)
        descend_layers(s, u, w, m, v, batch, a, gradient, TUNED, TUNED);
    else
        descend_layers(s, u, w, m, v, batch, a, gradient, s->width1, s->width2);
}
