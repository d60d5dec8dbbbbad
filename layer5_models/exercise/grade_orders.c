/* The grader of orders and answers: three machines, which are threads, and products of the
 * storyteller (tests/group_threads.h). */
#include "grader.h"
#include "group_threads.h"
#include "linear.h"
#include "machines.h"

enum { THREE = 3, WORDS = 4, NUMBERS_MAX = 1024 };

static const char path[] = "layer5_models/models/storyteller.gguf", version[] = "grader";

static struct {
    double shares[THREE];
    size_t rows;
} now; /* what is multiplied */

static void lost(void *context, const Fault *fault) {
    (void)context;
    SYMPTOM(false,
            "three machines with the shares %g:%g:%g multiply by a matrix of %zu rows, and "
            "nothing goes on: machine 1 waits for a machine, which waits for machine 1. After "
            "two seconds machine 1 gives up: %s",
            now.shares[0], now.shares[1], now.shares[2], now.rows, fault->text);
}

static void *serve(void *member) {
    static const char ended[] = "";
    Fault fault;
    return machines_serve(member, version, &fault) ? (void *)ended : NULL;
}

enum { MATRICES = 3 };
static const char *const names[MATRICES] = {"blk.0.attn_k.weight", "blk.0.ffn_gate.weight",
                                            "blk.1.attn_q.weight"};

typedef struct Results {
    float of[MATRICES][WORDS * NUMBERS_MAX];
} Results;

/* Some matrices times the same words, in one order or one after the other. */
static void products(const Linear *maps, bool together, const float *x, size_t n, Results *y) {
    LinearProduct all[MATRICES];
    for (size_t i = 0; i < MATRICES; i++) all[i] = (LinearProduct){&maps[i], 0, n, y->of[i]};
    for (size_t i = 0; i < MATRICES; i += together ? MATRICES : 1) {
        now.rows = maps[i].w.shape[0];
        linear_products(NULL, &all[i], together ? MATRICES : 1, x, n, NULL);
    }
}

/* On three machines, and on one. */
static void multiply(const Model *model, bool together, size_t n) {
    static float x[WORDS * NUMBERS_MAX];
    static Results alone, three;
    Linear maps[MATRICES];
    for (size_t i = 0; i < MATRICES; i++) {
        const GgufTensor *tensor = gguf_find_tensor(&model->gguf, names[i]);
        NEED(tensor && tensor->shape[0] <= NUMBERS_MAX && tensor->shape[1] <= NUMBERS_MAX);
        maps[i] = (Linear){.w = gguf_tensor_view(tensor)};
    }
    fresh_floats(x, n * maps[0].w.shape[1], -1, 1);
    products(maps, together, x, n, &three);
    MatmulElsewhere *elsewhere = matmul_elsewhere;
    matmul_elsewhere = NULL;
    products(maps, together, x, n, &alone);
    matmul_elsewhere = elsewhere;
    for (size_t i = 0; i < MATRICES; i++) {
        size_t out = maps[i].w.shape[0];
        HINT(memcmp(alone.of[i], three.of[i], n * out * sizeof(float)) == 0,
             "shares %g:%g:%g, a matrix of %zu rows%s: the product has other bits than on one "
             "machine",
             now.shares[0], now.shares[1], now.shares[2], out,
             together ? ", one of three in the same order" : "");
    }
}

static void on_three(const Model *model, double a, double b, double c) {
    Group members[THREE];
    pthread_t threads[THREE];
    Fault fault;
    now.shares[0] = a, now.shares[1] = b, now.shares[2] = c;
    NEED(group_threads(members, THREE, &fault));
    for (int i = 1; i < THREE; i++)
        NEED(pthread_create(&threads[i], NULL, serve, &members[i]) == 0);
    MachinesConfig config = {.group = &members[0],
                             .shares = now.shares,
                             .threads = 1,
                             .seconds = 2,
                             .version = version,
                             .lost = lost};
    Machines *machines = machines_open(&config, &fault);
    NEED(machines && machines_lend(machines, model, path, &fault));
    multiply(model, false, WORDS), multiply(model, false, 1), multiply(model, true, WORDS);
    HINT(machines_count(machines).products == 3 * MATRICES,
         "shares %g:%g:%g: of %d products %zu were shared with the other machines", a, b, c,
         3 * MATRICES, machines_count(machines).products);
    machines_return(machines, model);
    machines_close(machines);
    for (int i = 1; i < THREE; i++) {
        void *ended;
        pthread_join(threads[i], &ended);
        HINT(ended, "shares %g:%g:%g: machine %d was not told that it is the end", a, b, c,
             i + 1);
    }
    for (int i = 0; i < THREE; i++) group_close(&members[i]);
}

GRADE(waiting) {
    Model model;
    Fault fault;
    NEED(model_open(&model, path, &fault));
    on_three(&model, 1, 1, 1), on_three(&model, 3, 2, 2);
    on_three(&model, 20, 1, 20), on_three(&model, 20, 2, 20), on_three(&model, 20, 20, 0.01),
        on_three(&model, 1, 0, 0);
    for (int round = 0; round < 10; round++)
        on_three(&model, fresh_between(0, 3), fresh_between(0.1, 9), fresh_between(0, 1));
    model_close(&model);
}

GRADES({"5.30", waiting})
