/* tokens beyond the vocabulary as aliases for image rows: session_lend (families.h) */
#include "families.h"
#include "check.h"
#include "make_model.h"

enum { TEXT = 40, FIRST = 5, ROWS = 12, VOCAB = MAKE_VOCAB, DIM = 64 };

typedef struct Reader {
    unsigned char *bytes;
    Model model;
    Session session;
    float rows[ROWS][DIM];
    int32_t tokens[TEXT]; /* a text with a picture in it */
} Reader;

static Reader *reader_open(const char *arch, Pool *pool) {
    Reader *r = calloc(1, sizeof *r);
    MakeModel m = make_model_defaults(arch);
    Rng rng = {7, 0, 0};
    size_t size;
    SessionConfig config = {.sequences = 2, .max_tokens = TEXT, .max_logits = TEXT};
    r->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&r->model, r->bytes, size, NULL));
    assert_true(session_open(&r->session, &r->model, pool, config, NULL));
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < DIM; k++) r->rows[i][k] = (float)rng_normal(&rng);
    for (int i = 0; i < TEXT; i++)
        r->tokens[i] = i >= FIRST && i < FIRST + ROWS ? VOCAB + i - FIRST : 3 * i % 250;
    assert_true(session_lend(&r->session, r->rows[0], ROWS, NULL));
    return r;
}

static void reader_close(Reader *r) {
    session_close(&r->session), model_close(&r->model);
    free(r->bytes), free(r);
}

/* Embeddings with the rows among them, as a batch of rows: the same bits. */
static void rows_are_read_in_place_of_embeddings(void **state) {
    (void)state;
    static const char *const archs[] = {"llama", "qwen3", "gpt2", "mamba2"};
    for (int a = 0; a < 4; a++) {
        Reader *r = reader_open(archs[a], NULL);
        size_t bytes = TEXT * VOCAB * sizeof(float);
        float *want = malloc(bytes), input[TEXT][DIM];
        int32_t sequence[TEXT] = {0}, position[TEXT];
        bool wanted[TEXT];
        for (int i = 0; i < TEXT; i++) {
            position[i] = i, wanted[i] = true;
            if (r->tokens[i] < VOCAB)
                embedding(input[i], &r->model.embedding, (size_t)r->tokens[i]);
            else
                memcpy(input[i], r->rows[r->tokens[i] - VOCAB], sizeof input[i]);
        }
        Batch batch = {TEXT, NULL, sequence, position, wanted, input[0]};
        assert_true(session_forward(&r->session, &batch, NULL));
        memcpy(want, r->session.logits, bytes);
        session_reset(&r->session);
        assert_true(session_eval(&r->session, r->tokens, TEXT, true, NULL));
        assert_memory_equal(r->session.logits, want, bytes);
        session_reset(&r->session); /* in pieces, some of which end within the picture */
        for (size_t at = 0, n; at < TEXT; at += n) {
            n = min_size(7, TEXT - at);
            assert_true(session_eval(&r->session, r->tokens + at, n, true, NULL));
            assert_memory_equal(r->session.logits, want + at * VOCAB,
                                n * VOCAB * sizeof(float));
        }
        free(want), reader_close(r);
    }
}

/* Rows are not scaled as embeddings are. */
static void families_scale_embeddings_alone(void **state) {
    (void)state;
    Reader *r = reader_open("gemma", NULL);
    float scaled[DIM];
    int32_t token = r->tokens[0];
    assert_true(session_eval(&r->session, &token, 1, true, NULL));
    float *want = malloc(VOCAB * sizeof *want);
    memcpy(want, r->session.logits, VOCAB * sizeof *want);
    embedding(scaled, &r->model.embedding, (size_t)token);
    for (int i = 0; i < DIM; i++) r->rows[0][i] = scaled[i] * r->model.embedding_scale;
    session_reset(&r->session);
    assert_true(session_eval(&r->session, (int32_t[]){VOCAB}, 1, true, NULL));
    assert_memory_equal(r->session.logits, want, VOCAB * sizeof *want);
    free(want), reader_close(r);
}

static void what_has_no_row_is_refused(void **state) {
    (void)state;
    static const char *const archs[] = {"gemma3n", "t5", "llada"}, *const says[] = {
                                                                       "look tokens up",
                                                                       "go on with a text",
                                                                       "go on with a text"};
    Fault fault;
    Reader *r = reader_open("llama", NULL);
    assert_false(session_eval(&r->session, (int32_t[]){VOCAB + ROWS}, 1, true, &fault));
    assert_contains(fault.text, "not in the vocabulary");
    assert_true(session_lend(&r->session, NULL, 0, &fault));
    assert_false(session_eval(&r->session, (int32_t[]){VOCAB}, 1, true, &fault));
    reader_close(r);
    for (int a = 0; a < 3; a++) {
        MakeModel m = make_model_defaults(archs[a]);
        Model model;
        Session session;
        size_t size;
        float row[DIM] = {0};
        unsigned char *bytes = make_model(&m, &size);
        assert_true(model_open_memory(&model, bytes, size, NULL));
        SessionConfig config = {
            .sequences = 1, .max_tokens = 8, .max_logits = 8, .bidirectional = a == 2};
        assert_true(session_open(&session, &model, NULL, config, NULL));
        assert_false(session_lend(&session, row, 1, &fault));
        assert_contains(fault.text, says[a]);
        session_close(&session), model_close(&model), free(bytes);
    }
}

RUN(TEST(rows_are_read_in_place_of_embeddings), TEST(families_scale_embeddings_alone),
    TEST(what_has_no_row_is_refused))
