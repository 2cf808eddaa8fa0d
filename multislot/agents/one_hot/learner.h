/* An agent on one-hot networks: its memory of transitions, its lots, its updates; see learner.c. */
#ifndef MULTISLOT_LEARNER_H
#define MULTISLOT_LEARNER_H

#include <stddef.h>
#include <stdint.h>

#include "network.h"
#include "twister.h"

typedef enum { A2C, PPO, DQN } Algorithm;

/* Everything that agents of one kind begin with; it never changes. */
typedef struct {
    Algorithm algorithm;
    int published;     /* train as the released experiments did */
    Shape actor;       /* the policy, or DQN's network */
    Shape critic;      /* the values; unused by DQN */
    int lot;           /* transitions between two trainings */
    int batch;         /* transitions an update */
    int epochs;        /* PPO: how often a lot is seen; DQN: updates a lot */
    int capacity;      /* transitions kept: a lot, or DQN's replay */
    int64_t learning_starts, target_interval;
    double learning_rate, discount, trace_decay;
    float value_weight, clip, largest_norm;
    int normalise;     /* advantages, batch by batch */
    long n_parameters;
    float *parameters; /* of an untrained agent */
    Twister numpy;     /* NumPy's generator after a model was constructed */
    Twister torch;     /* torch's, likewise */
    Twister sampler;   /* that of the space of actions, which DQN explores with */
} Plan;

/* What was done on an observation after a history, by a hash of both; open addressing, 0 is a free place. */
typedef struct {
    uint64_t *key;
    uint16_t *action;
    size_t size, used;
} Answers;

/* What all agents of one released run share: two generators, and what was ever answered. */
typedef struct {
    Twister numpy, torch;
    Answers answers;
} Run;

/* One transition. A replay reads them in any order, so each lies in one place. */
typedef struct {
    float reward;
    uint16_t observation, action, following, ended;
} Turn;

typedef struct {
    Turn *turn;
    int size, filled, place;
} Memory;

/* The plain numbers of a learner; a copy or a pickle takes them as they are. */
typedef struct {
    uint64_t history;           /* a hash of all that was learned, and of what the agent is */
    int64_t learned, updates;
    double power1, power2;      /* Adam's decays to the power of `updates` */
    int first_observation;      /* of the whole life; -1 before it */
    int constructed;            /* published: whether it has been asked, which is when its model was made */
    Twister numpy, sampler;     /* its own generators; `numpy` is unused where a run has it */
} State;

typedef struct {
    const Plan *plan;
    Run *run; /* NULL in faithful mode */
    State state;
    float *weights, *first_moment, *second_moment, *target; /* [n_parameters]; target is DQN's */
    Memory memory;
    float *policy;      /* [n_observations][n_actions]: log-probabilities, or DQN's values */
    float *value;       /* [n_observations]: the critic's, or the largest value of DQN's target network */
    int64_t *policy_as_of, *value_as_of; /* after how many updates they were computed; -1 never */
    void *room;         /* work space, made at the first training */
} Learner;

int learner_begin(Learner *a, const Plan *plan, Run *run, uint64_t history);
int learner_copy(Learner *to, const Learner *from);
void learner_end(Learner *a);
int memory_reserve(Memory *m, int size);
int learner_learn(Learner *a, int observation, int action, float reward, int following, int ended);
const float *learner_policy(Learner *a, int observation);
float learner_value(Learner *a, int observation);
void learner_set_updates(Learner *a, int64_t updates);
int learner_sampled(Learner *a, int observation, double number);
int learner_greedy(Learner *a, int observation);
int learner_published_action(Learner *a, int observation);
int answers_fill(Answers *t, const Answers *from, size_t size);
void answers_end(Answers *t);

/* Asked between two updates, which may be thousands a lot. Not 0 ends the training; NULL is never asked. */
extern int (*learner_interrupted)(void);

#define NO_MEMORY (-1)
#define INTERRUPTED (-2)

#endif
