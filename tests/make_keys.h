/* make_keys.h - the sizes of a small model to test with, its keys and its tokenizer. */
#ifndef STRATA_MAKE_KEYS_H
#define STRATA_MAKE_KEYS_H

#include "make_families.h"
#include "models.h"
#include "words.h"

#include <math.h>

typedef struct MakeModel {
    const char *arch;
    uint64_t seed;
    Dtype dtype;
    size_t layers, dim, hidden, heads, kv_heads, head_dim, ctx, window, experts;
    const char *family, *more; /* words: of make_families.h, and further ones */
} MakeModel;

static inline double make_says(const MakeModel *m, const char *word) {
    double value = word_in(m->more, word);
    return value != 0 ? value : word_in(m->family, word);
}

static inline size_t make_size(const MakeModel *m, const char *word, size_t fallback) {
    double value = make_says(m, word);
    return value > 0 ? (size_t)value : fallback;
}

/* A model of a family, with more words; or, when they begin with =, with these in place of the family's. */
static inline MakeModel make_model_of(const char *arch, const char *more) {
    MakeModel m = {.arch = arch,
                   .seed = 1,
                   .dtype = DTYPE_F32,
                   .dim = 64,
                   .hidden = 96,
                   .ctx = 256,
                   .family = make_family(arch),
                   .more = more};
    if (m.family && more && *more == '=') m.family = more + 1, m.more = NULL;
    REQUIRE(m.family, "make_keys.h has no row for the family %s", arch);
    m.dim = make_size(&m, "dim", m.dim);
    m.hidden = make_size(&m, "hidden", m.hidden);
    m.layers = make_size(&m, "layers", 2) + make_size(&m, "drafts", 0);
    m.heads = make_size(&m, "heads", 4);
    m.kv_heads = make_size(&m, "kv_heads", 2);
    m.head_dim = make_size(&m, "head_dim", 16);
    m.window = make_size(&m, "window", 0);
    m.ctx = make_size(&m, "ctx", m.ctx);
    m.experts = make_size(&m, "experts", 0);
    return m;
}

static inline MakeModel make_model_defaults(const char *arch) {
    return make_model_of(arch, NULL);
}

/* Every other layer is smaller. */
static inline size_t make_of_layer(const MakeModel *m, size_t layer, size_t size) {
    return make_says(m, "uneven") && layer % 2 ? size / 2 : size;
}

/* Networks from layer `wide` on are twice as wide. */
static inline size_t make_hidden(const MakeModel *m, size_t layer) {
    size_t from = make_size(m, "wide", SIZE_MAX);
    return make_of_layer(m, layer, m->hidden) * (layer >= from ? 2 : 1);
}

static inline size_t make_expert_hidden(const MakeModel *m) {
    return m->hidden / make_size(m, "split", 1);
}

static inline size_t make_value_dim(const MakeModel *m) {
    return make_says(m, "narrow_values") ? m->head_dim / 2 : m->head_dim;
}

/* Every third layer, and the first, has no window, when a list says so. */
static inline bool make_windowed(size_t layer) { return layer % 3 > 0; }

/* Heads of windowed layers are half as long, with window_heads. */
static inline size_t make_head_dim(const MakeModel *m, size_t layer) {
    return make_says(m, "window_heads") && make_windowed(layer) ? m->head_dim / 2 : m->head_dim;
}

/* Is block l one of the last `drafts` ones? */
static inline bool make_drafts(const MakeModel *m, size_t l) {
    return l + make_size(m, "drafts", 0) >= m->layers;
}

enum { MAKE_STATES = 1, MAKE_ATTENTION = 2, MAKE_NETWORK = 4 };

