/* An agent on one-hot networks: what Stable-Baselines3's A2C, PPO and DQN compute between two actions.
 *
 * Transitions are learned one by one. When a lot is full the agent trains at once: advantages and epochs (A2C, PPO) or
 * a batch of its replay (DQN), with the numbers that Stable-Baselines3 draws from NumPy's generator.
 *
 * Published mode is the released experiments' use of Stable-Baselines3 1.1.0, where every model is constructed with the
 * run's seed when its agent is first asked. Construction seeds NumPy's and torch's *global* generators again and then
 * consumes torch's for the first weights. So a model made in mid-run sets every agent of the run back to one state. From
 * there on
 *   - an answer that stands in no table takes one double of torch (A2C, PPO: the cumulated probabilities are searched),
 *     or one double of NumPy and, if it is small enough, one number of the action space's own generator (DQN);
 *   - a lot of A2C or PPO takes one double of torch for each transition, and one for the observation after the last:
 *     the log-probability kept is that of the action so drawn, not of the one learned;
 *   - PPO's epochs permute with NumPy's generator, DQN's replay draws from it.
 * A lot begins with the first observation of the whole life. DQN's target network never moves.
 */
#include "learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ADAM_KEEP1 0.9
#define ADAM_KEEP2 0.999
#define RMS_KEEP 0.99f
#define ACTOR_CRITIC_TINY 1e-5f
#define DQN_TINY 1e-8f
#define NORM_TINY 1e-6f
#define DEVIATION_TINY 1e-8f
#define FIRST_MEMORY 64
#define FIRST_ANSWERS 1024
#define PUBLISHED_EXPLORATION 0.05

int (*learner_interrupted)(void) = NULL;

static int interrupted(void)
{
    return learner_interrupted && learner_interrupted() ? INTERRUPTED : 0;
}

/* ---- what is answered, by hash of history and observation ---- */

static uint64_t mixed(uint64_t z) /* the finaliser of SplitMix64 */
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Return where `key` stands or belongs. */
static size_t answers_place(const Answers *t, uint64_t key)
{
    size_t i = key & (t->size - 1);
    while (t->key[i] && t->key[i] != key)
        i = (i + 1) & (t->size - 1);
    return i;
}

/* Make a table of `size` (a power of 2) places that holds what `from` does; its places may lie in any order. */
int answers_fill(Answers *t, const Answers *from, size_t size)
{
    *t = (Answers){calloc(size, sizeof(uint64_t)), calloc(size, sizeof(uint16_t)), size, 0};
    if (!t->key || !t->action) {
        answers_end(t);
        return NO_MEMORY;
    }
    for (size_t i = 0; i < from->size; i++)
        if (from->key[i]) {
            size_t place = answers_place(t, from->key[i]);
            t->used += !t->key[place];
            t->key[place] = from->key[i];
            t->action[place] = from->action[i];
        }
    return 0;
}

static int answers_grow(Answers *t)
{
    Answers larger;
    if (answers_fill(&larger, t, t->size ? 2 * t->size : FIRST_ANSWERS))
        return NO_MEMORY;
    answers_end(t);
    *t = larger;
    return 0;
}

void answers_end(Answers *t)
{
    free(t->key);
    free(t->action);
    memset(t, 0, sizeof *t);
}

/* ---- memory ---- */

/* Make room for `size` transitions. */
int memory_reserve(Memory *m, int size)
{
    Turn *larger = realloc(m->turn, (size_t)size * sizeof *larger);
    if (!larger)
        return NO_MEMORY;
    m->turn = larger;
    m->size = size;
    return 0;
}

/* ---- a learner's life ---- */

static void forget_evaluations(Learner *a)
{
    for (int o = 0; o < a->plan->actor.n_inputs; o++)
        a->policy_as_of[o] = a->value_as_of[o] = -1;
}

