/* openai.c - the dialect that the core itself speaks.  See dialect.h. */
#include "dialect.h"
#include "service/sse.h"

#include <stdlib.h>

typedef void WriteJson(FILE *out, const void *context, const Answer *answer,
                       const Piece *piece);

/* A JSON text as an event.  False: memory is short. */
static bool openai_event(FILE *out, WriteJson *write, const void *context, const Answer *a,
                         const Piece *piece) {
    char *line = NULL;
    size_t size;
    FILE *memory = open_memstream(&line, &size);
    if (memory) write(memory, context, a, piece);
    const bool whole = memory && memory_close(memory, &line);
    if (whole) sse_event(out, (Text){line, size});
    free(line);
    return whole;
}

static void openai_write_chunk(FILE *out, const void *context, const Answer *a,
                               const Piece *piece) {
    chunk_write(out, context, a, piece);
}

static void openai_write_usage(FILE *out, const void *context, const Answer *a,
                               const Piece *piece) {
    (void)a, (void)piece;
    chunk_write_usage(out, context);
}

static void openai_write_error(FILE *out, const void *context, const Answer *a,
                               const Piece *piece) {
    (void)a, (void)piece;
    http_error_write(context, out);
}

static void openai_piece(FILE *out, TextJob *t, const Answer *a, const Piece *piece) {
    if (piece->call_ends) return; /* the next one's index says so */
    if (!openai_event(out, openai_write_chunk, t, a, piece)) t->job->starved = true;
}

static void openai_end(FILE *out, const TextJob *t) {
    if (t->usage && !openai_event(out, openai_write_usage, t, NULL, NULL))
        t->job->starved = true;
    sse_event(out, text_of("[DONE]"));
}

void openai_ping(FILE *out, const TextJob *t) { (void)t, sse_ping(out); }

static void openai_failure(FILE *out, const HttpError *error) {
    openai_event(out, openai_write_error, error, NULL, NULL);
}

void openai_error(FILE *out, const HttpError *error) { http_error_write(error, out); }

const Dialect dialect_openai = {.stream_type = "text/event-stream",
                                .whole = answers_write,
                                .piece = openai_piece,
                                .end = openai_end,
                                .ping = openai_ping,
                                .failure = openai_failure,
                                .error = openai_error};