/* What block l has. */
static inline int make_parts(const MakeModel *m, size_t l) {
    static const int single[] = {MAKE_STATES, MAKE_NETWORK, MAKE_ATTENTION};
    size_t every = make_size(m, "attention_every", 0);
    if (make_drafts(m, l)) return MAKE_ATTENTION | MAKE_NETWORK;
    if (make_says(m, "distilled")) return MAKE_STATES | MAKE_NETWORK;
    if (make_says(m, "alone") || make_says(m, "rwkv")) return MAKE_STATES;
    if (make_says(m, "single")) return single[l % 3];
    if (make_says(m, "optional"))
        return l % 5 == 3                 ? 0
               : l % 5 == 1 || l % 5 == 2 ? MAKE_NETWORK
                                          : MAKE_ATTENTION | MAKE_NETWORK;
    if (make_says(m, "both")) return MAKE_STATES | MAKE_ATTENTION | MAKE_NETWORK;
    if (every && (l + 1) % every) return MAKE_STATES | MAKE_NETWORK;
    return MAKE_ATTENTION | MAKE_NETWORK;
}

/* In place of attention, one map. */
static inline bool make_is_map(const MakeModel *m, size_t l) {
    return make_says(m, "optional") && l % 5 == 2;
}

/* The first ones keep keys and values, the others share those, and may have maps that are not read. */
static inline bool make_keeps(const MakeModel *m, size_t layer) {
    if (make_says(m, "assists")) return false;
    return layer < make_size(m, "own_kv", m->layers) || make_says(m, "idle_kv");
}

/* Numbers of a channel's state: not whole lanes of any instruction set. */
static inline size_t make_state(const MakeModel *m) { return make_size(m, "state", 20); }

/* What dt is computed from, in Mamba 1; heads of Mamba 2. */
static inline size_t make_ssm_rank(const MakeModel *m) {
    return make_says(m, "ssm") == 2 ? m->dim / 8 : m->dim / 4;
}

static inline void make_key(GgufWriter *w, const MakeModel *m, const char *key, int64_t value) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s", m->arch, key);
    gguf_put_int(w, name, GGUF_U32, value);
}

static inline void make_number(GgufWriter *w, const MakeModel *m, const char *key,
                               double value) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s", m->arch, key);
    gguf_put_float(w, name, GGUF_F32, value);
}

/* 256 bytes and two special tokens: enough to speak, and to test with. */
enum { MAKE_VOCAB = 258, MAKE_MASK = 256 };

