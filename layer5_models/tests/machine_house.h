/* machine_house.h - machines that are threads of this process, and texts for them. */
#ifndef STRATA_MACHINE_HOUSE_H
#define STRATA_MACHINE_HOUSE_H

#include "check.h"
#include "../extras/machines/wire.h"
#include "families.h"
#include "file_map.h"
#include "group_threads.h"
#include "machines.h"
#include "make_model.h"
#include "models_extras.h"
#include "scratch_folder.h"
#include "session_probe.h"
#include "prefix_file.h"
#include "shift.h"

#include <math.h>
#include <pthread.h>

enum { TOKENS = 12, SOURCE = 6, MOST = 7 };

/* Is it a model by itself: no vision tower, and no draft for another one? */
static inline bool runs_alone(const char *arch) {
    const char *words = make_family(arch);
    return !word_in(words, "sees") && !word_in(words, "guesses") && !word_in(words, "assists");
}

/* ------------------------------------------------------------------ a group */

typedef struct House {
    Group members[MOST];
    pthread_t threads[MOST];
    int size;
    Fault why[MOST];
    Machines *machines;
} House;

static const char version[] = "test";

/* The others have no file: they are sent their share. */
static bool file_on_first;

/* Rows travel as halves. */
static bool half_rows;

/* After so many seconds of silence a machine is lost. */
static double silence = 20;

static inline void *serve_rows(void *member) {
    Fault fault;
    Group *group = member;
    bool *ok = malloc(1);
    *ok = machines_serve(group, version, &fault);
    return ok;
}

static inline void lost(void *context, const Fault *fault) {
    (void)context;
    fail_msg("%s", fault->text);
}

static inline MachinesConfig config_of(House *house, const double *shares, bool pack) {
    return (MachinesConfig){.group = &house->members[0],
                            .shares = shares,
                            .threads = 1,
                            .pack = pack,
                            .file_on_first = file_on_first,
                            .half = half_rows,
                            .seconds = silence,
                            .version = version,
                            .lost = lost};
}

static inline void open_house(House *house, int size) {
    Fault fault;
    *house = (House){.size = size};
    assert_true(group_threads(house->members, size, &fault));
    for (int i = 1; i < size; i++)
        assert_int_equal(
            pthread_create(&house->threads[i], NULL, serve_rows, &house->members[i]), 0);
}

static inline void close_house(House *house) {
    machines_close(house->machines);
    for (int i = 1; i < house->size; i++) {
        void *ok;
        pthread_join(house->threads[i], &ok);
        assert_true(*(bool *)ok);
        free(ok);
    }
    for (int i = 0; i < house->size; i++) group_close(&house->members[i]);
}

/* How many machines, and what each has. */
typedef struct Cut {
    int size;
    const double *shares;
    bool pack, by_layers;
} Cut;

static const double uneven[] = {3, 1, 2, 0.01, 1, 4, 1};

static inline void open_machines(House *house, Cut cut) {
    Fault fault;
    MachinesConfig config;
    open_house(house, cut.size);
    config = config_of(house, cut.shares, cut.pack), config.by_layers = cut.by_layers;
    if (!(house->machines = machines_open(&config, &fault))) fail_msg("%s", fault.text);
}

/* Machines to which a file's model is lent; until it is closed. */
static inline void open_lent(House *house, Cut cut, const Model *model, const char *path) {
    Fault fault;
    open_machines(house, cut);
    if (!machines_lend(house->machines, model, path, &fault)) fail_msg("%s", fault.text);
}

static inline void close_lent(House *house, Model *model) {
    machines_return(house->machines, model);
    close_house(house);
    model_close(model);
}

/* ------------------------------------------------------------------ the same bits */

static inline void write_file(const MakeModel *m, const char *path) {
    size_t size;
    unsigned char *bytes = make_model(m, &size);
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
}

/* Logits (or rows) of a text; returns how many. */
static inline size_t run_text(Model *model, size_t count, float *out) {
    int32_t tokens[TOKENS];
    Fault fault;
    Session session;
    const ModelExtras *extras = model_extras(model);
    for (int i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
    SessionConfig config = {.sequences = 1, .max_tokens = TOKENS, .max_logits = TOKENS};
    if (extras->encoder) tokens[SOURCE] = extras->start;
    config.vectors = !model_writes(model);
    config.bidirectional = extras->quirks->bidirectional;
    if (!session_open(&session, model, NULL, config, &fault)) fail_msg("%s", fault.text);
    size_t width = config.vectors ? model->sizes.dim : model->sizes.vocab,
           source = model_source(model, tokens, count), n = (count - source) * width;
    assert_true(session_eval(&session, tokens, count, true, &fault));
    memcpy(out, config.vectors ? session.hidden : session.logits, n * sizeof *out);
    session_close(&session);
    return n;
}

/* ------------------------------------------------------------------ sequences */

enum { SEQUENCES = 4, LONG = 150, STEPS = 64 };

/* A session, and the logits that it has given. */
typedef struct Told {
    Session session;
    float *logits; /* (STEPS, vocab) */
    bool apart;    /* no rows see each other */
    size_t steps;
} Told;

static inline int32_t token_at(size_t text, size_t position) {
    return (int32_t)(rng_hash(text, 1, position) % 256);
}

/* The next `count` tokens of each of `n` sequences, which begin with the texts' numbers; the
 * last one's logits are kept. */
static inline void go_on(Told *t, const size_t *sequences, const size_t *texts, size_t n,
                         size_t count) {
    int32_t token[2 * LONG], sequence[2 * LONG], position[2 * LONG];
    bool wanted[2 * LONG];
    Fault fault;
    Batch batch = {
        .token = token, .sequence = sequence, .position = position, .wanted = wanted};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++, batch.count++) {
            size_t at = session_length(&t->session, sequences[i]) + k;
            token[batch.count] = token_at(texts[i], at);
            sequence[batch.count] = (int32_t)sequences[i];
            position[batch.count] = (int32_t)at;
            wanted[batch.count] = k + 1 == count;
        }
    if (!session_forward(&t->session, &batch, &fault)) fail_msg("%s", fault.text);
    assert_true(t->steps + n <= STEPS);
    memcpy(t->logits + t->steps * MAKE_VOCAB, t->session.logits,
           n * MAKE_VOCAB * sizeof(float));
    t->steps += n;
}

