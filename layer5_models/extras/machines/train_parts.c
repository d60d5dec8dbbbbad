/* train_parts.c - see train_parts.h. */
#include "train_parts.h"
#include "clock.h"
#include "pulse.h"
#include "train/origin.h"
#include "wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The gradients of some parts, and their share of the loss; a message as it is. */
typedef struct PartSum {
    double loss;
    float gradients[];
} PartSum;

enum { DEPTH = 32 }; /* of the tree */

struct TrainParts {
    TrainPartsConfig config;
    Trainer *t;
    int rank, size;
    PartSum *sums[DEPTH + 1]; /* owns; the right half at each depth, and the whole */
    size_t rows, documents;   /* of this step's batch */
    uint64_t first;           /* its first document */
    double own;               /* seconds that this step's own parts took */
    bool missing;             /* a half of this step's sum did not come; why */
    Fault why;
    GroupMessage message;
    Pulse pulse;
};

/* What the first machine says about the run, and with each step; then weights (size floats). */
typedef struct RunHello {
    Order order;
    char version[VERSION_ROOM], isa[ISA_ROOM];
    uint64_t size, parts, origin;
} RunHello;

typedef struct GradientOrder {
    Order order;
    uint64_t first, documents;
} GradientOrder;

static size_t sum_bytes(const TrainParts *p) {
    return sizeof(PartSum) + p->t->size * sizeof(float);
}

/* ------------------------------------------------------------------ a part */

/* The parts of machine i begin where those before it end; so do the documents of a part. */
static size_t cut_at(size_t whole, size_t i, size_t pieces) { return whole * i / pieces; }

static int owner_of(const TrainParts *p, size_t part) {
    int i = 0;
    while (cut_at(p->config.parts, (size_t)i + 1, (size_t)p->size) <= part) i++;
    return i;
}

/* Each row counts as one of the whole batch's. */
static void find_part(TrainParts *p, size_t part, PartSum *sum) {
    Trainer *t = p->t;
    size_t from = cut_at(p->documents, part, p->config.parts),
           count = cut_at(p->documents, part + 1, p->config.parts) - from;
    double start = clock_seconds();
    uint64_t index = p->first + from;
    if (count == 0) {
        memset(sum, 0, sum_bytes(p));
        return;
    }
    train_load_batch(t, t->corpus, &index, count);
    double share = (double)t->batch.n / (double)p->rows;
    for (size_t i = 0; i < t->batch.n; i++) t->batch.weight[i] *= (float)share;
    t->elsewhere = NULL;
    sum->loss = train_forward(t, true) / share;
    train_backward(t);
    memcpy(sum->gradients, t->gradients, t->size * sizeof(float));
    p->own += clock_seconds() - start;
}

/* ------------------------------------------------------------------ the tree */

static bool has_part(const TrainParts *p, size_t begin, size_t end) {
    size_t from = cut_at(p->config.parts, (size_t)p->rank, (size_t)p->size),
           to = cut_at(p->config.parts, (size_t)p->rank + 1, (size_t)p->size);
    return from < end && begin < to;
}

static void add_sum(PartSum *sum, const PartSum *other, size_t size) {
    sum->loss += other->loss;
    for (size_t i = 0; i < size; i++) sum->gradients[i] += other->gradients[i];
}

/* How long all weights may take to all machines, on a network of 16 Mb/s. */
static double sending(const TrainParts *p) {
    enum { BYTES_PER_SECOND = 2000000 };
    return p->config.seconds +
           (double)(p->t->size * sizeof(float) * (size_t)(p->size - 1)) / BYTES_PER_SECOND;
}

/* How long to wait for what so many machines have summed: who sends it may have waited, too. */
static double patience(const TrainParts *p, int machines) {
    double each = sending(p) + 4 * p->own, seconds = each;
    for (; machines > 1; machines = (machines + 1) / 2) seconds += each;
    return seconds;
}

/* Also a sentence may come, of a machine that waited for another one in vain. */
static bool receive_sum(TrainParts *p, int from, int machines, Fault *fault) {
    GroupMessage *m = &p->message;
    if (!group_receive(p->config.group, from, m, patience(p, machines), fault)) return false;
    return m->size == sum_bytes(p) ||
           fault_set(fault, "%.*s", (int)min_size(m->size, sizeof fault->text - 1),
                     (char *)m->bytes);
}

static void give_up(TrainParts *p, const Fault *fault) {
    p->config.lost(p->config.context, fault);
    REQUIRE(false, "gradients without all of their parts");
}

/* The right half of a sum goes to the machine that has the left one; `sum` grows there.  Why a
 * half is missing goes the same way, up to the first machine, which ends all. */