/* Letters that begin a word and that go on with it, and BERT's special tokens. */
static inline void make_wordpiece(GgufWriter *w) {
    static const char *const special[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
                             *const keys[] = {"padding", "unknown", "bos", "seperator", "mask"};
    static char names[MAKE_VOCAB][16];
    Text tokens[MAKE_VOCAB];
    int64_t types[MAKE_VOCAB];
    for (int i = 0; i < MAKE_VOCAB; i++) {
        if (i < 5)
            snprintf(names[i], sizeof *names, "%s", special[i]);
        else if (i < 5 + 52)
            snprintf(names[i], sizeof *names, i < 5 + 26 ? "\xE2\x96\x81%c" : "%c",
                     'a' + (i - 5) % 26);
        else
            snprintf(names[i], sizeof *names, "[unused%d]", i);
        tokens[i] = text_of(names[i]), types[i] = i < 5 ? 3 : 1;
    }
    gguf_put_string(w, "tokenizer.ggml.model", text_of("bert"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, MAKE_VOCAB);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, MAKE_VOCAB);
    gguf_put_int(w, "tokenizer.ggml.token_type_count", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.normalizer.lowercase", GGUF_BOOL, 1);
    gguf_put_int(w, "tokenizer.ggml.normalizer.strip_accents", GGUF_BOOL, 1);
    for (int i = 0; i < 5; i++) {
        char key[64];
        snprintf(key, sizeof key, "tokenizer.ggml.%s_token_id", keys[i]);
        gguf_put_int(w, key, GGUF_U32, i);
    }
}

/* Tokens around pictures, in place of bytes that UTF-8 and texts do not have. */
static inline void make_picture_tokens(Text *tokens, int64_t *types) {
    static const char *const names[] = {
        "<start_of_image>", "<end_of_image>", "<fake_token_around_image>",
        "<global-img>",     "<img>",          "</img>",
        "<|vision_start|>", "<|vision_end|>", "[IMG_END]"};
    static const char *const more[] = {
        "<row_1_col_1>",        "<|image_start|>",      "<|image|>", "<|image_end|>",
        "<|tile_x_separator|>", "<|tile_y_separator|>", "<|image>",  "<image|>"};
    for (int i = 0; i < 9; i++) tokens[0xF5 + i] = text_of(names[i]), types[0xF5 + i] = 3;
    for (int i = 0; i < 8; i++) tokens[1 + i] = text_of(more[i]), types[1 + i] = 3;
}

static inline void make_tokenizer(GgufWriter *w, const MakeModel *m) {
    static char names[256][4];
    Text tokens[MAKE_VOCAB];
    int64_t types[MAKE_VOCAB];
    for (int b = 0; b < 256; b++) {
        bool visible = (b >= 33 && b <= 126) || (b >= 161 && b != 173);
        int code = visible ? b : b < 33 ? 256 + b : b < 161 ? 256 + 33 + b - 127 : 256 + 67;
        size_t n = 0;
        if (code >= 128)
            names[b][n++] = (char)(0xC0 | code >> 6),
            names[b][n++] = (char)(0x80 | (code & 63));
        else
            names[b][n++] = (char)code;
        tokens[b] = (Text){names[b], n};
        types[b] = 1;
    }
    tokens[256] = text_of("<|im_start|>"), tokens[257] = text_of("<|im_end|>");
    types[256] = types[257] = 3;
    if (make_says(m, "around")) make_picture_tokens(tokens, types);
    gguf_put_string(w, "tokenizer.ggml.model", text_of("gpt2"));
    gguf_put_string(w, "tokenizer.ggml.pre",
                    text_of(make_says(m, "bloom") ? "bloom" : "gpt-2"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, MAKE_VOCAB);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, MAKE_VOCAB);
    gguf_put_strings(w, "tokenizer.ggml.merges", NULL, 0);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 257);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 257);
}

/* A number for each layer, when they differ. */
static inline void make_key_of_layers(GgufWriter *w, const MakeModel *m, const char *key,
                                      size_t value) {
    char name[96];
    int64_t values[256];
    snprintf(name, sizeof name, "%s.%s", m->arch, key);
    bool network = strcmp(key, "feed_forward_length") == 0,
         single = network && make_says(m, "single"), wide = network && make_says(m, "wide"),
         optional = make_says(m, "optional"),
         queries = strcmp(key, "attention.head_count") == 0;
    const int part = network ? MAKE_NETWORK : MAKE_ATTENTION;
    for (size_t l = 0; l < m->layers && l < 256; l++)
        values[l] = single && l % 3 != 1 ? 0
                    : optional && !(make_parts(m, l) & part) && !(queries && make_is_map(m, l))
                        ? 0
                    : wide ? (int64_t)make_hidden(m, l)
                           : (int64_t)make_of_layer(m, l, value);
    if (make_says(m, "uneven") || single || wide || optional)
        gguf_put_ints(w, name, GGUF_U32, values, m->layers);
    else
        gguf_put_int(w, name, GGUF_U32, (int64_t)value);
}

/* How many keys and values each block has, where those without attention have none. */
static inline void make_kv_list(GgufWriter *w, const MakeModel *m, size_t kv_heads) {
    char name[96];
    int64_t values[64];
    snprintf(name, sizeof name, "%s.attention.head_count_kv", m->arch);
    for (size_t l = 0; l < m->layers && l < 64; l++)
        values[l] = make_parts(m, l) & MAKE_ATTENTION ? (int64_t)kv_heads : 0;
    if (make_says(m, "kv_listed")) gguf_put_ints(w, name, GGUF_U32, values, m->layers);
}

