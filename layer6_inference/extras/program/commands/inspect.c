/* inspect.c - strata inspect: contents of a GGUF, safetensors or PyTorch file, and its memory
 * requirements. */
#include "commands.h"
#include "compute.h"
#include "families.h"
#include "pooling.h"
#include "pytorch.h"
#include "safetensors.h"
#include "group.h"
#include "machines_plan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void inspect_print_value(const GgufPair *pair, uint64_t i) {
    int64_t whole;
    double number;
    if (pair->item == GGUF_BOOL && gguf_int(pair, i, &whole))
        printf("%s", whole ? "true" : "false");
    else if (pair->item == GGUF_U64 && !gguf_int(pair, i, &whole))
        printf("%llu", (unsigned long long)whole);
    else if (gguf_int(pair, i, &whole))
        printf("%lld", (long long)whole);
    else if (gguf_float(pair, i, &number))
        printf("%g", number);
}

/* At most `max` bytes; control characters made visible. */
static void print_string(Text text, size_t max) {
    putchar('"');
    for (size_t i = 0; i < text.size && i < max; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\n')
            printf("\\n");
        else if (c < 32 || c == 127)
            printf("\\x%02x", c);
        else
            putchar(c);
    }
    printf(text.size > max ? "...\"" : "\"");
}

static void print_pair(const GgufPair *pair) {
    printf("  %-44.*s ", (int)pair->key.size, pair->key.data);
    const unsigned char *cursor = pair->data;
    uint64_t shown = pair->count < 6 ? pair->count : 5;
    if (pair->type == GGUF_ARRAY)
        printf("%s[%llu] ", gguf_type_name(pair->item), (unsigned long long)pair->count);
    for (uint64_t i = 0; i < shown; i++) {
        if (i) printf(", ");
        if (pair->item == GGUF_STRING)
            print_string(gguf_next_string(&cursor), pair->type == GGUF_ARRAY ? 24 : 100);
        else
            inspect_print_value(pair, i);
    }
    printf(shown < pair->count ? ", ...\n" : "\n");
}

static double print_tensors(const Gguf *gguf) {
    double bytes = 0, count = 0;
    char shape[80];
    for (size_t i = 0; i < gguf->n_tensors; i++) {
        const GgufTensor *t = &gguf->tensors[i];
        printf("  %-36.*s %-8s %-20s %12zu bytes\n", (int)t->name.size, t->name.data,
               dtype_name(t->dtype), tensor_shape_text(t->ndim, t->shape, shape, sizeof shape),
               t->bytes);
        bytes += (double)t->bytes;
        double n = 1;
        for (int d = 0; d < t->ndim; d++) n *= (double)t->shape[d];
        count += n;
    }
    printf("\n%zu tensors, %.2f million numbers, %.2f MB\n", gguf->n_tensors, count / 1e6,
           bytes / 1e6);
    return bytes;
}

/* "8", or "4 to 8" where layers differ. */
static void print_range(const Model *m, const char *name, bool more, size_t place) {
    size_t min = SIZE_MAX, max = 0;
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const LayerSizes *s = &m->layers[l];
        if (more && !s->extras) return;
        size_t value =
            *(const size_t *)((more ? (const char *)s->extras : (const char *)s) + place);
        if (value < min) min = value;
        if (value > max) max = value;
    }
    if (min < max)
        printf(", %s %zu to %zu", name, min, max);
    else if (max)
        printf(", %s %zu", name, max);
}

#define SIZE(member) false, offsetof(LayerSizes, member)
#define MORE(member) true, offsetof(LayerExtras, member)

static void print_sizes(const Model *m) {
    const ModelSizes *s = &m->sizes;
    const ModelExtras *x = model_extras(m);
    const LayerExtras *first = m->layers[0].extras;
    printf("\nmodel: %s (%s)\n  ", m->recipe->arch, m->recipe->models);
    if (x->encoder) printf("%zu layers that read a source, and then ", x->encoder);
    printf("%zu layers, dim %zu", s->layers - x->encoder, s->dim);
    print_range(m, "hidden", SIZE(hidden));
    print_range(m, "experts", MORE(experts));
    print_range(m, "of them used", MORE(experts_used));
    print_range(m, "expert hidden", MORE(expert_hidden));
    print_range(m, "heads", SIZE(heads));
    print_range(m, "kv_heads", SIZE(kv_heads));
    print_range(m, "head_dim", SIZE(head_dim));
    print_range(m, "window", SIZE(window));
    print_range(m, "ssm channels", MORE(ssm_inner));
    if (first && first->ssm_state) printf(", numbers of each %zu", first->ssm_state);
    print_range(m, "short conv", MORE(short_conv));
    printf(", vocab %zu, ctx %zu\n", s->vocab, s->ctx);
    if (x->drafts)
        printf(
            "  behind them %zu draft head%s, of which generate --draft head uses the first\n",
            x->drafts, x->drafts > 1 ? "s" : "");
    if (x->quirks->is_draft_head)
        printf("  a draft head for another model: it reads rows of %zu numbers that go into "
               "its layers\n  %zu, %zu and %zu, and guesses among %zu tokens what it says: "
               "generate -m MODEL --draft FILE\n",
               x->draft_head.width, x->draft_head.layers[0], x->draft_head.layers[1],
               x->draft_head.layers[2], x->draft_head.count);
    else if (x->quirks->assists)
        printf("  a draft model for a %s model whose rows have %zu numbers: it reads those and "
               "the model's keys and\n  values, and has none: generate -m MODEL --draft FILE\n",
               x->quirks->assists, x->draft_head.width);
    else if (!model_writes(m))
        printf("  it reads and does not write: texts become %s, pooling %s\n",
               x->text_head.pooling == POOLING_RANK ? "scores" : "vectors",
               pooling_name(x->text_head.pooling));
}

