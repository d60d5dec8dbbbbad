/* training: gradients of a whole model against the double-precision reference, threads,
 * resuming, export */
#include "train_runs.h"
#include "train_lora.h"
#include "check.h"
#include "open_vocab.h"
#include "reference.h"
#include "adapter.h"
#include "train_families.h"
#include "decoder.h"
#include "tiny_training.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Mean loss of the trainer's batch by the reference; masked: of weighted rows. */
static double reference_loss(const Reference *r, const TrainBatch *b, bool masked,
                             size_t n_vocab, double *logits) {
    double loss = 0;
    for (size_t d = 0; d < b->documents; d++) {
        size_t from = b->start[d], n = b->start[d + 1] - from;
        reference_logits(r, b->input + from, (int)n, logits);
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t v = 0; v < n_vocab; v++) sum += exp(logits[i * n_vocab + v]);
            loss += (log(sum) - logits[i * n_vocab + (size_t)b->target[from + i]]) *
                    (masked ? (double)b->weight[from + i] : 1);
        }
    }
    return loss / (double)b->n;
}

static void check_gradients(bool bidirectional, const struct TrainFamily *family) {
    TrainConfig c = tiny();
    c.shape.bidirectional = bidirectional, c.family = family;
    c.hide = bidirectional ? train_hide_tokens : NULL;
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL);
    Fault fault;
    Rng rng = {4, 4, 0};
    for (size_t i = 0; i < t->size; i++)
        t->values[i] =
            t->values[i] * 4 + 0.05f * (float)rng_normal(&rng); /* away from the start */
    double loss = trainer_gradients(t, 7);
    char room[CHECK_PATH];
    const char *path = check_path(room, "tiny.gguf");
    assert_true(trainer_export(t, "tiny", DTYPE_F32, path, &fault));
    FileMap map;
    Gguf gguf;
    Reference r;
    assert_true(file_open(&map, path, &fault) && gguf_parse(&gguf, map.data, map.size, &fault));
    reference_open(&r, &gguf);
    double *logits = malloc(c.ctx * c.vocab * sizeof *logits);
    assert_near(loss, reference_loss(&r, &t->batch, bidirectional, c.vocab, logits),
                1e-5 * loss);
    for (size_t p = 0; p < t->n_parameters; p++)
        for (uint64_t probe = 0; probe < 4; probe++) {
            const Parameter *parameter = &t->parameters[p];
            size_t at = rng_hash(p, probe, 1) % (parameter->rows * parameter->cols);
            if (p == 0)
                at = (size_t)t->batch.input[probe * 7] * c.shape.dim +
                     at % c.shape.dim; /* a row that occurs */
            double *x = reference_values(&r, gguf_find_tensor(&gguf, parameter->name)) + at,
                   keep = *x, h = parameter->rate ? 1e-6 * fabs(*x) : 1e-6;
            *x = keep + h;
            double up = reference_loss(&r, &t->batch, bidirectional, c.vocab, logits);
            *x = keep - h;
            double down = reference_loss(&r, &t->batch, bidirectional, c.vocab, logits),
                   want = (up - down) / (2 * h);
            *x = keep;
            if (parameter->rate) want *= keep; /* by its logarithm */
            assert_near(t->gradients[parameter->offset + at], want, 1e-5 + 1e-3 * fabs(want));
        }
    reference_close(&r), gguf_free(&gguf), file_close(&map), free(logits);
    unlink(path);
    trainer_close(t);
}

static void no_layers(TrainConfig *c) { c->layers = 0; }
static void many_layers(TrainConfig *c) { c->layers = TRAIN_MAX_LAYERS + 1; }
static void no_kv_heads(TrainConfig *c) { c->shape.kv_heads = 0; }
static void odd_kv_heads(TrainConfig *c) { c->shape.kv_heads = 3; }
static void odd_head_dim(TrainConfig *c) { c->shape.head_dim = 3; }
static void no_head_dim(TrainConfig *c) { c->shape.head_dim = 0; }
static void no_dim(TrainConfig *c) { c->shape.dim = 0; }
static void no_hidden(TrainConfig *c) { c->shape.hidden = 0; }
static void no_steps(TrainConfig *c) { c->steps = 0; }
static void no_batch(TrainConfig *c) { c->batch_tokens = 0; }
static void no_ctx(TrainConfig *c) { c->ctx = 1; }
static void no_beta(TrainConfig *c) { c->beta1 = 0; }
static void no_second_beta(TrainConfig *c) { c->beta2 = 0; }
static void other_vocab(TrainConfig *c) { c->vocab = 321; }

/* Sizes that make no model are refused before anything is allocated; the least and the most
 * are taken. */
static void sizes_that_make_no_model(void **state) {
    (void)state;
    static const struct {
        void (*change)(TrainConfig *);
        const char *says;
    } cases[] = {{no_layers, "0 layers: give 1 to"},
                 {many_layers, "layers: give 1 to"},
                 {no_kv_heads, "do not divide among 0"},
                 {odd_kv_heads, "4 heads do not divide among 3"},
                 {odd_head_dim, "head_dim 3 must be even"},
                 {no_head_dim, "head_dim 0 must be even"},
                 {no_dim, "dim 0 and hidden 24 positive"},
                 {no_hidden, "hidden 0 positive"},
                 {no_steps, "steps, batch tokens, context"},
                 {no_batch, "steps, batch tokens, context"},
                 {no_ctx, "steps, batch tokens, context"},
                 {no_beta, "steps, batch tokens, context and betas"},
                 {no_second_beta, "steps, batch tokens, context and betas"},
                 {other_vocab, "the tokenizer has 320 tokens, the model 321"}};
    const Corpus corpus = {.world = world, .seed = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fault fault = {""};
        TrainConfig c = tiny();
        cases[i].change(&c);
        assert_null(trainer_open(&c, &corpus, tokenizer, &vocab, NULL, &fault));
        assert_contains(fault.text, cases[i].says);
    }
    trainer_close(NULL);
    TrainConfig least = tiny();
    least.shape.kv_heads = least.layers = least.steps = least.batch_tokens = 1, least.ctx = 2;
    trainer_close(make(&least, &corpus, NULL));
    least.layers = TRAIN_MAX_LAYERS;
    trainer_close(make(&least, &corpus, NULL));
}