int learner_begin(Learner *a, const Plan *plan, Run *run, uint64_t history)
{
    int n_observations = plan->actor.n_inputs;
    size_t bytes = (size_t)plan->n_parameters * sizeof(float);
    memset(a, 0, sizeof *a);
    a->plan = plan;
    a->run = run;
    a->state.history = history;
    a->state.power1 = a->state.power2 = 1.0;
    a->state.first_observation = -1;
    a->state.numpy = plan->numpy;
    a->state.sampler = plan->sampler;
    a->weights = malloc(bytes);
    a->first_moment = calloc(plan->n_parameters, sizeof(float));
    a->second_moment = calloc(plan->n_parameters, sizeof(float));
    a->target = plan->algorithm == DQN ? malloc(bytes) : NULL;
    a->policy = malloc((size_t)n_observations * plan->actor.n_outputs * sizeof(float));
    a->value = malloc((size_t)n_observations * sizeof(float));
    a->policy_as_of = malloc((size_t)n_observations * sizeof(int64_t));
    a->value_as_of = malloc((size_t)n_observations * sizeof(int64_t));
    if (!a->weights || !a->first_moment || !a->second_moment || (plan->algorithm == DQN && !a->target) || !a->policy ||
        !a->value || !a->policy_as_of || !a->value_as_of)
        return NO_MEMORY;
    memcpy(a->weights, plan->parameters, bytes);
    if (a->target)
        memcpy(a->target, plan->parameters, bytes);
    forget_evaluations(a);
    return 0;
}

int learner_copy(Learner *to, const Learner *from)
{
    const Plan *plan = from->plan;
    size_t bytes = (size_t)plan->n_parameters * sizeof(float);
    int filled = from->memory.filled;
    if (learner_begin(to, plan, from->run, 0) || (filled && memory_reserve(&to->memory, from->memory.size)))
        return NO_MEMORY;
    to->state = from->state;
    memcpy(to->weights, from->weights, bytes);
    memcpy(to->first_moment, from->first_moment, bytes);
    memcpy(to->second_moment, from->second_moment, bytes);
    if (to->target)
        memcpy(to->target, from->target, bytes);
    if (filled)
        memcpy(to->memory.turn, from->memory.turn, filled * sizeof(Turn));
    to->memory.filled = filled;
    to->memory.place = from->memory.place;
    return 0;
}

void learner_end(Learner *a)
{
    void *owned[] = {a->weights, a->first_moment, a->second_moment, a->target,     a->policy,
                     a->value,   a->policy_as_of, a->value_as_of,   a->room,       a->memory.turn};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    memset(a, 0, sizeof *a);
}

/* ---- work space: distinct observations, and both networks' activities for them ---- */

typedef struct {
    Distinct batch;
    Activity actor, critic;
    float *gradient, *ratio, *advantage, *returns;
    int *order, *drawn;
} Room;

static size_t most_rows(const Plan *plan)
{
    int n = plan->actor.n_inputs;
    return n < plan->batch ? n : plan->batch;
}

/* Return `n` places of `size` bytes from `at`, and move `at` behind them; with `at` at NULL only lengths are added. */
static void *taken(char **at, size_t n, size_t size)
{
    char *place = *at;
    *at += (n * size + 63) / 64 * 64;
    return place;
}

static void lay_activity(Activity *a, const Shape *s, size_t rows, char **at)
{
    a->first = taken(at, rows * s->width1, sizeof(float));
    a->second = taken(at, rows * s->width2, sizeof(float));
    a->output = taken(at, rows * s->n_outputs, sizeof(float));
    a->d_first = taken(at, rows * s->width1, sizeof(float));
    a->d_second = taken(at, rows * s->width2, sizeof(float));
    a->d_output = taken(at, rows * s->n_outputs, sizeof(float));
}

static void lay(Room *room, const Plan *plan, char **at)
{
    size_t rows = most_rows(plan), widest = plan->actor.width1 + plan->actor.width2 + plan->actor.n_outputs;
    widest += plan->critic.width1 + plan->critic.width2;
    room->batch.input = taken(at, rows, sizeof(int));
    room->batch.row = taken(at, plan->actor.n_inputs, sizeof(int));
    lay_activity(&room->actor, &plan->actor, rows, at);
    lay_activity(&room->critic, &plan->critic, rows, at);
    room->gradient = taken(at, widest, sizeof(float));
    room->ratio = taken(at, plan->batch, sizeof(float));
    room->advantage = taken(at, plan->lot, sizeof(float));
    room->returns = taken(at, plan->lot, sizeof(float));
    room->order = taken(at, plan->lot > plan->batch ? plan->lot : plan->batch, sizeof(int));
    room->drawn = taken(at, plan->lot, sizeof(int));
}

