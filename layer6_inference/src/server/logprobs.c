/* logprobs.c - see logprobs.h. */
#include "logprobs.h"

static Text piece_of(const TextJob *t, int32_t token) {
    return tokenizer_piece(t->job->tokenizer, token, true);
}

static void write_token(FILE *out, const TextJob *t, int32_t token, double logprob) {
    Text piece = piece_of(t, token);
    fputs("{\"token\":", out);
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

/* Characters before a byte of what the answer shows. */
static size_t characters(const TextJob *t, const Answer *a, size_t bytes) {
    size_t n = 0;
    Text before = echoed(t, a);
    for (size_t i = 0; i < before.size; i++) n += (before.data[i] & 0xC0) != 0x80;
    for (size_t i = 0; i < bytes && i < a->text.size; i++)
        n += (a->text.data[i] & 0xC0) != 0x80;
    return n;
}

static void write_tops(FILE *out, const TextJob *t, const Note *note) {
    fputc('{', out);
    for (size_t k = 0; k < t->job->tops; k++) {
        if (k) fputc(',', out);
        write_text(out, piece_of(t, note->top[k]));
        fputc(':', out);
        write_number(out, note->top_logprob[k]);
    }
    fputc('}', out);
}

static void write_completion(FILE *out, const TextJob *t, const Answer *a, size_t begin,
                             size_t end) {
    fputs("{\"tokens\":[", out);
    for (size_t i = begin; i < end; i++) {
        if (i > begin) fputc(',', out);
        write_text(out, piece_of(t, a->notes[i].token));
    }
    fputs("],\"token_logprobs\":[", out);
    for (size_t i = begin; i < end; i++) {
        if (i > begin) fputc(',', out);
        write_number(out, a->notes[i].logprob);
    }
    fputs("],\"top_logprobs\":", out);
    for (size_t i = begin; t->job->tops && i < end; i++) {
        fputc(i > begin ? ',' : '[', out);
        write_tops(out, t, &a->notes[i]);
    }
    fputs(!t->job->tops ? "null" : begin < end ? "]" : "[]", out);
    fputs(",\"text_offset\":[", out);
    for (size_t i = begin; i < end; i++)
        fprintf(out, i > begin ? ",%zu" : "%zu", characters(t, a, a->notes[i].begin));
    fputs("]}", out);
}

void logprobs_write(FILE *out, const TextJob *t, const Answer *a, size_t begin, size_t end) {
    (t->chat ? write_chat : write_completion)(out, t, a, begin, end);
}