/* A vocabulary of the first `count` letters; without a merge, and without the other bytes. */
static Tokenizer *letters(size_t count) {
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    Text names[26];
    for (size_t i = 0; i < count; i++) names[i] = (Text){alphabet + i, 1};
    return opened(words_file("gpt2", names, count));
}

/* The eleventh letter is the BOS token, where a file names none. */
static void vocabularies_without_a_needed_token(void **state) {
    (void)state;
    Tokenizer *few = letters(4), *more = letters(14);
    const Corpus corpus = {.world = world, .seed = 1};
    Fault fault;
    TrainConfig c = tiny();
    c.vocab = 4;
    assert_null(trainer_open(&c, &corpus, few, &vocab, NULL, &fault));
    assert_contains(fault.text, "no BOS token");
    c.vocab = 14, c.shape.bidirectional = true;
    assert_null(trainer_open(&c, &corpus, more, &vocab, NULL, &fault));
    assert_contains(fault.text, "no mask token");
    tokenizer_close(few), tokenizer_close(more);
}

/* The training says so afterwards: a batch has no way to fail. */
static void a_text_without_tokens_spoils_a_training(void **state) {
    (void)state;
    Tokenizer *t = letters(14);
    Text documents[2] = {text_of("abcd"), text_of("abcz")};
    Fault fault = {""};
    TrainConfig c = tiny();
    c.vocab = 14, c.batch_tokens = 8;
    for (size_t count = 1; count <= 2; count++) {
        const Corpus corpus = {.documents = documents, .count = count};
        Trainer *trainer = trainer_open(&c, &corpus, t, &vocab, NULL, &fault);
        assert_non_null(trainer);
        trainer_step(trainer);
        assert_int_equal(trainer_ok(trainer, &fault), count == 1);
        trainer_close(trainer);
    }
    assert_contains(fault.text,
                    "a text of the corpus: the vocabulary has no token for the byte 0x7A");
    tokenizer_close(t);
}

/* Empty documents: a row each, of which a batch has room for so many. */
static void a_batch_has_a_limited_number_of_documents(void **state) {
    (void)state;
    Text empty = text_of("");
    const Corpus corpus = {.documents = &empty, .count = 1};
    TrainConfig c = tiny();
    c.batch_tokens = TRAIN_MAX_DOCUMENTS + 10;
    Trainer *t = make(&c, &corpus, NULL);
    uint64_t index = 0;
    train_load_documents(t, &corpus, &index, SIZE_MAX);
    assert_int_equal(t->batch.documents, TRAIN_MAX_DOCUMENTS);
    assert_int_equal(index, TRAIN_MAX_DOCUMENTS);
    trainer_close(t);
}

static void gradients_of_a_whole_model(void **state) {
    (void)state;
    check_gradients(false, NULL);
    check_gradients(true, NULL);
    check_gradients(false, &train_delta_family);
}

/* A share of each document is masked, the rest and BOS stay; a masked token weighs 1 /
 * share. */
static void hidden_tokens_are_guessed(void **state) {
    (void)state;
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *plain = make(&c, &corpus, NULL), *hides;
    c.shape.bidirectional = true, c.hide = train_hide_tokens;
    hides = make(&c, &corpus, NULL);
    double share = 0, rows = 0;
    for (uint64_t first = 0; first < 400; first += 2) {
        uint64_t a = first, b = first;
        train_load_batch(plain, &corpus, &a, 2), train_load_batch(hides, &corpus, &b, 2);
        const TrainBatch *x = &plain->batch, *y = &hides->batch;
        assert_true(a == b && x->n == y->n);
        for (size_t i = 0; i < x->n; i++) {
            bool hidden = y->weight[i] > 0;
            assert_int_equal(y->input[i], hidden ? 2 : x->input[i]);
            assert_int_equal(y->target[i], x->input[i]);
            assert_false(hidden && (i == x->start[0] || i == x->start[1]));
            share += (double)y->weight[i], rows++;
        }
    }
    assert_near(share / rows, 1 - 1.0 / (double)c.ctx, 0.05);
    trainer_close(plain), trainer_close(hides);
}

static void check_threads(const struct TrainFamily *family) {
    TrainConfig c = tiny();
    c.family = family;
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *one = make(&c, &corpus, NULL);
    for (int i = 0; i < 6; i++) trainer_step(one);
    for (int threads = 2; threads <= 3; threads++) {
        Pool *pool = pool_open(threads, false, NULL);
        Trainer *many = make(&c, &corpus, pool);
        for (int i = 0; i < 6; i++) trainer_step(many);
        assert_memory_equal(one->values, many->values, train_parameters(&c) * sizeof(float));
        trainer_close(many);
        pool_close(pool);
    }
    trainer_close(one);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    check_threads(NULL), check_threads(&train_delta_family);
}

/* U = orthogonal(X) has singular values about 1 and X's singular vectors: |U v| is near |v| for
 * any v of the shorter side, and X'U is symmetric with a positive trace. */