static void meet(TrainParts *p, int left, int right, int machines, PartSum *sum,
                 PartSum *half) {
    Fault fault;
    if (left == right) {
        add_sum(sum, half, p->t->size);
    } else if (p->rank == right) {
        const void *bytes = p->missing ? (const void *)p->why.text : half;
        size_t size = p->missing ? strlen(p->why.text) : sum_bytes(p);
        if (!group_send(p->config.group, left, bytes, size, patience(p, 1), &fault) &&
            left == 0)
            give_up(p, &fault);
    } else if (receive_sum(p, right, machines, &fault)) {
        add_sum(sum, (const void *)p->message.bytes, p->t->size);
    } else if (p->rank == 0) {
        give_up(p, &fault);
    } else {
        p->missing = true, p->why = fault;
    }
}

/* The sum of parts begin .. end - 1, on the machine that has the first of them. */
static void sum_parts(TrainParts *p, size_t begin, size_t end, int depth, PartSum *sum) {
    size_t middle = begin + (end - begin) / 2;
    if (!has_part(p, begin, end)) return;
    if (end - begin == 1) {
        find_part(p, begin, sum);
        return;
    }
    sum_parts(p, begin, middle, depth + 1, sum);
    sum_parts(p, middle, end, depth + 1, p->sums[depth]);
    int left = owner_of(p, begin), right = owner_of(p, middle);
    if (p->rank == left || p->rank == right)
        meet(p, left, right, owner_of(p, end - 1) - right + 1, sum, p->sums[depth]);
}

static PartSum *sum_batch(TrainParts *p, uint64_t first, size_t documents, size_t rows) {
    p->first = first, p->documents = documents, p->rows = rows, p->own = 0;
    p->missing = false;
    sum_parts(p, 0, p->config.parts, 0, p->sums[DEPTH]);
    return p->sums[DEPTH];
}

/* ------------------------------------------------------------------ the first machine */

static bool tell(TrainParts *p, const void *order, size_t size, Fault *fault) {
    p->pulse.last = clock_seconds();
    for (int i = 1; i < p->size; i++)
        if (!group_send(p->config.group, i, order, size, sending(p), fault)) return false;
    return true;
}

static void beat(void *parts) {
    const Order order = {.kind = ORDER_PULSE};
    tell(parts, &order, sizeof order, NULL);
}

/* Send the weights that a step begins with. */
static void send_weights(TrainParts *p, uint64_t first, size_t documents) {
    const GradientOrder order = {{.kind = ORDER_GRADIENTS}, first, documents};
    Fault fault;
    if (p->size == 1) return;
    if (!tell(p, &order, sizeof order, &fault) ||
        !tell(p, p->t->values, p->t->size * sizeof(float), &fault))
        give_up(p, &fault);
}

/* The hook of train_forward.  Returns the loss, summed over rows. */
static double find_in_parts(Trainer *t) {
    TrainParts *p = t->parts;
    size_t rows = t->batch.n, documents = t->batch.documents;
    uint64_t first = t->next_document - documents;
    pthread_mutex_lock(&p->pulse.lock);
    send_weights(p, first, documents);
    const PartSum *sum = sum_batch(p, first, documents, rows);
    p->pulse.last = clock_seconds();
    pthread_mutex_unlock(&p->pulse.lock);
    memcpy(t->gradients, sum->gradients, t->size * sizeof(float));
    t->elsewhere = find_in_parts, t->batch.n = rows;
    return sum->loss;
}

static bool say_run(TrainParts *p, Fault *fault) {
    RunHello hello = {{.kind = ORDER_RUN},
                      .size = p->t->size,
                      .parts = p->config.parts,
                      .origin = train_origin(p->t)};
    strncpy(hello.version, p->config.version, VERSION_ROOM - 1);
    strncpy(hello.isa, kernels_isa(), ISA_ROOM - 1);
    if (!tell(p, &hello, sizeof hello, fault)) return false;
    for (int i = 1; i < p->size; i++) {
        if (!group_receive(p->config.group, i, &p->message, p->config.seconds, fault))
            return false;
        if (p->message.size > 0)
            return fault_set(fault, "machine %d of %d: %.*s", i + 1, p->size,
                             (int)min_size(p->message.size, 300), (char *)p->message.bytes);
    }
    return true;
}

/* ------------------------------------------------------------------ begin and end */

static void parts_free(TrainParts *p) {
    pulse_free(&p->pulse);
    for (int i = 0; i <= DEPTH; i++) free(p->sums[i]);
    free(p->message.bytes), free(p);
}

/* Memory for a half at each depth of the tree. */
static bool allocate_sums(TrainParts *p) {
    bool ok = (p->sums[DEPTH] = malloc(sum_bytes(p)));
    for (int i = 0; i < DEPTH && p->config.parts > 1 && p->config.parts >> i; i++)
        ok = (p->sums[i] = malloc(sum_bytes(p))) && ok;
    return ok;
}

static TrainParts *parts_new(Trainer *t, const TrainPartsConfig *config, Fault *fault) {
    TrainParts *p = calloc(1, sizeof *p);
    if (p) {
        p->config = *config, p->t = t;
        p->rank = config->group ? config->group->rank : 0;
        p->size = config->group ? config->group->size : 1;
        pulse_init(&p->pulse);
        if (allocate_sums(p)) return p;
        parts_free(p);
    }
    fault_set(fault, "no memory for the gradients of %zu parts", config->parts);
    return NULL;
}

