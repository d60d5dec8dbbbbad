/* machines.c - the first machine: it sends what others compute.  See machines.h. */
#include "machines.h"
#include "grow.h"
#include "linear.h"
#include "machines_parts.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>

Machines *machines_here;

/* ------------------------------------------------------------------ orders */

/* Is an order part of a pass? */
static bool is_in_pass(const GroupMessage *message) {
    Order order;
    memcpy(&order, message->bytes, sizeof order);
    return order.kind == ORDER_PRODUCTS || order.kind == ORDER_HEADS ||
           order.kind == ORDER_PASS;
}

bool send_message(Machines *m, int to, const GroupMessage *message, Fault *fault) {
    m->in_pass = is_in_pass(message);
    *(m->in_pass ? &m->count.sent : &m->count.begun) += message->size;
    return group_send(m->config.group, to, message->bytes, message->size, m->config.seconds,
                      fault);
}

bool send_order(Machines *m, int to, Fault *fault) {
    return send_message(m, to, &m->order, fault);
}

/* The next message that is an answer: those that only say that it takes long are passed over,
 * and the wait begins again. */
static bool receive_answer(Machines *m, int from, double seconds, Fault *fault) {
    GroupMessage *a = &m->answer;
    for (uint32_t word;;) {
        if (!group_receive(m->config.group, from, a, seconds, fault)) return false;
        if (a->size != sizeof word) return true;
        memcpy(&word, a->bytes, sizeof word);
        if (word != ANSWER_BUSY) return true;
    }
}

bool take_answer(Machines *m, int from, size_t size, Fault *fault) {
    GroupMessage *a = &m->answer;
    uint32_t failed;
    if (!receive_answer(m, from, m->config.seconds, fault)) return false;
    *(m->in_pass ? &m->count.received : &m->count.begun) += a->size;
    if (a->size < sizeof failed) return fault_set(fault, "machine %d: no answer", from + 1);
    memcpy(&failed, a->bytes, sizeof failed);
    if (!failed && a->size == sizeof failed + size) return true;
    return fault_set(fault, "machine %d of %d: %.*s", from + 1, m->config.group->size,
                     failed ? (int)(a->size - sizeof failed) : 12,
                     failed ? (char *)a->bytes + sizeof failed : "wrong answer");
}

void give_up(const Machines *m, const Fault *fault) {
    m->config.lost(m->config.context, fault);
    REQUIRE(false, "a product without all of its rows");
}

/* Send the order to all, and wait for their yes.  Behind a no the others' answers are taken,
 * too: else each would be the answer to a later order. */
bool ask_all(Machines *m, Fault *fault) {
    enum { AFTER_NO = 1 /* second */ };
    bool yes = true;
    for (int i = 1; i < m->config.group->size; i++)
        if (!send_order(m, i, fault)) return false;
    for (int i = 1; i < m->config.group->size; i++)
        if (yes)
            yes = take_answer(m, i, 0, fault);
        else
            receive_answer(m, i, AFTER_NO, NULL);
    return yes;
}

/* ------------------------------------------------------------------ products */

/* The tensor of a lent model in which a matrix lies. */
static bool find_tensor(const Machines *m, const Tensor *w, SharedProduct *p) {
    const unsigned char *at = w->data;
    for (uint32_t f = 0; f < SHARED_FILES; f++) {
        const Lent *lent = &m->lent[f];
        if (!lent->model) continue;
        const GgufTensor *tensors = lent->model->gguf.tensors;
        size_t low = 0, high = lent->model->gguf.n_tensors;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (tensors[lent->by_address[middle]].data <= at)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == 0) continue;
        uint32_t i = lent->by_address[low - 1];
        if (at >= tensors[i].data + tensors[i].bytes || tensors[i].dtype != w->dtype) continue;
        p->file = f, p->tensor = i, p->offset = (uint64_t)(at - tensors[i].data);
        return true;
    }
    return false;
}

bool describe_matrix(const Machines *m, const Tensor *w, SharedProduct *p) {
    *p = (SharedProduct){.out = w->shape[0]};
    return tensor_is_contiguous(w) && find_tensor(m, w, p);
}

/* A matrix of a file, in one piece, that is large enough. */
static bool describe(const Machines *m, const WeightsProduct *product, SharedProduct *p) {
    const Tensor *w = product->w;
    if (w->shape[0] * w->shape[1] < m->config.least || !describe_matrix(m, w, p)) return false;
    p->first = product->first, p->n = product->n;
    return true;
}