static void muon_makes_matrices_orthogonal(void **state) {
    (void)state;
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL);
    uint64_t seed = 3;
    for (int tall = 0; tall < 2; tall++) {
        size_t rows = tall ? 24 : 16, cols = tall ? 16 : 24, side = 16, inner = 24;
        size_t along = tall ? 1 : cols, across = tall ? cols : 1; /* side, inner */
        float x[24 * 16], u[24 * 16];
        for (size_t i = 0; i < 24 * 16; i++) u[i] = x[i] = 100 * check_noise(&seed);
        train_orthogonalize(t, u, rows, cols);
        double trace = 0, product[16][16] = {{0}};
        for (size_t i = 0; i < side; i++)
            for (size_t j = 0; j < side; j++)
                for (size_t k = 0; k < inner; k++)
                    product[i][j] +=
                        (double)x[i * along + k * across] * (double)u[j * along + k * across];
        for (size_t i = 0; i < side; i++) trace += product[i][i];
        assert_true(trace > 0);
        for (size_t i = 0; i < side; i++)
            for (size_t j = 0; j < i; j++)
                assert_near(product[i][j], product[j][i], 1e-4 * trace);
        for (int trial = 0; trial < 20; trial++) {
            double v[16], before = 0, after = 0;
            for (size_t i = 0; i < side; i++)
                v[i] = (double)check_noise(&seed), before += v[i] * v[i];
            for (size_t k = 0; k < inner; k++) {
                double sum = 0;
                for (size_t i = 0; i < side; i++)
                    sum += (double)u[i * along + k * across] * v[i];
                after += sum * sum;
            }
            assert_true(after > 0.4 * before && after < 1.6 * before);
        }
    }
    trainer_close(t);
}

