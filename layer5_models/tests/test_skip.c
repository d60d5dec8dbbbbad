/* a model without some of its blocks: as if those added nothing */
#include "check.h"
#include "make_model.h"
#include "models_extras.h"

enum { COUNT = 21, LAYERS = 5 };

static void read_text(const Model *m, float *logits) {
    Session session;
    Fault fault;
    int32_t tokens[COUNT];
    SessionConfig config = {.ctx = 64, .sequences = 1, .max_tokens = 32, .max_logits = 1};
    for (int i = 0; i < COUNT; i++) tokens[i] = 'a' + i * 7 % 26;
    assert_true(session_open(&session, m, NULL, config, &fault));
    assert_true(session_eval(&session, tokens, COUNT, false, &fault));
    memcpy(logits, session.logits, m->sizes.vocab * sizeof *logits);
    session_close(&session);
}

/* The block's last matrices become zero: it adds nothing to the stream. */
static void silence(Block *b) {
    const Tensor *last[] = {&b->attention.o.w, &b->ffn.net.down.w};
    for (int i = 0; i < 2; i++) memset((void *)last[i]->data, 0, tensor_bytes(last[i]));
}

static void skipping_is_adding_nothing(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool gone[LAYERS];
    } cases[] = {{"1", {0, 1}},   {"0,4", {1, 0, 0, 0, 1}}, {"3,1,2", {0, 1, 1, 1}},
                 {"20%", {0, 1}}, {"40%", {0, 1, 1}},       {"60%", {0, 1, 1, 1}}};
    static const char *const families[] = {"llama", "qwen3", "gemma2"};
    for (size_t f = 0; f < 3; f++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            MakeModel make = make_model_defaults(families[f]);
            size_t size;
            Fault fault;
            Model model, skipping;
            float want[MAKE_VOCAB], got[MAKE_VOCAB];
            make.layers = LAYERS;
            unsigned char *bytes = make_model(&make, &size);
            assert_true(model_open_memory(&model, bytes, size, &fault));
            if (!layer_skip_open(&skipping, &model, cases[c].text, &fault))
                fail_msg("%s", fault.text);
            read_text(&skipping, got);
            layer_skip_close(&skipping);
            read_text(&model, want);
            assert_memory_not_equal(got, want, sizeof got);
            for (size_t l = 0; l < LAYERS; l++)
                if (cases[c].gone[l]) silence(&model.blocks[l]);
            read_text(&model, want);
            for (size_t i = 0; i < MAKE_VOCAB; i++) assert_true(got[i] == want[i]);
            model_close(&model), free(bytes);
        }
}

static void skipping_says_what_it_cannot(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"llama", "5", "0 to 4"},    {"llama", "1,", "0 to 4"},
        {"llama", "1,1", "0 to 4"},  {"llama", "", "0 to 4"},
        {"llama", "-1", "0 to 4"},   {"llama", "100%", "0 to 4"},
        {"llama", "80%", "0 to 4"},  {"llama", "0,1,2,3,4", "not all of them"},
        {"llama", "2x", "0 to 4"},   {"llama", "nan%", "0 to 4"},
        {"gemma3n", "1", "streams"}, {"t5", "1", "encoder"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        MakeModel make = make_model_defaults(cases[c][0]);
        size_t size;
        Fault fault;
        Model model, skipping;
        if (strcmp(cases[c][0], "llama") == 0) make.layers = LAYERS;
        unsigned char *bytes = make_model(&make, &size);
        assert_true(model_open_memory(&model, bytes, size, &fault));
        assert_false(layer_skip_open(&skipping, &model, cases[c][1], &fault));
        assert_contains(fault.text, cases[c][2]);
        model_close(&model), free(bytes);
    }
}

RUN(TEST(skipping_is_adding_nothing), TEST(skipping_says_what_it_cannot))