/* "attention.scale=0.2", "expert_count=4" or "use_parallel_residual=true" */
static inline void make_word_key(GgufWriter *w, const MakeModel *m, const char *word,
                                 size_t size) {
    char name[128], value[40];
    size_t key = strcspn(word, "=");
    snprintf(name, sizeof name, "%s.%.*s", m->arch, (int)key, word);
    snprintf(value, sizeof value, "%.*s", (int)(size - key - 1), word + key + 1);
    if (*value == 't' || *value == 'f')
        gguf_put_int(w, name, GGUF_BOOL, *value == 't');
    else if (strchr(value, '.'))
        gguf_put_float(w, name, GGUF_F32, strtod(value, NULL));
    else
        gguf_put_int(w, name, GGUF_U32, strtol(value, NULL, 10));
}

/* Is there a word that begins like this? */
static inline bool make_begins(const char *words, const char *with, size_t size) {
    for (const char *at = words; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncmp(at, with, size) == 0) return true;
    return false;
}

/* The keys among some words; those of `instead` come in place of these. */
static inline void make_words_keys(GgufWriter *w, const MakeModel *m, const char *words,
                                   const char *instead) {
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " "), key = strcspn(at, "=");
        if (key < size && !make_begins(instead, at, key + 1)) make_word_key(w, m, at, size);
        at += size;
    }
}

static inline void make_yarn(GgufWriter *w, const MakeModel *m) {
    const char *factor = "rope.scaling.factor=";
    char key[96];
    snprintf(key, sizeof key, "%s.rope.scaling.type", m->arch);
    gguf_put_string(w, key, text_of("yarn"));
    if (!make_begins(m->family, factor, strlen(factor)) &&
        !make_begins(m->more, factor, strlen(factor)))
        make_number(w, m, "rope.scaling.factor", 4);
    make_key(w, m, "rope.scaling.original_context_length", 64);
}

/* Longer than the trained context: long_rope:N positions. */
static inline void make_long_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "rope.scaling.original_context_length",
             (int64_t)make_size(m, "long_rope", 0));
    make_number(w, m, "rope.scaling.attn_factor", 1.2);
}

static inline void make_ssm_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "ssm.conv_kernel", 4);
    make_key(w, m, "ssm.inner_size", 2 * (int64_t)m->dim);
    make_key(w, m, "ssm.state_size", (int64_t)make_state(m));
    make_key(w, m, "ssm.time_step_rank", (int64_t)make_ssm_rank(m));
}

/* Of latents: numbers of one, and of a query that do not turn, that turn, and of a value. */
static inline size_t make_latent(const MakeModel *m) { return m->head_dim * 3 / 2; }
static inline size_t make_plain(const MakeModel *m) { return m->head_dim * 3 / 4; }
static inline size_t make_turned(const MakeModel *m) { return m->head_dim / 2; }
static inline size_t make_latent_value(const MakeModel *m) { return m->head_dim * 5 / 8; }
static inline size_t make_q_latent(const MakeModel *m) {
    return make_says(m, "q_latent") ? m->dim * 3 / 4 : 0;
}

static inline void make_latent_keys(GgufWriter *w, const MakeModel *m) {
    bool absorbed = make_says(m, "absorbed");
    int64_t latent = (int64_t)make_latent(m), turned = (int64_t)make_turned(m),
            query = (int64_t)make_plain(m) + turned, value = (int64_t)make_latent_value(m);
    make_kv_list(w, m, absorbed ? 1 : m->heads);
    if (!make_says(m, "kv_listed"))
        make_key(w, m, "attention.head_count_kv", absorbed ? 1 : (int64_t)m->heads);
    make_key(w, m, "attention.key_length", absorbed ? latent + turned : query);
    make_key(w, m, "attention.value_length", absorbed ? latent : value);
    if (absorbed) make_key(w, m, "attention.key_length_mla", query);
    if (absorbed) make_key(w, m, "attention.value_length_mla", value);
    make_key(w, m, "attention.kv_lora_rank", latent);
    make_key(w, m, "attention.q_lora_rank", (int64_t)make_q_latent(m));
    make_key(w, m, "rope.dimension_count", turned);
}

