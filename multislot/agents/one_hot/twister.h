/* The Mersenne Twister as NumPy's RandomState and torch's CPU generator seed and read it.
 *
 * Both libraries promise these streams for good. Reading them here, word for word, lets a network be trained with the
 * very numbers that Stable-Baselines3 would have drawn.
 */
#ifndef MULTISLOT_TWISTER_H
#define MULTISLOT_TWISTER_H

#include <stdint.h>

#define TWISTER_WORDS 624
#define TWISTER_SHIFT 397

typedef struct {
    uint32_t word[TWISTER_WORDS];
    int32_t position;
} Twister;

/* Set the state that numpy.random.seed(seed) and torch.manual_seed(seed) begin with, for seeds below 2**32. */
static inline void twister_seed(Twister *t, uint32_t seed)
{
    for (int i = 0; i < TWISTER_WORDS; i++) {
        t->word[i] = seed;
        seed = 1812433253u * (seed ^ (seed >> 30)) + (uint32_t)i + 1u;
    }
    t->position = TWISTER_WORDS;
}

static inline uint32_t twister_mixed(uint32_t high, uint32_t low, uint32_t far)
{
    uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
    return far ^ (joined >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

static inline void twister_refill(Twister *t)
{
    uint32_t *w = t->word;
    int i = 0;
    for (; i < TWISTER_WORDS - TWISTER_SHIFT; i++)
        w[i] = twister_mixed(w[i], w[i + 1], w[i + TWISTER_SHIFT]);
    for (; i < TWISTER_WORDS - 1; i++)
        w[i] = twister_mixed(w[i], w[i + 1], w[i + TWISTER_SHIFT - TWISTER_WORDS]);
    w[i] = twister_mixed(w[i], w[0], w[TWISTER_SHIFT - 1]);
    t->position = 0;
}

/* Return the next 32 random bits. */
static inline uint32_t twister_next(Twister *t)
{
    if (t->position >= TWISTER_WORDS)
        twister_refill(t);
    uint32_t y = t->word[t->position++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/* Return a number below n >= 1 as NumPy's randint and permutation draw it: masked words until one is small enough. */
static inline uint32_t twister_below(Twister *t, uint32_t n)
{
    uint32_t mask = n - 1, drawn;
    if (!mask)
        return 0;
    for (int shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift;
    do
        drawn = twister_next(t) & mask;
    while (drawn >= n);
    return drawn;
}

/* Return a double in [0, 1) as numpy.random.rand() does. */
static inline double twister_numpy_unit(Twister *t)
{
    uint32_t high = twister_next(t) >> 5, low = twister_next(t) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* Return a double in [0, 1) as torch.rand(dtype=float64) does. */
static inline double twister_torch_unit(Twister *t)
{
    uint64_t high = twister_next(t), low = twister_next(t);
    return (double)((high << 32 | low) & ((1ull << 53) - 1)) / 9007199254740992.0;
}

#endif