/* Lay the work space out, making it if it never was. Between two uses every entry of `batch.row` is -1. */
static int prepare(Learner *a, Room *room)
{
    if (!a->room) {
        char *measured = (char *)64;
        lay(room, a->plan, &measured);
        a->room = malloc((size_t)(measured - (char *)64));
        if (!a->room)
            return NO_MEMORY;
        char *at = a->room;
        lay(room, a->plan, &at);
        for (int o = 0; o < a->plan->actor.n_inputs; o++)
            room->batch.row[o] = -1;
    }
    char *at = a->room;
    lay(room, a->plan, &at);
    return 0;
}

static void collect(Room *room, const Memory *m, const int *chosen, int n)
{
    Distinct *d = &room->batch;
    d->rows = 0;
    for (int i = 0; i < n; i++) {
        int o = m->turn[chosen[i]].observation;
        if (d->row[o] < 0) {
            d->row[o] = d->rows;
            d->input[d->rows++] = o;
        }
    }
}

static void release(Room *room)
{
    for (int r = 0; r < room->batch.rows; r++)
        room->batch.row[room->batch.input[r]] = -1;
}

/* ---- evaluation, once an update and observation ---- */

static void evaluate(const Shape *s, const float *weights, int observation, float *output)
{
    float first[s->width1], second[s->width2];
    int input[1] = {observation};
    Distinct one = {1, input, NULL};
    Activity a = {.first = first, .second = second, .output = output};
    network_forward(s, weights, &one, &a);
}

static void log_softmax(float *x, int n)
{
    float top = x[0], sum = 0, e[n];
    for (int k = 1; k < n; k++)
        top = x[k] > top ? x[k] : top;
    for (int k = 0; k < n; k++)
        e[k] = x[k] - top;
    network_exponentials(e, n);
    for (int k = 0; k < n; k++)
        sum += e[k];
    float whole = top + logarithm(sum);
    for (int k = 0; k < n; k++)
        x[k] -= whole;
}

/* Return log-probabilities of actions, or DQN's values of them. */
const float *learner_policy(Learner *a, int observation)
{
    const Plan *plan = a->plan;
    float *row = a->policy + (long)observation * plan->actor.n_outputs;
    if (a->policy_as_of[observation] != a->state.updates) {
        evaluate(&plan->actor, a->weights, observation, row);
        if (plan->algorithm != DQN)
            log_softmax(row, plan->actor.n_outputs);
        a->policy_as_of[observation] = a->state.updates;
    }
    return row;
}

static int largest(const float *x, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        best = x[k] > x[best] ? k : best;
    return best;
}

/* Return the critic's value of an observation; DQN: the largest value that the target network gives it, which is
 * forgotten when that network moves. */
float learner_value(Learner *a, int observation)
{
    const Plan *plan = a->plan;
    if (plan->algorithm == DQN) {
        if (a->value_as_of[observation] < 0) {
            float values[plan->actor.n_outputs];
            evaluate(&plan->actor, a->target, observation, values);
            a->value[observation] = values[largest(values, plan->actor.n_outputs)];
            a->value_as_of[observation] = 0;
        }
    } else if (a->value_as_of[observation] != a->state.updates) {
        evaluate(&plan->critic, a->weights + tower_size(&plan->actor), observation, a->value + observation);
        a->value_as_of[observation] = a->state.updates;
    }
    return a->value[observation];
}

/* Return the action of highest value. */
int learner_greedy(Learner *a, int observation)
{
    return largest(learner_policy(a, observation), a->plan->actor.n_outputs);
}

