/* The graders of gradients in parts: a sum in a fixed tree.  Its machines are threads
 * (tests/group_threads.h). */
#include "trainees.h"
#include "group_threads.h"
#include "train_parts.h"

#include <pthread.h>

enum { MOST = 7, MOST_PARTS = 20, NUMBERS_MAX = 20000 };

static const double limit = 2; /* seconds for a message */

/* ------------------------------------------------------------------ a batch on machines */

typedef struct Machine {
    Trainer *trainer;
    TrainPartsConfig config;
    bool ok;
    Fault why;
    size_t computed[MOST_PARTS]; /* how often, by the part's number */
} Machine;

static struct {
    Machine machines[MOST];
    int size;
    size_t parts;
    double start;
} cluster;
static bool limits; /* are checked */

static struct {
    uint64_t first;
    size_t documents, numbers;
    float values[NUMBERS_MAX], gradients[NUMBERS_MAX];
    double loss, largest;
} whole; /* the batch in one piece */

static size_t cut_of(size_t all, size_t i, size_t pieces) { return all * i / pieces; }

/* A trainer calls this with each batch that it has loaded, whole or a part. */
static void watch(Trainer *t, uint64_t first) {
    for (int i = 0; i < cluster.size; i++)
        for (size_t part = 0; part < cluster.parts && t == cluster.machines[i].trainer; part++)
            if (t->batch.documents < whole.documents &&
                whole.first + cut_of(whole.documents, part, cluster.parts) == first &&
                whole.first + cut_of(whole.documents, part + 1, cluster.parts) > first)
                cluster.machines[i].computed[part]++;
}

static TrainConfig watched(void) {
    TrainConfig c = small();
    c.ctx = 20, c.layers = 1, c.batch_tokens = 220, c.seed = 1, c.hide = watch;
    c.shape.dim = 10; /* so many numbers that no loop of four takes them all */
    return c;
}

static void open_batch(void) {
    const TrainConfig c = watched();
    open_world();
    Trainer *t = new_trainer(&c);
    uint64_t next = whole.first = fresh_below(1000);
    NEED((whole.numbers = t->size) <= NUMBERS_MAX && t->size % 4);
    fresh_floats(t->values, t->size, -0.5, 0.5);
    memcpy(whole.values, t->values, t->size * sizeof(float));
    train_load_batch(t, &corpus, &next, SIZE_MAX);
    whole.documents = t->batch.documents;
    whole.loss = train_forward(t, true);
    train_backward(t);
    memcpy(whole.gradients, t->gradients, t->size * sizeof(float));
    for (size_t i = 0; i < t->size; i++)
        whole.largest = fmax(whole.largest, fabs((double)t->gradients[i]));
    trainer_close(t);
}

static void lost(void *context, const Fault *fault) {
    (void)context;
    HINT(
        false,
        "parts: %zu, machines: %d: a sum does not come: %s. The machine with the first part of "
        "the right half sends it to the one with the first part of the left half; these two "
        "call meet(), and no other",
        cluster.parts, cluster.size, fault->text);
}

/* Each level of the machines that a right half is spread over adds the limit, what the weights
 * take to be sent (here less than a quarter of it), and four times what a machine takes for its
 * parts: less than all takes. */
static void check_limit(int from, int machines, double seconds) {
    double levels = 1, own = clock_seconds() - cluster.start;
    for (int below = machines; below > 1; below = (below + 1) / 2) levels++;
    HINT(seconds >= levels * limit && seconds <= levels * (1.25 * limit + 4 * own),
         "parts: %zu, machines: %d: the right half that begins on machine %d is spread over "
         "%d, and meet() waits for %g s as for another number: its argument `machines` counts "
         "from `right` to the owner of part end - 1",
         cluster.parts, cluster.size, from + 1, machines, seconds);
}

static bool is_sum(size_t size) {
    return size > whole.numbers * sizeof(float);
} /* and a loss */

/* Whose numbers are in a sum: its sender's, and those of the machines whose sums that has
 * taken.  (Where each machine sends one sum; else those since its last one, which need not be
 * in it.) */
