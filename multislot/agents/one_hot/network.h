/* Networks of two hidden layers on one-hot observations; see network.c for the mathematics. */
#ifndef MULTISLOT_NETWORK_H
#define MULTISLOT_NETWORK_H

#include <stdint.h>

#define LANES 8

/* One network: a tower of two hidden layers. Its parameters lie in one array:
 * first weights [n_inputs][width1], first bias, second weights [width1][width2], second bias, last weights
 * [n_outputs][width2], last bias. Widths are multiples of LANES. */
typedef struct {
    int n_inputs, n_outputs, width1, width2;
    int relu; /* else tanh */
} Shape;

/* The distinct observations of a batch: `row[o]` is the place of observation o in `input`, or -1. */
typedef struct {
    int rows;
    int *input, *row;
} Distinct;

/* What a network computes for the rows of a batch, and the loss's gradient with respect to it, all [rows][width]. */
typedef struct {
    float *first, *second, *output;
    float *d_first, *d_second, *d_output;
} Activity;

/* Adam, or RMSprop if `rms`: one step's constants. */
typedef struct {
    int rms;
    float rate, keep1, keep2, tiny; /* learning rate, decay of both moments, epsilon */
    float step, root;               /* Adam's: rate / (1 - keep1^t), 1 / sqrt(1 - keep2^t) */
    float scale;                    /* what the gradient is multiplied with, to clip its norm */
} Rule;

long tower_size(const Shape *shape);
void network_forward(const Shape *shape, const float *w, const Distinct *batch, Activity *a);
double network_backward(const Shape *shape, const float *w, int rows, Activity *a);
void network_descend(const Shape *shape, const Rule *rule, float *w, float *m, float *v, const Distinct *batch,
                     const Activity *a, float *gradient);
void network_exponentials(float *x, int n);
float logarithm(float x);

#endif
