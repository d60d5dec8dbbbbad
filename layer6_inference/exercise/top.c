/* The worked exercise from the top: a sentence of yours, its tokens, the scores for the next
 * one, a draw, the loop; then which layer each of these is.
 *
 *     make worked top SENTENCE='The fox lost his hat'
 *
 * --csv prints step,token,probability,sample of the loop. */
#include "worked.h"
#include "inference.h"

enum { MAX = 128, BEST = 6, STEPS = 20 };

typedef struct Story {
    Model model;
    Session session;
    TokenList ids;
    float *p; /* (vocab) of the next token */
    int32_t order[BEST];
} Story;

static Text piece_of(const Story *s, int32_t token) {
    return tokenizer_piece(s->model.tokenizer, token, true);
}

static void story_open(Story *s, const char *prompt) {
    Fault fault;
    SessionConfig config = {.ctx = MAX, .sequences = 1, .max_tokens = MAX, .max_logits = 1};
    if (!model_open(&s->model, "layer5_models/models/storyteller.gguf", &fault))
        worked_fails(fault.text);
    tokenizer_begin(s->model.tokenizer, &s->ids);
    if (!tokenizer_encode(s->model.tokenizer, text_of(prompt), true, &s->ids, &fault))
        worked_fails(fault.text);
    if (s->ids.count > MAX - STEPS)
        worked_fails("a shorter sentence, please: 108 tokens at most");
    if (!token_list_reserve(&s->ids, STEPS, &fault) ||
        !session_open(&s->session, &s->model, NULL, config, &fault) ||
        !session_eval(&s->session, s->ids.ids, s->ids.count, false, &fault))
        worked_fails(fault.text);
    s->p = malloc(s->model.sizes.vocab * sizeof *s->p);
    if (!s->p) worked_fails("no memory");
}

static void tokens_part(const Story *s, const char *prompt) {
    printf("1. A model does not see letters.  \"%s\" is cut into pieces that were frequent in "
           "the text it learned from,\n   and each piece is a number:\n\n  ",
           prompt);
    for (size_t i = 1; i < s->ids.count; i++) {
        Text piece = piece_of(s, s->ids.ids[i]);
        printf(" \"%.*s\" %d", (int)piece.size, piece.data, s->ids.ids[i]);
    }
    printf("\n\n");
}

static void find_best(Story *s) {
    const float *x = s->session.logits;
    for (int rank = 0; rank < BEST; rank++) {
        int32_t best = -1;
        for (size_t i = 0; i < s->model.sizes.vocab; i++) {
            bool taken = false;
            for (int r = 0; r < rank; r++) taken = taken || s->order[r] == (int32_t)i;
            if (!taken && (best < 0 || x[i] > x[best])) best = (int32_t)i;
        }
        s->order[rank] = best;
    }
}

static void scores_part(Story *s) {
    const float *x = s->session.logits;
    guess("which word comes next?");
    printf("2. They go through the model, and out comes a score for every one of its %zu "
           "pieces, for the next place.\n   Softmax makes probabilities of scores: e to the "
           "score, over the sum of them all.  The best:\n\n",
           s->model.sizes.vocab);
    softmax(s->p, x, s->model.sizes.vocab);
    find_best(s);
    for (int i = 0; i < BEST; i++) {
        Text piece = piece_of(s, s->order[i]);
        double p = (double)s->p[s->order[i]];
        printf("   %14.*s   score %6.2f   probability %.4f  %.*s\n", (int)piece.size,
               piece.data, (double)x[s->order[i]], p, (int)(p * 40 + 0.5),
               "########################################");
    }
    printf("\n");
}

/* The first piece at which the running sum of probabilities exceeds the uniform sample. */
static int32_t drawn(const Story *s, double coin) {
    double sum = 0;
    size_t last = s->model.sizes.vocab - 1;
    for (size_t i = 0; i < last; i++)
        if ((sum += (double)s->p[i]) > coin) return (int32_t)i;
    return (int32_t)last;
}

static void draw_part(const Story *s) {
    printf("3. One of them is drawn.  All pieces are put end to end from 0 to 1, each as long "
           "as its probability;\n   a uniform sample, a random number from 0 to 1, picks one.  "
           "Five samples:\n\n");
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double coin = rng_unit(seed, s->ids.count, 0);
        Text piece = piece_of(s, drawn(s, coin));
        printf("   %.4f  \"%.*s\"\n", coin, (int)piece.size, piece.data);
    }
    printf("\n");
}

/* The loop: draw, show, read what was drawn, and again. */
static void loop_part(Story *s, bool csv) {
    Fault fault;
    if (csv)
        printf("step,token,probability,sample\n");
    else
        printf(
            "4. What was drawn is added to the text, the model reads it, and so on.  Samples "
            "of seed 1, %d times:\n\n   ",
            STEPS);
    for (int step = 0; step < STEPS; step++) {
        softmax(s->p, s->session.logits, s->model.sizes.vocab);
        double coin = rng_unit(1, s->ids.count, 0);
        int32_t token = drawn(s, coin);
        Text piece = piece_of(s, token);
        if (tokenizer_is_end(s->model.tokenizer, token)) {
            if (!csv) printf(" (the end: that is a piece, too)");
            break;
        }
        if (piece.size == 1 && *piece.data == '\n') piece = text_of(" /");
        if (csv)
            printf("%d,%d,%.6f,%.6f\n", step, token, (double)s->p[token], coin);
        else
            printf("%.*s(%.2f)", (int)piece.size, piece.data, (double)s->p[token]);
        token_list_add(&s->ids, token);
        if (!session_eval(&s->session, &token, 1, false, &fault)) worked_fails(fault.text);
    }
    if (!csv) printf("\n\n   (each with the probability it had; / is a new line)\n\n");
}

static void map_part(const Story *s) {
    printf(
        "5. That is all of it, and the six layers are what it is made of, from the bottom:\n\n"
        "   1 tensor          where the numbers of the model lie: a file of bytes, shapes, "
        "strides\n"
        "   2 linear algebra  the products in which nearly all its time goes, and numbers in "
        "few bits\n"
        "   3 network         what happens to one row of numbers: norms, softmax, positions, "
        "the loss\n"
        "   4 transformer     how a word looks at the words before it; %zu blocks of that "
        "here\n"
        "   5 models          text to pieces, pieces to scores, and where all the numbers come "
        "from: training\n"
        "   6 inference       scores to text: the draw, its many refinements, and the loop\n\n"
        "   make worked 1 to 6 go through each with the same sentence; make learn lists what "
        "you can build yourself.\n",
        s->model.sizes.layers);
}

int main(int argc, char **argv) {
    static Story s;
    bool csv = worked_csv(argc, argv);
    const char *prompt = sentence_or("Once upon a time there was a");
    story_open(&s, prompt);
    if (!csv) tokens_part(&s, prompt), scores_part(&s), draw_part(&s);
    loop_part(&s, csv);
    if (!csv) map_part(&s);
    free(s.p), token_list_free(&s.ids), session_close(&s.session), model_close(&s.model);
    return worked_end();
}
