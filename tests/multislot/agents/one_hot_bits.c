/* Prints a hash of what agents of each algorithm have learned from made-up turns: the same on every processor. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "learner.h"

#define TURNS 300

static uint64_t dice = 1;

static int below(int n)
{
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((dice >> 33) % (uint64_t)n);
}

static uint64_t hashed(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
    return hash;
}

static Plan begun(Algorithm algorithm)
{
    Plan p = {.algorithm = algorithm, .actor = {10, 4, 64, 64, algorithm == DQN}, .critic = {10, 1, 64, 64, 0}};
    p.lot = algorithm == A2C ? 5 : algorithm == PPO ? 64 : 4;
    p.batch = algorithm == A2C ? 5 : 24;
    p.epochs = algorithm == PPO ? 3 : 1;
    p.capacity = algorithm == DQN ? 300 : p.lot;
    p.learning_starts = 3;
    p.target_interval = 40;
    p.learning_rate = 0.001;
    p.discount = 0.99;
    p.trace_decay = 0.95;
    p.value_weight = p.largest_norm = 0.5f;
    p.clip = 0.2f;
    p.normalise = 1;
    p.n_parameters = tower_size(&p.actor) + (algorithm == DQN ? 0 : tower_size(&p.critic));
    p.parameters = malloc(sizeof(float) * p.n_parameters);
    for (long i = 0; p.parameters && i < p.n_parameters; i++)
        p.parameters[i] = (float)(below(2001) - 1000) * 0.0003f;
    twister_seed(&p.numpy, 1);
    twister_seed(&p.torch, 2);
    twister_seed(&p.sampler, 3);
    return p;
}

int main(void)
{
    uint64_t hash = 14695981039346656037ull;
    for (Algorithm algorithm = A2C; algorithm <= DQN; algorithm++) {
        Plan plan = begun(algorithm);
        Learner agent;
        if (!plan.parameters || learner_begin(&agent, &plan, NULL, 0))
            return 1;
        for (int turn = 0, seen = 0, next; turn < TURNS; turn++, seen = next) {
            int action = learner_sampled(&agent, seen, below(1000) / 1000.0);
            next = below(10);
            if (learner_learn(&agent, seen, action, (float)(below(3) - 1), next, turn % 7 == 6))
                return 1;
        }
        hash = hashed(hash, agent.weights, sizeof(float) * plan.n_parameters);
        hash = hashed(hash, agent.second_moment, sizeof(float) * plan.n_parameters);
        learner_end(&agent);
        free(plan.parameters);
    }
    printf("%016" PRIx64 "\n", hash);
    return 0;
}
