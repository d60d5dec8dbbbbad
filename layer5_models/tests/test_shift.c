/* old positions cut out of a sequence: the first layer's keys are those of the shorter text, in
 * every family and format; what cannot be moved is refused by name */
#include "families.h"
#include "check.h"
#include "make_model.h"
#include "models.h"
#include "shift.h"

#include <math.h>
#include <stdlib.h>

enum { CTX = 256, LENGTH = 230, KEEP = KV_PAGE, GONE = KV_PAGE, LEFT = LENGTH - GONE };

typedef struct House {
    Model model;
    Session session;
    unsigned char *bytes;
} House;

/* False for families that do not read left to right. */
static bool open_house(House *h, MakeModel m, const char *format) {
    SessionConfig config = {
        .ctx = CTX, .sequences = 2, .max_tokens = LENGTH, .max_logits = 1, .pages = 0};
    size_t size;
    Fault fault;
    h->bytes = make_model(&m, &size);
    if (!model_open_memory(&h->model, h->bytes, size, &fault) ||
        !kv_format_read(format, &config.kv, &fault))
        fail_msg("%s: %s", m.arch, fault.text);
    if (model_extras(&h->model)->quirks->bidirectional)
        return model_close(&h->model), free(h->bytes), false;
    if (!session_open(&h->session, &h->model, NULL, config, &fault))
        fail_msg("%s: %s", m.arch, fault.text);
    return true;
}

static void close_house(House *h) {
    session_close(&h->session), model_close(&h->model), free(h->bytes);
}

static int32_t text_token(size_t i) { return (int32_t)(97 + (i * i + 3 * i) % 26); }

/* Let a sequence read the text, without the positions that are cut out if it is the shorter
 * one. */
static void read_text(Session *s, int32_t sequence, size_t n, bool shorter) {
    int32_t token[LENGTH], of[LENGTH], position[LENGTH];
    bool wanted[LENGTH] = {0};
    Fault fault;
    for (size_t i = 0; i < n; i++) {
        token[i] = text_token(shorter && i >= KEEP ? i + GONE : i);
        of[i] = sequence, position[i] = (int32_t)i;
    }
    wanted[n - 1] = true;
    if (!session_forward(s, &(Batch){n, token, of, position, wanted, NULL}, &fault))
        fail_msg("%s", fault.text);
}

/* Largest difference of the keys of sequences 0 and 1 in layer 0, relative to the largest
 * number. */
static double apart(const Session *s) {
    const KvCache *kv = &s->kv;
    const KvShape *shape = &kv->shape[0];
    float a[1024], b[1024];
    double far = 0, most = 0;
    assert_true(shape->key_dim <= 1024);
    size_t first = max_size((size_t)kv->gone[0], (size_t)kv->gone[kv->config.layers]);
    for (size_t p = first * KV_PAGE; p < LEFT; p++)
        for (size_t h = 0; h < shape->kv_heads; h++) {
            kv_read_key(kv, (KvHead){0, 0, h}, p, a), kv_read_key(kv, (KvHead){0, 1, h}, p, b);
            for (size_t i = 0; i < shape->key_dim; i++) {
                far = fmax(far, fabs((double)a[i] - (double)b[i]));
                most = fmax(most, fabs((double)b[i]));
            }
        }
    return most > 0 ? far / most : 0;
}

static double shift_and_compare(House *h) {
    read_text(&h->session, 0, LENGTH, false);
    assert_true(session_shift(&h->session, 0, KEEP, GONE));
    assert_int_equal(session_length(&h->session, 0), LEFT);
    read_text(&h->session, 1, LEFT, true);
    return apart(&h->session);
}

