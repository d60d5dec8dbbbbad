/* Worked exercise 4: the heads of the storyteller's first layer attend over a sentence of
 * yours.
 *
 * --csv prints head,query,key,weight for every pair: the heat map. */
#include "worked.h"
#include "transformer_extras.h"

#include <math.h>

enum { WORDS = 8, DIM = 256, HEADS = 8, SHOWN = 3 };

static Gguf gguf;
static Word words[WORDS];
static size_t count;

static size_t number(const char *key) {
    int64_t value = 0;
    gguf_int(gguf_find(&gguf, key), 0, &value);
    return (size_t)value;
}

/* Queries or keys of all words: norm, matrix, rotation. */
static void project(const char *name, const Rope *rope, size_t heads, size_t head_dim,
                    float *out) {
    Tensor embd = gguf_tensor_view(tensor_named(&gguf, "token_embd.weight")),
           w = gguf_tensor_view(tensor_named(&gguf, name));
    Linear map = {.w = w};
    float gain[DIM], x[DIM], c[DIM], s[DIM];
    const GgufTensor *norm = tensor_named(&gguf, "blk.0.attn_norm.weight");
    dequantize_row((Dtype)norm->dtype, norm->data, gain, DIM);
    for (size_t i = 0; i < count; i++) {
        embedding(x, &embd, words[i].token);
        rms_norm(x, x, gain, DIM, 1e-5f);
        linear(NULL, &map, x, 1, out + i * heads * head_dim, NULL);
        rope_angles(rope, i, c, s);
        for (size_t h = 0; h < heads; h++)
            rope_rotate(rope, c, s, out + (i * heads + h) * head_dim);
    }
}

/* The attention weights of each word for those before it. */
static void attend(const float *q, const float *k, size_t kv_heads, size_t head_dim,
                   size_t head, float weights[WORDS][WORDS]) {
    size_t kv_head = head / (HEADS / kv_heads);
    for (size_t i = 0; i < count; i++) {
        Range seen = mask_range((Mask){.causal = true}, i, count);
        for (size_t j = seen.begin; j < seen.end; j++)
            weights[i][j] = dot_f32(q + (i * HEADS + head) * head_dim,
                                    k + (j * kv_heads + kv_head) * head_dim, head_dim) /
                            sqrtf((float)head_dim);
        softmax(weights[i], weights[i], seen.end);
    }
}

/* The last word's query with the keys of all words: the row of head 0, step by step. */
static void one_row(const float *q, const float *k, size_t kv_heads, size_t head_dim) {
    const float *query = q + (count - 1) * HEADS * head_dim;
    float scores[WORDS], p[WORDS];
    printf("1. Layer 0, head 0.  Every word is a row of 256 numbers; norm, a matrix and a turn "
           "by its position make\n   its query (%zu numbers a head), another matrix its key.  "
           "The query of \"%.*s\" begins %.3f %.3f %.3f.\n\n",
           head_dim, (int)words[count - 1].text.size, words[count - 1].text.data,
           (double)query[0], (double)query[1], (double)query[2]);
    guess("which word does \"%.*s\" look at most?", (int)words[count - 1].text.size,
          words[count - 1].text.data);
    for (size_t j = 0; j < count; j++)
        scores[j] =
            dot_f32(query, k + j * kv_heads * head_dim, head_dim) / sqrtf((float)head_dim);
    softmax(p, scores, count);
    printf("   %12s   key begins               q . k   / sqrt(%zu)   softmax\n", "", head_dim);
    for (size_t j = 0; j < count; j++) {
        const float *key = k + j * kv_heads * head_dim;
        printf("   %12.*s  %7.3f %7.3f %7.3f  %8.3f   %9.3f   %7.3f\n", (int)words[j].text.size,
               words[j].text.data, (double)key[0], (double)key[1], (double)key[2],
               (double)(scores[j] * sqrtf((float)head_dim)), (double)scores[j], (double)p[j]);
    }
    printf("\n   The last column adds up to 1: what the word takes in is the mean of all "
           "values with these weights.\n\n2. Every word's row, for the first %d heads:\n\n",
           SHOWN);
}