static void resuming_is_the_same_run(void **state) {
    (void)state;
    char room[CHECK_PATH];
    const char *path = check_path(room, "test.ckpt");
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Fault fault;
    Trainer *whole = make(&c, &corpus, NULL), *first = make(&c, &corpus, NULL),
            *second = make(&c, &corpus, NULL);
    double before = trainer_step(whole).loss, after = before;
    for (size_t i = 1; i < c.steps; i++) after = trainer_step(whole).loss;
    assert_true(after < before - 0.2); /* it learns */
    for (int i = 0; i < 5; i++) trainer_step(first);
    assert_true(trainer_save(first, path, &fault));
    assert_true(trainer_load(second, path, &fault));
    assert_int_equal(trainer_steps_done(second), 5);
    while (trainer_steps_done(second) < c.steps) trainer_step(second);
    assert_memory_equal(whole->values, second->values, train_parameters(&c) * sizeof(float));
    /* more steps go on from there, fewer are another run */
    TrainConfig longer = c, shorter = c;
    longer.steps += 7, shorter.steps--;
    Trainer *more = make(&longer, &corpus, NULL), *less = make(&shorter, &corpus, NULL);
    if (!trainer_load(more, path, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(trainer_steps_done(more), 5);
    while (trainer_steps_done(more) < longer.steps) trainer_step(more);
    assert_memory_not_equal(whole->values, more->values, train_parameters(&c) * sizeof(float));
    assert_false(trainer_load(less, path, &fault));
    assert_contains(fault.text, "with another --steps");
    trainer_close(more), trainer_close(less);
    /* other instruction sets sum in another order */
    const char *isas[KERNELS_MAX], *isa = kernels_isa();
    for (int i = 0, n = kernels_list(isas); i < n; i++) {
        if (strcmp(isas[i], isa) == 0) continue;
        assert_true(kernels_select(isas[i], &fault));
        Trainer *elsewhere = make(&c, &corpus, NULL);
        assert_false(trainer_load(elsewhere, path, &fault));
        assert_contains(fault.text, "with another --isa: a resumed run must have the same");
        trainer_close(elsewhere);
    }
    assert_true(kernels_select(isa, &fault));
    /* another run's checkpoint, and half of one, are refused */
    TrainConfig other_size = c;
    c.learning_rate *= 2;
    Trainer *other = make(&c, &corpus, NULL);
    assert_false(trainer_load(other, path, &fault));
    assert_contains(fault.text,
                    "with another --rate: a resumed run must have the same options");
    other_size.shape.hidden *= 2, other_size.warmup++, other_size.beta1 = 0.5;
    Trainer *larger = make(&other_size, &corpus, NULL);
    assert_false(trainer_load(larger, path, &fault));
    assert_contains(fault.text, "with another --size, --hidden: a resumed");
    trainer_close(larger);
    assert_true(file_write(path, "STRATA1", 8, &fault));
    assert_false(trainer_load(other, path, &fault));
    assert_contains(fault.text, "older version");
    unlink(path);
    trainer_close(whole), trainer_close(first), trainer_close(second), trainer_close(other);
}

static void refused_as_of_other_texts(const Corpus *corpus, const Tokenizer *with,
                                      const Gguf *words, const char *path) {
    TrainConfig c = tiny();
    Fault fault;
    Trainer *t = trainer_open(&c, corpus, with, words, NULL, &fault);
    if (!t) fail_msg("%s", fault.text);
    assert_false(trainer_load(t, path, &fault));
    assert_contains(fault.text, "another corpus, vocabulary or --from");
    trainer_close(t);
}

/* The same shape and vocabulary size, but another text or one letter of a token changed. */
static void another_corpus_or_vocabulary_is_another_run(void **state) {
    (void)state;
    char room[CHECK_PATH], text_room[CHECK_PATH];
    const char *path = check_path(room, "texts.ckpt"),
               *text = check_path(text_room, "texts.txt");
    static const char one[] = "a fox\n<|endoftext|>\na hen\n",
                      two[] = "a fox\n<|endoftext|>\na hex\n";
    Corpus corpus = {.world = world, .seed = 1}, seed = {.world = world, .seed = 2}, file;
    Fault fault;
    TrainConfig c = tiny();
    Trainer *t = make(&c, &corpus, NULL);
    assert_true(trainer_save(t, path, &fault) && trainer_load(t, path, &fault));
    trainer_close(t);
    refused_as_of_other_texts(&seed, tokenizer, &vocab, path);

    assert_true(file_write(text, one, sizeof one - 1, &fault));
    assert_true(corpus_open_file(&file, text, &fault));
    refused_as_of_other_texts(&file, tokenizer, &vocab, path);
    t = make(&c, &file, NULL);
    assert_true(trainer_save(t, path, &fault) && trainer_load(t, path, &fault));
    trainer_close(t), corpus_close(&file);
    assert_true(file_write(text, two, sizeof two - 1, &fault));
    assert_true(corpus_open_file(&file, text, &fault));
    refused_as_of_other_texts(&file, tokenizer, &vocab, path);
    corpus_close(&file), unlink(text);

    t = make(&c, &corpus, NULL);
    assert_true(trainer_save(t, path, &fault));
    trainer_close(t);
    const GgufPair *tokens = gguf_find(&vocab, "tokenizer.ggml.tokens");
    unsigned char *last = (unsigned char *)tokens->data + gguf_value_bytes(tokens) - 1,
                  was = *last;
    *last ^= 1;
    Tokenizer *other = tokenizer_open(&vocab, &fault);
    if (!other) fail_msg("%s", fault.text);
    refused_as_of_other_texts(&corpus, other, &vocab, path);
    *last = was, tokenizer_close(other), unlink(path);
}

/* Every bit of the head and samples of the rest, each length cut off, and a byte too many. */
static void a_damaged_checkpoint_is_refused(void **state) {
    (void)state;
    enum { HEAD = 8 + 5 * 8 + 24 * 8, SUM = 8 };
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL);
    char path[] = "/tmp/strata_damaged_XXXXXX";
    close(mkstemp(path));
    Fault fault;
    FileMap map;
    trainer_step(t);
    assert_true(trainer_save(t, path, &fault) && file_open(&map, path, &fault));
    size_t size = map.size, count = train_parameters(&c) * sizeof(float);
    assert_int_equal(size, HEAD + 3 * count + SUM);
    unsigned char *bytes = malloc(size + 1);
    float *before = malloc(count);
    memcpy(bytes, map.data, size), bytes[size] = 0;
    memcpy(before, t->values, count);
    file_close(&map);
    trainer_step(t);
    float *after = malloc(count);
    memcpy(after, t->values, count);
    for (size_t at = 0; at < size; at += at < HEAD         ? 1
                                         : at < size - SUM ? (size - HEAD - SUM) / 40
                                                           : 1) {
        unsigned char bit = (unsigned char)(1 << (at % 8));
        bytes[at] ^= bit;
        assert_true(file_write(path, bytes, size, &fault));
        if (trainer_load(t, path, &fault)) fail_msg("a bit of byte %zu was not noticed", at);
        assert_contains(fault.text, path);
        bytes[at] ^= bit;
    }
    for (size_t cut = 1; cut < size; cut += size / 40) {
        assert_true(file_write(path, bytes, size - cut, &fault));
        assert_false(trainer_load(t, path, &fault));
    }
    assert_true(file_write(path, bytes, size + 1, &fault));
    assert_false(trainer_load(t, path, &fault));
    assert_contains(fault.text, "damaged");
    assert_memory_equal(t->values, after, count); /* nothing was taken from them */
    assert_true(file_write(path, bytes, size, &fault) && trainer_load(t, path, &fault));
    assert_memory_equal(t->values, before, count);
    free(bytes), free(before), free(after);
    unlink(path), trainer_close(t);
}

static void log_is(const char *path, const char *want) {
    FileMap map;
    Fault fault;
    if (!file_open(&map, path, &fault)) fail_msg("%s", fault.text);
    size_t head =
        (size_t)((const char *)memchr(map.data, '\n', map.size) + 1 - (const char *)map.data);
    if (map.size - head != strlen(want) || memcmp(map.data + head, want, map.size - head) != 0)
        fail_msg("the log holds '%.*s', wanted '%s'", (int)(map.size - head), map.data + head,
                 want);
    file_close(&map);
}

/* Open a log at a step, add a line there if it is not 0, and be killed. */
static void killed_at(const char *path, size_t step, size_t add) {
    pid_t child = fork();
    if (child == 0) {
        Fault fault;
        FILE *log = train_log_open(path, step, &fault);
        TrainStep s = {.step = add, .tokens = add};
        if (log && add) train_log_add(log, &s, 0, NULL, &fault);
        if (log) raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void a_log_survives_its_writer(void **state) {
    (void)state;
    char path[] = "/tmp/strata_train_log_XXXXXX";
    close(mkstemp(path));
    static const char ten[] = "10,10,0.00000,0,0.0000,0,,\n",
                      twenty[] = "20,20,0.00000,0,0.0000,0,,\n";
    char both[80];
    Fault fault;
    snprintf(both, sizeof both, "%s%s", ten, twenty);
    unlink(path);
    killed_at(path, 0, 0), log_is(path, "");
    killed_at(path, 0, 10), log_is(path, ten);
    killed_at(path, 10, 20), log_is(path, both);
    killed_at(path, 20, 0), log_is(path, both);
    killed_at(path, 19, 0),
        log_is(path, ten); /* what follows the checkpoint is written again */
    FILE *torn = fopen(path, "a");
    fputs("20,20,0.0", torn), fclose(torn);
    killed_at(path, 30, 0), log_is(path, ten);
    killed_at(path, 0, 0), log_is(path, "");
    assert_true(file_write(path, "a letter\n", 9, &fault));
    assert_null(train_log_open(path, 10, &fault));
    assert_contains(fault.text, "not the log");
    assert_null(train_log_open("/tmp", 0, &fault));
    assert_contains(fault.text, "directory");
    unlink(path);
}

static void looking_and_speaking(void **state) {
    (void)state;
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL);
    double loss, floor;
    WorldText text = {0};
    trainer_evaluate(t, &corpus, 100, 10, &loss, &floor);
    assert_near(loss, log(320), 0.3);
    assert_true(isnan(floor)); /* documents are cut, so their entropy is unknown */
    trainer_sample(t, text_of("Once"), 5, 0.8, 1, &text);
    assert_memory_equal(text.bytes, "Once", 4);
    assert_non_null(t->gradients);
    world_text_free(&text);
    trainer_close(t);
    c.ctx = 2048;
    t = make(&c, &corpus, NULL);
    trainer_evaluate(t, &corpus, 100, 10, &loss, &floor);
    assert_near(loss, log(320), 0.3);
    assert_true(floor > 0.05 && floor < 1);
    trainer_close(t);
    c.shape.kv_heads = 3;
    Fault fault;
    assert_null(trainer_open(&c, &corpus, tokenizer, &vocab, NULL, &fault));
    assert_contains(fault.text, "divide");
    assert_true(train_config_draft().layers < train_config_storyteller().layers);
}

static void check_going_on(const struct TrainFamily *family) {
    TrainConfig c = tiny();
    c.family = family;
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL), *next;
    Fault fault;
    Gguf gguf;
    FileMap map;
    char path[] = "/tmp/strata_test_fromXXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    trainer_step(t);
    assert_true(trainer_export(t, "one", DTYPE_F32, path, &fault));
    assert_true(file_open(&map, path, &fault) && gguf_parse(&gguf, map.data, map.size, &fault));
    c.seed = 9;
    next = make(&c, &corpus, NULL);
    assert_memory_not_equal(next->values, t->values, 4096);
    assert_true(trainer_begin_from(next, &gguf, &fault));
    for (size_t i = 0; i < t->n_parameters; i++) /* rates go through their logarithm */
        for (size_t k = 0; k < t->parameters[i].rows * t->parameters[i].cols; k++) {
            size_t at = t->parameters[i].offset + k;
            assert_near(next->values[at], t->values[at], t->parameters[i].rate ? 1e-5 : 0);
        }
    trainer_close(next);
    c.shape.hidden = 32;
    next = make(&c, &corpus, NULL);
    assert_false(trainer_begin_from(next, &gguf, &fault));
    assert_contains(fault.text, "feed_forward_length");
    trainer_close(next), trainer_close(t);
    gguf_free(&gguf), file_close(&map), unlink(path);
}

static void training_goes_on_from_a_model(void **state) {
    (void)state;
    check_going_on(NULL), check_going_on(&train_delta_family);
}

/* Lines may end as on Windows, or with spaces; a separator with text around it is none. */
static void corpora_come_from_files_too(void **state) {
    (void)state;
    char room[CHECK_PATH];
    const char *path = check_path(room, "corpus.txt");
    static const struct {
        const char *bytes, *first;
    } files[] = {
        {"first\ndocument\n<|endoftext|>\nsecond\n<|endoftext|>\n<|endoftext|>\nlast",
         "first\ndocument"},
        {"first\r\ndocument\r\n<|endoftext|>\r\nsecond\r\n<|endoftext|>\r\nlast\r\n",
         "first\r\ndocument"},
        {"first\n<|endoftext|> x\n <|endoftext|>\n<|endoftext|> \t\nsecond\n<|endoftext|>  "
         "\nlast",
         "first\n<|endoftext|> x\n <|endoftext|>"},
    };
    Corpus corpus;
    Fault fault;
    double nats;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_true(file_write(path, files[i].bytes, strlen(files[i].bytes), &fault));
        assert_true(corpus_open_file(&corpus, path, &fault));
        assert_int_equal(corpus.count, 3);
        assert_true(
            text_equal(corpus_document(&corpus, 0, NULL, &nats), text_of(files[i].first)) &&
            isnan(nats));
        assert_true(text_equal(corpus_document(&corpus, 1, NULL, &nats), text_of("second")));
        assert_true(text_equal(corpus_document(&corpus, 5, NULL, &nats), text_of("last")));
        void *mapped = (void *)(uintptr_t)corpus.file.data;
        corpus_close(&corpus);
        assert_int_equal(msync(mapped, 1, MS_ASYNC), -1); /* no longer mapped */
    }
    unlink(path);
    assert_false(corpus_open_file(&corpus, path, &fault));
}

