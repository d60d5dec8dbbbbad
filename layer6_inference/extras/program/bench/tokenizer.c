/* tokenizer.c - strata bench tokenizer: time to open a vocabulary, and to tokenize text. */
#include "bench.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Encoding {
    const Gguf *gguf;
    Tokenizer *tokenizer;
    Text text;
    TokenList tokens;
    Fault *fault;
    bool ok;
} Encoding;

static void open_again(void *context) {
    Encoding *e = context;
    tokenizer_close(e->tokenizer);
    e->tokenizer = tokenizer_open(e->gguf, e->fault);
    e->ok = e->ok && e->tokenizer;
}

static void encode_again(void *context) {
    Encoding *e = context;
    e->tokens.count = 0;
    e->ok = e->ok && tokenizer_encode(e->tokenizer, e->text, false, &e->tokens, e->fault);
}

static bool tokenizer_measure(const BenchJob *job, Encoding *e) {
    double open = bench_time(open_again, e, job->seconds).median;
    if (!e->ok) return false;
    double encode = bench_time(encode_again, e, job->seconds).median;
    if (!e->ok) return false;
    printf("%-12s%zu tokens\n", "vocabulary", tokenizer_count(e->tokenizer));
    printf("%-12s%.1f ms\n", "opened in", 1e3 * open);
    printf("%-12s%zu bytes, %zu tokens, %.2f bytes each\n", "text", e->text.size,
           e->tokens.count,
           e->tokens.count ? (double)e->text.size / (double)e->tokens.count : 0);
    printf("%-12s%.1f MB/s, %.1f million tokens/s, on one thread\n", "encoded",
           (double)e->text.size / encode / 1e6, (double)e->tokens.count / encode / 1e6);
    return true;
}

/* About four million bytes of Tiny World stories. */
static bool write_stories(WorldText *text, Fault *fault) {
    World *world = world_open(fault);
    WorldText one = {0};
    for (uint64_t i = 0; world && text->size < 4000000; i++) {
        world_write(world, "document", 1, i, &one);
        world_text_append(text, (Text){one.bytes, one.size});
    }
    world_text_free(&one), world_close(world);
    return world != NULL;
}

static bool measure_file(const BenchJob *job, const Gguf *gguf, Fault *fault) {
    FileMap map;
    WorldText stories = {0};
    Encoding e = {.gguf = gguf, .fault = fault, .ok = true};
    bool given = job->names[1] != NULL;
    bool ok = given ? file_open(&map, job->names[1], fault) : write_stories(&stories, fault);
    if (ok) {
        e.text = given ? (Text){(const char *)map.data, map.size}
                       : (Text){stories.bytes, stories.size};
        ok = tokenizer_measure(job, &e) || fault_prefix(fault, job->model);
        if (given) file_close(&map);
    }
    tokenizer_close(e.tokenizer), token_list_free(&e.tokens), world_text_free(&stories);
    return ok;
}

bool bench_tokenizer(BenchJob *job, Fault *fault) {
    GgufFile file;
    Gguf gguf;
    if (!choose_model(&job->model, fault) || !gguf_open(&file, &gguf, job->model, fault))
        return false;
    bool ok = measure_file(job, &gguf, fault);
    gguf_close(&file, &gguf);
    return ok;
}
