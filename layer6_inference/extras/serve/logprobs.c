/* logprobs.c - see logprobs.h. */
#include "logprobs.h"

static Text logprobs_piece_of(const TextJob *t, int32_t token) {
    return tokenizer_piece(t->job->tokenizer, token, true);
}

static void write_token(FILE *out, const TextJob *t, int32_t token, double logprob) {
    Text piece = logprobs_piece_of(t, token);
    fprintf(out, "{\"id\":%d,\"token\":", token);
    write_text(out, piece);
    fputs(",\"logprob\":", out);
    write_number(out, logprob);
    fputs(",\"bytes\":[", out);
    for (size_t i = 0; i < piece.size; i++)
        fprintf(out, i ? ",%u" : "%u", (unsigned)(unsigned char)piece.data[i]);
    fputs("]", out);
}

static void write_chat(FILE *out, const TextJob *t, const Answer *a, size_t begin, size_t end) {
    fputs("{\"content\":[", out);
    for (size_t i = begin; i < end; i++) {
        const Note *note = &a->notes[i];
        if (i > begin) fputc(',', out);
        write_token(out, t, note->token, note->logprob);
        fputs(",\"top_logprobs\":[", out);
        for (size_t k = 0; k < t->job->tops; k++) {
            if (k) fputc(',', out);
            write_token(out, t, note->top[k], note->top_logprob[k]);
            fputc('}', out);
        }
        fputs("]}", out);
    }
    fputs("],\"refusal\":null}", out);
}

/* ------------------------------------------------------------------ completions */

/* The tokens that are told: of the prompt, then of the answer. */
typedef struct Rows {
    const TextJob *text;
    const Answer *answer;
    const Scores *scores; /* or NULL */
    size_t prompt, begin, count;
} Rows;

static const Note *row(const Rows *r, size_t i) {
    return i < r->prompt ? &r->scores->notes[i] : &r->answer->notes[r->begin + i - r->prompt];
}

static bool logprobs_is_known(const Rows *r, size_t i) {
    return i > 0 || r->prompt == 0 || r->scores->first_is_known;
}

static size_t logprobs_characters(Text text, size_t bytes) {
    size_t n = 0;
    for (size_t i = 0; i < bytes && i < text.size; i++) n += (text.data[i] & 0xC0) != 0x80;
    return n;
}

/* Characters before it, of all that is shown. */
static size_t offset(const Rows *r, size_t i) {
    const Answer *a = r->answer;
    Text before = echoed(r->text, a), text = {a->text.size ? a->text.data : "", a->text.size};
    size_t begin = row(r, i)->begin;
    return i < r->prompt
               ? logprobs_characters(before, begin)
               : logprobs_characters(before, before.size) + logprobs_characters(text, begin);
}

static void write_tops(FILE *out, const TextJob *t, const Note *note) {
    fputc('{', out);
    for (size_t k = 0; k < t->job->tops; k++) {
        if (k) fputc(',', out);
        write_text(out, logprobs_piece_of(t, note->top[k]));
        fputc(':', out);
        write_number(out, note->top_logprob[k]);
    }
    fputc('}', out);
}

typedef void WriteRow(FILE *out, const Rows *r, size_t i);

static void logprobs_write_piece(FILE *out, const Rows *r, size_t i) {
    write_text(out, logprobs_piece_of(r->text, row(r, i)->token));
}

static void write_logprob(FILE *out, const Rows *r, size_t i) {
    if (logprobs_is_known(r, i))
        write_number(out, row(r, i)->logprob);
    else
        fputs("null", out);
}

static void write_top(FILE *out, const Rows *r, size_t i) {
    if (logprobs_is_known(r, i) && r->text->job->tops)
        write_tops(out, r->text, row(r, i));
    else
        fputs("null", out);
}

static void write_offset(FILE *out, const Rows *r, size_t i) {
    fprintf(out, "%zu", offset(r, i));
}

static void write_array(FILE *out, const char *name, const Rows *r, WriteRow *write) {
    fprintf(out, "\"%s\":[", name);
    for (size_t i = 0; i < r->count; i++) {
        if (i) fputc(',', out);
        write(out, r, i);
    }
    fputc(']', out);
}

static void write_completion(FILE *out, const Rows *r) {
    fputc('{', out);
    write_array(out, "tokens", r, logprobs_write_piece), fputc(',', out);
    write_array(out, "token_logprobs", r, write_logprob), fputc(',', out);
    if (r->text->job->tops)
        write_array(out, "top_logprobs", r, write_top);
    else
        fputs("\"top_logprobs\":null", out);
    fputc(',', out);
    write_array(out, "text_offset", r, write_offset), fputc('}', out);
}

void logprobs_write(FILE *out, const TextJob *t, const Answer *a, bool prompt, size_t begin,
                    size_t end) {
    Rows r = {.text = t, .answer = a, .begin = begin};
    if (prompt && t->scores) r.scores = &t->scores[a->index / t->n], r.prompt = r.scores->count;
    r.count = r.prompt + end - begin;
    if (t->chat)
        write_chat(out, t, a, begin, end);
    else
        write_completion(out, &r);
}
