/* listing.c - see listing.h. */
#include "listing.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool list_read_ids(const char *text, size_t vocab, TokenList *ids, Fault *fault) {
    for (const char *at = text; *at;) {
        char *end;
        long id = strtol(at, &end, 10);
        if (end == at || id < 0 || (size_t)id >= vocab || (*end && *end != ',') ||
            (*end && !end[1]))
            return fault_set(fault,
                             "'%.40s': wanted token ids from 0 to %zu, separated by commas",
                             text, vocab - 1);
        token_list_add(ids, (int32_t)id);
        at = *end ? end + 1 : end;
    }
    return true;
}

void list_log_probs(FILE *out, const Tokenizer *tokenizer, const Choice *choice, size_t n) {
    size_t vocab = choice->after->vocab;
    double sum = log_sum_exp(choice->raw, vocab);
    fprintf(out, "%zu\t%d\t", choice->step, choice->token);
    utf8_print_escaped(out, tokenizer_piece(tokenizer, choice->token, true));
    fprintf(out, "\t%.6f\t%.6f", (double)choice->raw[choice->token] - sum,
            candidates_log_prob(choice->after, choice->token));
    uint64_t *keys = n ? malloc(vocab * sizeof *keys) : NULL;
    if (n > vocab) n = vocab;
    for (size_t i = 0; keys && i < vocab; i++) keys[i] = order_key(choice->raw[i], (int32_t)i);
    if (keys) order_select(keys, vocab, n), order_sort(keys, n);
    for (size_t i = 0; keys && i < n; i++)
        fprintf(out, "\t%d:%.6f", order_id(keys[i]), (double)order_value(keys[i]) - sum);
    putc('\n', out);
    free(keys);
}

void list_cell(FILE *out, Text text) {
    putc('"', out);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"') putc('"', out);
        putc(text.data[i], out);
    }
    putc('"', out);
}

void list_json(FILE *out, Text text) {
    fputc('"', out);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

void list_encoded(FILE *out, Text text) {
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (isalnum(c) || (c && strchr("._/-", c)))
            fputc(c, out);
        else
            fprintf(out, "%%%02X", c);
    }
}
