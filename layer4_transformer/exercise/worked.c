/* Worked exercise 4: the heads of the storyteller's first layer attend over one sentence.
 *
 * --csv prints head,query,key,weight for every pair: the heat map. */
#include "transformer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"Once",   " upon", " a", " time",
                                    " there", " was",  " a", " little"};
enum { WORDS = 8, DIM = 256, HEADS = 8, SHOWN = 3 };

static Gguf gguf;

static const GgufTensor *tensor(const char *name) {
    const GgufTensor *t = gguf_find_tensor(&gguf, name);
    if (!t) fprintf(stderr, "worked: no tensor '%s'\n", name), exit(1);
    return t;
}

static size_t number(const char *key) {
    int64_t value = 0;
    gguf_int(gguf_find(&gguf, key), 0, &value);
    return (size_t)value;
}

/* The vocabulary writes a space before a word as the two bytes C4 A0. */
static size_t token_of(const char *word) {
    char piece[64];
    const GgufPair *pair = gguf_find(&gguf, "tokenizer.ggml.tokens");
    const unsigned char *cursor = pair ? pair->data : NULL;
    snprintf(piece, sizeof piece, "%s%s", *word == ' ' ? "\xC4\xA0" : "",
             *word == ' ' ? word + 1 : word);
    for (uint64_t i = 0; pair && i < pair->count; i++)
        if (text_equal(gguf_next_string(&cursor), text_of(piece))) return (size_t)i;
    fprintf(stderr, "worked: '%s' is not one token\n", word);
    exit(1);
}

/* Queries or keys of all words: norm, matrix, rotation. */
static void project(const char *name, const Rope *rope, size_t heads, size_t head_dim,
                    float *out) {
    Tensor embd = gguf_tensor_view(tensor("token_embd.weight")),
           w = gguf_tensor_view(tensor(name));
    Linear map = {.w = w};
    float gain[DIM], x[DIM], c[DIM], s[DIM];
    const GgufTensor *norm = tensor("blk.0.attn_norm.weight");
    dequantize_row((Dtype)norm->dtype, norm->data, gain, DIM);
    for (size_t i = 0; i < WORDS; i++) {
        embedding(x, &embd, token_of(words[i]));
        rms_norm(x, x, gain, DIM, 1e-5f);
        linear(NULL, &map, x, 1, out + i * heads * head_dim, NULL);
        rope_angles(rope, i, c, s);
        for (size_t h = 0; h < heads; h++)
            rope_rotate(rope, c, s, out + (i * heads + h) * head_dim);
    }
}

/* The weights with which each word looks at those before it. */
static void attend(const float *q, const float *k, size_t kv_heads, size_t head_dim,
                   size_t head, float weights[WORDS][WORDS]) {
    size_t kv_head = head / (HEADS / kv_heads);
    for (size_t i = 0; i < WORDS; i++) {
        Range seen = mask_range((Mask){.causal = true}, i, WORDS);
        for (size_t j = seen.begin; j < seen.end; j++)
            weights[i][j] = dot_f32(q + (i * HEADS + head) * head_dim,
                                    k + (j * kv_heads + kv_head) * head_dim, head_dim) /
                            sqrtf((float)head_dim);
        softmax(weights[i], weights[i], seen.end);
    }
}

static void draw(size_t head, float weights[WORDS][WORDS]) {
    static const char *const shades[] = {" .", " -", " +", " #", " @"};
    printf("   head %zu%8s", head, "");
    for (size_t j = 0; j < WORDS; j++) printf("%7s", words[j]);
    putchar('\n');
    for (size_t i = 0; i < WORDS; i++) {
        printf("   %12s  ", words[i]);
        for (size_t j = 0; j <= i; j++) {
            int shade = (int)(weights[i][j] * 4.999f);
            printf("%s %.2f", shades[shade], (double)weights[i][j]);
        }
        putchar('\n');
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    FileMap map;
    Fault fault;
    Arena arena;
    Rope rope;
    static float q[WORDS * DIM], k[WORDS * DIM];
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    if (!file_open(&map, "layer5_models/models/storyteller.gguf", &fault) ||
        !gguf_parse(&gguf, map.data, map.size, &fault) ||
        !arena_init(&arena, 1 << 16, &fault)) {
        fprintf(stderr, "worked: %s\n", fault.text);
        return 1;
    }
    if (number("llama.embedding_length") != DIM ||
        number("llama.attention.head_count") != HEADS)
        return 1;
    size_t kv_heads = number("llama.attention.head_count_kv"), head_dim = DIM / HEADS;
    double theta = 10000;
    gguf_float(gguf_find(&gguf, "llama.rope.freq_base"), 0, &theta);
    RopeConfig config = {
        .style = ROPE_INTERLEAVED, .rotary = head_dim, .theta = theta, .factor = 1};
    rope_init(&rope, &config, &arena);
    project("blk.0.attn_q.weight", &rope, HEADS, head_dim, q);
    project("blk.0.attn_k.weight", &rope, kv_heads, head_dim, k);
    if (csv)
        printf("head,query,key,weight\n");
    else
        printf("Every word asks (its query); every word before it, and it itself, answer "
               "(their keys).\n"
               "The dot products, divided by sqrt(%zu) = %.1f, go through softmax: each row "
               "adds up to 1.\n"
               "What a word then takes in is the mean of the others' values with these "
               "weights.\n\n",
               head_dim, sqrt((double)head_dim));
    for (size_t head = 0; head < HEADS; head++) {
        float weights[WORDS][WORDS] = {{0}};
        attend(q, k, kv_heads, head_dim, head, weights);
        if (!csv && head < SHOWN) draw(head, weights);
        for (size_t i = 0; csv && i < WORDS; i++)
            for (size_t j = 0; j < WORDS; j++)
                printf("%zu,%zu,%zu,%.6f\n", head, i, j, (double)weights[i][j]);
    }
    gguf_free(&gguf), file_close(&map), arena_free(&arena);
    return 0;
}