static struct {
    pthread_mutex_t lock;
    unsigned in_it[MOST]; /* bits of machines */
    unsigned sent[MOST][MOST][MOST_PARTS];
    size_t sends[MOST][MOST], waits[MOST][MOST];
} flow = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool send_on(Group *group, int to, const void *bytes, size_t size, double seconds,
                    Fault *fault) {
    const int here = group->rank;
    pthread_mutex_lock(&flow.lock);
    size_t *sends = &flow.sends[here][to];
    if (is_sum(size) && *sends < MOST_PARTS) {
        flow.sent[here][to][(*sends)++] = flow.in_it[here] | 1u << here;
        flow.in_it[here] = 0;
    }
    pthread_mutex_unlock(&flow.lock);
    return group_of_threads.send(group, to, bytes, size, seconds, fault);
}

static bool wait_for(Group *group, int from, size_t *size, double seconds, Fault *fault) {
    const int here = group->rank;
    if (!group_of_threads.wait(group, from, size, seconds, fault)) return false;
    if (!is_sum(*size)) return true;
    pthread_mutex_lock(&flow.lock);
    size_t *waits = &flow.waits[from][here];
    unsigned in_it = *waits < MOST_PARTS ? flow.sent[from][here][(*waits)++] : 0;
    flow.in_it[here] |= in_it;
    pthread_mutex_unlock(&flow.lock);
    if (limits) check_limit(from, __builtin_popcount(in_it), seconds);
    return true;
}

static void *help(void *machine) {
    Machine *m = machine;
    m->ok = train_parts_serve(m->trainer, &m->config, &m->why);
    return NULL;
}

/* The first machine's gradients, and its loss. */
static double compute(int size, size_t parts, float *gradients) {
    Group members[MOST];
    pthread_t threads[MOST];
    Fault fault;
    TrainConfig c = watched();
    GroupKind timed = group_of_threads;
    timed.wait = wait_for, timed.send = send_on, c.parts = parts;
    NEED(group_threads(members, size, &fault));
    memset(&cluster, 0, sizeof cluster);
    memset(flow.in_it, 0, sizeof flow.in_it);
    memset(flow.sends, 0, sizeof flow.sends), memset(flow.waits, 0, sizeof flow.waits);
    cluster.size = size, cluster.parts = parts, cluster.start = clock_seconds();
    for (int i = 0; i < size; i++) {
        members[i].kind = &timed;
        cluster.machines[i].trainer = new_trainer(&c);
        cluster.machines[i].config =
            (TrainPartsConfig){parts, &members[i], limit, "grader", lost, NULL};
    }
    for (int i = 1; i < size; i++)
        NEED(pthread_create(&threads[i], NULL, help, &cluster.machines[i]) == 0);
    Trainer *t = cluster.machines[0].trainer;
    TrainParts *p = train_parts_open(t, &cluster.machines[0].config, &fault);
    NEED(p);
    memcpy(t->values, whole.values, whole.numbers * sizeof(float));
    t->next_document = whole.first;
    train_load_batch(t, &corpus, &t->next_document, SIZE_MAX);
    double loss = train_forward(t, true);
    memcpy(gradients, t->gradients, whole.numbers * sizeof(float));
    train_parts_close(p);
    for (int i = 1; i < size; i++) {
        pthread_join(threads[i], NULL);
        const Machine *m = &cluster.machines[i];
        HINT(m->ok, "parts: %zu, machines: %d: machine %d: %s", parts, size, i + 1,
             m->why.text);
    }
    for (int i = 0; i < size; i++)
        trainer_close(cluster.machines[i].trainer), group_close(&members[i]);
    return loss;
}

/* ------------------------------------------------------------------ the tree */

