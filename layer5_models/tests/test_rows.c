/* tokens beyond the vocabulary as aliases for image rows: session_lend (families.h) */
#include "families.h"
#include "check.h"
#include "make_model.h"
#include "reference.h"

enum { TEXT = 40, FIRST = 5, ROWS = 12, VOCAB = MAKE_VOCAB, DIM = 64 };

typedef struct Reader {
    unsigned char *bytes;
    Model model;
    Session session;
    float rows[ROWS][DIM];
    float deep[ROWS][3][DIM]; /* what replaces a token, and two parts for layers */
    int32_t tokens[TEXT];     /* a text with a picture in it */
} Reader;

static Reader *reader_open_more(const char *arch, const char *more, Pool *pool) {
    Reader *r = calloc(1, sizeof *r);
    MakeModel m = make_model_of(arch, more);
    Rng rng = {7, 0, 0};
    size_t size;
    SessionConfig config = {.sequences = 2, .max_tokens = TEXT, .max_logits = TEXT};
    r->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&r->model, r->bytes, size, NULL));
    assert_true(session_open(&r->session, &r->model, pool, config, NULL));
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < DIM; k++) r->rows[i][k] = (float)rng_normal(&rng);
    for (int i = 0; i < ROWS * 3; i++)
        for (int k = 0; k < DIM; k++) r->deep[i / 3][i % 3][k] = (float)rng_normal(&rng);
    for (int i = 0; i < TEXT; i++)
        r->tokens[i] = i >= FIRST && i < FIRST + ROWS ? VOCAB + i - FIRST : 3 * i % 250;
    assert_true(session_lend(&r->session, r->rows[0], ROWS, 0, NULL));
    return r;
}

static Reader *reader_open(const char *arch, Pool *pool) {
    return reader_open_more(arch, strcmp(arch, "gemma4") == 0 ? GEMMA4 : NULL, pool);
}

