/* config.c - config.json as the keys of a GGUF file.  See parts.h and sizes.c.
 *
 * A key of config.json is one of four things: it has a key here; it must have the one value that is computed with;
 * it is known to change nothing; or it is refused by name.  What is null was not given. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the table */

typedef enum KeyUse {
    SIZE,   /* a whole number: the key here */
    NUMBER, /* a number: likewise */
    FLAG,   /* true or false: likewise */
    ONLY,   /* one of these values, separated by spaces */
    READ,   /* elsewhere in this folder of sources */
    NOTHING /* changes nothing */
} KeyUse;

typedef struct ConfigKey {
    const char *name;
    KeyUse use;
    const char *ours;  /* "attention.head_count", or the values */
    const char *archs; /* only of these families, separated by spaces; NULL: all */
} ConfigKey;

#define GELUS "gelu_pytorch_tanh gelu_new gelu_fast gelu"
#define RMS   "attention.layer_norm_rms_epsilon"
#define LAYER "attention.layer_norm_epsilon"

static const ConfigKey keys[] = {
    {"num_hidden_layers", SIZE, "block_count", NULL},
    {"n_layer", SIZE, "block_count", "gpt2"},
    {"max_position_embeddings", SIZE, "context_length", NULL},
    {"n_positions", SIZE, "context_length", "gpt2"},
    {"hidden_size", SIZE, "embedding_length", NULL},
    {"n_embd", SIZE, "embedding_length", "gpt2"},
    {"intermediate_size", SIZE, "feed_forward_length", NULL},
    {"n_inner", SIZE, "feed_forward_length", "gpt2"},
    {"num_attention_heads", SIZE, "attention.head_count", NULL},
    {"n_head", SIZE, "attention.head_count", "gpt2"},
    {"num_key_value_heads", SIZE, "attention.head_count_kv", NULL},
    {"rms_norm_eps", NUMBER, RMS, NULL},
    {"layer_norm_eps", NUMBER, LAYER, "gptneox bert"},
    {"layer_norm_epsilon", NUMBER, RMS, "mamba2"},
    {"layer_norm_epsilon", NUMBER, LAYER, "gpt2"},
    {"norm_epsilon", NUMBER, LAYER, "starcoder2"},
    {"rope_theta", NUMBER, "rope.freq_base", NULL},
    {"rotary_emb_base", NUMBER, "rope.freq_base", "gptneox"},
    {"rope_local_base_freq", NUMBER, "rope.freq_base_swa", "gemma3"},
    {"attn_logit_softcapping", NUMBER, "attn_logit_softcapping", "gemma2"},
    {"final_logit_softcapping", NUMBER, "final_logit_softcapping", "gemma2 gemma3"},
    {"num_local_experts", SIZE, "expert_count", "llama granitemoe"},
    {"num_experts", SIZE, "expert_count", "qwen2moe qwen3moe"},
    {"num_experts_per_tok", SIZE, "expert_used_count", "llama granitemoe qwen2moe qwen3moe"},
    {"moe_intermediate_size", SIZE, "expert_feed_forward_length", "qwen2moe qwen3moe"},
    {"shared_expert_intermediate_size", SIZE, "expert_shared_feed_forward_length", "qwen2moe"},
    {"shared_intermediate_size", SIZE, "expert_shared_feed_forward_length", "granitemoe"},
    {"attention_multiplier", NUMBER, "attention.scale", "granite granitemoe"},
    {"embedding_multiplier", NUMBER, "embedding_scale", "granite granitemoe"},
    {"residual_multiplier", NUMBER, "residual_scale", "granite granitemoe"},
    {"logits_scaling", NUMBER, "logit_scale", "granite granitemoe"},
    {"use_parallel_residual", FLAG, "use_parallel_residual", "gptneox"},
    {"conv_kernel", SIZE, "ssm.conv_kernel", "mamba2"},
    {"state_size", SIZE, "ssm.state_size", "mamba2"},
    {"n_groups", SIZE, "ssm.group_count", "mamba2"},
    {"num_heads", SIZE, "ssm.time_step_rank", "mamba2"},

    {"head_dim", READ, NULL, NULL},
    {"expand", READ, NULL, "mamba2"},
    {"n_ctx", READ, NULL, "gpt2"},
    {"rotary_pct", READ, NULL, "gptneox"},
    {"partial_rotary_factor", READ, NULL, NULL},
    {"query_pre_attn_scalar", READ, NULL, "gemma2 gemma3"},
    {"sliding_window", READ, NULL, NULL},
    {"sliding_window_pattern", READ, NULL, "gemma3"},
    {"_sliding_window_pattern", READ, NULL, "gemma3"},
    {"use_sliding_window", READ, NULL, NULL},
    {"layer_types", READ, NULL, NULL},
    {"type_vocab_size", READ, NULL, "bert"},
    {"id2label", READ, NULL, "bert"},
    {"rope_scaling", READ, NULL, NULL},
    {"rope_parameters", READ, NULL, NULL},
    {"original_max_position_embeddings", READ, NULL, "phi3"},
    {"vocab_size", READ, NULL, NULL},
    {"architectures", READ, NULL, NULL},
    {"tie_word_embeddings", READ, NULL, NULL},
    {"bos_token_id", READ, NULL, NULL},
    {"eos_token_id", READ, NULL, NULL},
    {"pad_token_id", READ, NULL, NULL},

    {"hidden_act", ONLY, "silu",
     "llama qwen2 qwen3 qwen2moe qwen3moe phi3 granite granitemoe olmo2 mamba2"},
    {"hidden_act", ONLY, GELUS, "gemma gemma2 gptneox starcoder2 bert"},
    {"hidden_activation", ONLY, GELUS, "gemma gemma2 gemma3"},
    {"activation_function", ONLY, GELUS, "gpt2"},
    {"norm_topk_prob", ONLY, "true", "qwen3moe"},
    {"norm_topk_prob", ONLY, "false", "qwen2moe"},
    {"decoder_sparse_step", ONLY, "1", NULL},
    {"mlp_only_layers", ONLY, "[]", NULL},
    {"norm_type", ONLY, "layer_norm", "starcoder2"},
    {"mlp_type", ONLY, "default", "starcoder2"},
    {"scale_attn_weights", ONLY, "true", "gpt2"},
    {"scale_attn_by_inverse_layer_idx", ONLY, "false", "gpt2"},
    {"add_cross_attention", ONLY, "false", NULL},
    {"is_decoder", ONLY, "false", "bert"},
    {"is_decoder", ONLY, "true false", NULL},
    {"position_embedding_type", ONLY, "absolute", "bert"},
    {"is_encoder_decoder", ONLY, "false", NULL},
    {"use_bidirectional_attention", ONLY, "false", NULL},
    {"attention_value_scale", ONLY, "1 1.0", NULL},
    {"clip_qkv", ONLY, "", NULL},
    {"rms_norm", ONLY, "true", "mamba2"},
    {"residual_in_fp32", NOTHING, NULL, NULL},
    {"time_step_limit", READ, NULL, "mamba2"},
    {"norm_before_gate", ONLY, "false", "mamba2"},
    {"router_jitter_noise", NOTHING, NULL, NULL},

    /* the tensors show which maps have a bias */
    {"attention_bias", NOTHING, NULL, NULL},
    {"mlp_bias", NOTHING, NULL, NULL},
    {"use_bias", NOTHING, NULL, NULL},
    {"use_conv_bias", NOTHING, NULL, NULL},
    {"qkv_bias", NOTHING, NULL, NULL},
    /* how it was made, and how other programs run it */
    {"model_type", NOTHING, NULL, NULL},
    {"_name_or_path", NOTHING, NULL, NULL},
    {"_attn_implementation_autoset", NOTHING, NULL, NULL},
    {"auto_map", NOTHING, NULL, NULL},
    {"torch_dtype", NOTHING, NULL, NULL},
    {"dtype", NOTHING, NULL, NULL},
    {"transformers_version", NOTHING, NULL, NULL},
    {"unsloth_version", NOTHING, NULL, NULL},
    {"unsloth_fixed", NOTHING, NULL, NULL},
    {"use_cache", NOTHING, NULL, NULL},
    {"cache_implementation", NOTHING, NULL, NULL},
    {"gradient_checkpointing", NOTHING, NULL, NULL},
    {"initializer_range", NOTHING, NULL, NULL},
    {"initializer_factor", NOTHING, NULL, NULL},
    {"rescale_prenorm_residual", NOTHING, NULL, NULL},
    {"time_step_rank", NOTHING, NULL, "mamba2"}, /* Mamba 2 has a step for each head */
    {"time_step_min", NOTHING, NULL, NULL},
    {"time_step_max", NOTHING, NULL, NULL},
    {"time_step_floor", NOTHING, NULL, NULL},
    {"chunk_size", NOTHING, NULL, NULL},
    {"pretraining_tp", NOTHING, NULL, NULL},
    {"attention_dropout", NOTHING, NULL, NULL},
    {"hidden_dropout_prob", NOTHING, NULL, "bert"},
    {"attention_probs_dropout_prob", NOTHING, NULL, "bert"},
    {"label2id", NOTHING, NULL, "bert"}, /* id2label the other way */
    {"problem_type", NOTHING, NULL, "bert"},
    {"directionality", NOTHING, NULL, "bert"},
    {"pooler_fc_size", NOTHING, NULL, "bert"},
    {"pooler_num_attention_heads", NOTHING, NULL, "bert"},
    {"pooler_num_fc_layers", NOTHING, NULL, "bert"},
    {"pooler_size_per_head", NOTHING, NULL, "bert"},
    {"pooler_type", NOTHING, NULL, "bert"},
    {"hidden_dropout", NOTHING, NULL, NULL},
    {"residual_dropout", NOTHING, NULL, NULL},
    {"embedding_dropout", NOTHING, NULL, NULL},
    {"classifier_dropout", NOTHING, NULL, NULL},
    {"attn_pdrop", NOTHING, NULL, NULL},
    {"embd_pdrop", NOTHING, NULL, NULL},
    {"resid_pdrop", NOTHING, NULL, NULL},
    {"summary_type", NOTHING, NULL, "gpt2"},
    {"summary_use_proj", NOTHING, NULL, "gpt2"},
    {"summary_activation", NOTHING, NULL, "gpt2"},
    {"summary_first_dropout", NOTHING, NULL, "gpt2"},
    {"summary_proj_to_labels", NOTHING, NULL, "gpt2"},
    {"task_specific_params", NOTHING, NULL, NULL},
    {"reorder_and_upcast_attn", NOTHING, NULL, "gpt2"},
    {"output_router_logits", NOTHING, NULL, NULL},
    {"router_aux_loss_coef", NOTHING, NULL, NULL},
    {"max_window_layers", NOTHING, NULL, NULL},
    {"attn_implementation", NOTHING, NULL, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Is a word in a list of words?  "" is in none. */
static bool listed(const char *words, Text word) {
    for (const char *at = words; at && *at;) {
        size_t n = strcspn(at, " ");
        if (text_equal((Text){at, n}, word)) return true;
        at += n + (at[n] != 0);
    }
    return false;
}

static const ConfigKey *find(const Conversion *c, Text name) {
    for (size_t i = 0; i < KEYS; i++)
        if (text_equal(name, text_of(keys[i].name)) &&
            (!keys[i].archs || listed(keys[i].archs, text_of(c->family->arch))))
            return &keys[i];
    return NULL;
}

void put_size(Conversion *c, const char *name, size_t value) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", c->family->arch, name);
    gguf_put_int(c->writer, key, GGUF_U32, (int64_t)value);
}

void put_number(Conversion *c, const char *name, double value) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", c->family->arch, name);
    gguf_put_float(c->writer, key, GGUF_F32, value);
}

