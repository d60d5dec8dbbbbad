/* grammar.c - a notation, its expressions and its Earley sets.  See grammar.h. */
#include "grammar.h"
#include "gbnf.h"
#include "token_mask.h"
#include "regex.h"
#include "row.h"
#include "schema.h"
#include "shortest.h"
#include "tags.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct Grammar {
    ExprStore exprs;
    RowTable rows;
    uint32_t root;
    Schema schema;              /* JSON Schema: its objects and arrays unfold later */
    TagSchemas tag_schemas;     /* the schemas of tags */
    const Tokenizer *tokenizer; /* NULL: bytes only */
    MaskTable masks;
    Shortest shortest;
    Json *json;        /* a schema's text, while it is compiled, */
    size_t json_bytes; /* and its part of the budget */
};

/* *out has it at once, so that it can be closed whatever happens. */
static Grammar *grammar_new(Grammar **out) {
    Grammar *g = *out = calloc(1, sizeof *g);
    NEED_MEMORY(g, "a grammar");
    expr_store_init(&g->exprs);
    row_table_init(&g->rows, &g->exprs);
    return g;
}

void grammar_close(Grammar *grammar) {
    if (!grammar) return;
    shortest_free(&grammar->shortest);
    mask_table_free(&grammar->masks);
    row_table_free(&grammar->rows);
    expr_store_free(&grammar->exprs);
    schema_free(&grammar->schema), tags_free(&grammar->tag_schemas);
    json_free(grammar->json), free(grammar);
}

/* One that failed has none. */
static bool grammar_end(Grammar **grammar, bool ok) {
    if (!ok) grammar_close(*grammar), *grammar = NULL;
    return ok;
}

/* All rules are read: is the language nonempty, within the limits? */
static bool grammar_finish(Grammar *g, bool may_be_empty, Fault *fault) {
    expr_close_rules(&g->exprs);
    uint32_t begin = row_begin(&g->rows, g->root);
    if (g->exprs.budget.over) return budget_refuse(&g->exprs.budget, fault);
    if (begin == ROW_DEAD && !may_be_empty)
        return fault_set(fault, "this grammar matches no text: every derivation needs a rule "
                                "that never ends or an impossible condition");
    budget_compiled(&g->exprs.budget);
    return true;
}

bool grammar_from_gbnf(Grammar **grammar, Text source, const GrammarOptions *options,
                       Fault *fault) {
    Grammar *g = grammar_new(grammar);
    bool ok = gbnf_read(&g->exprs, source, options->tokenizer, &g->root, fault);
    if (ok && !options->left_recursion) {
        expr_find_nullable(&g->exprs);
        ok = gbnf_check_left_recursion(&g->exprs, g->root, fault);
    }
    ok = ok && grammar_finish(g, false, fault);
    return grammar_end(grammar, ok);
}

bool grammar_from_regex(Grammar **grammar, Text source, Fault *fault) {
    Grammar *g = grammar_new(grammar);
    const RegexOptions options = {.write = charset_utf8};
    Expr body = EXPR_NONE;
    bool ok = regex_read(&g->exprs, source, &options, &body, fault);
    g->root = expr_rule(&g->exprs, "root");
    g->exprs.rule[g->root].body = expr_is_live(&g->exprs, body) ? body : EXPR_NONE;
    ok = ok && grammar_finish(g, false, fault);
    return grammar_end(grammar, ok);
}

bool grammar_from_choices(Grammar **grammar, Text source, Fault *fault) {
    Grammar *g = grammar_new(grammar);
    ExprList ways = {0};
    for (bool more = true; more;) {
        size_t before = source.size;
        Text one = text_cut(&source, '|');
        expr_list_add(&ways, expr_text(&g->exprs, one.data, one.size));
        more = one.size < before;
    }
    g->root = expr_rule(&g->exprs, "root");
    g->exprs.rule[g->root].body = expr_list_alt(&g->exprs, &ways);
    bool ok = grammar_finish(g, false, fault);
    return grammar_end(grammar, ok);
}

