/* Worked exercise 5: one prompt through the decoder, layer by layer: what would each layer say
 * next?  (The "logit lens": the last norm and the output matrix are applied to the stream
 * between the layers.)
 *
 * --csv prints layer,rank,token,probability. */
#include "worked.h"
#include "models.h"

enum { BEST = 5, MAX = 64 };

static void say(const Model *m, Session *s, size_t row, int layer, bool csv) {
    size_t dim = m->sizes.dim, vocab = m->sizes.vocab;
    float *logits = malloc(vocab * sizeof *logits), normed[4096];
    norm_apply(&m->out_norm, normed, s->x + row * dim, dim);
    linear(NULL, &m->head, normed, 1, logits, s->run.scratch);
    softmax(logits, logits, vocab);
    if (!csv) printf(layer < 0 ? "   the embedding " : "   after layer %d ", layer);
    for (int rank = 0; rank < BEST; rank++) {
        size_t best = 0;
        for (size_t i = 0; i < vocab; i++)
            if (logits[i] > logits[best]) best = i;
        Text piece = tokenizer_piece(m->tokenizer, (int32_t)best, true);
        if (csv)
            printf("%d,%d,%zu,%.6f\n", layer, rank, best, (double)logits[best]);
        else
            printf("  \"%.*s\" %.3f", (int)piece.size, piece.data, (double)logits[best]);
        logits[best] = -1;
    }
    if (!csv) putchar('\n');
    free(logits);
}

static void introduce(const Model *m, const char *prompt, const TokenList *ids) {
    Text last = tokenizer_piece(m->tokenizer, ids->ids[ids->count - 1], true);
    printf("1. \"%s\" becomes %zu tokens:", prompt, ids->count);
    for (size_t i = 0; i < ids->count; i++) printf(" %d", ids->ids[i]);
    printf("\n   (the first one stands for the beginning of a document)\n\n"
           "2. Each is a row of the embedding, %zu numbers: the residual stream.  Every "
           "layer adds to it.\n\n"
           "3. Only after the last layer do a norm and the output matrix turn the stream into "
           "a score for each of %zu tokens.\n   But every layer's stream has the same width; "
           "so apply both to each, as if it were the last: what would the\n   model say after "
           "\"...%.*s\" if it stopped there?\n\n",
           m->sizes.dim, m->sizes.vocab, (int)last.size, last.data);
    guess("which word comes out at the end, and after which layer is it first?");
}

/* The layers one by one, with a look at the last token's stream after each. */
static bool walk(const Model *m, Session *s, const TokenList *ids, bool csv) {
    int32_t sequence[MAX] = {0}, position[MAX];
    bool wants[MAX] = {false};
    for (size_t i = 0; i < ids->count; i++) {
        position[i] = (int32_t)i;
        embedding(s->x + i * m->sizes.dim, &m->embedding, (size_t)ids->ids[i]);
    }
    Batch batch = {ids->count, ids->ids, sequence, position, wants, NULL};
    if (!kv_extend(&s->kv, 0, ids->count)) return false;
    say(m, s, ids->count - 1, -1, csv);
    for (size_t l = 0; l < m->sizes.layers; l++) {
        block_forward(&m->blocks[l], &(Pass){&s->run, &s->kv, l, &batch, m->sizes.dim}, s->x);
        say(m, s, ids->count - 1, (int)l, csv);
    }
    return true;
}

int main(int argc, char **argv) {
    Model m;
    Session s;
    Fault fault;
    TokenList ids = {0};
    bool csv = worked_csv(argc, argv);
    const char *usual = "Once upon a time there was a",
               *prompt = csv ? usual : sentence_or(usual);
    SessionConfig config = {.ctx = MAX, .sequences = 1, .max_tokens = MAX, .max_logits = 1};
    if (!model_open(&m, "layer5_models/models/storyteller.gguf", &fault) ||
        !session_open(&s, &m, NULL, config, &fault))
        worked_fails(fault.text);
    tokenizer_begin(m.tokenizer, &ids);
    if (!tokenizer_encode(m.tokenizer, text_of(prompt), true, &ids, &fault))
        worked_fails(fault.text);
    if (ids.count > MAX) worked_fails("a shorter sentence, please: 63 tokens at most");
    if (csv)
        printf("layer,rank,token,probability\n");
    else
        introduce(&m, prompt, &ids);
    if (!walk(&m, &s, &ids, csv)) worked_fails("the memory is full");
    if (!csv)
        printf("\n4. The last line is what the model says: these are the probabilities that "
               "samplers choose from.\n");
    token_list_free(&ids);
    session_close(&s);
    model_close(&m);
    return worked_end();
}