/* ------------------------------------------------------------------ one key */

/* As a table has it: 1, true, [], a word. */
static Text plain(const JsonValue *value) {
    switch (value->kind) {
    case JSON_TRUE: return text_of("true");
    case JSON_FALSE: return text_of("false");
    case JSON_ARRAY: return text_of(value->count ? "a list" : "[]");
    case JSON_OBJECT: return text_of(value->count ? "an object" : "{}");
    case JSON_NULL: return text_of("null");
    default: return value->text;
    }
}

static bool refuse(const Conversion *c, Text name, const JsonValue *value, const char *wanted) {
    Text got = plain(value);
    return REFUSE(c, "config.json: '%.*s' is %.*s, wanted %s", (int)min_size(60, name.size),
                  name.data, (int)min_size(60, got.size), got.data, wanted);
}

static bool use_number(Conversion *c, const ConfigKey *key, const JsonValue *value) {
    size_t size;
    double number;
    if (key->use == SIZE) {
        if (!json_size(value, &size) || size > UINT32_MAX)
            return refuse(c, text_of(key->name), value, "a whole number below 2^32");
        return put_size(c, key->ours, size), true;
    }
    if (!json_number(value, &number)) return refuse(c, text_of(key->name), value, "a number");
    return put_number(c, key->ours, number), true;
}