typedef enum Place { ITSELF, BEFORE, FIRST, PLACES } Place;

static bool is_at(Place place, size_t i, size_t j) {
    return place == ITSELF ? j == i : place == BEFORE ? j + 1 == i : j == 0;
}

/* The weight of a position, or of `word` if it is not NULL, relative to uniform attention. */
static double lift(float weights[WORDS][WORDS], Place place, const Word *word) {
    double got = 0, even = 0;
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
            if (word ? j == i || !text_equal(words[j].text, word->text) : !is_at(place, i, j))
                continue;
            got += (double)weights[i][j], even += 1 / ((double)i + 1);
        }
    return even > 0 ? got / even : 0;
}

/* What a head prefers: where most of its weight is.  Words that few others see do not count. */
static void say_what(size_t head, float weights[WORDS][WORDS]) {
    static const char *const names[] = {"the word itself", "the word before", "the first word"};
    char found[64] = "";
    double most = 0;
    for (Place p = ITSELF; p < PLACES; p++) {
        if (lift(weights, p, NULL) <= most) continue;
        most = lift(weights, p, NULL);
        snprintf(found, sizeof found, "%s", names[p]);
    }
    for (size_t w = 1; w <= count / 2; w++) {
        if (lift(weights, FIRST, &words[w]) <= most) continue;
        most = lift(weights, FIRST, &words[w]);
        snprintf(found, sizeof found, "the word \"%.*s\"", (int)words[w].text.size,
                 words[w].text.data);
    }
    printf(
        "   head %zu of layer 0 has found %s: %.1f times the weight it would have if all were "
        "alike\n",
        head, found, most);
}

static void draw(size_t head, float weights[WORDS][WORDS]) {
    static const char *const shades[] = {" .", " -", " +", " #", " @"};
    printf("   head %zu%8s", head, "");
    for (size_t j = 0; j < count; j++)
        printf("%7.*s", (int)words[j].text.size, words[j].text.data);
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        printf("   %12.*s  ", (int)words[i].text.size, words[i].text.data);
        for (size_t j = 0; j <= i; j++) {
            int shade = (int)(weights[i][j] * 4.999f);
            printf("%s %.2f", shades[shade], (double)weights[i][j]);
        }
        putchar('\n');
    }
    putchar('\n');
}

static void all_heads(const float *q, const float *k, size_t kv_heads, size_t head_dim,
                      bool csv) {
    static float weights[HEADS][WORDS][WORDS];
    for (size_t head = 0; head < HEADS; head++) {
        attend(q, k, kv_heads, head_dim, head, weights[head]);
        if (!csv && head < SHOWN) draw(head, weights[head]);
        for (size_t i = 0; csv && i < count; i++)
            for (size_t j = 0; j < count; j++)
                printf("%zu,%zu,%zu,%.6f\n", head, i, j, (double)weights[head][i][j]);
    }
    if (csv || count < 2) return;
    guess("which of them looks at the word before?");
    printf("3. No one told them what to look for; training did.  In this sentence:\n\n");
    for (size_t head = 0; head < HEADS; head++) say_what(head, weights[head]);
}

int main(int argc, char **argv) {
    FileMap map;
    Fault fault;
    Arena arena;
    Rope rope;
    static float q[WORDS * DIM], k[WORDS * DIM];
    bool csv = worked_csv(argc, argv);
    open_storyteller(&map, &gguf);
    if (!arena_init(&arena, 1 << 16, &fault)) worked_fails(fault.text);
    if (number("llama.embedding_length") != DIM ||
        number("llama.attention.head_count") != HEADS)
        worked_fails("the storyteller has other sizes");
    const char *usual = "Once upon a time there was a little";
    count = words_of(words, WORDS, &gguf, csv ? usual : sentence_or(usual));
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
        one_row(q, k, kv_heads, head_dim);
    all_heads(q, k, kv_heads, head_dim, csv);
    gguf_free(&gguf), file_close(&map), arena_free(&arena);
    return worked_end();
}