TrainParts *train_parts_open(Trainer *t, const TrainPartsConfig *config, Fault *fault) {
    REQUIRE(config->parts >= 1 && config->parts <= TRAIN_MAX_DOCUMENTS, "%zu parts",
            config->parts);
    TrainParts *p = parts_new(t, config, fault);
    if (!p) return NULL;
    t->parts = p, t->elsewhere = find_in_parts;
    if (config->parts < (size_t)p->size)
        fault_set(fault,
                  "%d machines share the parts of a batch, which has %zu: give --parts %d or "
                  "more, or start fewer machines",
                  p->size, config->parts, p->size);
    else if (p->size == 1 ||
             (say_run(p, fault) && pulse_begin(&p->pulse, config->seconds / 4, beat, p, fault)))
        return p;
    train_parts_close(p);
    return NULL;
}

void train_parts_close(TrainParts *p) {
    if (!p) return;
    const Order order = {.kind = ORDER_END};
    pulse_end(&p->pulse);
    tell(p, &order, sizeof order, NULL);
    p->t->parts = NULL, p->t->elsewhere = NULL;
    parts_free(p);
}

/* ------------------------------------------------------------------ another machine */

/* Is it the first machine's run?  `fault` says why not. */
static bool same_run(const Trainer *t, const TrainPartsConfig *config, const RunHello *hello,
                     Fault *fault) {
    if (strcmp(hello->version, config->version) != 0)
        return fault_set(fault, "this is version %s, the first machine's is %s",
                         config->version, hello->version);
    if (!kernels_select(hello->isa, fault))
        return fault_prefix(fault, "the first machine's instruction set");
    if (hello->parts != config->parts)
        return fault_set(fault, "another number of --parts: %zu, not %zu", config->parts,
                         (size_t)hello->parts);
    return (hello->size == t->size && hello->origin == train_origin(t)) ||
           fault_set(fault, "another corpus, vocabulary or --from than on the first machine");
}

static bool answer_run(const Trainer *t, const TrainPartsConfig *config,
                       const GroupMessage *order, Fault *fault) {
    RunHello hello;
    if (order->size != sizeof hello) return fault_set(fault, "an order that is cut off");
    memcpy(&hello, order->bytes, sizeof hello);
    hello.version[VERSION_ROOM - 1] = hello.isa[ISA_ROOM - 1] = 0;
    Fault why = *fault; /* what was wrong before */
    bool same = t && same_run(t, config, &hello, &why);
    return group_send(config->group, 0, why.text, same ? 0 : strlen(why.text), config->seconds,
                      fault);
}

/* The order of a step, and the weights, which come after it. */
static bool take_weights(TrainParts *p, const GroupMessage *message, Fault *fault) {
    GradientOrder order;
    Trainer *t = p->t;
    const size_t bytes = t->size * sizeof(float);
    if (message->size != sizeof order) return fault_set(fault, "an order that is cut off");
    memcpy(&order, message->bytes, sizeof order);
    if (!group_receive(p->config.group, 0, &p->message, pulse_wait(sending(p)), fault))
        return false;
    if (p->message.size != bytes) return fault_set(fault, "weights that are cut off");
    memcpy(t->values, p->message.bytes, bytes);
    uint64_t next = order.first;
    train_load_batch(t, t->corpus, &next, order.documents);
    sum_batch(p, order.first, order.documents, t->batch.n);
    return true;
}

static bool serve_parts(TrainParts *p, const TrainPartsConfig *config, Fault *fault) {
    GroupMessage order = {0};
    double seconds = INFINITY; /* until the first machine has begun */
    bool ok = true;
    for (Order head = {0}; ok && head.kind != ORDER_END;) {
        ok = group_receive(config->group, 0, &order, seconds, fault) &&
             (order.size >= sizeof head || fault_set(fault, "an order that is cut off"));
        if (!ok) break;
        memcpy(&head, order.bytes, sizeof head);
        if (head.kind == ORDER_RUN) ok = answer_run(p ? p->t : NULL, config, &order, fault);
        if (head.kind == ORDER_GRADIENTS && p) {
            ok = take_weights(p, &order, fault);
            seconds = 2 * patience(p, p->size); /* others may compute for longer */
        }
        if (head.kind == ORDER_PULSE || head.kind == ORDER_RUN)
            seconds = pulse_wait(config->seconds);
    }
    free(order.bytes);
    return ok;
}

bool train_parts_serve(Trainer *t, const TrainPartsConfig *config, Fault *fault) {
    TrainParts *p = t ? parts_new(t, config, fault) : NULL;
    bool ok = serve_parts(p, config, fault);
    if (p) parts_free(p);
    return ok;
}
