/* rules.c - which of our tensors are made from which of theirs.  See parts.h. */
#include "parts.h"
#include "json.h"
#include "safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name that matched a rule. */
typedef struct Hit {
    const NameRule *rule, *block; /* block: how its list begins names; NULL: as most do */
    size_t layer, expert, choice; /* choice: the word of a set */
    Text suffix;                  /* ".weight", ".bias" or nothing */
} Hit;

/* A number without leading zeros, of at most seven digits. */
static bool convert_rules_take_number(const char **at, const char *end, size_t *number) {
    const char *from = *at;
    *number = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - from < 8)
        *number = *number * 10 + (size_t)(*(*at)++ - '0');
    return *at > from && *at - from < 8 && (*from != '0' || *at - from == 1);
}

static bool matches(const char *pattern, const char *at, const char *end, Hit *hit);

/* "{q,k,v}_proj": one of the words, and the rest.  Of two sets the last counts. */
static bool matches_set(const char *set, const char *at, const char *end, Hit *hit) {
    const char *rest = strchr(set, '}') + 1;
    for (size_t i = 0; set < rest; i++) {
        size_t n = strcspn(++set, ",}");
        bool same = (size_t)(end - at) >= n && memcmp(at, set, n) == 0;
        hit->choice = SIZE_MAX;
        if (same && matches(rest, at + n, end, hit)) {
            if (hit->choice == SIZE_MAX) hit->choice = i;
            return true;
        }
        set += n + (set[n] == '}');
    }
    return false;
}

static bool matches(const char *pattern, const char *at, const char *end, Hit *hit) {
    for (; *pattern; pattern++) {
        if (*pattern == '{') {
            return matches_set(pattern, at, end, hit);
        } else if (*pattern == '#') {
            if (!convert_rules_take_number(&at, end, &hit->layer)) return false;
        } else if (*pattern == '%') {
            if (!convert_rules_take_number(&at, end, &hit->expert)) return false;
        } else if (at == end || *at++ != *pattern) {
            return false;
        }
    }
    return at == end;
}

/* A rule that ends with a suffix is about the whole name. */
static bool matches_rule(Text name, Hit *hit) {
    char pattern[200];
    const char *theirs = hit->rule->theirs,
               *block = hit->block ? hit->block->theirs : "layers.#";
    if (text_ends(text_of(theirs), text_of(".weight")) ||
        text_ends(text_of(theirs), text_of(".bias")))
        name.size += hit->suffix.size;
    snprintf(pattern, sizeof pattern, "%s%s", *theirs == '.' ? block : "", theirs);
    return hit->rule->change < BLOCK && matches(pattern, name.data, name.data + name.size, hit);
}

/* The rule after hit->rule that names `stem`, in all lists of the family; `list`: 0 first. */
static bool next_hit(const ConvertFamily *family, Text stem, Hit *hit, int *list) {
    for (; *list < MAX_RULE_LISTS && family->rules[*list]; ++*list, hit->rule = NULL) {
        const NameRule *first = family->rules[*list];
        hit->block = first->change >= BLOCK ? first : NULL;
        hit->rule = hit->rule ? hit->rule + 1 : first;
        for (; hit->rule->theirs; hit->rule++)
            if (matches_rule(stem, hit)) return true;
    }
    return false;
}

/* The name without the model's prefix and without .weight or .bias (old norms: gamma, beta). */
static Text stem_of(const ConvertFamily *family, Text name, Text *suffix) {
    size_t prefix;
    if (begins_with_one_of(name, family->prefix, &prefix))
        name.data += prefix, name.size -= prefix;
    static const char *const suffixes[][2] = {
        {".parametrizations.weight.original", ".weight"}, /* beside adapters */
        {".weight", ".weight"},
        {".bias", ".bias"},
        {".gamma", ".weight"},
        {".beta", ".bias"}};
    *suffix = (Text){"", 0};
    const bool old = memmem(name.data, name.size, "Norm.", 5); /* not xIELU's beta */
    for (int i = 0; i < (old ? 5 : 3) && !suffix->size; i++)
        if (text_ends(name, text_of(suffixes[i][0])))
            name.size -= strlen(suffixes[i][0]), *suffix = text_of(suffixes[i][1]);
    return name;
}

/* ------------------------------------------------------------------ targets */

/* ".attn_{q,k,v}" with its block, the chosen word and the suffix ("!": none). */
static void write_name(char *out, size_t size, const Hit *hit) {
    const char *ours = hit->rule->ours, *block = hit->block ? hit->block->ours : "blk.#";
    const size_t begin = strcspn(ours, "{");
    const char *word = ours + begin, *rest = word;
    char layer[60] = "";
    if (*word) rest = strchr(word++, '}') + 1;
    for (size_t i = 0; rest > word && i < hit->choice; i++) word += strcspn(word, ",") + 1;
    if (*ours == '.') /* "blk." without its '#' */
        snprintf(layer, sizeof layer, "%.*s%zu", (int)strlen(block) - 1, block, hit->layer);
    const bool bare = ours[strlen(ours) - 1] == '!';
    snprintf(out, size, "%s%.*s%.*s%s%.*s", layer, (int)begin, ours, (int)strcspn(word, ",}"),
             word, rest, bare ? 0 : (int)hit->suffix.size, hit->suffix.data);
    out[strcspn(out, "!")] = 0;
}