static inline void go_on_with(Told *t, size_t sequence, size_t text, size_t count) {
    go_on(t, &sequence, &text, 1, count);
}

/* Forks, rewinds, kept prefixes, texts that take each other's pages, a cut in the middle. */
static inline void tell_texts(Told *t) {
    KvCache *kv = &t->session.kv;
    int32_t text[LONG];
    for (size_t i = 0; i < LONG; i++) text[i] = token_at(1, i);
    go_on_with(t, 0, 1, 90), go_on_with(t, 0, 1, 10);
    kv_fork(kv, 1, 0), kv_fork(kv, 2, 0); /* their last page is shared, and then copied */
    go_on(t, (size_t[]){0, 1, 2}, (size_t[]){1, 2, 3}, 3, 1);
    go_on(t, (size_t[]){2, 0}, (size_t[]){3, 1}, 2, 40);
    session_rewind(&t->session, 1, 80);
    go_on_with(t, 1, 4, 5);
    size_t left = session_length(&t->session, 0);
    const size_t together[1][3] = {{0, left, left + 5}};
    kv->groups = together,
    kv->n_groups = !t->apart; /* rows that see each other, as a picture's */
    go_on_with(t, 0, 1, 6);
    kv->n_groups = 0, left += 6;
    prefix_keep(kv, 0, text, left, 0);
    session_rewind(&t->session, 0, 0);
    go_on_with(t, 0, 5, 30);
    prefix_find(kv, 3, text, 100, 0);
    for (size_t i = 0; i < 2; i++) go_on_with(t, 3, 1, 7);
    session_rewind(&t->session, 2, 0), session_rewind(&t->session, 1, 0);
    while (prefix_evict(kv)) {}
    go_on_with(t, 2, 6, LONG), go_on_with(t, 2, 6, 80), go_on_with(t, 2, 6, 1);
    go_on_with(t, 3, 1, 1);
    go_on_with(t, 0, 5, 80); /* takes pages that windows have released */
    if (session_can_shift(&t->session, NULL) && shift_max(kv, KV_PAGE) >= KV_PAGE) {
        kv_fork(kv, 1, 2); /* shared pages are copied before their keys are turned */
        kv->n_groups = 1;  /* still there of a last batch with a picture */
        assert_true(session_shift(&t->session, 2, 0, KV_PAGE));
        kv->n_groups = 0;
        go_on(t, (size_t[]){2, 1, 0}, (size_t[]){6, 6, 5}, 3, 3);
    }
}

static inline void open_texts(Told *t, const Model *model, KvFormat kv) {
    Fault fault;
    SessionConfig config = {.sequences = SEQUENCES,
                            .ctx = 256,
                            .max_tokens = 2 * LONG,
                            .max_logits = SEQUENCES,
                            .kv = kv,
                            .prefixes = 4,
                            .rewind = 30};
    *t = (Told){.logits = calloc(STEPS * MAKE_VOCAB, sizeof(float))};
    if (!session_open(&t->session, model, NULL, config, &fault)) fail_msg("%s", fault.text);
}

/* What was told alone and on several machines has the same bits. */
static inline void compare_told(const char *arch, const Told *alone, const Told *shared) {
    assert_int_equal(alone->steps, shared->steps);
    if (memcmp(alone->logits, shared->logits, alone->steps * MAKE_VOCAB * sizeof(float)) != 0)
        fail_msg("%s: other bits", arch);
}

static inline void close_told(Told *t) {
    session_close(&t->session);
    free(t->logits);
}

/* All of tell_texts, alone and shared.  Returns the first machine's part of a page.
 *
 *   apart   no rows see each other */
static inline double compare_texts(const MakeModel *m, KvFormat kv, Cut cut, bool apart) {
    const char *path = in_folder("texts.gguf");
    House house;
    Model model;
    Told alone, shared;
    Fault fault;
    write_file(m, path);
    if (!model_open(&model, path, &fault)) fail_msg("%s", fault.text);
    open_texts(&alone, &model, kv), alone.apart = apart, tell_texts(&alone);
    open_lent(&house, cut, &model, path);
    open_texts(&shared, &model, kv), shared.apart = apart, tell_texts(&shared);
    assert_true(alone.steps > 10);
    compare_told(m->arch, &alone, &shared);
    const double part =
        (double)shared.session.kv.pages.page_bytes / (double)alone.session.kv.pages.page_bytes;
    if (cut.by_layers) {
        assert_true(shared.session.extras->elsewhere);
        assert_true(shared.session.arena.size < alone.session.arena.size);
    }
    close_told(&alone), close_told(&shared);
    close_lent(&house, &model);
    return part;
}

#endif