enum { JSON_BYTES = 160 /* of a value, while an array of them grows */ };

/* Read JSON whose tree fits the budget. */
static bool grammar_read_json(Grammar *g, Text source, Fault *fault) {
    bool in_string = false;
    size_t values = 1; /* at least as many as there are */
    for (size_t i = 0; i < source.size; i++) {
        const char c = source.data[i];
        if (c == '"') in_string = !in_string;
        if (c == '\\' && in_string) i++;
        if (!in_string) values += c == ',' || c == '[' || c == '{';
    }
    Budget *budget = &g->exprs.budget;
    g->json_bytes = values * JSON_BYTES;
    if (!budget_hold(budget, g->json_bytes)) return budget_refuse(budget, fault);
    return (g->json = json_read(source, fault)) != NULL;
}

static void grammar_drop_json(Grammar *g) {
    json_free(g->json), g->json = NULL;
    g->exprs.budget.bytes -= g->json_bytes;
}

bool grammar_from_schema(Grammar **grammar, Text source, const GrammarOptions *options,
                         Fault *fault) {
    Grammar *g = grammar_new(grammar);
    bool ok =
        grammar_read_json(g, source, fault) &&
        schema_read(&g->schema, &g->exprs, json_root(g->json), options, &g->root, fault) &&
        grammar_finish(g, true, fault);
    grammar_drop_json(g);
    return grammar_end(grammar, ok);
}

bool grammar_from_tags(Grammar **grammar, Text source, const GrammarOptions *options,
                       Fault *fault) {
    Grammar *g = grammar_new(grammar);
    bool ok =
        grammar_read_json(g, source, fault) &&
        tags_read(&g->tag_schemas, &g->exprs, json_root(g->json), options, &g->root, fault) &&
        grammar_finish(g, false, fault);
    grammar_drop_json(g);
    return grammar_end(grammar, ok);
}

uint32_t grammar_begin(Grammar *grammar) { return row_begin(&grammar->rows, grammar->root); }

uint32_t grammar_next(Grammar *grammar, uint32_t row, uint8_t byte) {
    return row_next(&grammar->rows, row, byte);
}

uint32_t grammar_read(Grammar *grammar, uint32_t row, const char *bytes, size_t size) {
    for (size_t i = 0; i < size && row != GRAMMAR_DEAD; i++)
        row = grammar_next(grammar, row, (uint8_t)bytes[i]);
    return row;
}

bool grammar_is_complete(Grammar *grammar, uint32_t row) {
    return row != GRAMMAR_DEAD && grammar->rows.row[row].complete;
}

bool grammar_is_over(Grammar *grammar, uint32_t row) {
    static const ByteSet none;
    if (!grammar_is_complete(grammar, row)) return false;
    return memcmp(row_first(&grammar->rows, row), &none, sizeof none) == 0;
}

/* ------------------------------------------------------------------ tokens */

bool grammar_bind(Grammar *grammar, const Tokenizer *tokenizer, Fault *fault) {
    Lexicon *lexicon = lexicon_of(tokenizer, fault);
    grammar->tokenizer = tokenizer;
    return lexicon && mask_table_init(&grammar->masks, &grammar->rows, lexicon, fault);
}

/* TOKEN_MARK in a token's bytes is not text: it would start a token id. */
static uint32_t grammar_read_piece(Grammar *g, uint32_t row, Text bytes) {
    if (bytes.size == 0 || memchr(bytes.data, TOKEN_MARK, bytes.size)) return GRAMMAR_DEAD;
    return grammar_read(g, row, bytes.data, bytes.size);
}

