/* families.c - every family in one table of proofs: random models of each, in several formats, against
 * the double-precision reference.  `make families` prints it.
 *
 *     family        recipe            f32       greedy    f16       q8_0
 *     deepseek2     latents absorbed  1.3e-12   24/24     5e-13     2e-8
 *
 * The numbers are normalized errors of the logits of a text, sum (got - want)^2 / sum want^2; greedy: how many
 * of the most likely next tokens are the same.  Of models that have no logits the rows of all tokens are compared;
 * greedy: where the largest number of each lies.  Below stand the draft heads of the families that have them, and of
 * files of their own.
 *
 *     families bert "wordpiece scores:1" FILE        writes such a model instead
 *
 * Ends with 1 when one is worse than it may be. */
#include "families.h"
#include "inference_extras.h"
#include "reference_draft.h"
#include "reference_text.h"

#include "make_model.h"
#include "reference_eye.h"
#include "run_draft.h"

enum { TOKENS = 24, SOURCE = 10 /* of them, for an encoder */ };

/* A step of Q8_0 is a 127th of the largest of 32, which rounding may take to the other side. */
static const struct {
    Dtype dtype;
    double bound;
} formats[] = {{DTYPE_F32, 1e-9}, {DTYPE_F16, 1e-9}, {DTYPE_Q8_0, 3e-4}};

static int most(const double *x, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++) best = x[i] > x[best] ? i : best;
    return (int)best;
}

/* The normalized error of a text's logits; same: how many tokens follow greedily alike, and, first of all,
 * the `source` ones that have none. */
static double error_of(const float *got, const double *want, size_t n, size_t width,
                       size_t source, int *same) {
    double error = 0, power = 0, row[MAKE_VOCAB];
    *same = (int)source;
    for (size_t t = source; t < n; t++, got += width) {
        for (size_t i = 0; i < width; i++) {
            row[i] = (double)got[i];
            error += pow(row[i] - want[t * width + i], 2), power += pow(want[t * width + i], 2);
        }
        *same += most(row, width) == most(want + t * width, width);
    }
    return error / power;
}

static void fill_tokens(int32_t tokens[TOKENS], uint64_t vocab) {
    for (int i = 0; i < TOKENS; i++) tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % vocab);
}

static void open_or_exit(Model *model, const unsigned char *bytes, size_t size) {
    Fault fault;
    if (model_open_memory(model, bytes, size, &fault)) return;
    printf("%s\n", fault.text);
    exit(1);
}

static double compare(const MakeModel *m, int *same) {
    int32_t tokens[TOKENS];
    size_t size;
    Fault fault;
    Model model;
    Session session;
    Reference reference;
    double *want = malloc(sizeof *want * TOKENS * MAKE_VOCAB);
    unsigned char *bytes = make_model(m, &size);
    fill_tokens(tokens, MAKE_VOCAB);
    SessionConfig config = {.sequences = 1, .max_tokens = TOKENS, .max_logits = TOKENS};
    bool opened = model_open_memory(&model, bytes, size, &fault);
    if (opened && model_extras(&model)->encoder) tokens[SOURCE] = model_extras(&model)->start;
    config.vectors = opened && !model_writes(&model);
    config.bidirectional = opened && model_extras(&model)->quirks->bidirectional;
    if (!opened || !session_open(&session, &model, NULL, config, &fault) ||
        !session_eval(&session, tokens, TOKENS, true, &fault)) {
        printf("%s\n", fault.text);
        exit(1);
    }
    reference_open(&reference, &model.gguf);
    (config.vectors ? reference_hidden : reference_logits)(&reference, tokens, TOKENS, want);
    double error = error_of(config.vectors ? session.hidden : session.logits, want, TOKENS,
                            config.vectors ? model.sizes.dim : model.sizes.vocab,
                            model_source(&model, tokens, TOKENS), same);
    reference_close(&reference);
    session_close(&session);
    model_close(&model);
    free(bytes), free(want);
    return error;
}

/* The same of the model's draft head. */
static double compare_draft(const MakeModel *m, int *same) {
    enum { VOCAB = MAKE_VOCAB };
    int32_t tokens[TOKENS];
    size_t size;
    Model model;
    Reference reference;
    double *want = malloc(sizeof *want * TOKENS * VOCAB);
    float *got = malloc(sizeof *got * TOKENS * VOCAB);
    unsigned char *bytes = make_model(m, &size);
    fill_tokens(tokens, VOCAB);
    open_or_exit(&model, bytes, size);
    run_draft(&model, tokens, TOKENS, NULL, got);
    reference_open(&reference, &model.gguf);
    reference_draft(&reference, tokens, TOKENS, want);
    double error = error_of(got, want, TOKENS, VOCAB, 0, same);
    reference_close(&reference), model_close(&model);
    free(bytes), free(want), free(got);
    return error;
}

/* The same of a draft head in a file of its own, for a random Llama; the last tokens are read by the head alone. */
static double compare_draft_head(const MakeModel *m, int *same) {
    enum { KNOWN = TOKENS - 5 };
    int32_t tokens[TOKENS];
    size_t size, own;
    Model model, head;
    Reference target, reference;
    MakeModel of = make_model_of("llama", "layers:4");
    of.dtype = m->dtype;
    double *want = malloc(sizeof *want * TOKENS * MAKE_VOCAB);
    float *got = malloc(sizeof *got * TOKENS * MAKE_VOCAB);
    unsigned char *bytes = make_model(&of, &size), *file = make_model(m, &own);
    fill_tokens(tokens, MAKE_VOCAB);
    open_or_exit(&model, bytes, size), open_or_exit(&head, file, own);
    run_guesses(&head, &model, tokens, TOKENS, KNOWN, NULL, got);
    reference_open(&target, &model.gguf), reference_open(&reference, &head.gguf);
    reference_guesses(&reference, &target, tokens, TOKENS, KNOWN, want);
    double error =
        error_of(got, want, TOKENS - 1, model_extras(&head)->draft_head.count, 0, same);
    ++*same; /* nothing is said of the first token */
    reference_close(&reference), reference_close(&target);
    model_close(&head), model_close(&model);
    free(bytes), free(file), free(want), free(got);
    return error;
}

