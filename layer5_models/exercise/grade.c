/* The graders of layer 5.  They use the model in the box. */
#include "grader.h"
#include "../src/train/trainer.h"
#include "models.h"

static Model model;

static void open_box(void) {
    Fault fault;
    if (!model_open(&model, "layer5_models/models/storyteller.gguf", &fault)) {
        printf("  %s\n", fault.text);
        exit(2);
    }
}

/* Fewer pieces than bytes, and together they are the text. */
GRADE(merging) {
    open_box();
    const char *text = "Once upon a time there was a little fox.";
    TokenList ids = {0};
    Fault fault;
    HINT(tokenizer_encode(model.tokenizer, text_of(text), false, &ids, &fault), "%s",
         fault.text);
    char back[200] = "";
    for (size_t i = 0; i < ids.count; i++) {
        Text piece = tokenizer_piece(model.tokenizer, ids.ids[i], false);
        strncat(back, piece.data, piece.size);
    }
    HINT(strcmp(back, text) == 0,
         "the pieces together read \"%s\": a merged piece has the size of both, and the one "
         "merged away the size 0",
         back);
    HINT(ids.count < strlen(text) / 2,
         "%zu pieces for %zu bytes: after a merge the new piece has two new neighbours to "
         "consider",
         ids.count, strlen(text));
    HINT(ids.count == 10 || ids.count < 14,
         "%zu pieces: is the best pair of all always taken first?", ids.count);
}

static int32_t next_of(const char *text) {
    Session session;
    Fault fault;
    TokenList ids = {0};
    SessionConfig config = {.ctx = 64, .sequences = 1, .most_tokens = 64, .most_logits = 1};
    tokenizer_begin(model.tokenizer, &ids);
    if (!tokenizer_encode(model.tokenizer, text_of(text), true, &ids, &fault)) exit(2);
    if (!session_open(&session, &model, NULL, config, &fault)) exit(2);
    if (!session_feed(&session, ids.ids, ids.count, false, &fault)) exit(2);
    size_t best = 0;
    for (size_t i = 0; i < model.sizes.vocab; i++)
        if (session.logits[i] > session.logits[best]) best = i;
    return (int32_t)best;
}

GRADE(forward) {
    open_box();
    Text piece = tokenizer_piece(model.tokenizer, next_of("Once upon a"), false);
    HINT(piece.size == 5 && memcmp(piece.data, " time", 5) == 0,
         "after \"Once upon a\" the model wants \"%.*s\", not \" time\": embed, every block, "
         "norm, head",
         (int)piece.size, piece.data);
}

/* Two steps of one gain with the gradient 1: by the formula of Loshchilov & Hutter. */
GRADE(training) {
    float value = 0.5f, gradient = 1, m = 0, v = 0;
    double partial = 0, want = 0.5;
    Parameter p = {.rows = 1, .cols = 1};
    Trainer t = {.values = &value,
                 .gradients = &gradient,
                 .moment1 = &m,
                 .moment2 = &v,
                 .partial = &partial,
                 .size = 1,
                 .parameters = &p,
                 .n_parameters = 1};
    t.config.beta1 = 0.9, t.config.beta2 = 0.99, t.config.epsilon = 1e-8, t.config.clip = 10,
    t.config.weight_decay = 0.1;
    double mean = 0, square = 0;
    for (int step = 0; step < 2; step++) {
        t.step = (uint64_t)step;
        gradient = step == 0 ? 1 : 0.5f;
        mean = 0.9 * mean + 0.1 * (double)gradient,
        square = 0.99 * square + 0.01 * (double)gradient * (double)gradient;
        want -= 0.01 * (mean / (1 - pow(0.9, step + 1))) /
                (sqrt(square / (1 - pow(0.99, step + 1))) + 1e-8);
        train_update(&t, 0.01);
        HINT(close_to((double)value, want, 1e-5),
             "after step %d the weight is %g, wanted %g: m and v are running means of the "
             "gradient and of "
             "its square, and the step is corrected(m) / (sqrt(corrected(v)) + eps) times the "
             "rate",
             step + 1, (double)value, want);
    }
}

GRADE(family) {
    open_box();
    Text piece =
        tokenizer_piece(model.tokenizer, next_of("Once upon a time there was a"), false);
    Text other = tokenizer_piece(model.tokenizer, next_of("Once upon a"), false);
    HINT(model.ropes[0].style == ROPE_INTERLEAVED,
         "positions are turned in another style than the file was trained with (after \"Once "
         "upon a\" it says \"%.*s\", then \"%.*s\"): llama files turn neighbours",
         (int)other.size, other.data, (int)piece.size, piece.data);
}

GRADES({"5.1", merging}, {"5.2", forward}, {"5.3", training}, {"5.6", family})