/* Words with and without spaces between them, of one byte and of several: nothing is lost, and
 * no end is invented. */
/* Before the first step attention copies: its output is its values transposed, head by head. */
static void attention_begins_by_copying(void **state) {
    (void)state;
    const Corpus corpus = {.world = world, .seed = 1};
    const TrainConfig c = tiny();
    const TrainShape *s = &c.shape;
    Trainer *t = make(&c, &corpus, NULL);
    for (size_t l = 0; l < c.layers; l++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t i = 0; i < s->head_dim; i++)
                for (size_t j = 0; j < s->dim; j++) {
                    size_t column = h * s->head_dim + i, group = h * s->kv_heads / s->heads;
                    const TrainBlock *b = &t->weights.blocks[l];
                    assert_true(b->o[j * s->heads * s->head_dim + column] ==
                                b->v[(group * s->head_dim + i) * s->dim + j]);
                }
    trainer_close(t);
}

/* Matrices in the format that was asked for, vectors in F32; all with the trainer's numbers. */
static void exports_keep_vectors_whole(void **state) {
    (void)state;
    char room[CHECK_PATH];
    const char *path = check_path(room, "halves.gguf");
    const Corpus corpus = {.world = world, .seed = 1};
    const TrainConfig c = tiny();
    Fault fault;
    FileMap map;
    Gguf gguf;
    Trainer *t = make(&c, &corpus, NULL);
    assert_true(trainer_export(t, "halves", DTYPE_F16, path, &fault));
    assert_true(file_open(&map, path, &fault) && gguf_parse(&gguf, map.data, map.size, &fault));
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        const GgufTensor *got = gguf_find_tensor(&gguf, p->name);
        assert_int_equal(got->dtype, p->rows == 1 ? DTYPE_F32 : DTYPE_F16);
        Tensor view = gguf_tensor_view(got);
        for (size_t k = 0; k < p->cols; k++)
            assert_near(tensor_get(&view, (size_t[]){p->rows == 1 ? k : 0, k}),
                        t->values[p->offset + k], 1e-3);
    }
    gguf_free(&gguf), file_close(&map), unlink(path), trainer_close(t);
}

