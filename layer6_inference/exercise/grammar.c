/* The worked exercise of grammars: Earley's table while tokens are chosen.
 *
 *     make worked grammar
 *     make worked grammar SENTENCE='The fox met' GRAMMAR='root ::= " " [a-z]+ "."'
 *
 * Of each token: what the grammar allows, what the model makes of that, and the rows between
 * its bytes; of each row, what every step (scan, complete, predict) adds.  --csv prints
 * row,after,step,what,back. */
#include "../extras/grammar/earley.h"
#include "../extras/grammar/gbnf.h"
#include "../extras/grammar/token_mask.h"
#include "inference.h"
#include "write.h"
#include "worked.h"

enum { TOKENS = 6, MAX = 128, SHOWN = 5, WIDE = 44 };

static const char *const usual_grammar =
    "root ::= animal \" named \" name \".\"\n"
    "animal ::= \" quiet\" animal | \" fox\" | \" mouse\"\n"
    "name ::= \"Sam\" | \"Fern\"";

typedef struct Bench {
    Model model;
    Session session;
    TokenList ids;
    float *p; /* (vocab) of the next token */
    ExprStore exprs;
    RowTable rows;
    MaskTable masks;
    uint32_t row;
    bool csv;
} Bench;

/* ------------------------------------------------------------------ the table */

static void show_item(const Bench *b, uint32_t row, const char *after, const char *step,
                      Item item) {
    Line line = {.size = 0}, back = {.size = 0};
    Return r = b->rows.back[item.back];
    put_expr(&line, &b->exprs, item.expr, false);
    if (item.back == RETURN_END)
        put(&back, "no caller");
    else
        put(&back, "who called %s in row %u", b->exprs.rule[r.rule].name, r.row);
    if (b->csv)
        printf("%u,\"%s\",%s,\"%s\",%s\n", row, after, step, line.text, back.text);
    else
        printf("      %-9s %-*s -> %s\n", step, WIDE, line.text, back.text);
}

/* Repeat the steps that made a row, from the row before and a byte, or from the beginning. */
static void show_row(Bench *b, uint32_t before, int byte, uint32_t row) {
    RowTable *t = &b->rows;
    char after[8] = "start";
    bool end = false;
    size_t at = 0;
    if (byte >= 0)
        snprintf(after, sizeof after, byte == ' ' ? "_" : byte == '"' ? "\\x22" : "%c", byte);
    if (!b->csv)
        printf(byte < 0 ? "   row %u, before the text\n" : "   row %u, after %s\n", row, after);
    row_clear(t);
    if (byte < 0)
        row_add_item(t, t->row[row].items[0].expr, RETURN_END);
    else
        row_scan(t, before, (uint8_t)byte);
    for (; at < t->n_work; at++)
        show_item(b, row, after, byte < 0 ? "begin" : "scan", t->work[at]);
    for (size_t i = 0; i < t->n_work; i++) {
        if (expr_is_nullable(t->exprs, t->work[i].expr))
            row_complete(t, t->work[i].back, UINT32_MAX, &end);
        for (; at < t->n_work; at++) show_item(b, row, after, "complete", t->work[at]);
    }
    for (size_t i = 0; i < t->n_work; i++) {
        row_predict(t, t->work[i], row);
        for (; at < t->n_work; at++) show_item(b, row, after, "predict", t->work[at]);
    }
    if (!b->csv && end) printf("      the text may end here\n");
}

/* ------------------------------------------------------------------ a token */

static bool allows(const uint64_t *mask, size_t id) { return mask[id / 64] >> (id % 64) & 1; }

/* Show what is allowed, the likeliest first; returns that one, or -1. */
static int32_t choose(Bench *b) {
    const uint64_t *mask = mask_of(&b->masks, b->row);
    size_t vocab = b->model.sizes.vocab, allowed = 0;
    int32_t best[SHOWN];
    double left = 0;
    softmax(b->p, b->session.logits, vocab);
    for (size_t i = 0; i < vocab; i++)
        if (allows(mask, i)) allowed++, left += (double)b->p[i];
    for (size_t rank = 0; rank < SHOWN; rank++) {
        best[rank] = -1;
        for (size_t i = 0; i < vocab; i++) {
            bool taken = !allows(mask, i);
            for (size_t r = 0; r < rank; r++) taken = taken || best[r] == (int32_t)i;
            if (!taken && (best[rank] < 0 || b->p[i] > b->p[best[rank]]))
                best[rank] = (int32_t)i;
        }
    }
    if (!b->csv)
        printf("\n   %zu of %zu tokens are allowed, with a probability of %.2g together:",
               allowed, vocab, left);
    for (size_t rank = 0; !b->csv && rank < SHOWN && best[rank] >= 0; rank++) {
        Text piece = tokenizer_piece(b->model.tokenizer, best[rank], true);
        printf(" \"%.*s\" %.2g", (int)piece.size, piece.data, (double)b->p[best[rank]]);
    }
    if (!b->csv) printf(allowed > SHOWN ? " ...\n" : "\n");
    return best[0];
}