/* An indexer that chooses so many positions, by 16 heads. */
enum { MAKE_INDEX_HEADS = 16 };

static inline void make_index_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "attention.indexer.head_count", MAKE_INDEX_HEADS);
    make_key(w, m, "attention.indexer.key_length", (int64_t)m->head_dim);
    make_key(w, m, "attention.indexer.top_k", (int64_t)make_size(m, "indexer", 0));
}

static inline void make_head_keys(GgufWriter *w, const MakeModel *m) {
    make_key_of_layers(w, m, "feed_forward_length", m->hidden * make_size(m, "half", 1));
    make_key_of_layers(w, m, "attention.head_count", m->heads);
    if (make_says(m, "indexer")) make_index_keys(w, m);
    if (make_says(m, "latents")) {
        make_latent_keys(w, m);
        return;
    }
    make_kv_list(w, m, m->kv_heads);
    if (!make_says(m, "kv_listed"))
        make_key_of_layers(w, m, "attention.head_count_kv", m->kv_heads);
    make_key(w, m, "attention.key_length", (int64_t)m->head_dim);
    if (make_says(m, "narrow_values"))
        make_key(w, m, "attention.value_length", (int64_t)make_value_dim(m));
    if (make_says(m, "partial"))
        make_key(w, m, "rope.dimension_count", (int64_t)m->head_dim / 2);
}

static inline void make_window_list(GgufWriter *w, const MakeModel *m) {
    char name[96];
    int64_t has[64];
    for (size_t l = 0; l < m->layers && l < 64; l++) has[l] = make_windowed(l);
    snprintf(name, sizeof name, "%s.attention.sliding_window_pattern", m->arch);
    gguf_put_ints(w, name, GGUF_BOOL, has, m->layers);
}

/* Pairs that turn by time, height and width, in turn. */
static inline void make_sections(GgufWriter *w, const MakeModel *m) {
    char name[96];
    int64_t pairs = (int64_t)m->head_dim / 2 / (make_says(m, "partial") ? 2 : 1);
    snprintf(name, sizeof name, "%s.rope.dimension_sections", m->arch);
    const int64_t three[] = {(pairs + 2) / 3, (pairs + 1) / 3, pairs / 3, 0},
                  four[] = {pairs - pairs / 4 * 3, pairs / 4, pairs / 4, pairs / 4};
    gguf_put_ints(w, name, GGUF_I32, make_says(m, "sections") == 4 ? four : three, 4);
}

/* Heads of a delta net: of keys, and of values, each of head_dim numbers. */
enum { MAKE_DELTA_KEYS = 2, MAKE_DELTA_HEADS = 4 };

static inline void make_delta_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "ssm.conv_kernel", 4);
    if (make_says(m, "kda")) {
        make_key(w, m, "kda.head_dim", (int64_t)m->head_dim);
        return;
    }
    make_key(w, m, "ssm.inner_size", (int64_t)(MAKE_DELTA_HEADS * m->head_dim));
    make_key(w, m, "ssm.state_size", (int64_t)m->head_dim);
    make_key(w, m, "ssm.group_count", MAKE_DELTA_KEYS);
    make_key(w, m, "ssm.time_step_rank", MAKE_DELTA_HEADS);
}

/* Numbers through which the maps of RWKV go. */
enum { MAKE_W = 12, MAKE_A = 8, MAKE_V = 20, MAKE_G = 28, MAKE_SHIFT = 6 };

/* Heads of keys and values of QRWKV 6. */
static inline size_t make_rwkv_kv(const MakeModel *m) {
    size_t heads = m->dim / m->head_dim;
    return make_says(m, "distilled") ? max_size(1, heads / 2) : heads;
}

static inline void make_rwkv6_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "time_mix_extra_dim", MAKE_SHIFT);
    make_key(w, m, "time_decay_extra_dim", MAKE_W);
    if (make_says(m, "distilled"))
        make_key(w, m, "attention.head_count_kv", (int64_t)make_rwkv_kv(m));
}