/* Of a model's keys only those of its tokenizer are exported: the others would come twice. */
static void a_model_may_lend_its_vocabulary(void **state) {
    (void)state;
    char room[CHECK_PATH];
    const char *path = check_path(room, "lent.gguf");
    const Corpus corpus = {.world = world, .seed = 1};
    const TrainConfig c = tiny();
    Fault fault;
    FileMap map;
    Gguf gguf;
    Trainer *t = make(&c, &corpus, NULL);
    assert_true(trainer_export(t, "first", DTYPE_F16, path, &fault));
    trainer_close(t);
    assert_true(file_open(&map, path, &fault) && gguf_parse(&gguf, map.data, map.size, &fault));
    t = trainer_open(&c, &corpus, tokenizer, &gguf, NULL, &fault);
    assert_true(trainer_export(t, "second", DTYPE_F16, path, &fault));
    assert_false(trainer_export(t, "none", DTYPE_F16, "no/such/folder/m.gguf", &fault));
    assert_contains(fault.text, "no/such/folder");
    trainer_close(t), gguf_free(&gguf), file_close(&map);
    Model model;
    if (!model_open(&model, path, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(tokenizer_count(model.tokenizer), 320);
    model_close(&model), unlink(path);
}

/* The model in the box has the sizes that its configuration says. */
static void the_storyteller_has_its_configuration(void **state) {
    (void)state;
    const TrainConfig c = train_config_storyteller();
    const struct {
        const char *key;
        size_t value;
    } sizes[] = {{"llama.embedding_length", c.shape.dim},
                 {"llama.feed_forward_length", c.shape.hidden},
                 {"llama.attention.head_count", c.shape.heads},
                 {"llama.attention.head_count_kv", c.shape.kv_heads},
                 {"llama.rope.dimension_count", c.shape.head_dim},
                 {"llama.block_count", c.layers},
                 {"llama.context_length", c.ctx}};
    GgufFile file;
    Gguf gguf;
    Fault fault;
    int64_t value = 0;
    assert_true(gguf_open(&file, &gguf, "layer5_models/models/storyteller.gguf", &fault) ||
                gguf_open(&file, &gguf, "models/storyteller.gguf", &fault));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!gguf_int(gguf_find(&gguf, sizes[i].key), 0, &value)) fail_msg("%s", sizes[i].key);
        assert_int_equal(value, sizes[i].value);
    }
    assert_int_equal(gguf_find(&gguf, "tokenizer.ggml.tokens")->count, c.vocab);
    gguf_close(&file, &gguf);
}

/* Thousands of different words, of which the commonest pairs become tokens. */
static void vocabularies_are_learned_from_documents(void **state) {
    (void)state;
    enum { DOCUMENTS = 300, WORDS = 20, BYTES = 400, TOKENS = 300 };
    static char texts[DOCUMENTS][BYTES];
    static Text documents[DOCUMENTS];
    for (int i = 0; i < DOCUMENTS; i++) {
        char *at = texts[i];
        for (int k = 0; k < WORDS; k++) at += sprintf(at, "the n%dth ", i * WORDS + k);
        documents[i] = (Text){texts[i], (size_t)(at - texts[i])};
    }
    const Corpus corpus = {.documents = documents, .count = DOCUMENTS};
    for (int mask = 0; mask < 2; mask++) {
        Gguf learned = {0};
        Fault fault;
        TokenList tokens = {0};
        unsigned char *bytes = NULL;
        if (!corpus_learn_vocab(&corpus, TOKENS, mask, &bytes, &learned, &fault))
            fail_msg("%s", fault.text);
        Tokenizer *t = tokenizer_open(&learned, &fault);
        assert_non_null(t);
        assert_int_equal(tokenizer_count(t), TOKENS);
        assert_int_equal(tokenizer_mask(t), mask ? 3 : -1);
        assert_true(tokenizer_encode(t, text_of("the the"), false, &tokens, &fault));
        assert_int_equal(tokens.count, 2); /* "the" and " the" */
        token_list_free(&tokens), tokenizer_close(t), gguf_free(&learned), free(bytes);
    }
}

/* The first token may be the mask as well as any other. */
static void a_mask_may_be_token_0(void **state) {
    (void)state;
    static const char key[] = "tokenizer.ggml.mask_token_id";
    const Text document = text_of("the fox and the fox and the fox");
    const Corpus corpus = {.documents = (Text *)&document, .count = 1};
    TrainConfig c = tiny();
    Gguf learned = {0};
    Fault fault;
    unsigned char *bytes = NULL;
    if (!corpus_learn_vocab(&corpus, 264, true, &bytes, &learned, &fault))
        fail_msg("%s", fault.text);
    unsigned char *at = bytes;
    while (memcmp(at, key, sizeof key - 1) != 0) at++;
    memset(at + sizeof key - 1 + 4, 0, 4); /* the type, then the id */
    Tokenizer *t = tokenizer_open(&learned, &fault);
    assert_non_null(t);
    assert_int_equal(tokenizer_mask(t), 0);
    c.vocab = tokenizer_count(t), c.shape.bidirectional = true;
    Trainer *trainer = trainer_open(&c, &corpus, t, &learned, NULL, &fault);
    if (!trainer) fail_msg("%s", fault.text);
    trainer_close(trainer), tokenizer_close(t), gguf_free(&learned), free(bytes);
}

/* A batch ends with the document that fills it; each layer has memory for it, and no other. */
static void a_full_batch_takes_no_more(void **state) {
    (void)state;
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL);
    uint64_t index = 0;
    train_load_batch(t, &corpus, &index, 1);
    const size_t first = t->batch.n;
    trainer_close(t);
    for (size_t more = 0; more < 2; more++) {
        c.batch_tokens = first + more, index = 0;
        t = make(&c, &corpus, NULL);
        train_load_batch(t, &corpus, &index, 9);
        assert_int_equal(t->batch.documents, 1 + more);
        assert_non_null(t->saved[c.layers - 1].x);
        assert_null(t->saved[c.layers].x);
        trainer_close(t);
    }
}