/* Size of the recurrent state of all layers, in numbers. */
static size_t state_numbers(const Model *m) {
    size_t sum = 0;
    for (size_t l = 0; l < m->sizes.layers; l++) sum += block_state(&m->blocks[l]);
    return sum;
}

/* False unless the file is a vision encoder (mmproj). */
static bool print_eye(const char *path, Fault *fault) {
    FileMap map;
    Model m;
    if (!file_open(&map, path, fault)) return false;
    if (!model_open_vision(&m, map.data, map.size, CLASS_FIRST, fault))
        return file_close(&map), false;
    const VisionTower *e = &model_extras(&m)->vision;
    printf("\neye: %s (of %s)\n  %zu layers, dim %zu, heads %zu\n", e->kind->projector,
           e->kind->models, m.sizes.layers, m.sizes.dim, m.layers[0].heads);
    if (e->max_tiles > 1)
        printf("  a picture, as up to %zu tiles and one of %zu by %zu pixels, in patches of "
               "%zu by %zu, becomes up to",
               e->max_tiles, e->image, e->image, e->patch, e->patch);
    else if (vision_any_size(e))
        printf("  a picture of any size, in patches of %zu by %zu, becomes up to", e->patch,
               e->patch);
    else
        printf("  a picture of %zu by %zu pixels, in patches of %zu by %zu, becomes", e->image,
               e->image, e->patch, e->patch);
    printf(" %zu rows of %zu numbers,\n  which a model reads in place of tokens: generate "
           "--mmproj FILE --image FILE\n",
           vision_most_rows(e), e->width);
    if (e->hears) printf("  its encoder of sound is left out: this program reads pictures\n");
    model_close(&m), file_close(&map);
    return true;
}

static bool print_plan(const char *path, double weights, Fault *fault) {
    Model model;
    size_t cache, work;
    if (!model_open(&model, path, fault)) {
        Fault eye = *fault;
        if (fault_is_memory(fault)) return false;
        if (print_eye(path, &eye)) return true;
        if (fault_is_memory(&eye)) return *fault = eye, false;
        printf("\nno memory plan: %s\n", fault->text);
        return true;
    }
    const ModelSizes *s = &model.sizes;
    print_sizes(&model);
    printf(
        "\nmemory plan                 ctx      weights (mapped)    kv cache      working\n");
    for (size_t ctx = s->ctx < 512 ? s->ctx : 512;; ctx = ctx * 4 < s->ctx ? ctx * 4 : s->ctx) {
        session_plan(&model,
                     (SessionConfig){.ctx = ctx,
                                     .sequences = 1,
                                     .max_tokens = PREFILL_BATCH,
                                     .max_logits = 1,
                                     .kv = {DTYPE_F16, false}},
                     &cache, &work);
        printf("  one sequence %18zu %14.2f MB %11.2f MB %9.2f MB\n", ctx, weights / 1e6,
               (double)cache / 1e6, (double)work / 1e6);
        if (ctx == s->ctx) break;
    }
    size_t packed = model_packed_bytes(&model), state = state_numbers(&model);
    if (model.layers[model.sizes.layers - 1].heads || !state)
        printf("  (the kv cache takes twice that with --kv f32)\n");
    if (state)
        printf("  (some states of %.2f MB are in it, in f32 always: they do not grow with the "
               "context)\n",
               (double)(state * sizeof(float)) / 1e6);
    if (packed)
        printf("  and %.2f MB for the quantized matrices repacked (none with --no-pack)\n",
               (double)packed / 1e6);
    model_close(&model);
    return true;
}

/* Does it begin like safetensors: header size, then a brace? */
static bool inspect_is_safetensors(const FileMap *map) {
    return map->size > 9 && memcmp(map->data, "GGUF", 4) != 0 && map->data[8] == '{';
}

static void print_safe_tensors(const SafeTensor *tensors, size_t n_tensors) {
    char shape[120];
    double count = 0, bytes = 0;
    for (size_t i = 0; i < n_tensors; i++) {
        const SafeTensor *t = &tensors[i];
        printf("  %-52.*s %-8s %-20s %12zu bytes\n", (int)t->name.size, t->name.data,
               safe_type_name(t->type),
               tensor_shape_text(t->ndim, t->shape, shape, sizeof shape), t->bytes);
        count += (double)(t->bytes / safe_type_bytes(t->type)), bytes += (double)t->bytes;
    }
    printf("\n%zu tensors, %.2f million numbers, %.2f MB\n"
           "\nstrata convert makes a GGUF file of the folder it lies in.\n",
           n_tensors, count / 1e6, bytes / 1e6);
}