/* Return the action at which the cumulated probabilities pass `number`, as torch's multinomial searches them. */
int learner_sampled(Learner *a, int observation, double number)
{
    int n = a->plan->actor.n_outputs;
    float cumulated[n], sum = 0;
    memcpy(cumulated, learner_policy(a, observation), sizeof cumulated);
    network_exponentials(cumulated, n);
    for (int k = 0; k < n; k++)
        cumulated[k] = sum += cumulated[k];
    int action = 0;
    while (action < n - 1 && cumulated[action] / sum < number)
        action++;
    return action;
}

/* ---- published mode: the shared generators and answers ---- */

static void construct(Learner *a)
{
    if (a->state.constructed || !a->run)
        return;
    a->state.constructed = 1;
    a->run->numpy = a->plan->numpy;
    a->run->torch = a->plan->torch;
}

static int drawn_action(Learner *a, int observation)
{
    if (a->plan->algorithm != DQN)
        return learner_sampled(a, observation, twister_torch_unit(&a->run->torch));
    double exploration = a->state.learned < a->plan->lot ? 0.0 : PUBLISHED_EXPLORATION;
    if (twister_numpy_unit(&a->run->numpy) < exploration)
        return (int)twister_below(&a->state.sampler, a->plan->actor.n_outputs);
    return learner_greedy(a, observation);
}

static uint64_t question(uint64_t history, int observation)
{
    return mixed(history + 0x9e3779b97f4a7c15ull * (uint64_t)(observation + 1)) | 1;
}

/* The next question is nearly always what is done on the observation that follows; its place takes long to fetch. */
static void expect_question(const Learner *a, int observation)
{
    const Answers *t = &a->run->answers;
    if (!t->size)
        return;
    size_t place = question(a->state.history, observation) & (t->size - 1);
    __builtin_prefetch(t->key + place);
    __builtin_prefetch(t->action + place);
}

/* Return what was ever answered here after this history, or answer; NO_MEMORY if that could not be kept. */
int learner_published_action(Learner *a, int observation)
{
    construct(a);
    Answers *t = &a->run->answers;
    if (2 * t->used >= t->size && answers_grow(t))
        return NO_MEMORY;
    uint64_t key = question(a->state.history, observation);
    size_t place = answers_place(t, key);
    if (!t->key[place]) {
        t->key[place] = key;
        t->action[place] = (uint16_t)drawn_action(a, observation);
        t->used++;
    }
    return t->action[place];
}

/* ---- updates ---- */

static void adam(Learner *a, Rule *u, float tiny)
{
    State *s = &a->state;
    s->power1 *= ADAM_KEEP1;
    s->power2 *= ADAM_KEEP2;
    *u = (Rule){.rate = (float)a->plan->learning_rate, .keep1 = ADAM_KEEP1, .keep2 = ADAM_KEEP2, .tiny = tiny};
    u->step = (float)(a->plan->learning_rate / (1 - s->power1));
    u->root = (float)(1 / sqrt(1 - s->power2));
}

/* Count as many updates as were made elsewhere. Decays are multiplied as `adam` does: pow() has other last bits. Rounding
 * keeps both above 0; after at most 750,000 multiplications they no longer move. */
void learner_set_updates(Learner *a, int64_t updates)
{
    State *s = &a->state;
    s->updates = updates;
    s->power1 = s->power2 = 1.0;
    double before = 0;
    for (int64_t i = 0; i < updates && s->power2 != before; i++) {
        before = s->power2;
        s->power1 *= ADAM_KEEP1;
        s->power2 *= ADAM_KEEP2;
    }
    forget_evaluations(a);
}

static float clipped(float largest_norm, double squared_norm)
{
    float scale = largest_norm / ((float)sqrt(squared_norm) + NORM_TINY);
    return scale < 1 ? scale : 1;
}

/* Step both networks along the gradient of the loss, given with respect to their outputs. */
static void step_actor_critic(Learner *a, Room *room, Rule *u)
{
    const Plan *p = a->plan;
    long t = tower_size(&p->actor);
    double norm = network_backward(&p->actor, a->weights, room->batch.rows, &room->actor);
    norm += network_backward(&p->critic, a->weights + t, room->batch.rows, &room->critic);
    u->scale = clipped(p->largest_norm, norm);
    network_descend(&p->actor, u, a->weights, a->first_moment, a->second_moment, &room->batch, &room->actor,
                    room->gradient);
    network_descend(&p->critic, u, a->weights + t, a->first_moment + t, a->second_moment + t, &room->batch,
                    &room->critic, room->gradient);
    a->state.updates++;
}

