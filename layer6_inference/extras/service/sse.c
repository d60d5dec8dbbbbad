/* sse.c - see sse.h. */
#include "sse.h"

/* Bytes up to the end of the first line. */
static size_t line_of(Text text) {
    size_t n = 0;
    while (n < text.size && text.data[n] != '\n' && text.data[n] != '\r') n++;
    return n;
}

void sse_event(FILE *out, Text text) {
    for (;;) {
        size_t n = line_of(text);
        fputs("data: ", out);
        fwrite(text.data, 1, n, out);
        putc('\n', out);
        if (n == text.size) break;
        n += text.data[n] == '\r' && n + 1 < text.size && text.data[n + 1] == '\n' ? 2 : 1;
        text.data += n, text.size -= n;
    }
    putc('\n', out);
}

void sse_ping(FILE *out) { fputs(":\n\n", out); }
