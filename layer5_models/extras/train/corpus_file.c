/* corpus_file.c - the documents of a text file.  See train_runs.h. */
#include "size.h"
#include "train_runs.h"

#include <stdlib.h>
#include <string.h>

static const char separator[] = "<|endoftext|>";

/* The position after the separator line at `at`, which may end in white space; 0: none. */
static size_t behind_separator(Text text, size_t at) {
    size_t end = at + sizeof separator - 1;
    if (end > text.size || memcmp(text.data + at, separator, sizeof separator - 1) != 0 ||
        (at && text.data[at - 1] != '\n'))
        return 0;
    while (end < text.size && memchr(" \t\r", text.data[end], 3)) end++;
    if (end < text.size && text.data[end] != '\n') return 0;
    return min_size(text.size, end + 1);
}

static Text without_newline(const char *data, size_t size) {
    if (size && data[size - 1] == '\n') size -= size > 1 && data[size - 2] == '\r' ? 2 : 1;
    return (Text){data, size};
}

Text corpus_cut_document(Text *rest) {
    const Text all = *rest;
    for (size_t at = 0; at < all.size; at++) {
        size_t next = behind_separator(all, at);
        if (!next) continue;
        *rest = (Text){all.data + next, all.size - next};
        return without_newline(all.data, at);
    }
    *rest = (Text){all.data + all.size, 0};
    return without_newline(all.data, all.size);
}

bool corpus_open_file(Corpus *corpus, const char *path, Fault *fault) {
    *corpus = (Corpus){0};
    if (!file_open(&corpus->file, path, fault)) return false;
    const unsigned char *data = corpus->file.data, *zero = memchr(data, 0, corpus->file.size);
    if (zero) {
        corpus_close(corpus);
        return fault_set(fault, "%s is not text: its byte %zu is zero", path,
                         (size_t)(zero - data) + 1);
    }
    Text rest = {(const char *)data, corpus->file.size};
    for (size_t room = 0; rest.size;) {
        Text document = corpus_cut_document(&rest);
        if (document.size == 0) continue;
        if (!GROW(corpus->documents, room, corpus->count + 1)) {
            corpus_close(corpus);
            return fault_set(fault, "no memory for %zu documents", room);
        }
        corpus->documents[corpus->count++] = document;
    }
    if (corpus->count) return true;
    corpus_close(corpus);
    return fault_set(
        fault, "%s holds no document: put text in it, a line <|endoftext|> after each", path);
}