/* Run both networks for the distinct observations of a batch; outputs of the actor become log-probabilities. */
static void begin_actor_critic(Learner *a, Room *room, const int *chosen, int n)
{
    const Plan *p = a->plan;
    int k = p->actor.n_outputs;
    collect(room, &a->memory, chosen, n);
    network_forward(&p->actor, a->weights, &room->batch, &room->actor);
    network_forward(&p->critic, a->weights + tower_size(&p->actor), &room->batch, &room->critic);
    for (int r = 0; r < room->batch.rows; r++)
        log_softmax(room->actor.output + r * k, k);
    memset(room->actor.d_output, 0, sizeof(float) * room->batch.rows * k);
    memset(room->critic.d_output, 0, sizeof(float) * room->batch.rows);
}

/* From the gradient g with respect to log-probabilities to that with respect to logits: g_k - p_k * sum(g). */
static void through_softmax(Room *room, int n_actions)
{
    for (int r = 0; r < room->batch.rows; r++) {
        float *g = room->actor.d_output + r * n_actions, sum = 0, p[n_actions];
        memcpy(p, room->actor.output + r * n_actions, sizeof p);
        network_exponentials(p, n_actions);
        for (int k = 0; k < n_actions; k++)
            sum += g[k];
        for (int k = 0; k < n_actions; k++)
            g[k] -= p[k] * sum;
    }
}

/* The value's loss is value_weight * mean of (value - return)^2. */
static void add_value_loss(Learner *a, Room *room, const int *chosen, int n)
{
    float weight = 2 * a->plan->value_weight / n;
    for (int i = 0; i < n; i++) {
        int r = room->batch.row[a->memory.turn[chosen[i]].observation];
        room->critic.d_output[r] += weight * (room->critic.output[r] - room->returns[chosen[i]]);
    }
}

/* Mean and 1 / (deviation + tiny) of the advantages of a batch, or 0 and 1 where they are not normalised. */
static void scale_of_advantages(const Plan *p, const Room *room, const int *chosen, int n, float *mean, float *inverse)
{
    *mean = 0;
    *inverse = 1;
    if (!p->normalise || n < 2)
        return;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += room->advantage[chosen[i]];
    *mean = (float)(sum / n);
    for (int i = 0; i < n; i++) {
        double d = room->advantage[chosen[i]] - *mean;
        squares += d * d;
    }
    *inverse = 1 / ((float)sqrt(squares / (n - 1)) + DEVIATION_TINY);
}

/* A2C: the policy's loss is -mean of advantage * log-probability. */
static void update_a2c(Learner *a, Room *room, const int *chosen, int n)
{
    const Plan *p = a->plan;
    int k = p->actor.n_outputs;
    float mean, inverse;
    begin_actor_critic(a, room, chosen, n);
    scale_of_advantages(p, room, chosen, n, &mean, &inverse);
    for (int i = 0; i < n; i++) {
        const Turn *turn = a->memory.turn + chosen[i];
        float advantage = (room->advantage[chosen[i]] - mean) * inverse;
        room->actor.d_output[room->batch.row[turn->observation] * k + turn->action] -= advantage / n;
    }
    add_value_loss(a, room, chosen, n);
    through_softmax(room, k);
    Rule u = {.rms = 1, .rate = (float)p->learning_rate, .keep2 = RMS_KEEP, .tiny = ACTOR_CRITIC_TINY};
    step_actor_critic(a, room, &u);
    release(room);
}

/* PPO: the policy's loss is -mean of min(A x, A clip(x)), x the ratio to the old probability; it has no slope in x
 * where the clipped side is smaller. `old` are log-probabilities by transition of the lot. */