/* Take a token: a row for each of its bytes. */
static void take(Bench *b, int32_t token) {
    Fault fault;
    Text piece = tokenizer_piece(b->model.tokenizer, token, false);
    if (!b->csv) printf("   taken: \"%.*s\"\n\n", (int)piece.size, piece.data);
    for (size_t i = 0; i < piece.size; i++) {
        uint32_t next = row_next(&b->rows, b->row, (uint8_t)piece.data[i]);
        show_row(b, b->row, (uint8_t)piece.data[i], next);
        b->row = next;
    }
    token_list_add(&b->ids, token);
    if (!session_eval(&b->session, &token, 1, false, &fault)) worked_fails(fault.text);
}

static void bench_open(Bench *b, const char *prompt, const char *grammar) {
    Fault fault;
    uint32_t root;
    SessionConfig config = {.ctx = MAX, .sequences = 1, .max_tokens = MAX, .max_logits = 1};
    if (!model_open(&b->model, "layer5_models/models/storyteller.gguf", &fault))
        worked_fails(fault.text);
    tokenizer_begin(b->model.tokenizer, &b->ids);
    if (!tokenizer_encode(b->model.tokenizer, text_of(prompt), true, &b->ids, &fault))
        worked_fails(fault.text);
    if (b->ids.count > MAX - TOKENS)
        worked_fails("a shorter sentence, please: 120 tokens at most");
    if (!token_list_reserve(&b->ids, TOKENS, &fault) ||
        !session_open(&b->session, &b->model, NULL, config, &fault) ||
        !session_eval(&b->session, b->ids.ids, b->ids.count, false, &fault))
        worked_fails(fault.text);
    expr_store_init(&b->exprs);
    if (!gbnf_read(&b->exprs, text_of(grammar), b->model.tokenizer, &root, &fault))
        worked_fails(fault.text);
    expr_close_rules(&b->exprs);
    row_table_init(&b->rows, &b->exprs);
    Lexicon *lexicon = lexicon_of(b->model.tokenizer, &fault);
    if (!lexicon || !mask_table_init(&b->masks, &b->rows, lexicon, &fault))
        worked_fails(fault.text);
    b->p = malloc(b->model.sizes.vocab * sizeof *b->p);
    if (!b->p) worked_fails("no memory");
    if ((b->row = row_begin(&b->rows, root)) == ROW_DEAD)
        worked_fails("no text belongs to this grammar");
}

int main(int argc, char **argv) {
    static Bench b;
    const char *own = getenv("GRAMMAR"), *prompt = sentence_or("Once upon a time there was a");
    const char *grammar = own && *own ? own : usual_grammar;
    b.csv = worked_csv(argc, argv);
    bench_open(&b, prompt, grammar);
    if (b.csv) {
        printf("row,after,step,what,back\n");
    } else {
        printf("\"%s ...\" under the grammar\n\n%s\n\n(_ is a blank, <animal> a call of a "
               "rule)\n\n",
               prompt, grammar);
        guess("which tokens may come first?");
    }
    show_row(&b, ROW_DEAD, -1, b.row);
    for (int i = 0; i < TOKENS; i++) {
        int32_t token = choose(&b);
        if (token < 0 || tokenizer_is_end(b.model.tokenizer, token)) break;
        take(&b, token);
        const Row *row = &b.rows.row[b.row];
        if (row->complete && row->n_items == 0) break;
    }
    if (!b.csv) printf("\n   %u rows, %u expressions.\n", b.rows.count - 1, b.exprs.count);
    mask_table_free(&b.masks), row_table_free(&b.rows), expr_store_free(&b.exprs);
    free(b.p), token_list_free(&b.ids), session_close(&b.session), model_close(&b.model);
    return worked_end();
}