/* Of 20,001 documents the last one, which alone has a z, is not looked at. */
static void vocabularies_are_learned_from_the_first_documents(void **state) {
    (void)state;
    enum { DOCUMENTS = 20001, TOKENS = 3 + 256 + 6 };
    static Text documents[DOCUMENTS];
    for (int i = 0; i < DOCUMENTS; i++) documents[i] = text_of("abcd efg");
    for (int last = 0; last < 2; last++) {
        const Corpus corpus = {.documents = documents, .count = DOCUMENTS};
        Gguf learned = {0};
        Fault fault;
        unsigned char *bytes = NULL;
        documents[DOCUMENTS - 1 - !last] = text_of("zzzzzzzzz zzzzzzzz");
        bool ok = corpus_learn_vocab(&corpus, TOKENS + 1, false, &bytes, &learned, &fault);
        documents[DOCUMENTS - 1 - !last] = documents[0];
        assert_int_equal(ok, !last); /* there are six pairs, and those of z */
        if (last) assert_contains(fault.text, "give more text");
        gguf_free(&learned), free(bytes);
    }
}

static void long_documents_are_cut(void **state) {
    (void)state;
    enum { CTX = 24, LONG = 6000 };
    static char text[LONG];
    static const char *const words[] = {" the",   " fox", "ran",   "\n",
                                        "\u00e9", " was", "\u6f22"};
    Text short_one = text_of("a fox"), *documents = calloc(3, sizeof *documents);
    TokenList ids = {0};
    Fault fault;
    size_t size = 0, cut, at = 0;
    for (uint64_t i = 0; size + 8 < LONG; i++) {
        /* no space at all in the middle */
        const char *word = words[i > 500 && i < 800 ? 4 : rng_hash(3, 0, i) % 7];
        memcpy(text + size, word, strlen(word)), size += strlen(word);
    }
    documents[0] = documents[2] = short_one, documents[1] = (Text){text, size};
    Corpus corpus = {.documents = documents, .count = 3};
    assert_true(corpus_cut(&corpus, tokenizer, CTX, &cut, &fault));
    assert_true(cut == 1 && corpus.count > 2 + size / (CTX * 8));
    assert_true(text_equal(corpus.documents[0], short_one) &&
                text_equal(corpus.documents[corpus.count - 1], short_one));
    for (size_t i = 1; i + 1 < corpus.count; i++) {
        Text piece = corpus.documents[i];
        bool last = i + 2 == corpus.count;
        size_t next = last ? size : (size_t)(corpus.documents[i + 1].data - text);
        assert_ptr_equal(piece.data, text + at);
        assert_true(next > at && (text[next] & 0xC0) != 0x80);
        ids.count = 0;
        assert_true(tokenizer_encode(tokenizer, piece, true, &ids, &fault));
        assert_true(last ? ids.count < CTX : ids.count >= CTX);
        ids.count = 0;
        assert_true(
            tokenizer_encode(tokenizer, (Text){text + at, next - at}, true, &ids, &fault));
        assert_true(ids.count < CTX && (last || ids.count > CTX / 3));
        at = next;
    }
    assert_int_equal(at, size);
    token_list_free(&ids);
    free(corpus.documents);
}

/* The loss of a file of a model, by the reference, on the trainer's batch. */
static double file_loss(const Trainer *t, const char *path) {
    FileMap map;
    Gguf gguf;
    Reference r;
    Fault fault;
    assert_true(file_open(&map, path, &fault) && gguf_parse(&gguf, map.data, map.size, &fault));
    reference_open(&r, &gguf);
    double *logits = malloc(t->config.ctx * t->config.vocab * sizeof *logits),
           loss = reference_loss(&r, &t->batch, false, t->config.vocab, logits);
    reference_close(&r), gguf_free(&gguf), file_close(&map), free(logits);
    return loss;
}

static void same_logits(const Model *a, const Model *b) {
    const Model *models[2] = {a, b};
    float *logits[2];
    const int32_t tokens[8] = {0, 40, 50, 60, 70, 80, 90, 100};
    for (int i = 0; i < 2; i++) {
        Session session;
        Fault fault;
        assert_true(session_open(
            &session, models[i], NULL,
            (SessionConfig){.sequences = 1, .max_tokens = 8, .max_logits = 8}, &fault));
        assert_true(session_eval(&session, tokens, 8, true, &fault));
        logits[i] = malloc(8 * a->sizes.vocab * sizeof(float));
        memcpy(logits[i], session.logits, 8 * a->sizes.vocab * sizeof(float));
        session_close(&session);
    }
    for (size_t i = 0; i < 8 * a->sizes.vocab; i++)
        assert_near((double)logits[0][i], (double)logits[1][i], 1e-3);
    free(logits[0]), free(logits[1]);
}

/* A recurrent run is not one with attention, and its numbers come back from its checkpoint. */
static void a_memory_resumes(void **state) {
    (void)state;
    char room[CHECK_PATH];
    const char *path = check_path(room, "memory.ckpt");
    TrainConfig c = tiny();
    Corpus corpus = {.world = world, .seed = 1};
    Fault fault;
    c.family = &train_delta_family;
    Trainer *first = make(&c, &corpus, NULL), *second = make(&c, &corpus, NULL);
    double before = trainer_step(first).loss, after = before;
    assert_true(trainer_save(first, path, &fault) && trainer_load(second, path, &fault));
    for (int i = 0; i < 9; i++) after = trainer_step(first).loss, trainer_step(second);
    assert_true(after < before - 0.2); /* it learns */
    assert_memory_equal(first->values, second->values, train_parameters(&c) * sizeof(float));
    c.shape.taps = 3;
    Trainer *other = make(&c, &corpus, NULL);
    assert_false(trainer_load(other, path, &fault));
    trainer_close(other), trainer_close(first), trainer_close(second), unlink(path);
    c.shape.taps = 4, c.shape.bidirectional = true;
    assert_null(trainer_open(&c, &corpus, tokenizer, &vocab, NULL, &fault));
    assert_contains(fault.text, "is causal");
}