static void update_ppo(Learner *a, Room *room, const float *old, const int *chosen, int n)
{
    const Plan *p = a->plan;
    int k = p->actor.n_outputs;
    float mean, inverse, low = 1 - p->clip, high = 1 + p->clip;
    begin_actor_critic(a, room, chosen, n);
    scale_of_advantages(p, room, chosen, n, &mean, &inverse);
    for (int i = 0; i < n; i++) {
        const Turn *turn = a->memory.turn + chosen[i];
        room->ratio[i] = room->actor.output[room->batch.row[turn->observation] * k + turn->action] - old[chosen[i]];
    }
    network_exponentials(room->ratio, n);
    for (int i = 0; i < n; i++) {
        const Turn *turn = a->memory.turn + chosen[i];
        float advantage = (room->advantage[chosen[i]] - mean) * inverse, x = room->ratio[i];
        float held = x < low ? low : x > high ? high : x;
        if (advantage * x <= advantage * held)
            room->actor.d_output[room->batch.row[turn->observation] * k + turn->action] -= advantage * x / n;
    }
    add_value_loss(a, room, chosen, n);
    through_softmax(room, k);
    Rule u;
    adam(a, &u, ACTOR_CRITIC_TINY);
    step_actor_critic(a, room, &u);
    release(room);
}

/* Fill advantages and returns of a lot: generalised advantage estimation, backwards. */
static void estimate_advantages(Learner *a, Room *room, int following)
{
    const Plan *p = a->plan;
    const Memory *m = &a->memory;
    float discount = (float)p->discount, decay = (float)(p->discount * p->trace_decay);
    float last = 0, next = learner_value(a, following);
    for (int i = p->lot - 1; i >= 0; i--) {
        float go_on = 1 - m->turn[i].ended, value = learner_value(a, m->turn[i].observation);
        float delta = m->turn[i].reward + discount * next * go_on - value;
        last = delta + decay * go_on * last;
        room->advantage[i] = last;
        room->returns[i] = last + value;
        next = value;
    }
}

/* Draw the actions whose log-probabilities a lot keeps: anew in published mode, which takes one number more. */
static void draw_lot(Learner *a, Room *room)
{
    const Memory *m = &a->memory;
    for (int i = 0; i < a->plan->lot; i++) {
        const Turn *turn = m->turn + i;
        room->drawn[i] =
            a->run ? learner_sampled(a, turn->observation, twister_torch_unit(&a->run->torch)) : turn->action;
    }
    if (a->run)
        twister_torch_unit(&a->run->torch);
}

static Twister *numpy_of(Learner *a)
{
    return a->run ? &a->run->numpy : &a->state.numpy;
}

/* numpy.random.permutation(n) */
static void permute(Twister *numpy, int *order, int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)twister_below(numpy, (uint32_t)i + 1), held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
}

static int train_on_lot(Learner *a, int following)
{
    const Plan *p = a->plan;
    Room room;
    if (prepare(a, &room))
        return NO_MEMORY;
    estimate_advantages(a, &room, following);
    draw_lot(a, &room);
    if (p->algorithm == A2C) {
        for (int i = 0; i < p->lot; i++)
            room.order[i] = i;
        update_a2c(a, &room, room.order, p->lot);
        return 0;
    }
    float *old = malloc(sizeof(float) * p->lot);
    if (!old)
        return NO_MEMORY;
    for (int i = 0; i < p->lot; i++)
        old[i] = learner_policy(a, a->memory.turn[i].observation)[room.drawn[i]];
    int stopped = 0;
    for (int e = 0; e < p->epochs && !stopped; e++) {
        permute(numpy_of(a), room.order, p->lot);
        for (int start = 0; start < p->lot && !stopped; start += p->batch) {
            update_ppo(a, &room, old, room.order + start, p->lot - start < p->batch ? p->lot - start : p->batch);
            stopped = interrupted();
        }
    }
    free(old);
    return stopped;
}

