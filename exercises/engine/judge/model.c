/* model.c - models made at random: sizes, weights, words, and their files.  See engine.h. */
#include "engine.h"

TestModel test_sizes(void) {
    static const double epsilons[] = {1e-3, 3e-3, 1e-2};
    int groups = judge_between(2, 3);
    TestModel m = {.kv_heads = judge_between(1, 2),
                   .head_dim = 8 * judge_between(1, 2),
                   .dim = 32 * judge_between(1, 2),
                   .hidden = 32 * judge_between(2, 3),
                   .layers = judge_between(2, 3),
                   .ctx = 256,
                   .rope_base = 100 * judge_between(3, 90),
                   .epsilon = epsilons[judge_between(0, 2)],
                   .spread = 2,
                   .tied = judge_between(0, 1),
                   .n_merges = judge_between(30, 60),
                   .add_bos = judge_between(0, 1)};
    m.heads = m.kv_heads * groups;
    return m;
}

static double *weights(long n, double deviation, double mean, int format) {
    double *x = malloc((size_t)n * sizeof *x);
    need(x, "no memory for a model");
    for (long i = 0; i < n; i++) x[i] = mean + deviation * judge_normal();
    if (format == Q8_0 && n % 32) format = F32;
    round_rows(x, (int)n, format);
    return x;
}

static void fill_block(TestModel *m, double **w) {
    int q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim, f = m->format;
    long rows[] = {q, kv, kv, m->dim};
    double in = 1 / sqrt(m->dim);
    w[ATTN_NORM] = weights(m->dim, 0.3, 1, F32), w[FFN_NORM] = weights(m->dim, 0.3, 1, F32);
    for (int i = 0; i < 4; i++)
        w[ATTN_Q + i] = weights(rows[i] * (i < 3 ? m->dim : q),
                                i < 2    ? 1.5 * in
                                : i == 3 ? 0.7 / sqrt(q)
                                         : in,
                                0, f);
    w[GATE] = weights((long)m->hidden * m->dim, 1.5 * in, 0, f);
    double large = m->faint_up ? 150 : 1;
    w[UP] = weights((long)m->hidden * m->dim, in / large, 0, f);
    w[DOWN] = weights((long)m->dim * m->hidden, 0.7 * large / sqrt(m->hidden), 0, f);
    w[Q_NORM] = m->qwen3 ? weights(m->head_dim, 0.3, 1, F32) : NULL;
    w[K_NORM] = m->qwen3 ? weights(m->head_dim, 0.3, 1, F32) : NULL;
}

/* --- words: bytes in GPT-2's order of no meaning, and pairs that come about at random */

static bool known(const TestModel *m, int n, const unsigned char *bytes, int size) {
    for (int i = 0; i < n; i++)
        if (m->size[i] == size && memcmp(m->bytes[i], bytes, (size_t)size) == 0) return true;
    return false;
}

/* A token to make a pair of: letters (a space may begin them; the byte a9 ends an accented e),
 * digits, or marks of JSON. */
static int part(const TestModel *m, int n, int kind, bool first) {
    static const char *const bytes[] = {"aeioubdlnst\xa9", "0123456789", "{}[]\":,1a"};
    int size = (int)strlen(bytes[kind]);
    if (kind == 0 && first && judge_between(0, 2) == 0) return ' ';
    for (int tries = 0; n > 256 && tries < 20 && judge_between(0, 2) > 0; tries++) {
        int i = judge_between(256, n - 1);
        if (strchr(bytes[kind], m->bytes[i][m->size[i] - 1]) && m->bytes[i][0] != ' ') return i;
    }
    return (unsigned char)bytes[kind][judge_between(0, size - 1)];
}

