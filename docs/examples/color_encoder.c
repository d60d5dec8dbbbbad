/* color_encoder.c - a vision encoder that is set by hand, for a model that knows four words:
 * each patch of one color becomes the embedding of that color's word.
 *
 *     cc color_encoder.c $(pkg-config --cflags --libs strata) -o color_encoder
 *     ./color_encoder model.gguf mmproj.gguf
 *
 * The file is of LLaVA's kind (docs/layer5/vision.md).  With r, g, b from -1 to 1:
 *
 *     patch      (1 + r + g + b) / 4: 1 if white, 0 if red, green or blue
 *                (1 + r - g - b) / 4: 1 if red, 0 if another one of the four ...
 *     norm       1 becomes sqrt(3), 0 becomes -1 / sqrt(3)
 *     projector  about 12 and 0 (map, GELU); times that word's embedding / 12 (map)
 *
 * The block in between adds nothing: all its maps are zero. */
#include <strata.h>

#include <math.h>
#include <stdio.h>

enum { PATCH = 8, ACROSS = 4, COLORS = 4, PIXELS = PATCH * PATCH, MOST = 1024 };

static const char *const words[COLORS] = {" white", " red", " green", " blue"};
static const float signs[COLORS][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

static void put(GgufWriter *w, const char *name, int ndim, const size_t *shape,
                const float *values) {
    const Tensor t = tensor_view(DTYPE_F32, ndim, shape, (void *)values);
    gguf_put_tensor(w, name, &t);
}

static void put_matrix(GgufWriter *w, const char *name, size_t rows, size_t columns,
                       const float *values) {
    put(w, name, columns ? 2 : 1, (size_t[]){rows, columns}, values);
}

static void put_keys(GgufWriter *w, size_t width) {
    static const struct {
        const char *key;
        int64_t value;
    } sizes[] = {{"image_size", PATCH * ACROSS}, {"patch_size", PATCH},
                 {"embedding_length", COLORS},   {"feed_forward_length", 2 * COLORS},
                 {"attention.head_count", 1},    {"block_count", 2}};
    char key[64];
    gguf_put_string(w, "general.architecture", text_of("clip"));
    gguf_put_string(w, "general.type", text_of("mmproj"));
    gguf_put_string(w, "clip.projector_type", text_of("mlp"));
    gguf_put_int(w, "clip.has_vision_encoder", GGUF_BOOL, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(key, sizeof key, "clip.vision.%s", sizes[i].key);
        gguf_put_int(w, key, GGUF_U32, sizes[i].value);
    }
    gguf_put_int(w, "clip.vision.projection_dim", GGUF_U32, (int64_t)width);
    gguf_put_float(w, "clip.vision.attention.layer_norm_epsilon", GGUF_F32, 1e-6);
    gguf_put_floats(w, "clip.vision.image_mean", GGUF_F32, (double[]){0.5, 0.5, 0.5}, 3);
    gguf_put_floats(w, "clip.vision.image_std", GGUF_F32, (double[]){0.5, 0.5, 0.5}, 3);
}

/* Colors of a patch as four numbers; the 1 in each comes with the position. */
static void put_patches(GgufWriter *w) {
    float map[COLORS][3][PIXELS], ones[ACROSS * ACROSS + 1][COLORS];
    for (size_t i = 0; i < COLORS * 3 * PIXELS; i++)
        map[0][0][i] = signs[i / PIXELS / 3][i / PIXELS % 3] / (4 * PIXELS);
    for (size_t i = 0; i < sizeof ones / sizeof(float); i++) ones[0][i] = 0.25F;
    put(w, "v.patch_embd.weight", 4, (size_t[]){COLORS, 3, PATCH, PATCH}, map[0][0]);
    put_matrix(w, "v.position_embd.weight", ACROSS * ACROSS + 1, COLORS, ones[0]);
    put_matrix(w, "v.class_embd", COLORS, 0, signs[0]);
}

static void put_norm(GgufWriter *w, const char *name) {
    static const float ones[COLORS] = {1, 1, 1, 1}, zeros[COLORS];
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name), put_matrix(w, full, COLORS, 0, ones);
    snprintf(full, sizeof full, "%s.bias", name), put_matrix(w, full, COLORS, 0, zeros);
}