static bool inspect_safetensors(const char *path, const FileMap *map, Fault *fault) {
    Safetensors s;
    if (!safetensors_parse(&s, map->data, map->size, fault)) return fault_prefix(fault, path);
    printf("%s: safetensors, %.2f MB, %zu tensors\n\n", path, (double)map->size / 1e6,
           s.n_tensors);
    for (size_t i = 0; s.metadata && i < s.metadata->count; i++) {
        printf("  %-44.*s ", (int)s.metadata->keys[i].size, s.metadata->keys[i].data);
        print_string(s.metadata->items[i].text, 100);
        putchar('\n');
    }
    if (s.metadata) putchar('\n');
    print_safe_tensors(s.tensors, s.n_tensors);
    safetensors_free(&s);
    return true;
}

static bool inspect_pytorch(const char *path, const FileMap *map, Fault *fault) {
    Pytorch p;
    if (!pytorch_parse(&p, map->data, map->size, fault)) return fault_prefix(fault, path);
    printf("%s: PyTorch, %.2f MB, %zu tensors\n\n", path, (double)map->size / 1e6, p.n_tensors);
    print_safe_tensors(p.tensors, p.n_tensors);
    pytorch_free(&p);
    return true;
}

static bool inspect_file(const char *path, Fault *fault) {
    FileMap map;
    GgufFile file;
    Gguf gguf;
    if (!file_open(&map, path, fault)) return false;
    bool safe = inspect_is_safetensors(&map), torch = pytorch_is(map.data, map.size);
    if (safe || torch) {
        bool ok =
            safe ? inspect_safetensors(path, &map, fault) : inspect_pytorch(path, &map, fault);
        file_close(&map);
        return ok;
    }
    file_close(&map);
    if (!gguf_open(&file, &gguf, path, fault)) return false;
    printf("%s: GGUF version %u, %.2f MB, %zu keys, %zu tensors\n\n", path, gguf.version,
           (double)file.bytes / 1e6, gguf.n_pairs, gguf.n_tensors);
    for (size_t i = 0; i < gguf.n_pairs; i++) print_pair(&gguf.pairs[i]);
    putchar('\n');
    bool ok = print_plan(path, print_tensors(&gguf), fault);
    gguf_close(&file, &gguf);
    return ok;
}

static struct {
    const char *path;
    bool families;
    MachinesPlan plan;
} asked;

static bool inspect_check(Fault *fault) {
    static char found[2400];
    if (asked.families)
        return (!asked.path && !asked.plan.machines) ||
               fault_set(fault, "--families stands alone");
    if (!asked.path) asked.path = default_model(found, sizeof found);
    return asked.path || fault_set(fault, "no file was named");
}

static bool inspect_run(Fault *fault) {
    const Recipe *row;
    if (!asked.families)
        return choose_model(&asked.path, fault) &&
               (asked.plan.machines ? print_machines_plan(asked.path, &asked.plan, fault)
                                    : inspect_file(asked.path, fault));
    for (size_t i = 0; (row = recipe_row(i)); i++) {
        const char *more = more_models(row->arch);
        printf("%-16s %s%s%s\n", row->arch, row->models, more ? ", " : "", more ? more : "");
    }
    return true;
}

static const Option inspect_options[] = {
    {"--families", OPT_FLAG, &asked.families, NULL, "list the model families that load"},
    {"--machines", OPT_INT(1, GROUP_MAX), &asked.plan.machines, "N",
     "what each of N machines has of a model, and what a token costs on the wire"},
    {"--shares", OPT_TEXT, &asked.plan.shares, "A:B:...", "as of strata generate (1:1:...)"},
    {"--split", OPT_TEXT, &asked.plan.split, "WHAT",
     "as of strata generate: rows (default) or layers"},
    {"--wire", OPT_TEXT, &asked.plan.wire, "TYPE", "as of strata generate: f32 or f16 (f32)"},
    {"--network", OPT_TEXT, &asked.plan.network, "RATE:DELAY",
     "for the time of a token: 1Gb/s:100us, 100Mb/s:2ms"},
    {"--bandwidth", OPT_REAL(1e-3, 1e6), &asked.plan.bandwidth, "X",
     "GB/s at which a machine reads the weights (measured here)"},
    {0}};

static const OptionRule inspect_rules[] = {
    {"--shares --split --wire --network", NEEDS, "--machines",
     "one machine has all, and no wire"},
    {"--bandwidth", NEEDS, "--network", "it is for the time of a token"},
    {0}};

const Command command_inspect = {.name = "inspect",
                                 .usage = "inspect [FILE]",
                                 .about = "Show what a GGUF file contains: metadata, tensors, "
                                          "sizes and the memory it needs to run.\n"
                                          "Also reads safetensors and PyTorch files.",
                                 .options = inspect_options,
                                 .rules = inspect_rules,
                                 .words = &asked.path,
                                 .max_words = 1,
                                 .check = inspect_check,
                                 .run = inspect_run};