static bool use_flag(Conversion *c, const ConfigKey *key, const JsonValue *value) {
    char name[96];
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE)
        return refuse(c, text_of(key->name), value, "true or false");
    snprintf(name, sizeof name, "%s.%s", c->family->arch, key->ours);
    gguf_put_int(c->writer, name, GGUF_BOOL, value->kind == JSON_TRUE);
    return true;
}

static bool check_only(Conversion *c, const ConfigKey *key, const JsonValue *value) {
    char wanted[160];
    if (json_is(value, "gelu") && c->how->note)
        c->how->note(c->how->context, "GELU is computed by its tanh form: it differs from the "
                                      "exact one by 0.0005 at most");
    if (listed(key->ours, plain(value))) return true;
    snprintf(wanted, sizeof wanted, "%s: nothing else is built in for this family",
             *key->ours ? key->ours : "null");
    return refuse(c, text_of(key->name), value, wanted);
}

static bool may_be_left_out(const Conversion *c, Text name) {
    for (size_t i = 0; i < c->how->n_without; i++)
        if (text_equal(name, text_of(c->how->without[i]))) return true;
    return false;
}

static bool use_key(Conversion *c, Text name, const JsonValue *value) {
    const ConfigKey *key = find(c, name);
    if (value->kind == JSON_NULL || may_be_left_out(c, name)) return true;
    if (!key) {
        Text got = plain(value);
        return REFUSE(
            c,
            "config.json: '%.*s' is %.*s, and nothing is known of it in a %s: it may "
            "change the results, so the folder is refused; if it is known to be harmless, "
            "--without %.*s leaves it out",
            (int)min_size(60, name.size), name.data, (int)min_size(40, got.size), got.data,
            c->family->architecture, (int)min_size(60, name.size), name.data);
    }
    switch (key->use) {
    case SIZE:
    case NUMBER: return use_number(c, key, value);
    case FLAG: return use_flag(c, key, value);
    case ONLY: return check_only(c, key, value);
    case READ:
    case NOTHING: break;
    }
    return true;
}

/* ------------------------------------------------------------------ all of them */

/* What may be left out is there, and is not known: a known key acts. */
static bool check_without(const Conversion *c) {
    for (size_t i = 0; i < c->how->n_without; i++) {
        const char *name = c->how->without[i];
        if (!json_get(c->folder.sizes, name))
            return REFUSE(c, "--without %s: config.json has no such key", name);
        if (find(c, text_of(name)))
            return REFUSE(c, "--without %s: this key is known, and is used as it stands", name);
    }
    return true;
}

bool put_config(Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    if (config->kind != JSON_OBJECT) return REFUSE(c, "config.json is no object");
    if (!check_without(c)) return false;
    c->layers = size_or(config, "num_hidden_layers", size_or(config, "n_layer", 0));
    gguf_put_string(c->writer, "general.architecture", text_of(c->family->arch));
    for (size_t i = 0; i < config->count; i++)
        if (!use_key(c, config->keys[i], &config->items[i])) return false;
    return put_sizes(c);
}