/* Put a member's rows of all products where they belong. */
static void place_rows(const Machines *m, const ShareJob *job, int member,
                       const WeightsProduct *products, const void *bytes, bool half) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < job->count; i++) {
        const WeightsProduct *p = &products[i];
        size_t out = p->w->shape[0], begin = share_begin(m->bounds, member, out),
               rows = share_begin(m->bounds, member + 1, out) - begin;
        for (size_t c = 0; c < p->n; c++, from += wire_bytes(half, 1, rows))
            wire_read(half, from, 1, rows, p->y + c * out + begin);
    }
}

static bool send_job(Machines *m, const ShareJob *job, Fault *fault) {
    Order order = {ORDER_PRODUCTS, (uint32_t)job->count, job->rows, job->in};
    if (!send_shares(m, job, fault)) return false;
    m->order.size = 0, m->count.products += job->count;
    if (!message_add(&m->order, &order, sizeof order, fault) ||
        !message_add(&m->order, job->products, job->count * sizeof *job->products, fault) ||
        !message_add_rows(&m->order, m->config.half, job->x, job->rows, job->in, fault))
        return false;
    for (int i = 1; i < m->config.group->size; i++)
        if (share_numbers(job, i) && !send_order(m, i, fault)) return false;
    return true;
}

static bool run_job(Machines *m, const ShareJob *job, const WeightsProduct *products,
                    Fault *fault) {
    uint32_t ok;
    if (!send_job(m, job, fault)) return false;
    if (!GROW(m->own, m->own_room, share_numbers(job, 0) + 1))
        return fault_set(fault, "no memory for the rows of a product");
    if (!share_compute(job, m->own, fault)) return false;
    place_rows(m, job, 0, products, m->own, false);
    for (int i = 1; i < m->config.group->size; i++) {
        size_t numbers = share_numbers(job, i);
        if (numbers == 0) continue;
        if (!take_answer(m, i, share_bytes(job, i, m->config.half), fault)) return false;
        place_rows(m, job, i, products, m->answer.bytes + sizeof ok, m->config.half);
    }
    return true;
}

/* The hook of matmul.h. */
static bool on_machines(Pool *pool, const WeightsProduct *products, size_t count,
                        const float *x, size_t rows, void *scratch) {
    Machines *m = machines_here;
    SharedProduct shared[LINEAR_PRODUCTS];
    Fault fault;
    if (!rows || heads_are_alone()) return false;
    for (size_t i = 0; i < count; i++)
        if (!describe(m, &products[i], &shared[i])) return false;
    ShareJob job = {pool,  m->files,       m->bounds,
                    0,     m->config.pack, shared,
                    count, rows,           products->w->shape[1],
                    x,     scratch};
    pthread_mutex_lock(&m->lock);
    bool ok = run_job(m, &job, products, &fault);
    pthread_mutex_unlock(&m->lock);
    if (!ok) give_up(m, &fault);
    return true;
}

/* ------------------------------------------------------------------ models */

static int free_file(const Machines *m) {
    int f = 0;
    while (f < SHARED_FILES && m->lent[f].model) f++;
    return f;
}

static const GgufTensor *sorted_tensors;
static int compare_addresses(const void *a, const void *b) {
    const unsigned char *x = sorted_tensors[*(const uint32_t *)a].data,
                        *y = sorted_tensors[*(const uint32_t *)b].data;
    return (x > y) - (x < y);
}

static bool lend_here(Machines *m, const Model *model, int f, Fault *fault) {
    const Gguf *gguf = &model->gguf;
    uint32_t *order = malloc(gguf->n_tensors * sizeof *order);
    if (!order) return fault_set(fault, "no memory for a model's tensors");
    for (uint32_t i = 0; i < gguf->n_tensors; i++) order[i] = i;
    sorted_tensors = gguf->tensors;
    qsort(order, gguf->n_tensors, sizeof *order, compare_addresses);
    if (!shared_file_open(&m->files[f], gguf, fault)) return free(order), false;
    m->lent[f] = (Lent){.model = model, .by_address = order};
    return true;
}

/* All open the file, by its absolute path. */
static bool ask_to_open(Machines *m, const Model *model, uint32_t f, const char *path,
                        Fault *fault) {
    char *whole = realpath(path, NULL);
    if (!whole) return fault_set(fault, "%.200s has no absolute path", path);
    Opening opening = {{.kind = ORDER_OPEN},
                       f,
                       (uint32_t)strlen(whole),
                       model->file.bytes,
                       order_sample(&model->file, &model->gguf)};
    m->order.size = 0;
    bool ok = message_add(&m->order, &opening, sizeof opening, fault) &&
              message_add(&m->order, whole, strlen(whole), fault) && ask_all(m, fault);
    free(whole);
    return ok;
}