/* The trainer's logits are those of the file in the program that runs it. */
static void check_loaded(TrainConfig c) {
    char room[CHECK_PATH];
    const char *path = check_path(room, "memory.gguf");
    Corpus corpus = {.world = world, .seed = 1};
    Fault fault;
    Model model;
    Session session;
    uint64_t index = 3;
    c.family = &train_delta_family;
    Trainer *t = make(&c, &corpus, NULL);
    for (int i = 0; i < 8; i++) trainer_step(t);
    assert_true(trainer_export(t, "memory", DTYPE_F32, path, &fault));
    train_load_batch(t, &corpus, &index, 1);
    train_forward(t, false);
    if (!model_open(&model, path, &fault)) fail_msg("%s", fault.text);
    SessionConfig config = {.sequences = 1, .max_tokens = c.ctx, .max_logits = c.ctx};
    assert_true(session_open(&session, &model, NULL, config, &fault));
    assert_true(session_eval(&session, t->batch.input, t->batch.n, true, &fault));
    for (size_t i = 0; i < t->batch.n * c.vocab; i++)
        assert_near(session.logits[i], t->logits[i], 1e-4);
    session_close(&session), model_close(&model), trainer_close(t), unlink(path);
}

/* Heads that share keys, shorter than a strip; heads with keys of their own, longer. */
static void a_memory_is_loaded(void **state) {
    (void)state;
    TrainConfig c = tiny();
    check_loaded(c);
    c.shape.kv_heads = 4, c.shape.head_dim = 20, c.shape.taps = 3;
    check_loaded(c);
}

/* A trained adapter's file has the same effect on the original model, whose weights are
 * unchanged. */
static void an_adapter_is_learned(void **state) {
    (void)state;
    TrainConfig c = tiny();
    c.steps = 200, c.learning_rate = 1e-2;
    Corpus corpus = {.world = world, .seed = 1}, habit;
    Trainer *t = make(&c, &corpus, NULL);
    Fault fault;
    char rooms[4][CHECK_PATH];
    const char *base = check_path(rooms[0], "base.gguf"),
               *thin = check_path(rooms[1], "thin.gguf"),
               *whole = check_path(rooms[2], "whole.gguf"),
               *text = check_path(rooms[3], "habit.txt");
    const char words[] = "And the moon smiled, and the moon smiled.\n<|endoftext|>\n";
    assert_true(file_write(text, words, sizeof words - 1, &fault) &&
                corpus_open_file(&habit, text, &fault));
    for (int i = 0; i < 12; i++) trainer_step(t);
    for (size_t i = 0; i < c.vocab * c.shape.dim; i++) t->weights.embedding[i] *= 10;
    t->step = 0, t->corpus = &habit; /* an adapter turns to tokens that lie far apart */
    assert_true(trainer_export(t, "base", DTYPE_F32, base, &fault));
    assert_true(trainer_begin_lora(t, 4, &fault));
    double first = trainer_gradients(t, 0), nothing = file_loss(t, base);
    assert_near(first, nothing, 1e-4); /* B is zero */
    for (int i = 0; i < 100; i++) trainer_step_lora(t);
    double last = trainer_gradients(t, 0);
    if (!(last < first / 2)) fail_msg("the loss went from %g to %g", first, last);
    assert_true(trainer_export_lora(t, "thin", thin, &fault));
    assert_true(trainer_export(t, "whole", DTYPE_F32, whole, &fault));
    Model a, b;
    assert_true(model_open(&a, base, &fault) && model_open(&b, whole, &fault));
    if (!model_adapt(&a, thin, 1, &fault)) fail_msg("%s", fault.text);
    same_logits(&a, &b);
    model_close(&a), model_close(&b), trainer_close(t);
    corpus_close(&habit);
    unlink(base), unlink(thin), unlink(whole), unlink(text);
    t = make(&c, &corpus, NULL);
    assert_false(trainer_begin_lora(t, 17, &fault)); /* wider than the model */
    trainer_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(sizes_that_make_no_model),
                                       TEST(gradients_of_a_whole_model),
                                       TEST(hidden_tokens_are_guessed),
                                       TEST(threads_change_no_bit),
                                       TEST(muon_makes_matrices_orthogonal),
                                       TEST(resuming_is_the_same_run),
                                       TEST(another_corpus_or_vocabulary_is_another_run),
                                       TEST(a_damaged_checkpoint_is_refused),
                                       TEST(a_log_survives_its_writer),
                                       TEST(looking_and_speaking),
                                       TEST(training_goes_on_from_a_model),
                                       TEST(a_memory_resumes),
                                       TEST(a_memory_is_loaded),
                                       TEST(an_adapter_is_learned),
                                       TEST(corpora_come_from_files_too),
                                       TEST(attention_begins_by_copying),
                                       TEST(exports_keep_vectors_whole),
                                       TEST(a_model_may_lend_its_vocabulary),
                                       TEST(the_storyteller_has_its_configuration),
                                       TEST(vocabularies_without_a_needed_token),
                                       TEST(a_text_without_tokens_spoils_a_training),
                                       TEST(a_batch_has_a_limited_number_of_documents),
                                       TEST(vocabularies_are_learned_from_the_first_documents),
                                       TEST(vocabularies_are_learned_from_documents),
                                       TEST(a_mask_may_be_token_0),
                                       TEST(a_full_batch_takes_no_more),
                                       TEST(long_documents_are_cut)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