uint32_t grammar_take(Grammar *grammar, uint32_t row, int32_t token) {
    char name[4] = {(char)TOKEN_MARK, (char)(token >> 16), (char)(token >> 8), (char)token};
    uint32_t next = grammar_read(grammar, row, name, sizeof name);
    if (!grammar->tokenizer) return next;
    Text bytes = tokenizer_piece(grammar->tokenizer, token, false);
    if (next == GRAMMAR_DEAD) next = grammar_read_piece(grammar, row, bytes);
    bool ends = tokenizer_is_end(grammar->tokenizer, token);
    if (next == GRAMMAR_DEAD && ends && grammar_is_complete(grammar, row)) return row;
    return next;
}

uint32_t grammar_take_rest(Grammar *grammar, uint32_t row, int32_t token, size_t skip) {
    if (skip == 0) return grammar_take(grammar, row, token);
    Text bytes = tokenizer_piece(grammar->tokenizer, token, false);
    if (bytes.size <= skip) return bytes.size == skip ? row : GRAMMAR_DEAD;
    return grammar_read_piece(grammar, row, (Text){bytes.data + skip, bytes.size - skip});
}

const uint64_t *grammar_mask(Grammar *grammar, uint32_t row, size_t *words) {
    *words = grammar->masks.lexicon->words;
    return mask_of(&grammar->masks, row);
}

enum { FORCED_BYTES = 512 };

/* The bytes that have no alternative. */
static size_t forced_bytes(Grammar *g, uint32_t row, char *out) {
    size_t n = 0;
    for (int byte; n < FORCED_BYTES && !grammar_is_complete(g, row); n++) {
        const ByteSet first = *row_first(&g->rows, row);
        if ((byte = byte_set_only(&first)) < 0 || byte == TOKEN_MARK) break;
        if ((row = row_next(&g->rows, row, (uint8_t)byte)) == ROW_DEAD) break;
        out[n] = (char)byte;
    }
    return n;
}

size_t grammar_forced(Grammar *grammar, uint32_t row, int32_t *tokens, size_t room) {
    char text[FORCED_BYTES];
    size_t size = row == GRAMMAR_DEAD ? 0 : forced_bytes(grammar, row, text), n = 0;
    for (Text rest = {text, size}; rest.size > 0 && n < room; n++) {
        size_t taken = trie_longest(&grammar->masks.lexicon->trie, rest, &tokens[n]);
        if (taken == 0) break;
        rest = (Text){rest.data + taken, rest.size - taken};
    }
    return n;
}

bool grammar_is_exhausted(const Grammar *grammar) { return grammar->exprs.budget.over; }

void grammar_spoil(Grammar *grammar) { budget_starve(&grammar->exprs.budget); }

const char *grammar_exceeded(const Grammar *grammar) {
    return budget_exceeded(&grammar->exprs.budget);
}

bool grammar_is_worn(const Grammar *grammar) { return budget_is_worn(&grammar->exprs.budget); }

/* ------------------------------------------------------------------ for people */

GrammarSize grammar_size(const Grammar *grammar) {
    return (GrammarSize){grammar->exprs.n_rule, grammar->exprs.count, grammar->rows.count - 1,
                         grammar->exprs.budget.steps};
}

uint32_t grammar_missing(Grammar *grammar, uint32_t row) {
    REQUIRE(row != GRAMMAR_DEAD, "the dead set continues no text");
    return shortest_of(&grammar->shortest, &grammar->rows, row);
}

static bool is_among(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (names[i] == name) return true;
    return false;
}

size_t grammar_begins(Grammar *grammar, uint32_t row, const char **names, size_t room) {
    size_t count = 0;
    const Row *here = &grammar->rows.row[row];
    for (uint32_t i = 0; row != GRAMMAR_DEAD && i < here->n_items; i++) {
        const ExprCall *calls;
        size_t n = expr_calls(&grammar->exprs, here->items[i].expr, &calls);
        for (size_t k = 0; k < n && count < room; k++) {
            const char *name = grammar->exprs.rule[calls[k].rule].name;
            if (name && !is_among(names, count, name)) names[count++] = name;
        }
    }
    return count;
}
