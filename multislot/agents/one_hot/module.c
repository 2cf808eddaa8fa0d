/* The Python module multislot.agents._one_hot: Plan, Run and Learner. Every index and size is checked here, at the
 * border; behind it the code trusts them. The interpreter's lock is held throughout, but between two updates a signal's
 * handler may run, and other threads with it: until the training ends they cannot change the learner. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <string.h>
#include <structmember.h>

#include "learner.h"

#define MOST_OBSERVATIONS 4096
#define MOST_ACTIONS 64
#define MOST_WIDTH 512
#define MOST_TRANSITIONS 10000000
#define MOST_LOT 65536
#define MOST_COUNT (1LL << 53) /* of updates or transitions in a life: far from overflow */

typedef struct {
    PyObject_HEAD
    Plan plan;
    PyObject *arguments; /* what it was made with, to pickle it */
} PlanObject;

typedef struct {
    PyObject_HEAD
    Run run;
    PyObject *weak_references;
} RunObject;

typedef struct {
    PyObject_HEAD
    Learner learner;
    PlanObject *plan;
    RunObject *run;
    int training;
} LearnerObject;

static PyTypeObject PlanType, RunType, LearnerType;

/* multislot.errors.SettingError, which is a ValueError. */
static PyObject *setting_error;

/* Check that low <= value <= high, or set ValueError. */
static int check(const char *name, long long value, long long low, long long high)
{
    if (value >= low && value <= high)
        return 0;
    PyErr_Format(setting_error, "got %s=%lld; expected a whole number from %lld to %lld", name, value, low, high);
    return -1;
}

static int check_length(const char *name, Py_ssize_t bytes, size_t expected)
{
    if ((size_t)bytes == expected)
        return 0;
    PyErr_Format(setting_error, "got %zd bytes of %s; expected %zu", bytes, name, expected);
    return -1;
}

/* ---- Plan ---- */

static int check_shape(const Shape *s, const char *outputs)
{
    if (check("n_observations", s->n_inputs, 1, MOST_OBSERVATIONS) || check(outputs, s->n_outputs, 1, MOST_ACTIONS) ||
        check("width of the first layer", s->width1, LANES, MOST_WIDTH) ||
        check("width of the second layer", s->width2, LANES, MOST_WIDTH))
        return -1;
    if (s->width1 % LANES || s->width2 % LANES) {
        PyErr_Format(setting_error, "got widths %d and %d; expected multiples of %d", s->width1, s->width2, LANES);
        return -1;
    }
    return 0;
}

static int check_plan(const Plan *p)
{
    if (check("algorithm", p->algorithm, A2C, DQN) || check_shape(&p->actor, "n_actions") ||
        check("lot", p->lot, 1, MOST_LOT) || check("batch", p->batch, 1, MOST_LOT) ||
        check("epochs", p->epochs, 1, MOST_LOT) || check("capacity", p->capacity, 1, MOST_TRANSITIONS) ||
        check("learning_starts", p->learning_starts, 0, INT64_MAX) ||
        check("target_interval", p->target_interval, 1, INT64_MAX))
        return -1;
    if (p->algorithm == DQN)
        return 0;
    /* The work space has rows for a batch: A2C's one update of a lot takes all of it. */
    return check_shape(&p->critic, "values") || check("capacity", p->capacity, p->lot, p->lot) ||
                   check("batch", p->batch, p->algorithm == A2C ? p->lot : 1, p->lot)
               ? -1
               : 0;
}

static int copy_twister(Twister *t, const Py_buffer *state, const char *name)
{
    if (check_length(name, state->len, sizeof *t))
        return -1;
    memcpy(t, state->buf, sizeof *t);
    return check(name, t->position, 0, TWISTER_WORDS);
}

static int copy_parameters(Plan *p, const Py_buffer *given)
{
    p->n_parameters = tower_size(&p->actor) + (p->algorithm == DQN ? 0 : tower_size(&p->critic));
    if (check_length("parameters", given->len, sizeof(float) * p->n_parameters))
        return -1;
    p->parameters = PyMem_Malloc(given->len);
    if (!p->parameters) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(p->parameters, given->buf, given->len);
    return 0;
}