static inline void make_rwkv_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "feed_forward_length", (int64_t)m->hidden);
    make_key(w, m, "attention.head_count", 0);
    make_key(w, m, "wkv.head_size", (int64_t)m->head_dim);
    if (make_says(m, "distilled")) make_key(w, m, "token_shift_count", 1);
    if (make_says(m, "rwkv") == 6) {
        make_rwkv6_keys(w, m);
        return;
    }
    make_key(w, m, "attention.decay_lora_rank", MAKE_W);
    make_key(w, m, "attention.iclr_lora_rank", MAKE_A);
    make_key(w, m, "attention.value_residual_mix_lora_rank", MAKE_V);
    make_key(w, m, "attention.gate_lora_rank", make_says(m, "bare_mix") ? 0 : MAKE_G);
}

/* A number for each layer: from, from + step, and so on. */
static inline void make_numbers(GgufWriter *w, const MakeModel *m, const char *key, double from,
                                double step) {
    double values[64];
    for (size_t l = 0; l < m->layers && l < 64; l++) values[l] = from + step * (double)l;
    gguf_put_floats(w, key, GGUF_F32, values, m->layers);
}

static inline void make_limits(GgufWriter *w, const MakeModel *m) {
    char name[96];
    snprintf(name, sizeof name, "%s.swiglu_clamp_exp", m->arch),
        make_numbers(w, m, name, 0, 0.7);
    snprintf(name, sizeof name, "%s.swiglu_clamp_shexp", m->arch),
        make_numbers(w, m, name, 1, 0.3);
}

static inline void make_curves(GgufWriter *w, const MakeModel *m) {
    make_numbers(w, m, "xielu.alpha_p", 0.3, 0.1),
        make_numbers(w, m, "xielu.alpha_n", 0.8, 0.1);
    make_numbers(w, m, "xielu.beta", 0.5, 0.1), make_numbers(w, m, "xielu.eps", -1e-6, 0);
}

/* Few gates pass in the first two layers, all in the others. */
static inline void make_cuts(GgufWriter *w, const MakeModel *m) {
    double cut[64];
    char name[96];
    snprintf(name, sizeof name, "%s.activation_sparsity_scale", m->arch);
    for (size_t l = 0; l < m->layers && l < 64; l++)
        cut[l] = l < 2 ? 0.6 + 0.5 * (double)l : -INFINITY;
    gguf_put_floats(w, name, GGUF_F32, cut, m->layers);
}

static inline void make_beside_keys(GgufWriter *w, const MakeModel *m) {
    size_t own = make_size(m, "own_kv", m->layers);
    if (make_says(m, "own_kv"))
        make_key(w, m, "attention.shared_kv_layers",
                 m->layers > own ? (int64_t)(m->layers - own) : 0);
    if (make_says(m, "window_heads")) {
        make_key(w, m, "attention.key_length_swa", (int64_t)m->head_dim / 2);
        make_key(w, m, "attention.value_length_swa", (int64_t)m->head_dim / 2);
        make_key(w, m, "rope.dimension_count_swa", (int64_t)max_size(2, m->head_dim / 4));
    }
    if (make_says(m, "layer_inputs"))
        make_key(w, m, "embedding_length_per_layer_input",
                 (int64_t)make_size(m, "layer_inputs", 0));
    if (make_says(m, "streams"))
        make_key(w, m, "altup.num_inputs", (int64_t)make_size(m, "streams", 0));
    if (make_says(m, "cut")) make_cuts(w, m);
    if (make_says(m, "latent_experts"))
        make_key(w, m, "moe_latent_size", (int64_t)make_size(m, "latent_experts", 0));
}