/* DQN: the loss is the mean of Huber's function of value - target, of slope at most 1. */
static void update_dqn(Learner *a, Room *room)
{
    const Plan *p = a->plan;
    const Memory *m = &a->memory;
    int n = p->batch, k = p->actor.n_outputs;
    for (int i = 0; i < n; i++) {
        room->order[i] = (int)twister_below(numpy_of(a), (uint32_t)m->filled);
        __builtin_prefetch(m->turn + room->order[i]);
    }
    collect(room, m, room->order, n);
    network_forward(&p->actor, a->weights, &room->batch, &room->actor);
    memset(room->actor.d_output, 0, sizeof(float) * room->batch.rows * k);
    for (int i = 0; i < n; i++) {
        const Turn *turn = m->turn + room->order[i];
        int at = room->batch.row[turn->observation] * k + turn->action;
        float target = turn->reward + (1 - turn->ended) * (float)p->discount * learner_value(a, turn->following);
        float d = room->actor.output[at] - target;
        room->actor.d_output[at] += (d > 1 ? 1 : d < -1 ? -1 : d) / n;
    }
    Rule u;
    adam(a, &u, DQN_TINY);
    u.scale = clipped(p->largest_norm, network_backward(&p->actor, a->weights, room->batch.rows, &room->actor));
    network_descend(&p->actor, &u, a->weights, a->first_moment, a->second_moment, &room->batch, &room->actor,
                    room->gradient);
    a->state.updates++;
    release(room);
}

static int train_on_replay(Learner *a)
{
    Room room;
    if (prepare(a, &room))
        return NO_MEMORY;
    int stopped = 0;
    for (int e = 0; e < a->plan->epochs && !stopped; e++) {
        update_dqn(a, &room);
        stopped = interrupted();
    }
    return stopped;
}

/* Move the target network to where the network is, as often as Stable-Baselines3 does; released, it never moves. */
static void follow_target(Learner *a)
{
    if (a->plan->algorithm != DQN || a->run || a->state.learned % a->plan->target_interval)
        return;
    memcpy(a->target, a->weights, sizeof(float) * a->plan->n_parameters);
    for (int o = 0; o < a->plan->actor.n_inputs; o++)
        a->value_as_of[o] = -1;
}

/* ---- learning ---- */

static uint64_t following_history(uint64_t history, int observation, int action, float reward, int next, int ended)
{
    union { float number; uint32_t bits; } paid = {.number = reward + 0.0f};
    uint64_t turn = (uint64_t)observation << 48 | (uint64_t)action << 32 | (uint64_t)next << 16 | (uint64_t)ended;
    return mixed(mixed(history + 0x9e3779b97f4a7c15ull + turn) + paid.bits);
}

static int remember(Learner *a, int observation, int action, float reward, int following, int ended)
{
    Memory *m = &a->memory;
    int capacity = a->plan->capacity;
    if (m->place >= m->size) {
        int size = m->size ? 2 * m->size : FIRST_MEMORY;
        if (memory_reserve(m, size < capacity ? size : capacity))
            return NO_MEMORY;
    }
    m->turn[m->place] = (Turn){reward, (uint16_t)observation, (uint16_t)action, (uint16_t)following, (uint16_t)ended};
    m->place = (m->place + 1) % capacity;
    m->filled += m->filled < capacity;
    return 0;
}

/* Learn one transition; train if that fills a lot. After INTERRUPTED the transition is learned, and the lot's updates
 * that were left are not made. */
int learner_learn(Learner *a, int observation, int action, float reward, int following, int ended)
{
    const Plan *p = a->plan;
    State *s = &a->state;
    construct(a);
    s->history = following_history(s->history, observation, action, reward, following, ended);
    if (a->run)
        expect_question(a, following);
    if (s->first_observation < 0)
        s->first_observation = observation;
    int starts_lot = s->learned % p->lot == 0;
    if (remember(a, a->run && starts_lot ? s->first_observation : observation, action, reward, following, ended))
        return NO_MEMORY;
    s->learned++;
    follow_target(a);
    if (s->learned % p->lot)
        return 0;
    if (p->algorithm != DQN)
        return train_on_lot(a, following);
    return (a->run ? p->lot : s->learned) > p->learning_starts ? train_on_replay(a) : 0;
}