static PyObject *plan_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    Py_buffer parameters, numpy, torch, sampler;
    int algorithm;
    if (keywords && PyDict_GET_SIZE(keywords))
        return PyErr_Format(PyExc_TypeError, "Plan takes no keywords");
    PlanObject *self = (PlanObject *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    Plan *p = &self->plan;
    if (!PyArg_ParseTuple(arguments, "(ip)(iiii)i(iiiiLL)(dddfffp)y*y*y*y*", &algorithm, &p->published,
                          &p->actor.n_inputs, &p->actor.n_outputs, &p->actor.width1, &p->actor.width2, &p->actor.relu,
                          &p->lot, &p->batch, &p->epochs, &p->capacity, &p->learning_starts, &p->target_interval,
                          &p->learning_rate, &p->discount, &p->trace_decay, &p->value_weight, &p->clip,
                          &p->largest_norm, &p->normalise, &parameters, &numpy, &torch, &sampler)) {
        Py_DECREF(self);
        return NULL;
    }
    p->algorithm = (Algorithm)algorithm;
    p->critic = p->actor;
    p->critic.n_outputs = 1;
    if (p->algorithm == DQN)
        memset(&p->critic, 0, sizeof p->critic);
    int wrong = check_plan(p) || copy_parameters(p, &parameters) || copy_twister(&p->numpy, &numpy, "numpy") ||
                copy_twister(&p->torch, &torch, "torch") || copy_twister(&p->sampler, &sampler, "sampler");
    PyBuffer_Release(&parameters);
    PyBuffer_Release(&numpy);
    PyBuffer_Release(&torch);
    PyBuffer_Release(&sampler);
    if (wrong) {
        Py_DECREF(self);
        return NULL;
    }
    Py_INCREF(arguments);
    self->arguments = arguments;
    return (PyObject *)self;
}