/* Again, with keys and values in another format. */
static void reader_keep(Reader *r, Dtype dtype) {
    SessionConfig config = {.sequences = 2, .max_tokens = TEXT, .max_logits = TEXT};
    config.kv = (KvFormat){.dtype = dtype, .hadamard = dtype == DTYPE_Q4_0};
    session_close(&r->session);
    assert_true(session_open(&r->session, &r->model, NULL, config, NULL));
    assert_true(session_lend(&r->session, r->rows[0], ROWS, 0, NULL));
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

/* Layers that look a token up have nothing of a picture: its rows are token 0 to them. */
static void rows_are_token_0_to_tables_of_layers(void **state) {
    (void)state;
    static const char *const archs[] = {"gemma3n", "gemma4"};
    for (int i = 0; i < 4; i++) {
        Reader *r = reader_open_more(archs[i / 2], NULL, NULL);
        const int32_t token = i % 2 ? 5 : 0;
        float *want = malloc(VOCAB * sizeof *want);
        assert_true(session_eval(&r->session, &token, 1, true, NULL));
        memcpy(want, r->session.logits, VOCAB * sizeof *want);
        embedding(r->rows[0], &r->model.embedding, (size_t)token);
        for (int k = 0; k < DIM; k++) r->rows[0][k] *= r->model.embedding_scale;
        session_reset(&r->session);
        assert_true(session_eval(&r->session, (int32_t[]){VOCAB}, 1, true, NULL));
        if (token)
            assert_memory_not_equal(r->session.logits, want, VOCAB * sizeof *want);
        else
            assert_memory_equal(r->session.logits, want, VOCAB * sizeof *want);
        free(want), reader_close(r);
    }
}

enum { GROUP = 6 }; /* rows of each of two pictures */

/* A picture of 2 by 3 rows, then one of 3 by 2, with words before, between and behind. */
static void places_follow_pictures(void **state) {
    (void)state;
    static const char *const archs[] = {"qwen2vl", "qwen3vl", "qwen35", "qwen3vl", "paddleocr"};
    static const size_t grid[2][2] = {{2, 3}, {3, 2}};
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_Q4_0};
    int place[TEXT][3];
    for (int i = 0, next = 0, row = 0; i < TEXT; i++) {
        const bool picture = i >= FIRST && i < FIRST + ROWS;
        const int wide = picture ? (int)grid[row / 6][1] : 1, at = row % 6;
        place[i][0] = next;
        place[i][1] = next + (picture ? at / wide : 0);
        place[i][2] = next + (picture ? at % wide : 0);
        if (picture) row++;
        if (!picture || at == 5) next += picture ? 3 : 1;
    }
    for (int a = 0; a < 5; a++)
        for (int f = 0; f < (a ? 1 : 4); f++) {
            const bool deep = a == 3;
            Reader *r = reader_open_more(archs[a], deep ? "n_deepstack_layers=2" : NULL, NULL);
            const float *rows = deep ? r->deep[0][0] : r->rows[0];
            assert_true(session_lend(&r->session, rows, ROWS, 0, NULL));
            if (f) reader_keep(r, formats[f]);
            Reference e;
            double *want = malloc(sizeof *want * TEXT * VOCAB);
            session_grid(&r->session, grid, ROWS / 2);
            reference_open(&e, &r->model.gguf);
            e.lent = rows, e.places = (const int(*)[3])place;
            reference_logits(&e, r->tokens, TEXT, want);
            for (size_t step = 5; step <= TEXT; step += 7) {
                double error = 0, power = 0;
                session_reset(&r->session);
                for (size_t at = 0, n; at < TEXT; at += n) {
                    n = min_size(step, TEXT - at);
                    assert_true(session_eval(&r->session, r->tokens + at, n, true, NULL));
                    for (size_t i = 0; i < n * VOCAB; i++) {
                        const double w = want[at * VOCAB + i];
                        error += pow((double)r->session.logits[i] - w, 2), power += w * w;
                    }
                }
                if (!(error / power < (f == 3 ? 0.2 : f == 2 ? 1e-2 : f ? 1e-5 : 1e-9)))
                    fail_msg("%s, format %d, %zu at a time: %g", archs[a], f, step,
                             error / power);
            }
            reference_close(&e), free(want), reader_close(r);
        }
}

/* A rolled back and forked text with a picture goes on with the same bits; what is cut out of
 * its middle would not, and is refused. */
static void places_are_rolled_back(void **state) {
    (void)state;
    static const size_t grid[2][2] = {{2, 3}, {3, 2}};
    const size_t bytes = VOCAB * sizeof(float);
    Reader *r = reader_open("qwen2vl", NULL);
    float *want = malloc(bytes);
    Fault fault;
    assert_true(session_can_shift(&r->session, &fault));
    session_grid(&r->session, grid, ROWS / 2);
    assert_true(session_eval(&r->session, r->tokens, TEXT, false, NULL));
    memcpy(want, r->session.logits, bytes);
    for (size_t length = FIRST - 2; length < TEXT; length += 3) {
        assert_int_equal(session_rewind(&r->session, 0, length), length);
        kv_fork(&r->session.kv, 1, 0), session_rewind(&r->session, 0, 0);
        kv_fork(&r->session.kv, 0, 1);
        assert_true(session_eval(&r->session, r->tokens + length, TEXT - length, false, NULL));
        assert_memory_equal(r->session.logits, want, bytes);
    }
    assert_false(session_can_shift(&r->session, &fault));
    assert_contains(fault.text, "places of their own");
    free(want), reader_close(r);
}

/* Two pictures one after the other, the first of so many rows, in which each row sees all of
 * its own picture. */