static void check_whose(void) {
    if (cluster.parts == 1) return; /* the part is the batch, which is loaded anyway */
    for (size_t part = 0; part < cluster.parts; part++) {
        int owner = 0;
        while (cut_of(cluster.parts, (size_t)owner + 1, (size_t)cluster.size) <= part) owner++;
        bool empty = cut_of(whole.documents, part, cluster.parts) ==
                     cut_of(whole.documents, part + 1, cluster.parts);
        for (int i = 0; i < cluster.size; i++) {
            size_t times = cluster.machines[i].computed[part];
            HINT(i == owner || times == 0,
                 "parts: %zu, machines: %d: machine %d computes part %zu (from 0), which "
                 "belongs to machine %d. A machine leaves out halves in which it has no part "
                 "(has_part)",
                 cluster.parts, cluster.size, i + 1, part, owner + 1);
            if (i == owner)
                COUNT(times, !empty,
                      "parts: %zu, machines: %d: how often machine %d computes its part %zu "
                      "(from 0): one part is a leaf (find_part), more are two halves",
                      cluster.parts, cluster.size, i + 1, part);
        }
    }
}

static void check_tree(int size, size_t parts, const float *alone) {
    static float got[NUMBERS_MAX];
    double loss = compute(size, parts, got);
    check_whose();
    for (size_t i = 0; i < whole.numbers; i++)
        HINT(close_to((double)got[i], (double)whole.gradients[i], 2e-5 * whole.largest),
             "parts: %zu, machines: %d: the gradients are the sum of all parts', each once: "
             "the left half grows in `sum`, and the right half needs memory of its own at each "
             "depth (p->sums[depth]). Number %zu: expected %.6g, got %.6g",
             parts, size, i, (double)whole.gradients[i], (double)got[i]);
    NUMBER(loss, whole.loss, 1e-5 * whole.loss,
           "parts: %zu, machines: %d: the loss is a sum, too (PartSum)", parts, size);
    HINT(!alone || memcmp(alone, got, whole.numbers * sizeof *got) == 0,
         "%zu parts: on %d machines the gradients have other bits than on one. The additions "
         "are the same on any number of machines if the middle depends on `begin` and `end` "
         "alone",
         parts, size);
}

static void check_machines(size_t parts, int most) {
    static float alone[NUMBERS_MAX];
    check_tree(1, parts, NULL);
    compute(1, parts, alone);
    for (int size = 2; size <= most && (size_t)size <= parts; size++)
        check_tree(size, parts, alone);
}

/* Where each machine sends one sum: there are as many as parts, or two, or three of 4 parts, of
 * which any halving makes the same tree. */
static void check_limits(void) {
    static float unused[NUMBERS_MAX];
    limits = true;
    compute(2, 2, unused), compute(3, 3, unused), compute(4, 4, unused);
    compute(5, 5, unused), compute(7, 7, unused), compute(2, 4, unused);
    compute(3, 4, unused);
}

static void check_all(void) {
    check_machines(1, 1), check_machines(2, 2), check_machines(4, 4), check_machines(7, 5);
    check_machines(8, 3), check_machines(9 + fresh_below(MOST_PARTS - 9), MOST);
    check_machines(MOST_PARTS, 1);
}

GRADE(fixed_tree) {
    open_batch();
    check_all();
    check_limits();
}

/* ------------------------------------------------------------------ broken: the order */

static uint32_t sum_of_bits(const float *x) {
    uint32_t sum = 2166136261u, bits;
    for (size_t i = 0; i < whole.numbers; i++)
        memcpy(&bits, &x[i], sizeof bits), sum = (sum ^ bits) * 16777619u;
    return sum;
}

GRADE(order_of_machines) {
    static float got[4][NUMBERS_MAX];
    uint32_t sums[4];
    double most = 0;
    bool same = true;
    open_batch();
    for (int i = 0; i < 4; i++) {
        compute(i + 1, 4, got[i]);
        sums[i] = sum_of_bits(got[i]), same = same && sums[i] == sums[0];
        for (size_t k = 0; k < whole.numbers; k++)
            most = fmax(most, fabs((double)got[i][k] - (double)got[0][k]));
    }
    SYMPTOM(same,
            "one batch in four parts, and a checksum of its gradients: %08x on one machine, "
            "%08x on two, %08x on three, %08x on four. They should be the same; the largest "
            "difference is %.0e of the largest gradient",
            sums[0], sums[1], sums[2], sums[3], most / whole.largest);
    check_all();
}

GRADES({"5.28", fixed_tree}, {"5.29", order_of_machines})