static void plan_free(PlanObject *self)
{
    PyMem_Free(self->plan.parameters);
    Py_XDECREF(self->arguments);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *plan_reduce(PlanObject *self, PyObject *none)
{
    (void)none;
    return Py_BuildValue("OO", &PlanType, self->arguments);
}

static PyMethodDef plan_methods[] = {
    {"__reduce__", (PyCFunction)plan_reduce, METH_NOARGS, "Return what a pickle needs."},
    {0},
};

static PyTypeObject PlanType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "multislot.agents._one_hot.Plan",
    .tp_doc = "Everything that agents of one kind begin with; it never changes.",
    .tp_basicsize = sizeof(PlanObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = plan_new,
    .tp_dealloc = (destructor)plan_free,
    .tp_methods = plan_methods,
};

/* ---- Run ---- */

static PyObject *run_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    const char *state = NULL;
    Py_ssize_t length = 0, each = sizeof(uint64_t) + sizeof(uint16_t);
    if ((keywords && PyDict_GET_SIZE(keywords)) || !PyArg_ParseTuple(arguments, "|y#", &state, &length))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "Run takes no keywords");
    RunObject *self = (RunObject *)type->tp_alloc(type, 0);
    if (!self || !state)
        return (PyObject *)self;
    Py_ssize_t answered = length - (Py_ssize_t)(2 * sizeof(Twister));
    if (answered < 0 || answered % each) {
        Py_DECREF(self);
        return PyErr_Format(setting_error, "got %zd bytes, which are no state of a Run", length);
    }
    memcpy(&self->run.numpy, state, sizeof(Twister));
    memcpy(&self->run.torch, state + sizeof(Twister), sizeof(Twister));
    size_t n = answered / each, size = 1024;
    while (size < 4 * n)
        size *= 2;
    Answers flat = {PyMem_RawCalloc(n + 1, 8), PyMem_RawCalloc(n + 1, 2), n, n};
    if (flat.key && flat.action) {
        memcpy(flat.key, state + 2 * sizeof(Twister), n * sizeof(uint64_t));
        memcpy(flat.action, state + 2 * sizeof(Twister) + n * sizeof(uint64_t), n * sizeof(uint16_t));
    }
    int wrong = !flat.key || !flat.action || check("numpy", self->run.numpy.position, 0, TWISTER_WORDS) ||
                check("torch", self->run.torch.position, 0, TWISTER_WORDS) || answers_fill(&self->run.answers, &flat, size);
    PyMem_RawFree(flat.key);
    PyMem_RawFree(flat.action);
    if (wrong) {
        Py_DECREF(self);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void run_free(RunObject *self)
{
    if (self->weak_references)
        PyObject_ClearWeakRefs((PyObject *)self);
    answers_end(&self->run.answers);
    Py_TYPE(self)->tp_free(self);
}

/* Return (Run, (bytes,)): both generators, then the keys of all answers, then their actions. */
static PyObject *run_reduce(RunObject *self, PyObject *none)
{
    (void)none;
    const Answers *t = &self->run.answers;
    size_t n = t->used;
    PyObject *state = PyBytes_FromStringAndSize(NULL, 2 * sizeof(Twister) + n * (sizeof(uint64_t) + sizeof(uint16_t)));
    if (!state)
        return NULL;
    char *keys = PyBytes_AS_STRING(state) + 2 * sizeof(Twister), *actions = keys + n * sizeof(uint64_t);
    memcpy(PyBytes_AS_STRING(state), &self->run.numpy, sizeof(Twister));
    memcpy(PyBytes_AS_STRING(state) + sizeof(Twister), &self->run.torch, sizeof(Twister));
    for (size_t i = 0; i < t->size; i++)
        if (t->key[i]) {
            memcpy(keys, t->key + i, sizeof(uint64_t));
            memcpy(actions, t->action + i, sizeof(uint16_t));
            keys += sizeof(uint64_t);
            actions += sizeof(uint16_t);
        }
    return Py_BuildValue("O(N)", &RunType, state);
}

static PyMethodDef run_methods[] = {
    {"__reduce__", (PyCFunction)run_reduce, METH_NOARGS, "Return what a pickle needs."},
    {0},
};

static PyTypeObject RunType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "multislot.agents._one_hot.Run",
    .tp_doc = "What all agents of one released run share: two generators, and what was ever answered.",
    .tp_basicsize = sizeof(RunObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = run_new,
    .tp_dealloc = (destructor)run_free,
    .tp_methods = run_methods,
    .tp_weaklistoffset = offsetof(RunObject, weak_references),
};

/* ---- Learner ---- */

static LearnerObject *learner_alloc(PlanObject *plan, RunObject *run)
{
    LearnerObject *self = (LearnerObject *)LearnerType.tp_alloc(&LearnerType, 0);
    if (!self)
        return NULL;
    Py_INCREF(plan);
    Py_XINCREF(run);
    self->plan = plan;
    self->run = run;
    return self;
}

static PyObject *learner_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    (void)type;
    PlanObject *plan;
    PyObject *run;
    unsigned long long history;
    if (keywords && PyDict_GET_SIZE(keywords))
        return PyErr_Format(PyExc_TypeError, "Learner takes no keywords");
    if (!PyArg_ParseTuple(arguments, "O!OK", &PlanType, &plan, &run, &history))
        return NULL;
    if ((run == Py_None) == (plan->plan.published != 0) || (run != Py_None && !Py_IS_TYPE(run, &RunType)))
        return PyErr_Format(PyExc_TypeError, "expected a Run where the plan is published, and None where it is not");
    LearnerObject *self = learner_alloc(plan, run == Py_None ? NULL : (RunObject *)run);
    if (!self)
        return NULL;
    if (learner_begin(&self->learner, &plan->plan, self->run ? &self->run->run : NULL, history)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void learner_free(LearnerObject *self)
{
    learner_end(&self->learner);
    Py_XDECREF(self->plan);
    Py_XDECREF(self->run);
    Py_TYPE(self)->tp_free(self);
}

/* Read a whole number in 0 <= n < bound, or set an error and return -1. */
static int read_index(PyObject *given, const char *name, int bound)
{
    int overflow;
    long value = PyLong_AsLongAndOverflow(given, &overflow);
    if (overflow)
        PyErr_Format(setting_error, "got %s with more than 64 bits; expected a whole number from 0 to %d", name, bound - 1);
    if (value == -1 && PyErr_Occurred())
        return -1;
    return check(name, value, 0, bound - 1) ? -1 : (int)value;
}

static int read_observation(LearnerObject *self, PyObject *given)
{
    return read_index(given, "observation", self->plan->plan.actor.n_inputs);
}

/* Refuse to change a learner in the middle of its training, which a signal's handler or another thread could ask for. */
static int check_idle(const LearnerObject *self)
{
    if (self->training)
        PyErr_SetString(PyExc_RuntimeError, "this learner is training; it can be changed when learn() has returned");
    return self->training ? -1 : 0;
}

static PyObject *learner_do_learn(LearnerObject *self, PyObject *const *given, Py_ssize_t n)
{
    if (n != 5)
        return PyErr_Format(PyExc_TypeError, "expected learn(observation, action, reward, next_observation, ended)");
    int observation = read_observation(self, given[0]);
    int action = observation < 0 ? -1 : read_index(given[1], "action", self->plan->plan.actor.n_outputs);
    int following = action < 0 ? -1 : read_observation(self, given[3]);
    if (following < 0)
        return NULL;
    double reward = PyFloat_AsDouble(given[2]);
    if (reward == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError))
            return NULL;
        PyErr_Clear();
        return PyErr_Format(setting_error, "got a reward beyond floats; expected a finite number");
    }
    int ended = PyObject_IsTrue(given[4]);
    if (ended < 0)
        return NULL;
    if (!isfinite((float)reward))
        return PyErr_Format(setting_error, "got reward=%R; expected a finite number", given[2]);
    if (check_idle(self))
        return NULL;
    self->training = 1;
    int failed = learner_learn(&self->learner, observation, action, (float)reward, following, ended);
    self->training = 0;
    if (failed)
        return failed == INTERRUPTED ? NULL : PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *learner_act(LearnerObject *self, PyObject *given)
{
    int observation = read_observation(self, given);
    if (observation < 0)
        return NULL;
    if (!self->run)
        return PyErr_Format(PyExc_TypeError, "act(observation) is for published plans; give a number to sampled()");
    int action = learner_published_action(&self->learner, observation);
    if (action == NO_MEMORY)
        return PyErr_NoMemory();
    /* A Run that was read from a file may hold any number. */
    return check("kept action", action, 0, self->plan->plan.actor.n_outputs - 1) ? NULL : PyLong_FromLong(action);
}

static PyObject *learner_do_sampled(LearnerObject *self, PyObject *const *given, Py_ssize_t n)
{
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "expected sampled(observation, number)");
    int observation = read_observation(self, given[0]);
    double number = observation < 0 ? -1 : PyFloat_AsDouble(given[1]);
    if (PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(learner_sampled(&self->learner, observation, number));
}

static PyObject *learner_do_greedy(LearnerObject *self, PyObject *given)
{
    int observation = read_observation(self, given);
    return observation < 0 ? NULL : PyLong_FromLong(learner_greedy(&self->learner, observation));
}

static PyObject *learner_do_policy(LearnerObject *self, PyObject *given)
{
    int observation = read_observation(self, given), k = self->plan->plan.actor.n_outputs;
    if (observation < 0)
        return NULL;
    const float *row = learner_policy(&self->learner, observation);
    PyObject *found = PyList_New(k);
    for (int i = 0; found && i < k; i++)
        PyList_SET_ITEM(found, i, PyFloat_FromDouble(row[i]));
    return found;
}

static PyObject *learner_do_value(LearnerObject *self, PyObject *given)
{
    int observation = read_observation(self, given);
    return observation < 0 ? NULL : PyFloat_FromDouble(learner_value(&self->learner, observation));
}

static PyObject *learner_parameters(LearnerObject *self, PyObject *none)
{
    (void)none;
    const Learner *a = &self->learner;
    Py_ssize_t bytes = sizeof(float) * self->plan->plan.n_parameters;
    return Py_BuildValue("y#y#y#y#L", a->weights, bytes, a->first_moment, bytes, a->second_moment, bytes,
                         a->target ? a->target : a->weights, bytes, (long long)a->state.updates);
}

/* Put parameters, both moments and the target there, after so many updates. */
static PyObject *learner_load(LearnerObject *self, PyObject *arguments)
{
    Learner *a = &self->learner;
    float *to[] = {a->weights, a->first_moment, a->second_moment, a->target};
    Py_buffer from[4];
    long long updates;
    size_t bytes = sizeof(float) * self->plan->plan.n_parameters;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*L", from, from + 1, from + 2, from + 3, &updates))
        return NULL;
    int wrong = check_idle(self) || check("updates", updates, 0, MOST_COUNT);
    for (int i = 0; i < 4; i++)
        wrong = wrong || check_length("parameters", from[i].len, bytes);
    for (int i = 0; i < 4; i++) {
        if (!wrong && to[i])
            memcpy(to[i], from[i].buf, bytes);
        PyBuffer_Release(from + i);
    }
    if (wrong)
        return NULL;
    learner_set_updates(a, updates);
    Py_RETURN_NONE;
}

static PyObject *learner_do_copy(LearnerObject *self, PyObject *ignored)
{
    (void)ignored;
    LearnerObject *copied = learner_alloc(self->plan, self->run);
    if (copied && learner_copy(&copied->learner, &self->learner)) {
        Py_DECREF(copied);
        return PyErr_NoMemory();
    }
    return (PyObject *)copied;
}

/* Return (restored, (plan, run, state, ...)): the plain numbers, then the parameters, then the memory. */
static PyObject *learner_reduce(LearnerObject *self, PyObject *none)
{
    (void)none;
    const Learner *a = &self->learner;
    const Memory *m = &a->memory;
    const char *turns = m->turn ? (const char *)m->turn : ""; /* NULL would become None and not empty bytes */
    PyObject *module = PyImport_ImportModule("multislot.agents._one_hot");
    PyObject *restored = module ? PyObject_GetAttrString(module, "restored") : NULL;
    Py_XDECREF(module);
    if (!restored)
        return NULL;
    PyObject *run = self->run ? (PyObject *)self->run : Py_None;
    return Py_BuildValue("N(OOy#Niy#)", restored, self->plan, run, &a->state, (Py_ssize_t)sizeof a->state,
                         learner_parameters(self, NULL), m->place, turns, m->filled * (Py_ssize_t)sizeof(Turn));
}

static int check_memory(const Plan *p, const Memory *m)
{
    for (const Turn *t = m->turn; t < m->turn + m->filled; t++)
        if (check("observation", t->observation, 0, p->actor.n_inputs - 1) ||
            check("action", t->action, 0, p->actor.n_outputs - 1) ||
            check("observation", t->following, 0, p->actor.n_inputs - 1) || check("ended", t->ended, 0, 1))
            return -1;
    return 0;
}

static int fill_memory(Learner *a, const Py_buffer *turns, int place)
{
    const Plan *p = a->plan;
    Memory *m = &a->memory;
    Py_ssize_t n = turns->len / (Py_ssize_t)sizeof(Turn);
    if (check("filled", n, 0, p->capacity) || check("place", place, 0, p->capacity - 1) ||
        check_length("transitions", turns->len, n * (Py_ssize_t)sizeof(Turn)))
        return -1;
    if (n && memory_reserve(m, (int)n)) {
        PyErr_NoMemory();
        return -1;
    }
    if (n)
        memcpy(m->turn, turns->buf, turns->len);
    m->filled = (int)n;
    m->place = place;
    return check_memory(p, m);
}

/* The memory must be where so many transitions bring it: training reads it as a full lot. */
static int check_progress(const Learner *a)
{
    int64_t learned = a->state.learned, capacity = a->plan->capacity;
    int64_t filled = learned < capacity ? learned : capacity;
    return check("filled", a->memory.filled, filled, filled) ||
                   check("place", a->memory.place, learned % capacity, learned % capacity)
               ? -1
               : 0;
}

/* Decays are products of numbers below 1; NaN is refused as well. */
static int check_decay(double power)
{
    if (power >= 0 && power <= 1)
        return 0;
    PyErr_SetString(setting_error, "got a state with a wrong decay; expected a number from 0 to 1");
    return -1;
}

static int set_state(Learner *a, const Py_buffer *state)
{
    int64_t updates = a->state.updates; /* as many as belong to the parameters */
    if (check_length("state", state->len, sizeof a->state))
        return -1;
    memcpy(&a->state, state->buf, sizeof a->state);
    return check("updates", a->state.updates, updates, updates) || check_decay(a->state.power1) ||
                   check_decay(a->state.power2) || check("numpy", a->state.numpy.position, 0, TWISTER_WORDS) ||
                   check("sampler", a->state.sampler.position, 0, TWISTER_WORDS) ||
                   check("learned", a->state.learned, 0, MOST_COUNT) || check_progress(a) ||
                   check("first_observation", a->state.first_observation, -1, a->plan->actor.n_inputs - 1)
               ? -1
               : 0;
}

static PyObject *restored(PyObject *module, PyObject *arguments)
{
    (void)module;
    PlanObject *plan;
    PyObject *run, *parameters;
    Py_buffer state, turns;
    int place;
    if (!PyArg_ParseTuple(arguments, "O!Oy*O!iy*", &PlanType, &plan, &run, &state, &PyTuple_Type, &parameters, &place,
                          &turns))
        return NULL;
    PyObject *self = PyObject_CallFunction((PyObject *)&LearnerType, "OOi", plan, run, 0);
    PyObject *loaded = self ? learner_load((LearnerObject *)self, parameters) : NULL;
    Py_XDECREF(loaded);
    Learner *a = self ? &((LearnerObject *)self)->learner : NULL;
    int wrong = !loaded || fill_memory(a, &turns, place) || set_state(a, &state);
    PyBuffer_Release(&state);
    PyBuffer_Release(&turns);
    if (wrong)
        Py_CLEAR(self);
    return self;
}

static PyMethodDef learner_methods[] = {
    {"learn", (PyCFunction)(void (*)(void))learner_do_learn, METH_FASTCALL, "Learn one transition; train on a full lot."},
    {"act", (PyCFunction)learner_act, METH_O, "Answer as the agents of a released run do."},
    {"sampled", (PyCFunction)(void (*)(void))learner_do_sampled, METH_FASTCALL, "Draw an action with a number."},
    {"greedy", (PyCFunction)learner_do_greedy, METH_O, "Return the action of highest value."},
    {"policy", (PyCFunction)learner_do_policy, METH_O, "Return log-probabilities, or DQN's values, of the actions."},
    {"value", (PyCFunction)learner_do_value, METH_O, "Return the critic's value, or the target's largest."},
    {"parameters", (PyCFunction)learner_parameters, METH_NOARGS, "Return parameters, moments, target and updates."},
    {"load", (PyCFunction)learner_load, METH_VARARGS, "Set what parameters() returns."},
    {"copy", (PyCFunction)learner_do_copy, METH_NOARGS, "Return a learner that trains apart from now on."},
    {"__deepcopy__", (PyCFunction)learner_do_copy, METH_O, "Return a learner that trains apart from now on."},
    {"__reduce__", (PyCFunction)learner_reduce, METH_NOARGS, "Return what a pickle needs."},
    {0},
};

static PyMemberDef learner_members[] = {
    {"learned", T_LONGLONG, offsetof(LearnerObject, learner.state.learned), READONLY, "Transitions learned."},
    {"updates", T_LONGLONG, offsetof(LearnerObject, learner.state.updates), READONLY, "Steps of the optimiser."},
    {"history", T_ULONGLONG, offsetof(LearnerObject, learner.state.history), READONLY, "A hash of all learned."},
    {0},
};

static PyTypeObject LearnerType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "multislot.agents._one_hot.Learner",
    .tp_doc = "One agent's networks, memory and updates.",
    .tp_basicsize = sizeof(LearnerObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = learner_new,
    .tp_dealloc = (destructor)learner_free,
    .tp_methods = learner_methods,
    .tp_members = learner_members,
};

/* ---- the module ---- */

static PyMethodDef functions[] = {
    {"restored", restored, METH_VARARGS, "Return the learner of a pickle."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "multislot.agents._one_hot",
    .m_doc = "Stable-Baselines3's A2C, PPO and DQN on one-hot observations.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__one_hot(void)
{
    if (PyType_Ready(&PlanType) || PyType_Ready(&RunType) || PyType_Ready(&LearnerType))
        return NULL;
    learner_interrupted = PyErr_CheckSignals;
    PyObject *errors = PyImport_ImportModule("multislot.errors");
    setting_error = errors ? PyObject_GetAttrString(errors, "SettingError") : NULL;
    Py_XDECREF(errors);
    if (!setting_error)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyModule_AddObjectRef(module, "Plan", (PyObject *)&PlanType) ||
        PyModule_AddObjectRef(module, "Run", (PyObject *)&RunType) ||
        PyModule_AddObjectRef(module, "Learner", (PyObject *)&LearnerType) ||
        PyModule_AddIntMacro(module, MOST_OBSERVATIONS) || PyModule_AddIntMacro(module, MOST_ACTIONS) ||
        PyModule_AddIntMacro(module, MOST_WIDTH) || PyModule_AddIntMacro(module, MOST_LOT) ||
        PyModule_AddIntMacro(module, MOST_TRANSITIONS) || PyModule_AddIntMacro(module, LANES)) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
