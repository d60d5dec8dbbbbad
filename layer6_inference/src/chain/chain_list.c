/* chain_list.c - the lists that some stages take: bias:15=-2, allow:5:9, ban:word.  See
 * chain_read.h. */
#include "chain_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Text chain_trim_end(Text text) {
    while (text.size && text.data[text.size - 1] == ' ') text.size--;
    return text;
}

Text chain_trim(Text text) {
    while (text.size && text.data[0] == ' ') text.data++, text.size--;
    return chain_trim_end(text);
}

bool chain_read_number(Text text, double *number) {
    char copy[64] = "", *end;
    text = chain_trim(text);
    if (text.size == 0 || text.size >= sizeof copy) return false;
    memcpy(copy, text.data, text.size);
    *number = strtod(copy, &end);
    bool decimal = !strpbrk(copy, "xXiInN"); /* strtod also reads 0x10, inf and nan */
    return *end == 0 && (decimal ? isfinite(*number) : text_equal(text, text_of("-inf")));
}

static bool no_memory(const ChainReader *r, const Stage *stage) {
    return fault_set(r->fault, "no memory for the list of %s", stage->kind->name);
}

static bool add_item(const ChainReader *r, Stage *stage, const int32_t *ids, size_t count,
                     double value) {
    StageListItem *list = realloc(stage->list, (stage->n_list + 1) * sizeof *list);
    if (list) stage->list = list;
    int32_t *copy = list ? malloc(count * sizeof *copy) : NULL;
    if (!copy) return no_memory(r, stage);
    memcpy(copy, ids, count * sizeof *copy);
    list[stage->n_list++] = (StageListItem){copy, count, value};
    return true;
}

/* Decode %20 (a space) and the like; out has text.size bytes.  The size, or -1. */
static long percent_decode(Text text, char *out) {
    long size = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '%') {
            out[size++] = text.data[i];
            continue;
        }
        if (i + 2 >= text.size || digit_value(text.data[i + 1]) > 15 ||
            digit_value(text.data[i + 2]) > 15)
            return -1;
        out[size++] =
            (char)(digit_value(text.data[i + 1]) * 16 + digit_value(text.data[i + 2]));
        i += 2;
    }
    return size;
}

/* Add the text's tokens, and those of the same text after a space. */
static bool chain_list_add_text(ChainReader *r, Stage *stage, Text text) {
    char bytes[256] = " ";
    long size = text.size < sizeof bytes - 1 ? percent_decode(text, bytes + 1) : -1;
    if (!r->tokenizer)
        return fault_set(r->fault, "%s works on texts: it needs a model's tokenizer",
                         stage->kind->name);
    if (size < 1)
        return fault_set(r->fault, "%s: '%.*s' is no text of 1 to 254 bytes (a %% is %%25)",
                         stage->kind->name, chain_shown(text), text.data);
    bool ok = true;
    for (int space = bytes[1] == ' '; space < 2 && ok; space++) {
        TokenList tokens = {0};
        ok =
            tokenizer_encode(r->tokenizer, (Text){bytes + !space, (size_t)size + (size_t)space},
                             false, &tokens, r->fault);
        ok = ok && (tokens.count == 0 || add_item(r, stage, tokens.ids, tokens.count, 0));
        token_list_free(&tokens);
    }
    return ok;
}

static bool set_text(ChainReader *r, Stage *stage, Text text) {
    const char *name = stage->kind->name;
    if (stage->text)
        return fault_set(r->fault,
                         "%s takes one text, and has '%s': a colon inside it is %%3A, a "
                         "comma %%2C",
                         name, stage->text);
    stage->text = malloc(text.size + 1);
    if (!stage->text) return no_memory(r, stage);
    long size = percent_decode(text, stage->text);
    if (size < 1 || memchr(stage->text, 0, (size_t)size))
        return stage->text[0] = 0, fault_set(r->fault, "%s: '%.*s' is no text (a %% is %%25)",
                                             name, chain_shown(text), text.data);
    stage->text[size] = 0;
    return true;
}

static bool add_break(ChainReader *r, Stage *stage, Text text) {
    char bytes[3 * BREAK_BYTES];
    size_t used = stage->text ? strlen(stage->text) : 0;
    long size = text.size <= sizeof bytes ? percent_decode(text, bytes) : -1;
    if (size < 1 || size > BREAK_BYTES || memchr(bytes, 0, (size_t)size))
        return fault_set(r->fault,
                         "%s: break is '%.*s', wanted a text of 1 to %d bytes (%%0A is "
                         "a new line, a %% is %%25)",
                         stage->kind->name, chain_shown(text), text.data, BREAK_BYTES);
    char *grown = realloc(stage->text, used + (size_t)size + 2);
    if (!grown) return no_memory(r, stage);
    grown[used] = (char)size;
    memcpy(grown + used + 1, bytes, (size_t)size);
    grown[used + (size_t)size + 1] = 0;
    stage->text = grown;
    return true;
}

static bool is_bias(double value) { return value == -INFINITY || fabs(value) <= BIAS_MAX; }

bool chain_add_to_list(ChainReader *r, Stage *stage, Text text) {
    Text value = text, key = text_cut(&value, '=');
    bool pair = key.size < text.size;
    double id, number = 0;
    if (stage->kind->list == LIST_TEXTS) return chain_list_add_text(r, stage, text);
    if (stage->kind->list == LIST_BREAKS) return add_break(r, stage, value);
    if (stage->kind->list >= LIST_ONE_TEXT) return set_text(r, stage, text);
    bool ok = chain_read_number(key, &id) && id >= 0 && id <= 2e9 && id == floor(id) &&
              pair == (stage->kind->list == LIST_BIASES) &&
              (!pair || (chain_read_number(value, &number) && is_bias(number)));
    if (!ok)
        return fault_set(r->fault, "%s: '%.*s' is no %s, wanted %s", stage->kind->name,
                         chain_shown(text), text.data, pair ? "bias" : "token id",
                         stage->kind->list == LIST_BIASES
                             ? "ID=B with a number B from -1e30 to 1e30 or -inf, like 15=-2"
                             : "the number of a token");
    return add_item(r, stage, &(int32_t){(int32_t)id}, 1, number);
}

bool chain_add_list_text(const ChainReader *r, Stage *stage, Text text) {
    size_t used = stage->list_text ? strlen(stage->list_text) : 0;
    char *grown = realloc(stage->list_text, used + text.size + 2);
    if (!grown) return no_memory(r, stage);
    snprintf(grown + used, text.size + 2, ":%.*s", (int)text.size, text.data);
    stage->list_text = grown;
    return true;
}