static Target *find_target(Conversion *c, const char *name) {
    for (size_t i = c->n_targets; i-- > 0;) /* the latest is the likeliest */
        if (strcmp(c->targets[i].name, name) == 0) return &c->targets[i];
    return NULL;
}

static bool is_stack(const NameRule *rule) {
    return rule->change == STACKED || strchr(rule->theirs, '%') != NULL;
}

/* Integers are weights quantized by another program, with scales in other tensors. */
static bool convert_rules_is_whole(SafeType type) {
    switch (type) {
    case SAFE_F8_E4M3:
    case SAFE_F8_E5M2:
    case SAFE_F16:
    case SAFE_BF16:
    case SAFE_F32:
    case SAFE_F64: return false;
    default: return true;
    }
}

/* "NAME_blocks" has its scales in "NAME_scales", an F8 "NAME" in "NAME_scale_inv". */
static const SafeTensor *scales_of(const Conversion *c, const SafeTensor *from) {
    Text name = from->name;
    if (from->type == SAFE_F8_E4M3) return folder_tensor(&c->folder, name, "_scale_inv");
    if (from->type != SAFE_U8 || !text_ends(name, text_of("_blocks"))) return NULL;
    return name.size -= strlen("_blocks"), folder_tensor(&c->folder, name, "_scales");
}

/* Is it used with the tensor whose scales it has? */
static bool is_scales(const Conversion *c, Text name) {
    static const char *const ends[][2] = {{"_scale_inv", ""}, {"_scales", "_blocks"}};
    for (int i = 0; i < 2; i++) {
        if (!text_ends(name, text_of(ends[i][0]))) continue;
        const Text stem = {name.data, name.size - strlen(ends[i][0])};
        const SafeTensor *of = folder_tensor(&c->folder, stem, ends[i][1]);
        if (of && scales_of(c, of)) return true;
    }
    return false;
}

static bool convert_rules_add_part(Conversion *c, Target *t, const Hit *hit,
                                   const SafeTensor *from) {
    const SafeTensor *scales = scales_of(c, from);
    if (convert_rules_is_whole(from->type) && !scales && hit->rule->change != OFFSETS)
        return REFUSE(
            c, "'%.*s' is of type %s: wanted numbers with a fraction, F16, BF16 or F32",
            (int)min_size(100, from->name.size), from->name.data, safe_type_name(from->type));
    size_t at = !is_stack(hit->rule)           ? 0
                : hit->rule->change == STACKED ? hit->choice
                                               : hit->expert;
    if (at >= MOE_EXPERTS)
        return REFUSE(c, "'%s' has an expert %zu, and %d are built in", t->name, at,
                      MOE_EXPERTS);
    if (at >= t->n_parts) {
        const SafeTensor **more = realloc(t->parts, (at + 1) * sizeof *more),
                         **beside = realloc(t->scales, (at + 1) * sizeof *beside);
        if (more) t->parts = more;
        if (beside) t->scales = beside;
        if (!more || !beside) return REFUSE(c, "no memory for expert %zu of '%s'", at, t->name);
        for (; t->n_parts <= at; t->n_parts++) more[t->n_parts] = beside[t->n_parts] = NULL;
    }
    if (t->parts[at] == from) return true; /* of two rules the first counts */
    if (t->parts[at])
        return REFUSE(c, "both '%.*s' and '%.*s' would become '%s'",
                      (int)min_size(60, t->parts[at]->name.size), t->parts[at]->name.data,
                      (int)min_size(60, from->name.size), from->name.data, t->name);
    t->parts[at] = from, t->scales[at] = scales;
    return true;
}

static bool add_hit(Conversion *c, const Hit *hit, const SafeTensor *from) {
    char name[96];
    write_name(name, sizeof name, hit);
    Target *t = find_target(c, name);
    if (!t) {
        t = &c->targets[c->n_targets++];
        *t = (Target){.change = hit->rule->change, .stack = is_stack(hit->rule)};
        memcpy(t->name, name, sizeof name);
        t->factor = factor_of(c, name);
        t->add_one = c->family->add_one && strstr(name, "norm.weight") &&
                     !strstr(name, "ssm_norm"); /* Qwen 3 Next's */
    }
    return convert_rules_add_part(c, t, hit, from);
}

bool always_tied(const Conversion *c) { return strncmp(c->family->arch, "gemma", 5) == 0; }

const char *tie_key(const Conversion *c) {
    static const char openelm[] = "share_input_output_layers";
    return config_key(c, text_of(openelm)) ? openelm : "tie_word_embeddings";
}