static void put_map(GgufWriter *w, const char *name, size_t out, size_t in, const float *weight,
                    const float *bias) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name), put_matrix(w, full, out, in, weight);
    snprintf(full, sizeof full, "%s.bias", name), put_matrix(w, full, out, 0, bias);
}

/* The projector reads what goes into the last of two blocks. */
static void put_block(GgufWriter *w, int l) {
    static const float zeros[2 * COLORS * COLORS];
    static const char *const maps[] = {"attn_q",   "attn_k", "attn_v",
                                       "attn_out", "ffn_up", "ffn_down"};
    char name[32];
    snprintf(name, sizeof name, "v.blk.%d.ln1", l), put_norm(w, name);
    snprintf(name, sizeof name, "v.blk.%d.ln2", l), put_norm(w, name);
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "v.blk.%d.%s", l, maps[i]);
        put_map(w, name, i == 4 ? 2 * COLORS : COLORS, i == 5 ? 2 * COLORS : COLORS, zeros,
                zeros);
    }
}

/* Which color, as 12 or 0; then its word's embedding. */
static void put_projector(GgufWriter *w, const Model *m, const int32_t ids[COLORS]) {
    static float rows[COLORS][MOST], turned[MOST * COLORS], zeros[MOST];
    const size_t dim = m->sizes.dim;
    const float large = 10 * sqrtf(3) - 5;
    float map[COLORS][COLORS] = {{0}}, bias[COLORS];
    for (size_t c = 0; c < COLORS; c++) {
        map[c][c] = 10, bias[c] = -5;
        embedding(rows[c], &m->embedding, (size_t)ids[c]);
        for (size_t i = 0; i < dim; i++) turned[i * COLORS + c] = rows[c][i] / large;
    }
    put_map(w, "mm.0", COLORS, COLORS, map[0], bias);
    put_map(w, "mm.2", dim, COLORS, turned, zeros);
}

static bool find_words(const Model *m, int32_t ids[COLORS], Fault *fault) {
    for (int c = 0; c < COLORS; c++) {
        TokenList list = {0};
        bool ok = tokenizer_encode(m->tokenizer, text_of(words[c]), false, &list, fault);
        const size_t n = list.count;
        if (ok && n == 1) ids[c] = list.ids[0];
        token_list_free(&list);
        if (!ok) return false;
        if (n != 1) return fault_set(fault, "\"%s\" is %zu tokens: wanted one", words[c], n);
    }
    return m->sizes.dim <= MOST ||
           fault_set(fault, "the model's rows have %zu numbers: wanted at most %d",
                     m->sizes.dim, MOST);
}

static bool write_encoder(const Model *m, const char *path, Fault *fault) {
    int32_t ids[COLORS];
    GgufWriter *w = NULL;
    bool ok = find_words(m, ids, fault) && (w = gguf_writer_open(fault)) != NULL;
    if (ok) {
        put_keys(w, m->sizes.dim), put_patches(w), put_norm(w, "v.pre_ln");
        put_block(w, 0), put_block(w, 1), put_projector(w, m, ids);
        ok = gguf_write_file(w, path, fault);
    }
    if (w) gguf_writer_close(w);
    return ok;
}

int main(int argc, char **argv) {
    Model model;
    Fault fault;
    if (argc != 3) return fprintf(stderr, "usage: color_encoder MODEL.gguf MMPROJ.gguf\n"), 2;
    bool ok = model_open(&model, argv[1], &fault);
    if (ok) ok = write_encoder(&model, argv[2], &fault), model_close(&model);
    if (!ok) fprintf(stderr, "color_encoder: %s\n", fault.text);
    return ok ? 0 : 1;
}