/* The same of an assistant, for a random Gemma 4 that has read all but the last tokens. */
static double compare_assistant(const MakeModel *m, int *same, int *of) {
    enum { KNOWN = TOKENS - 8 };
    int32_t tokens[TOKENS];
    size_t size, own;
    Model model, head;
    Reference target, reference;
    MakeModel with = make_model_of("gemma4", NULL);
    with.dtype = m->dtype;
    double *want = malloc(sizeof *want * TOKENS * MAKE_VOCAB);
    float *got = malloc(sizeof *got * TOKENS * MAKE_VOCAB);
    unsigned char *bytes = make_model(&with, &size), *file = make_model(m, &own);
    fill_tokens(tokens, MAKE_VOCAB);
    open_or_exit(&model, bytes, size), open_or_exit(&head, file, own);
    run_assistant(&head, &model, tokens, TOKENS, KNOWN, (KvFormat){0}, got);
    reference_open(&target, &model.gguf), reference_open(&reference, &head.gguf);
    reference_assistant(&reference, &target, tokens, TOKENS, KNOWN, want);
    double error = error_of(got, want, TOKENS - KNOWN, MAKE_VOCAB, 0, same);
    *of = TOKENS - KNOWN;
    reference_close(&reference), reference_close(&target);
    model_close(&head), model_close(&model);
    free(bytes), free(file), free(want), free(got);
    return error;
}

/* The same for rows of a picture that is nothing but numbers: how many have their largest where they should. */
static double compare_vision(const MakeModel *m, int *same, int *of) {
    Vision vision;
    Picture picture;
    ReferenceEye reference;
    Fault fault;
    size_t size;
    unsigned char *bytes = make_model(m, &size);
    if (!vision_open_memory(&vision, bytes, size, CLASS_FIRST, NULL, &fault) ||
        !picture_init(&picture, model_extras(&vision.model)->vision.image,
                      model_extras(&vision.model)->vision.image, &fault)) {
        printf("%s\n", fault.text);
        exit(1);
    }
    for (size_t i = 0; i < 3 * picture.width * picture.height; i++)
        picture.rgb[i] = (unsigned char)rng_hash(3, 0, i);
    size_t rows = vision_rows(&vision), width = vision_width(&vision), count = rows * width;
    float *got = malloc(count * sizeof *got);
    double *want = malloc(count * sizeof *want), *row = malloc(width * sizeof *row), error = 0,
           power = 0;
    reference_eye_open(&reference, &vision.model.gguf, false);
    reference_eye_rows(&reference, picture.rgb, (int)width, want);
    *same = vision_read(&vision, &picture, got, &fault) ? 0 : -1, *of = (int)rows;
    for (size_t i = 0; i < count; i++) {
        row[i % width] = (double)got[i];
        error += pow((double)got[i] - want[i], 2), power += pow(want[i], 2);
        if (i % width == width - 1)
            *same += most(row, width) == most(want + i - i % width, width);
    }
    reference_eye_close(&reference), vision_close(&vision), picture_free(&picture);
    free(bytes), free(got), free(want), free(row);
    return error / power;
}

/* A line of the table; how many of its numbers are too large. */
static int print_family(const Recipe *family, const char *more) {
    const char *arch = family->arch;
    int worse = 0, same, of = TOKENS;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        MakeModel m = make_model_of(arch, more);
        m.dtype = formats[f].dtype;
        double error = quirks_of(family)->is_vision_tower ? compare_vision(&m, &same, &of)
                       : quirks_of(family)->is_draft_head ? compare_draft_head(&m, &same)
                       : quirks_of(family)->assists       ? compare_assistant(&m, &same, &of)
                       : more                             ? compare_draft(&m, &same)
                                                          : compare(&m, &same);
        if (f == 0) printf("%-16s %-44.44s", arch, more ? more : m.family);
        printf("  %7.1e", error);
        if (f == 0) printf("  %2d/%d", same, of);
        worse += !(error <= formats[f].bound) || (f == 0 && same < of);
    }
    printf("%s\n", worse ? "  <-- too large" : "");
    return worse;
}

/* A random model of a family, with more words, as a file. */
static int write_model(const char *arch, const char *more, const char *path) {
    MakeModel m = make_model_of(arch, more);
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(bytes, 1, size, file) == size;
    if (file) ok = fclose(file) == 0 && ok;
    free(bytes);
    return !ok;
}

/* Is it nothing by itself? */
static bool drafts(const Recipe *family) {
    return quirks_of(family)->is_draft_head || quirks_of(family)->assists;
}

int main(int argc, char **argv) {
    const Recipe *row;
    size_t count = 0;
    int worse = 0;
    if (argc == 4) return write_model(argv[1], argv[2], argv[3]);
    printf("%-16s %-44s  %7s  %5s  %7s  %7s\n", "family", "recipe", "f32", "next", "f16",
           "q8_0");
    for (; (row = recipe_row(count)); count++)
        if (!drafts(row)) worse += print_family(row, NULL);
    printf("\ndraft heads\n");
    for (size_t i = 0; (row = recipe_row(i)); i++)
        if (quirks_of(row)->draft_heads || drafts(row))
            worse += print_family(row, drafts(row) ? NULL : "drafts:1 draft_ends");
    printf("%zu families, %d numbers too large\n", count, worse);
    return worse > 0;
}