static void make_words(TestModel *m) {
    /* an ending that is a word; an accented e (token 257), and letters joined with it; the
     * other endings; pairs with white space, whose halves are two words */
    static const int first[][2] = {
        {'\'', 's'}, {0xc3, 0xa9}, {'n', 257},  {257, 't'},  {'\'', 'r'}, {260, 'e'},
        {'\'', 'v'}, {262, 'e'},   {'\'', 'm'}, {'\'', 'd'}, {'\'', 't'}, {'\'', 'l'},
        {267, 'l'},  {'!', '\t'},  {'!', '\v'}, {'!', '\f'}, {'!', '\r'}};
    static const int json_first[][2] = {{'"', ':'}, {256, '['}, {'a', 257}};
    enum { FIRST = sizeof first / sizeof *first };
    int n = 256, at[TOKENS], of[TOKENS][2];
    for (int i = 0; i < 256; i++) m->bytes[i][0] = (unsigned char)i, m->size[i] = 1;
    for (int made = 0; made < m->n_merges;) {
        int kind = m->json_pairs ? 2 : judge_between(0, 5) == 0;
        int a = part(m, n, kind, true), b = part(m, n, kind, false);
        if (made < FIRST && !m->json_pairs) a = first[made][0], b = first[made][1];
        if (made < 3 && m->json_pairs) a = json_first[made][0], b = json_first[made][1];
        int size = m->size[a] + m->size[b];
        if (size > 9) continue;
        memcpy(m->bytes[n], m->bytes[a], (size_t)m->size[a]);
        memcpy(m->bytes[n] + m->size[a], m->bytes[b], (size_t)m->size[b]);
        if (known(m, n, m->bytes[n], size)) continue;
        of[made][0] = a, of[made][1] = b, made++, m->size[n++] = size;
    }
    memcpy(m->bytes[n], "<|end|>", 7), m->size[n++] = 7;
    m->vocab = n;
    for (int i = 0; i < n; i++) at[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = judge_between(0, i), other = at[i];
        at[i] = at[j], at[j] = other;
    }
    TestModel old = *m;
    for (int i = 0; i < n; i++)
        memcpy(m->bytes[at[i]], old.bytes[i], PIECE), m->size[at[i]] = old.size[i];
    for (int i = 0; i < m->n_merges; i++)
        m->merge[i][0] = at[of[i][0]], m->merge[i][1] = at[of[i][1]];
    m->end = at[n - 1];
}

/* Column 0 of the embedding is large whatever the token, so that column 0 of the output makes a
 * token likely: 1 makes its odds about 20 times as large.  a":[ may only come in a key: there
 * it opens a bracket, and a bracket alone would be one more letter. */
static void favor_marks(TestModel *m) {
    static const struct {
        const char *marks;
        double favor;
    } favored[2][4] = {{{"\"", 1.5}, {"-0", 1.2}, {"tfn", 1.1}, {"123456789,[{ ~", 0.5}},
                       {{"[", 2}, {"{", 1.7}, {"\"", 1.2}, {"],", 0.4}}};
    for (int i = 0; i < m->vocab; i++) {
        double favor = 0;
        for (int k = 0; k < m->size[i]; k++)
            for (int f = 0; f < 4; f++)
                if (m->bytes[i][k] && strchr(favored[m->marks - 1][f].marks, m->bytes[i][k]))
                    favor += favored[m->marks - 1][f].favor;
        bool nests = m->size[i] == 4 && memcmp(m->bytes[i], "a\":[", 4) == 0;
        m->embedding[i * m->dim] = 4;
        m->output[i * m->dim] = i == m->end              ? 0
                                : nests && m->marks == 2 ? 3
                                                         : favor / m->size[i];
    }
    m->end_norm[0] = 1;
}

void test_fill(TestModel *m) {
    make_words(m);
    double deviation = m->spread / sqrt(m->dim);
    m->embedding = weights((long)m->vocab * m->dim, m->tied ? deviation : 0.3, 0, m->format);
    m->end_norm = weights(m->dim, 0.3, 1, F32);
    m->output =
        m->tied ? m->embedding : weights((long)m->vocab * m->dim, deviation, 0, m->format);
    for (int i = 0; m->silent_end && i < m->dim; i++) m->output[m->end * m->dim + i] = 0;
    if (m->marks) favor_marks(m);
    for (int l = 0; l < m->layers; l++) fill_block(m, m->w[l]);
}

void swap_end(TestModel *m, int token) {
    int old = m->end, size = m->size[token];
    unsigned char bytes[PIECE];
    memcpy(bytes, m->bytes[token], PIECE);
    memcpy(m->bytes[token], m->bytes[old], PIECE), memcpy(m->bytes[old], bytes, PIECE);
    m->size[token] = m->size[old], m->size[old] = size;
    for (int i = 0; i < 2 * m->n_merges; i++)
        if (m->merge[i / 2][i % 2] == token) m->merge[i / 2][i % 2] = old;
    m->end = token;
}

static double *copied(const double *x, long n, int format) {
    double *copy = malloc((size_t)n * sizeof *copy);
    need(copy, "no memory for a model");
    memcpy(copy, x, (size_t)n * sizeof *copy);
    round_rows(copy, (int)n, format);
    return copy;
}

TestModel test_as(const TestModel *from, int format) {
    TestModel m = *from;
    int q = m.heads * m.head_dim, kv = m.kv_heads * m.head_dim;
    long maps[] = {q, kv, kv, q}; /* times dim */
    long vocab = (long)m.vocab * m.dim, wide = (long)m.hidden * m.dim;
    m.format = format;
    m.embedding = copied(m.embedding, vocab, format);
    m.output = m.tied ? m.embedding : copied(m.output, vocab, format);
    for (int l = 0; l < m.layers; l++) {
        for (int i = 0; i < 4; i++)
            m.w[l][ATTN_Q + i] = copied(m.w[l][ATTN_Q + i], maps[i] * m.dim, format);
        for (int i = GATE; i <= DOWN; i++) m.w[l][i] = copied(m.w[l][i], wide, format);
    }
    return m;
}