static void every_family_shifts_or_says_why_not(void **state) {
    (void)state;
    size_t shifted = 0, refused = 0;
    for (size_t i = 0; i < sizeof make_families / sizeof *make_families; i++) {
        House h;
        Fault fault = {{0}};
        if (word_in(make_families[i][1], "sees") || word_in(make_families[i][1], "guesses") ||
            word_in(make_families[i][1], "assists"))
            continue; /* a draft head or a vision tower */
        if (!open_house(&h, make_model_defaults(make_families[i][0]), "f32")) continue;
        if (!session_can_shift(&h.session, &fault)) {
            assert_true(fault.text[0]), refused++;
        } else if (shift_max(&h.session.kv, KEEP) >= GONE) {
            double error = shift_and_compare(&h);
            if (!(error < 2e-5)) fail_msg("%s: keys are %g apart", make_families[i][0], error);
            shifted++;
        }
        close_house(&h);
    }
    assert_true(shifted > 30 && refused > 5);
}

static void what_has_no_place_to_turn_is_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"gpt2", "has learned positions"},
                                           {"mamba", "recurrent layers"},
                                           {"hunyuan-dense", "stretches its keys"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        House h;
        Fault fault;
        open_house(&h, make_model_defaults(cases[i][0]), "f32");
        assert_false(session_can_shift(&h.session, &fault));
        assert_contains(fault.text, cases[i][1]);
        close_house(&h);
    }
}

/* A low-bit format is rounded once more: each of the two keys is off by up to half a step. */
static void formats_round_once_more(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double bound;
    } formats[] = {{"f32", 2e-5},  {"f16", 2e-3},    {"bf16", 2e-2}, {"q8_0", 2e-2},
                   {"q4_0", 0.35}, {"q8_0-h", 3e-2}, {"q4_0-h", 0.5}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        House h;
        open_house(&h, make_model_defaults("llama"), formats[i].name);
        double error = shift_and_compare(&h);
        if (!(error < formats[i].bound)) fail_msg("%s: %g", formats[i].name, error);
        close_house(&h);
    }
}

static double logits_apart(House *h) {
    const Session *s = &h->session;
    size_t vocab = h->model.sizes.vocab;
    float first[MAKE_VOCAB];
    double far = 0;
    assert_int_equal(vocab, MAKE_VOCAB);
    for (int32_t sequence = 0; sequence < 2; sequence++) {
        Fault fault;
        int32_t token = 'x', position = LEFT;
        bool wanted = true;
        assert_true(session_forward(
            &h->session, &(Batch){1, &token, &sequence, &position, &wanted, NULL}, &fault));
        for (size_t i = 0; i < vocab; i++) {
            if (sequence == 0) first[i] = s->logits[i];
            far = fmax(far, fabs((double)first[i] - (double)s->logits[i]));
        }
    }
    return far;
}

/* One layer has seen only its own token: nothing is lost.  A second one has seen what is
 * gone. */
static void one_layer_loses_nothing(void **state) {
    (void)state;
    for (size_t layers = 1; layers <= 2; layers++) {
        MakeModel m = make_model_defaults("llama");
        House h;
        m.layers = layers;
        open_house(&h, m, "f32");
        shift_and_compare(&h);
        double far = logits_apart(&h);
        assert_true(layers == 1 ? far < 1e-4 : far > 1e-3);
        close_house(&h);
    }
}

/* Sequences that share the moved pages keep them unchanged. */
static void others_keep_their_pages(void **state) {
    (void)state;
    House h;
    float before[64], after[64];
    open_house(&h, make_model_defaults("llama"), "f16");
    KvCache *kv = &h.session.kv;
    read_text(&h.session, 0, LENGTH, false);
    kv_fork(kv, 1, 0);
    kv_read_key(kv, (KvHead){1, 1, 1}, 200, before);
    assert_true(session_shift(&h.session, 0, KEEP, GONE));
    kv_read_key(kv, (KvHead){1, 1, 1}, 200, after);
    assert_memory_equal(before, after, kv->shape[1].key_dim * sizeof *before);
    assert_int_equal(session_length(&h.session, 1), LENGTH);
    close_house(&h);
}

RUN(TEST(every_family_shifts_or_says_why_not), TEST(what_has_no_place_to_turn_is_refused),
    TEST(formats_round_once_more), TEST(one_layer_loses_nothing), TEST(others_keep_their_pages))