/* The names of what a head scores. */
static inline void make_labels(GgufWriter *w, const MakeModel *m) {
    static const Text names[] = {{"yes", 3}, {"no", 2}, {"perhaps", 7}, {"never", 5}};
    size_t labels = make_size(m, "scores", 0);
    char name[96];
    snprintf(name, sizeof name, "%s.classifier.output_labels", m->arch);
    if (labels > 1 && labels <= 4) gguf_put_strings(w, name, names, labels);
}

/* What the head for another model reads of it. */
static inline void make_draft_head_keys(GgufWriter *w, const MakeModel *m) {
    char name[96];
    snprintf(name, sizeof name, "%s.target_layers", m->arch);
    gguf_put_ints(w, name, GGUF_I32, (int64_t[]){2, 0, 3}, 3);
    make_key(w, m, "target_hidden_size", (int64_t)make_size(m, "target", m->dim));
}

/* Whose rows have so many numbers, and whose keys all layers read. */
static inline void make_assistant_keys(GgufWriter *w, const MakeModel *m) {
    make_key(w, m, "embedding_length_out", (int64_t)make_size(m, "assists", 0));
    make_key(w, m, "nextn_predict_layers", (int64_t)m->layers);
    make_key(w, m, "attention.shared_kv_layers", (int64_t)m->layers);
}

static inline void make_keys(GgufWriter *w, const MakeModel *m) {
    gguf_put_string(w, "general.architecture", text_of(m->arch));
    gguf_put_int(w, "general.alignment", GGUF_U32, 32);
    make_key(w, m, "context_length", (int64_t)m->ctx);
    make_key(w, m, "embedding_length", (int64_t)m->dim);
    make_key(w, m, "block_count", (int64_t)m->layers);
    if (make_says(m, "drafts"))
        make_key(w, m, "nextn_predict_layers", (int64_t)make_size(m, "drafts", 0));
    if (make_says(m, "guesses")) make_draft_head_keys(w, m);
    if (make_says(m, "assists")) make_assistant_keys(w, m);
    if (make_says(m, "ssm")) make_ssm_keys(w, m);
    if (make_says(m, "delta") || make_says(m, "kda")) make_delta_keys(w, m);
    if (make_says(m, "xielu")) make_curves(w, m);
    if (make_says(m, "limits")) make_limits(w, m);
    if (make_says(m, "rwkv")) make_rwkv_keys(w, m);
    if (!make_says(m, "alone") && !make_says(m, "rwkv")) make_head_keys(w, m);
    make_number(w, m,
                make_says(m, "layer") ? "attention.layer_norm_epsilon"
                                      : "attention.layer_norm_rms_epsilon",
                make_says(m, "eps") > 0 ? make_says(m, "eps") : 1e-5);
    if (m->window) make_key(w, m, "attention.sliding_window", (int64_t)m->window);
    if (make_says(m, "windows_listed")) make_window_list(w, m);
    if (make_says(m, "sections")) make_sections(w, m);
    if (m->experts) make_key(w, m, "expert_count", (int64_t)m->experts);
    if (m->experts) make_key(w, m, "expert_used_count", 2);
    if (make_says(m, "expert_key"))
        make_key(w, m, "expert_feed_forward_length", (int64_t)make_expert_hidden(m));
    if (make_says(m, "adjugates"))
        make_key(w, m, "expert_chunk_feed_forward_length", (int64_t)m->head_dim);
    if (make_says(m, "shared_key"))
        make_key(w, m, "expert_shared_feed_forward_length", (int64_t)m->hidden / 2);
    make_beside_keys(w, m);
    if (make_says(m, "yarn")) make_yarn(w, m);
    if (make_says(m, "bidirectional"))
        gguf_put_int(w, "tokenizer.ggml.mask_token_id", GGUF_U32, MAKE_MASK);
    if (make_says(m, "unshifted")) gguf_put_int(w, "diffusion.shift_logits", GGUF_BOOL, 0);
    if (make_says(m, "long_rope")) make_long_keys(w, m);
    make_labels(w, m);
    make_words_keys(w, m, m->family, m->more);
    make_words_keys(w, m, m->more, NULL);
}

#endif