static bool lend(Machines *m, const Model *model, const char *path, Fault *fault) {
    const int f = free_file(m);
    const bool sends = m->config.file_on_first;
    if (f == SHARED_FILES)
        return fault_set(fault, "%d models on several machines: no more", (int)SHARED_FILES);
    if (m->config.by_layers && !layers_of_model(model, m->bounds, m->config.group->size, fault))
        return false;
    return (sends ? send_header(m, (uint32_t)f, model, fault)
                  : ask_to_open(m, model, (uint32_t)f, path, fault)) &&
           lend_here(m, model, f, fault) && (!sends || sent_open(m, &m->lent[f], fault));
}

bool machines_lend(Machines *m, const Model *model, const char *path, Fault *fault) {
    pthread_mutex_lock(&m->lock);
    bool ok = lend(m, model, path, fault);
    pthread_mutex_unlock(&m->lock);
    return ok;
}

void tell_all(Machines *m, OrderKind kind, uint32_t file) {
    Order order = {.kind = kind, .count = file};
    m->order.size = 0;
    if (!message_add(&m->order, &order, sizeof order, NULL)) return;
    for (int i = 1; i < m->config.group->size; i++) send_order(m, i, NULL);
}

static void take_back(Machines *m, uint32_t f) {
    tell_all(m, ORDER_CLOSE, f);
    shared_file_close(&m->files[f]), free(m->lent[f].by_address);
    held_unpack(&m->lent[f].packs, m->lent[f].model);
    sent_close(m, &m->lent[f]);
    m->lent[f] = (Lent){0};
}

void machines_return(Machines *m, const Model *model) {
    pthread_mutex_lock(&m->lock);
    for (uint32_t f = 0; f < SHARED_FILES; f++)
        if (m->lent[f].model == model) take_back(m, f);
    if (!m->config.by_layers) heads_set_part(model, &attention_part);
    pthread_mutex_unlock(&m->lock);
}

/* ------------------------------------------------------------------ begin and end */

/* In a thread of its own, whatever else goes on. */
static void send_pulse(void *machines) {
    enum { SECONDS = 1 };
    const Order pulse = {.kind = ORDER_PULSE};
    const Machines *m = machines;
    for (int i = 1; i < m->config.group->size; i++)
        group_send(m->config.group, i, &pulse, sizeof pulse, SECONDS, NULL);
}

static bool say_hello(Machines *m, Fault *fault) {
    Hello hello = {{.kind = ORDER_HELLO},
                   .threads = m->config.threads,
                   .pack = m->config.pack,
                   .half = m->config.half,
                   .seconds = pulse_wait(m->config.seconds)};
    strncpy(hello.version, m->config.version, VERSION_ROOM - 1);
    strncpy(hello.isa, kernels_isa(), ISA_ROOM - 1);
    size_t bounds = (size_t)m->config.group->size + 1;
    return message_add(&m->order, &hello, sizeof hello, fault) &&
           message_add(&m->order, m->bounds, bounds * sizeof *m->bounds, fault) &&
           ask_all(m, fault);
}

Machines *machines_open(const MachinesConfig *config, Fault *fault) {
    REQUIRE(!machines_here && config->group->rank == 0 && config->lost,
            "machines of member %d, %s", config->group->rank,
            machines_here ? "which are open" : "or without an end");
    Machines *m = calloc(1, sizeof *m);
    if (!m) return fault_set(fault, "no memory for machines"), NULL;
    m->config = *config;
    pthread_mutex_init(&m->lock, NULL), pulse_init(&m->pulse);
    share_bounds(config->shares, config->group->size, m->bounds);
    machines_here = m;
    sessions_open();
    if (config->by_layers)
        layers_open();
    else
        matmul_elsewhere = on_machines, heads_open();
    if (say_hello(m, fault) &&
        pulse_begin(&m->pulse, config->seconds / 4, send_pulse, m, fault))
        return m;
    machines_close(m);
    return NULL;
}

void machines_dismiss(Group *group) {
    const Order end = {.kind = ORDER_END};
    for (int i = 1; i < group->size; i++) group_send(group, i, &end, sizeof end, 1, NULL);
}

void machines_close(Machines *m) {
    if (!m) return;
    matmul_elsewhere = NULL, machines_here = NULL;
    m->config.by_layers ? layers_close() : heads_close();
    sessions_close(m);
    pulse_end(&m->pulse);
    for (uint32_t f = 0; f < SHARED_FILES; f++)
        if (m->lent[f].model) take_back(m, f);
    machines_dismiss(m->config.group);
    pulse_free(&m->pulse), pthread_mutex_destroy(&m->lock);
    free(m->order.bytes), free(m->answer.bytes), free(m->own), free(m);
}

MachinesCount machines_count(const Machines *machines) { return machines->count; }