static bool is_tied_head(const Conversion *c, const Hit *hit) {
    const JsonValue *tie = json_get(c->folder.sizes, tie_key(c));
    bool usual = always_tied(c) ||
                 (quirks_of(c->recipe)->scale_tied && !(tie && tie->kind == JSON_FALSE)),
         tied = usual || (tie && tie->kind == JSON_TRUE);
    char name[96] = "";
    if (hit->rule->ours) write_name(name, sizeof name, hit);
    return tied && strncmp(name, "output.", 7) == 0;
}

/* Jina 3's adapters, one for each task. */
static bool is_adapter(const Conversion *c, Text name) {
    return json_get(c->folder.sizes, "lora_adaptations") &&
           (text_ends(name, text_of(".lora_A")) || text_ends(name, text_of(".lora_B")));
}

static bool follow_rules(Conversion *c, const SafeTensor *from) {
    Hit hit = {0};
    size_t other;
    char room[256];
    const Text name = draft_name(c, from->name, room);
    bool known = begins_with_one_of(name, c->family->others, &other) ||
                 is_scales(c, from->name) || is_adapter(c, from->name);
    if (known) return true;
    Text stem = stem_of(c->family, name, &hit.suffix);
    for (int list = 0; next_hit(c->family, stem, &hit, &list); known = true) {
        if (hit.block && hit.block->change == DEEP_BLOCK && !deep_block(c, name, &hit.layer))
            return false;
        if (hit.rule->change == DROPPED) return true;
        if (!is_tied_head(c, &hit) && !add_hit(c, &hit, from)) return false;
    }
    return known ||
           REFUSE(c,
                  "the tensor '%.*s' plays no part in a %.*s as this program knows it: "
                  "without it the results would be wrong, so the folder is refused",
                  (int)min_size(100, from->name.size), from->name.data, CLASS(c));
}

/* ------------------------------------------------------------------ formats */

/* The folder's format, or one that GGUF has and that can hold it. */
static Dtype own_format(SafeType type) {
    switch (type) {
    case SAFE_U8: return DTYPE_MXFP4;
    case SAFE_F16: return DTYPE_F16;
    case SAFE_BF16:
    case SAFE_F8_E4M3:
    case SAFE_F8_E5M2: return DTYPE_BF16;
    default: return DTYPE_F32;
    }
}

static Dtype convert_rules_format_of(const Conversion *c, const Target *t) {
    size_t row = t->shape[t->ndim - 1];
    const char *name = t->name;
    if (t->change == OFFSETS) return DTYPE_I64;
    if (quant_preset_keeps(text_of(name), t->ndim)) return DTYPE_F32;
    if (!c->how->preset) return own_format(t->parts[0]->type);
    if (strcmp(name, "token_embd.weight") == 0 &&
        !find_target((Conversion *)c, "output.weight"))
        name = "output.weight"; /* one matrix for both */
    return quant_preset_dtype(c->how->preset, text_of(name), c->layers, row, false);
}

bool plan_targets(Conversion *c) {
    const Folder *f = &c->folder;
    /* a fused tensor becomes two */
    c->targets = calloc(2 * f->n_tensors + 1, sizeof *c->targets);
    if (!c->targets) return REFUSE(c, "no memory for %zu tensors", f->n_tensors);
    size_t other, left_out = 0;
    for (size_t i = 0; i < f->n_tensors && !c->family->part && !c->drafts; i++)
        left_out += begins_with_one_of(f->tensors[i].name, c->family->others, &other);
    if (left_out) convert_note(c, "%zu tensors of a draft head are left out", left_out);
    if (json_get(c->folder.sizes, "lora_adaptations"))
        convert_note(c,
                     "the adapters of its tasks are left out: the file has the model without");
    for (size_t i = 0; i < f->n_tensors; i++)
        if (!follow_rules(c, &f->tensors[i])) return false;
    for (size_t i = 0; i < c->n_targets; i++) {
        if (!shape_target(c, &c->targets[i])) return false;
    }
    for (size_t i = 0; i < c->n_targets; i++)
        c->targets[i].dtype = convert_rules_format_of(c, &c->targets[i]);
    return true;
}

void free_targets(Conversion *c) {
    for (size_t i = 0; i < c->n_targets; i++)
        free(c->targets[i].parts), free(c->targets[i].scales);
    free(c->targets);
}

/* ------------------------------------------------------------------ one name */

static bool find_rule(const ConvertFamily *family, Text theirs, Hit *hit) {
    Text stem = stem_of(family, theirs, &hit->suffix);
    for (int list = 0; next_hit(family, stem, hit, &list);)
        if (hit->rule->ours && !is_stack(hit->rule)) return true;
    return false;
}

bool name_here(const char *arch, Text theirs, char *ours, size_t size, Change *change) {
    const ConvertFamily *family;
    for (size_t i = 0; (family = family_at(i)); i++) {
        Hit hit = {0};
        if (strcmp(family->arch, arch) != 0 || !find_rule(family, theirs, &hit)) continue;
        write_name(ours, size, &hit);
        return *change = hit.rule->change, true;
    }
    return false;
}
