/* lora_peft.c - an adapter's matrices from a folder as PEFT writes it.  See parts.h.
 *
 * Names and row orders are those of the published model: the tables of extras/convert translate
 * them.
 *
 * Source   the peft library's LoraConfig and save_pretrained. */
#include "parts.h"
#include "convert/parts.h"
#include "json.h"
#include "safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of adapter_config.json that change nothing. */
static const char *const harmless[] = {
    "auto_mapping",    "base_model_name_or_path", "revision",
    "task_type",       "inference_mode",          "target_modules",
    "exclude_modules", "layers_to_transform",     "layers_pattern",
    "lora_dropout",    "init_lora_weights",       "fan_in_fan_out",
    "peft_version",    "megatron_core",           "ephemeral_gpu_offload",
    "runtime_config"};

static bool lora_peft_is_off(const JsonValue *v) {
    return v->kind == JSON_NULL || v->kind == JSON_FALSE ||
           ((v->kind == JSON_ARRAY || v->kind == JSON_OBJECT) && v->count == 0);
}

static bool lora_peft_refuse(Fault *fault, const char *key, const char *wanted) {
    return fault_set(fault, "adapter_config.json: wanted of '%s' %s", key, wanted);
}

static bool read_key(Lora *lora, Text key, const JsonValue *value, Fault *fault) {
    if (text_equal(key, text_of("lora_alpha")))
        return (json_number(value, &lora->alpha) && lora->alpha != 0) ||
               lora_peft_refuse(fault, "lora_alpha", "a number that is not 0");
    if (text_equal(key, text_of("use_rslora")))
        return (lora->by_root = value->kind == JSON_TRUE) || lora_peft_is_off(value) ||
               lora_peft_refuse(fault, "use_rslora", "true or false");
    if (text_equal(key, text_of("r")))
        return (json_size(value, &lora->rank) && lora->rank) ||
               lora_peft_refuse(fault, "r", "an integer from 1");
    if (text_equal(key, text_of("peft_type")))
        return json_is(value, "LORA") || lora_peft_refuse(fault, "peft_type", "LORA");
    if (text_equal(key, text_of("bias")) && json_is(value, "none")) return true;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (text_equal(key, text_of(harmless[i]))) return true;
    return lora_peft_is_off(value) ||
           fault_set(fault,
                     "adapter_config.json: '%.*s' asks for something that is not built in",
                     (int)min_size(60, key.size), key.data);
}

static bool read_config(Lora *lora, const Folder *folder, Fault *fault) {
    Json *json = folder_json(folder, "adapter_config.json", false, fault);
    const JsonValue *root = json ? json_root(json) : NULL;
    bool ok = json != NULL;
    for (size_t i = 0; ok && root->kind == JSON_OBJECT && i < root->count; i++)
        ok = read_key(lora, root->keys[i], &root->items[i], fault);
    if (ok && lora->alpha == 0) ok = fault_set(fault, "adapter_config.json has no lora_alpha");
    json_free(json);
    return ok || (json && fault_prefix(fault, folder->path));
}

/* "base_model.model.NAME.lora_A.weight", or ".lora_A.default.weight" -> NAME, and which of the
 * two. */
static bool lora_peft_split_name(Text *name, bool *is_b) {
    const Text start = text_of("base_model.model.");
    static const char *const ends[] = {".lora_A.weight", ".lora_B.weight",
                                       ".lora_A.default.weight", ".lora_B.default.weight"};
    if (!text_begins(*name, start)) return false;
    Text rest = {name->data + start.size, name->size - start.size};
    for (int i = 0; i < 4; i++) {
        if (!text_ends(rest, text_of(ends[i]))) continue;
        *name = (Text){rest.data, rest.size - strlen(ends[i])};
        return *is_b = i % 2, true;
    }
    return false;
}

/* Can B's rows, which are the matrix's, move like these? */
static bool rows_move(const Conversion *c, const Target *t) {
    const bool own = quirks_of(c->recipe)->optional_parts; /* each layer its own heads */
    const size_t all = c->heads + 2 * c->kv_heads;
    switch (t->change) {
    case AS_IS: return true;
    case PERMUTED_Q:
    case REGROUPED: return c->heads && t->shape[0] % (2 * c->heads) == 0;
    case PERMUTED_K:
        return own ? c->head_dim && t->shape[0] % c->head_dim == 0
                   : c->kv_heads && t->shape[0] % (2 * c->kv_heads) == 0;
    case BY_HEADS:
    case PERMUTED_QKV:
    case PERMUTED_BY_HEADS: return all && t->shape[0] % (2 * all) == 0;
    default: return false;
    }
}

static bool lora_peft_fill(const Model *model, Target *t, float *out, Fault *fault) {
    const LayerSizes *s = &model->layers[0];
    const Conversion c = {.recipe = model->recipe,
                          .heads = s->heads,
                          .kv_heads = s->kv_heads,
                          .head_dim = s->head_dim,
                          .fault = fault};
    if (t->change == TRANSPOSED) t->change = AS_IS; /* applies to W only */
    if (!rows_move(&c, t))
        return fault_set(fault, "'%s' is not a matrix of its own in this program", t->name);
    for (size_t r = 0; r < t->shape[0]; r++) target_row(&c, t, r, out + r * t->shape[1]);
    return true;
}

static bool lora_peft_read_matrix(Lora *lora, const Model *model, const SafeTensor *from,
                                  Fault *fault) {
    Target t = {.parts = (const SafeTensor *[]){from}, .n_parts = 1, .ndim = 2, .factor = 1};
    Text name = from->name;
    bool is_b = false;
    if (!lora_peft_split_name(&name, &is_b) || from->ndim != 2 || from->bytes == 0 ||
        !name_here(model->recipe->arch, name, t.name, sizeof t.name, &t.change))
        return fault_set(
            fault, "the tensor '%.*s' is none that an adapter of a %s model can have",
            (int)min_size(100, from->name.size), from->name.data, model->recipe->arch);
    t.shape[0] = from->shape[0], t.shape[1] = from->shape[1];
    if (!is_b) t.change = AS_IS;
    Pair *pair = lora_pair(lora, t.name, fault);
    float *numbers = pair ? malloc(t.shape[0] * t.shape[1] * sizeof *numbers) : NULL;
    if (!numbers) return fault_set(fault, "no memory for '%s'", t.name);
    if ((is_b ? pair->b : pair->a) || !lora_peft_fill(model, &t, numbers, fault))
        return free(numbers), (is_b ? pair->b : pair->a)
                                  ? fault_set(fault, "'%s' stands twice", t.name)
                                  : false;
    if (is_b)
        pair->b = numbers, pair->out = t.shape[0], pair->rank_b = t.shape[1];
    else
        pair->a = numbers, pair->rank_a = t.shape[0], pair->in = t.shape[1];
    return true;
}

bool lora_read_folder(Lora *lora, const Model *model, const char *path, Fault *fault) {
    const Folder folder = {.path = path};
    FileMap file;
    Safetensors tensors;
    if (!read_config(lora, &folder, fault) ||
        !folder_map(&folder, "adapter_model.safetensors", &file, fault))
        return false;
    bool ok = safetensors_parse(&tensors, file.data, file.size, fault);
    for (size_t i = 0; ok && i < tensors.n_tensors; i++)
        ok = lora_peft_read_matrix(lora, model, &tensors.tensors[i], fault);
    if (ok || tensors.tensors) safetensors_free(&tensors);
    file_close(&file);
    return ok || fault_prefix(fault, path);
}