static double error_of_groups(Reader *r, int rows) {
    Reference e;
    int until[TEXT];
    double *want = malloc(sizeof *want * TEXT * VOCAB), error = 0, power = 0;
    for (int i = 0; i < TEXT; i++) {
        until[i] = i;
        if (r->tokens[i] >= VOCAB + GROUP)
            until[i] = FIRST + rows + GROUP - 1;
        else if (r->tokens[i] >= VOCAB)
            until[i] = FIRST + rows - 1;
    }
    reference_open(&e, &r->model.gguf);
    e.lent = r->rows[0], e.until = until;
    reference_logits(&e, r->tokens, TEXT, want);
    for (int i = 0; i < TEXT * VOCAB; i++) {
        error += pow((double)r->session.logits[i] - want[i], 2);
        power += pow(want[i], 2);
    }
    reference_close(&e), free(want);
    return error / power;
}

static void rows_of_a_picture_see_each_other(void **state) {
    (void)state;
    static const char *const archs[] = {"gemma3", "llama", "qwen3", "gemma4"};
    const size_t bytes = TEXT * VOCAB * sizeof(float);
    for (int a = 0; a < 4; a++) {
        Reader *r = reader_open(archs[a], NULL);
        float *whole = malloc(bytes);
        assert_true(session_lend(&r->session, r->rows[0], ROWS, GROUP, NULL));
        assert_true(session_eval(&r->session, r->tokens, TEXT, true, NULL));
        memcpy(whole, r->session.logits, bytes);
        assert_true(error_of_groups(r, GROUP) < 1e-10);
        session_reset(&r->session); /* in pieces that end behind a picture, and within one */
        static const size_t cuts[] = {2, FIRST + GROUP, FIRST + 2 * GROUP, 21, TEXT};
        for (size_t i = 0, at = 0; i < 5; at = cuts[i++]) {
            assert_true(session_eval(&r->session, r->tokens + at, cuts[i] - at, true, NULL));
            assert_memory_equal(r->session.logits, whole + at * VOCAB,
                                (cuts[i] - at) * VOCAB * sizeof(float));
        }
        session_rewind(&r->session, 0, FIRST + GROUP + 2);
        const size_t at = session_length(&r->session, 0);
        assert_true(session_eval(&r->session, r->tokens + at, TEXT - at, true, NULL));
        assert_memory_equal(r->session.logits, whole + at * VOCAB,
                            (TEXT - at) * VOCAB * sizeof(float));
        free(whole), reader_close(r);
    }
}

/* The first picture has fewer rows than there is room for. */
static void pictures_of_several_sizes_see_themselves(void **state) {
    (void)state;
    static const char *const archs[] = {"gemma3", "gemma4"};
    static const size_t grid[2][2] = {{2, 2}, {2, 3}};
    const size_t bytes = TEXT * VOCAB * sizeof(float);
    for (int a = 0; a < 2; a++) {
        Reader *r = reader_open(archs[a], NULL);
        float *whole = malloc(bytes);
        size_t left;
        for (int i = FIRST + 4; i < TEXT;
             i++) /* the last two rows of the first are not there */
            r->tokens[i] = i < FIRST + 4 + GROUP ? VOCAB + GROUP + i - FIRST - 4 : 3 * i % 250;
        assert_true(session_lend(&r->session, r->rows[0], ROWS, GROUP, NULL));
        session_grid(&r->session, grid, GROUP);
        assert_true(
            session_can_shift(&r->session, NULL)); /* they have no places of their own */
        assert_int_equal(session_group(&r->session, VOCAB + 1, &left), 1);
        assert_int_equal(left, 3);
        assert_true(session_eval(&r->session, r->tokens, TEXT, true, NULL));
        memcpy(whole, r->session.logits, bytes);
        assert_true(error_of_groups(r, 4) < 1e-10);
        session_reset(&r->session);
        static const size_t cuts[] = {FIRST + 4, FIRST + 4 + GROUP, TEXT};
        for (size_t i = 0, at = 0; i < 3; at = cuts[i++]) {
            assert_true(session_eval(&r->session, r->tokens + at, cuts[i] - at, true, NULL));
            assert_memory_equal(r->session.logits, whole + at * VOCAB,
                                (cuts[i] - at) * VOCAB * sizeof(float));
        }
        free(whole), reader_close(r);
    }
}