/* --- the file */

static int as_letters(const TestModel *m, int token, char *out) {
    int n = 0;
    if (token == m->end) return (int)(memcpy(out, "<|end|>", 7), 7);
    for (int i = 0; i < m->size[token]; i++) {
        int letter = judge_letter(m->bytes[token][i]);
        if (letter >= 128) out[n++] = (char)(0xc0 | letter >> 6);
        out[n++] = (char)(letter < 128 ? letter : 0x80 | (letter & 63));
    }
    return n;
}

static void write_words(const TestModel *m, Out *out) {
    char text[4 * PIECE + 1];
    out_text(out, "tokenizer.ggml.model", "gpt2");
    out_text(out, "tokenizer.ggml.pre", "gpt-2");
    out_array(out, "tokenizer.ggml.tokens", GGUF_STRING, m->vocab);
    for (int i = 0; i < m->vocab; i++) out_item_text(out, text, (size_t)as_letters(m, i, text));
    out_array(out, "tokenizer.ggml.token_type", GGUF_I32, m->vocab);
    for (int i = 0; i < m->vocab; i++) out_item_int(out, GGUF_I32, i == m->end ? 3 : 1);
    out_array(out, "tokenizer.ggml.merges", GGUF_STRING, m->n_merges);
    for (int i = 0; i < m->n_merges; i++) {
        int n = as_letters(m, m->merge[i][0], text);
        text[n++] = ' ';
        out_item_text(out, text, (size_t)(n + as_letters(m, m->merge[i][1], text + n)));
    }
    out_int(out, "tokenizer.ggml.bos_token_id", GGUF_U32, m->end);
    out_int(out, "tokenizer.ggml.eos_token_id", GGUF_U32, m->end);
    out_int(out, "tokenizer.ggml.add_bos_token", GGUF_BOOL, m->add_bos);
}

static void write_sizes(const TestModel *m, Out *out) {
    const struct {
        const char *key;
        double value;
    } keys[] = {{"context_length", m->ctx},
                {"embedding_length", m->dim},
                {"block_count", m->layers},
                {"feed_forward_length", m->hidden},
                {"attention.head_count", m->heads},
                {"attention.head_count_kv", m->kv_heads},
                {"attention.key_length", m->head_dim},
                {"attention.value_length", m->head_dim},
                {"vocab_size", m->vocab},
                {"rope.dimension_count", m->head_dim},
                {"rope.freq_base", m->rope_base},
                {"attention.layer_norm_rms_epsilon", m->epsilon}};
    const char *family = m->qwen3 ? "qwen3" : "llama";
    int n = (int)(sizeof keys / sizeof *keys);
    out_text(out, "general.architecture", family);
    for (int i = 0, first = judge_between(0, n - 1); i < n; i++) {
        int k = (first + i) % n;
        char key[100];
        snprintf(key, sizeof key, "%s.%s", family, keys[k].key);
        if (k >= n - 2) out_float(out, key, keys[k].value);
        if (k < n - 2 && !(m->qwen3 && k == n - 3))
            out_int(out, key, GGUF_U32, (long long)keys[k].value);
    }
}

void test_write(const TestModel *m, const char *name) {
    static const char *const names[PER_BLOCK] = {
        "attn_norm", "attn_q", "attn_k",   "attn_v",      "attn_output", "ffn_norm",
        "ffn_gate",  "ffn_up", "ffn_down", "attn_q_norm", "attn_k_norm"};
    int q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim, d = m->dim, h = m->hidden;
    const int shape[PER_BLOCK][2] = {{1, d}, {q, d},           {kv, d},         {kv, d},
                                     {d, q}, {1, d},           {h, d},          {h, d},
                                     {d, h}, {1, m->head_dim}, {1, m->head_dim}};
    Out *out = out_open(name, judge_between(0, 1) ? 32 : 64);
    write_sizes(m, out);
    write_words(m, out);
    out_tensor(out, "token_embd.weight", m->format, m->vocab, d, m->embedding);
    for (int l = m->layers - 1; l >= 0; l--) /* in another order than they are used in */
        for (int i = 0; i < PER_BLOCK; i++) {
            char tensor[64];
            snprintf(tensor, sizeof tensor, "blk.%d.%s.weight", l, names[i]);
            if (m->w[l][i])
                out_tensor(out, tensor, shape[i][0] == 1 ? F32 : m->format, shape[i][0],
                           shape[i][1], m->w[l][i]);
        }
    out_tensor(out, "output_norm.weight", F32, 1, d, m->end_norm);
    if (!m->tied) out_tensor(out, "output.weight", m->format, m->vocab, d, m->output);
    out_close(out);
}
