/* print.c - what one reading of a text shows.  See look.h. */
#include "look.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 4, WORD = 200 };

/* Bytes that are no plain letters as \x0a. */
static const char *print_readable(const Look *look, int32_t token, bool csv) {
    static char texts[WORDS][WORD];
    static size_t turn;
    char *out = texts[turn++ % WORDS], *at = out;
    const bool image = (size_t)token >= tokenizer_count(look->tokenizer);
    Text piece = image ? text_of(PICTURE_MARK) : tokenizer_piece(look->tokenizer, token, true);
    *at++ = '"';
    for (size_t i = 0; i < piece.size && at < out + WORD - 8; i++) {
        unsigned char c = (unsigned char)piece.data[i];
        if (c < ' ' || c == 127)
            at += sprintf(at, "\\x%02x", c);
        else if (csv && c == '"')
            at += sprintf(at, "\"\"");
        else
            *at++ = (char)c;
    }
    *at++ = '"', *at = 0;
    return out;
}

const char *look_word(const Look *look, int32_t token) {
    return print_readable(look, token, false);
}
const char *look_cell(const Look *look, int32_t token) {
    return print_readable(look, token, true);
}

size_t look_largest(const float *numbers, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (numbers[i] > numbers[best]) best = i;
    return best;
}

/* ------------------------------------------------------------------ attention */

static void list_places(const Look *look, size_t layer, size_t head, size_t query) {
    const float *row = activation_weights(&look->cache, layer, head, query);
    float *left = look->cache.row;
    memcpy(left, row, (query + 1) * sizeof *left);
    printf("%5zu.%-3zu %5zu %-14s ", layer, head, query,
           look_word(look, look->tokens->ids[query]));
    for (long k = 0; k < look->job->top && k <= (long)query; k++) {
        size_t key = look_largest(left, query + 1);
        printf("  %.3f %s %zu", (double)left[key], look_word(look, look->tokens->ids[key]),
               key);
        left[key] = -1;
    }
    putchar('\n');
}

static void list_row(const Look *look, size_t layer, size_t head, size_t query) {
    const float *row = activation_weights(&look->cache, layer, head, query);
    const int32_t *ids = look->tokens->ids;
    for (size_t key = 0; key <= query; key++)
        printf("%zu,%zu,%zu,%zu,%.9g,%s,%s\n", layer, head, query, key, (double)row[key],
               look_cell(look, ids[query]), look_cell(look, ids[key]));
}

/* One head, or as CSV: every token's row, but for a position that was asked for; all heads:
 * the row of one token. */
bool look_attention(Look *look, Fault *fault) {
    (void)fault;
    const Session *s = look->cache.session;
    bool all = look->layer == ACT_ALL, csv = look->job->csv,
         one = look->job->position >= 0 || (all && !csv);
    if (csv)
        printf("layer,head,query,key,weight,query_text,key_text\n");
    else
        printf(" head    token                  looks at: weight, token, position\n");
    for (size_t l = 0; l < look->cache.layers; l++) {
        const Attention *a = &s->model->blocks[l].attention;
        for (size_t h = 0; a->q.w.data && h < a->shape.heads; h++)
            for (size_t q = 0; q < look->tokens->count; q++) {
                if (!all && (l != look->layer || h != look->head)) continue;
                if (one && q != look->position) continue;
                (csv ? list_row : list_places)(look, l, h, q);
            }
    }
    return true;
}

/* ------------------------------------------------------------------ stream and lens */

static const char *place_name(size_t place) {
    static char text[48];
    if (place == 0) return "embedding";
    snprintf(text, sizeof text, "layer %zu %s", (place - 1) / 2,
             place % 2 ? "attention" : "feed-forward");
    return text;
}

bool look_lens(Look *look, Fault *fault) {
    (void)fault;
    size_t vocab = look->cache.session->model->sizes.vocab;
    bool csv = look->job->csv;
    if (csv)
        printf("position,place,name,rank,token,probability,text\n");
    else
        printf("after token %zu, %s:\n", look->position,
               look_word(look, look->tokens->ids[look->position]));
    for (size_t place = 0; place < activation_places(&look->cache); place++) {
        activation_lens(&look->cache, place, look->position);
        float *shares = look->cache.shares;
        if (!csv) printf("%-22s", place_name(place));
        for (long rank = 0; rank < look->job->top && rank < (long)vocab; rank++) {
            size_t best = look_largest(shares, vocab);
            double share = (double)shares[best];
            shares[best] = -1;
            if (csv)
                printf("%zu,%zu,%s,%ld,%zu,%.9g,%s\n", look->position, place, place_name(place),
                       rank, best, share, look_cell(look, (int32_t)best));
            else
                printf("  %.3f %s", share, look_word(look, (int32_t)best));
        }
        if (!csv) putchar('\n');
    }
    return true;
}

bool look_stream(Look *look, Fault *fault) {
    (void)fault;
    const ActivationCache *g = &look->cache;
    const int32_t *ids = look->tokens->ids;
    bool csv = look->job->csv;
    if (csv) printf("position,place,name,size,text\n");
    for (size_t i = 0; i < look->tokens->count; i++) {
        if (!csv) printf("%5zu %-14s", i, look_word(look, ids[i]));
        for (size_t place = 0; place < activation_places(g); place++) {
            double size = (double)activation_size(g, place, i);
            if (csv)
                printf("%zu,%zu,%s,%.9g,%s\n", i, place, place_name(place), size,
                       look_cell(look, ids[i]));
            else
                printf("  %7.3f", size);
        }
        if (!csv) putchar('\n');
    }
    if (!csv)
        printf("root mean square of the stream: embedding, then after attention and "
               "feed-forward of each layer\n");
    return true;
}