/* Batches are cut before a picture that does not fit, not within it. */
static void no_batch_ends_in_a_picture(void **state) {
    (void)state;
    Reader *r = reader_open("llama", NULL);
    Session small;
    Fault fault;
    SessionConfig config = {.sequences = 1, .max_tokens = 8, .max_logits = TEXT};
    size_t left, last = (TEXT - 1) * VOCAB;
    assert_true(session_lend(&r->session, r->rows[0], ROWS, GROUP, NULL));
    assert_int_equal(session_group(&r->session, VOCAB - 1, &left), 0);
    assert_int_equal(left, 0);
    assert_int_equal(session_group(&r->session, VOCAB + GROUP + 2, &left), 2);
    assert_int_equal(left, GROUP - 2);
    assert_true(session_eval(&r->session, r->tokens, TEXT, true, NULL));
    assert_true(session_open(&small, &r->model, NULL, config, NULL));
    assert_true(session_lend(&small, r->rows[0], ROWS, GROUP, NULL));
    assert_true(session_eval(&small, r->tokens, TEXT, false, NULL));
    assert_memory_equal(small.logits, r->session.logits + last, VOCAB * sizeof(float));
    session_reset(&small);
    assert_false(session_eval(&small, r->tokens, FIRST + 2, false, &fault));
    assert_contains(fault.text, "not all of the 6 from row 5 on");
    assert_int_equal(session_length(&small, 0), 0);
    assert_false(session_lend(&small, r->rows[0], ROWS, 9, &fault));
    assert_contains(fault.text, "9 rows see each other, and a batch has 8 tokens");
    session_close(&small), reader_close(r);
}

static void what_reads_from_left_to_right_stays(void **state) {
    (void)state;
    static const char *const archs[] = {"mamba2", "gemma3", "deepseek2"},
                             *const says[] = {"layer 0 of the mamba2 model reads from left",
                                              "layer 0 of the model sees 6 positions",
                                              "layer 0 of the deepseek2 model reads from left"};
    for (int a = 0; a < 3; a++) {
        Reader *r = reader_open(archs[a], NULL);
        Fault fault;
        assert_false(session_lend(&r->session, r->rows[0], ROWS, ROWS, &fault));
        assert_contains(fault.text, says[a]);
        reader_close(r);
    }
}

static void what_has_no_row_is_refused(void **state) {
    (void)state;
    static const char *const archs[] = {"t5", "llada"};
    Fault fault;
    Reader *r = reader_open("llama", NULL);
    assert_false(session_eval(&r->session, (int32_t[]){VOCAB + ROWS}, 1, true, &fault));
    assert_contains(fault.text, "not in the vocabulary");
    assert_true(session_lend(&r->session, NULL, 0, 0, &fault));
    assert_false(session_eval(&r->session, (int32_t[]){VOCAB}, 1, true, &fault));
    reader_close(r);
    for (int a = 0; a < 2; a++) {
        MakeModel m = make_model_defaults(archs[a]);
        Model model;
        Session session;
        size_t size;
        float row[DIM] = {0};
        unsigned char *bytes = make_model(&m, &size);
        assert_true(model_open_memory(&model, bytes, size, NULL));
        SessionConfig config = {
            .sequences = 1, .max_tokens = 8, .max_logits = 8, .bidirectional = a == 1};
        assert_true(session_open(&session, &model, NULL, config, NULL));
        assert_false(session_lend(&session, row, 1, 0, &fault));
        assert_contains(fault.text, "go on with a text");
        session_close(&session), model_close(&model), free(bytes);
    }
}

RUN(TEST(places_follow_pictures), TEST(places_are_rolled_back),
    TEST(rows_are_read_in_place_of_embeddings), TEST(families_scale_embeddings_alone),
    TEST(rows_are_token_0_to_tables_of_layers), TEST(what_has_no_row_is_refused),
    TEST(rows_of_a_picture_see_each_other), TEST(pictures_of_several_sizes_see_themselves),
    TEST(no_batch_ends_in_a_picture), TEST(what_reads_from_left_to_right_stays))
