/* rules.c - which of our tensors are made from which of theirs.  See parts.h. */
#include "parts.h"
#include "json.h"
#include "safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name that matched a rule. */
typedef struct Hit {
    const NameRule *rule;
    size_t layer, expert;
    Text suffix; /* ".weight", ".bias" or nothing */
} Hit;

/* A number without leading zeros, of at most seven digits. */
static bool convert_rules_take_number(const char **at, const char *end, size_t *number) {
    const char *from = *at;
    *number = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - from < 8)
        *number = *number * 10 + (size_t)(*(*at)++ - '0');
    return *at > from && *at - from < 8 && (*from != '0' || *at - from == 1);
}

static bool matches(const char *pattern, Text name, Hit *hit) {
    const char *at = name.data, *end = name.data + name.size;
    for (; *pattern; pattern++) {
        if (*pattern == '#') {
            if (!convert_rules_take_number(&at, end, &hit->layer)) return false;
        } else if (*pattern == '%') {
            if (!convert_rules_take_number(&at, end, &hit->expert)) return false;
        } else if (at == end || *at++ != *pattern) {
            return false;
        }
    }
    return at == end;
}

static bool convert_rules_ends_with(Text text, const char *end) {
    size_t n = strlen(end);
    return text.size > n && memcmp(text.data + text.size - n, end, n) == 0;
}

/* The name without the model's prefix and without .weight or .bias (old norms: gamma, beta). */
static Text stem_of(const ConvertFamily *family, Text name, Text *suffix) {
    size_t prefix = strlen(family->prefix);
    if (name.size > prefix && memcmp(name.data, family->prefix, prefix) == 0)
        name.data += prefix, name.size -= prefix;
    static const char *const suffixes[][2] = {
        {".weight", ".weight"}, {".bias", ".bias"}, {".gamma", ".weight"}, {".beta", ".bias"}};
    *suffix = (Text){"", 0};
    for (int i = 0; i < 4 && !suffix->size; i++)
        if (convert_rules_ends_with(name, suffixes[i][0]))
            name.size -= strlen(suffixes[i][0]), *suffix = text_of(suffixes[i][1]);
    return name;
}

/* ------------------------------------------------------------------ targets */

/* "blk.#.attn_q" with its number and suffix. */
static void write_name(char *out, size_t size, const Hit *hit) {
    const char *mark = strchr(hit->rule->ours, '#');
    int before = mark ? (int)(mark - hit->rule->ours) : (int)strlen(hit->rule->ours);
    int used = snprintf(out, size, "%.*s", before, hit->rule->ours);
    if (mark) used += snprintf(out + used, size - (size_t)used, "%zu%s", hit->layer, mark + 1);
    snprintf(out + used, size - (size_t)used, "%.*s", (int)hit->suffix.size, hit->suffix.data);
}

static Target *find_target(Conversion *c, const char *name) {
    for (size_t i = c->n_targets; i-- > 0;) /* the latest is the likeliest */
        if (strcmp(c->targets[i].name, name) == 0) return &c->targets[i];
    return NULL;
}

static bool is_stack(const NameRule *rule) { return strchr(rule->theirs, '%') != NULL; }

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

static bool convert_rules_add_part(Conversion *c, Target *t, const Hit *hit,
                                   const SafeTensor *from) {
    if (convert_rules_is_whole(from->type))
        return REFUSE(
            c, "'%.*s' is of type %s: wanted numbers with a fraction, F16, BF16 or F32",
            (int)min_size(100, from->name.size), from->name.data, safe_type_name(from->type));
    size_t at = is_stack(hit->rule) ? hit->expert : 0;
    if (at >= MOE_EXPERTS)
        return REFUSE(c, "'%s' has an expert %zu, and %d are built in", t->name, at,
                      MOE_EXPERTS);
    if (at >= t->n_parts) {
        const SafeTensor **more = realloc(t->parts, (at + 1) * sizeof *more);
        if (!more) return REFUSE(c, "no memory for expert %zu of '%s'", at, t->name);
        memset(more + t->n_parts, 0, (at + 1 - t->n_parts) * sizeof *more);
        t->parts = more, t->n_parts = at + 1;
    }
    if (t->parts[at])
        return REFUSE(c, "both '%.*s' and '%.*s' would become '%s'",
                      (int)min_size(60, t->parts[at]->name.size), t->parts[at]->name.data,
                      (int)min_size(60, from->name.size), from->name.data, t->name);
    t->parts[at] = from;
    return true;
}

static bool add_hit(Conversion *c, const Hit *hit, const SafeTensor *from) {
    char name[96];
    write_name(name, sizeof name, hit);
    Target *t = find_target(c, name);
    if (!t) {
        t = &c->targets[c->n_targets++];
        *t = (Target){.change = hit->rule->change};
        memcpy(t->name, name, sizeof name);
        t->add_one = c->family->add_one && strstr(name, "norm.weight");
    }
    return convert_rules_add_part(c, t, hit, from);
}

bool always_tied(const Conversion *c) { return strncmp(c->family->arch, "gemma", 5) == 0; }

static bool is_tied_head(const Conversion *c, const Hit *hit) {
    const JsonValue *tie = json_get(c->folder.sizes, "tie_word_embeddings");
    bool usual = always_tied(c) ||
                 (quirks_of(c->recipe)->scale_tied && !(tie && tie->kind == JSON_FALSE)),
         tied = usual || json_true(c->folder.sizes, "tie_word_embeddings");
    return tied && hit->rule->ours && strcmp(hit->rule->ours, "output") == 0;
}

static bool follow_rules(Conversion *c, const SafeTensor *from) {
    Hit hit = {0};
    bool known = false;
    Text stem = stem_of(c->family, from->name, &hit.suffix);
    for (int l = 0; l < MAX_RULE_LISTS && c->family->rules[l]; l++)
        for (const NameRule *rule = c->family->rules[l]; rule->theirs; rule++) {
            hit.rule = rule;
            if (!matches(rule->theirs, stem, &hit)) continue;
            known = true;
            if (rule->change == DROPPED || is_tied_head(c, &hit)) continue;
            if (!add_hit(c, &hit, from)) return false;
        }
    return known || REFUSE(c,
                           "the tensor '%.*s' plays no part in a %s as this program knows it: "
                           "without it the results would be wrong, so the folder is refused",
                           (int)min_size(100, from->name.size), from->name.data,
                           c->family->architecture);
}

/* ------------------------------------------------------------------ shapes */

static bool wrong_shape(const Conversion *c, const Target *t, const char *wanted) {
    char got[80];
    const SafeTensor *from = t->parts[0];
    return REFUSE(c, "the tensor '%.*s' is %s, wanted %s", (int)min_size(80, from->name.size),
                  from->name.data, tensor_shape_text(from->ndim, from->shape, got, sizeof got),
                  wanted);
}

static bool convert_rules_same_shape(const SafeTensor *a, const SafeTensor *b) {
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

static bool check_stack(const Conversion *c, const Target *t) {
    for (size_t e = 0; e < t->n_parts; e++) {
        if (!t->parts[e])
            return REFUSE(c, "expert %zu of '%s' is missing, of %zu", e, t->name, t->n_parts);
        if (!convert_rules_same_shape(t->parts[e], t->parts[0]))
            return REFUSE(c, "the experts of '%s' are not of one shape", t->name);
    }
    return true;
}

static bool rows_divide(const Conversion *c, const Target *t) {
    const size_t *shape = t->parts[0]->shape;
    size_t heads = t->change == PERMUTED_K ? c->kv_heads : c->heads;
    switch (t->change) {
    case PERMUTED_Q:
    case PERMUTED_K: return heads && shape[0] % heads == 0 && shape[0] / heads % 2 == 0;
    case BY_HEADS: return heads && shape[0] % (3 * heads) == 0;
    case FIRST_HALF:
    case SECOND_HALF: return t->parts[0]->ndim >= 2 && shape[t->parts[0]->ndim - 2] % 2 == 0;
    case SQUEEZED: return t->parts[0]->ndim < 2 || (t->parts[0]->ndim == 3 && shape[1] == 1);
    case TRANSPOSED: return t->parts[0]->ndim <= 2;
    case GROUPED: return c->groups && t->parts[0]->ndim == 1 && shape[0] % c->groups == 0;
    case AFTER_PAD: return t->parts[0]->ndim == 2 && shape[0] > c->first_position;
    case COLUMN:
    case MINUS_EXP: return t->parts[0]->ndim == 1;
    default: return true;
    }
}

static void convert_rules_swap(size_t *a, size_t *b) {
    size_t old = *a;
    *a = *b, *b = old;
}

/* Turn their shape of a part into ours. */
static void change_shape(const Conversion *c, Target *t) {
    const SafeTensor *from = t->parts[0];
    t->ndim = from->ndim ? from->ndim : 1;
    for (int i = 0; i < TENSOR_MAX_DIMS; i++) t->shape[i] = i < from->ndim ? from->shape[i] : 1;
    if (t->change == TRANSPOSED && t->ndim == 2) convert_rules_swap(&t->shape[0], &t->shape[1]);
    if (t->change == FIRST_HALF || t->change == SECOND_HALF) t->shape[t->ndim - 2] /= 2;
    if (t->change == SQUEEZED && t->ndim == 3) t->ndim = 2, t->shape[1] = t->shape[2];
    if (t->change == COLUMN || t->change == MINUS_EXP) t->ndim = 2, t->shape[1] = 1;
    if (t->change == AFTER_PAD) t->shape[0] -= c->first_position;
    if (t->change == GROUPED)
        t->ndim = 2, t->shape[1] = t->shape[0] / c->groups, t->shape[0] = c->groups;
}

/* A stack of n parts of shape (a, b) is (n, a, b). */
static void stack_shape(Target *t, bool stack) {
    if (!stack) return;
    memmove(t->shape + 1, t->shape, (TENSOR_MAX_DIMS - 1) * sizeof *t->shape);
    t->shape[0] = t->n_parts, t->ndim++;
}

/* The folder's format, or one that GGUF has and that can hold it. */
static Dtype own_format(SafeType type) {
    switch (type) {
    case SAFE_F16: return DTYPE_F16;
    case SAFE_BF16:
    case SAFE_F8_E4M3:
    case SAFE_F8_E5M2: return DTYPE_BF16;
    default: return DTYPE_F32;
    }
}

static Dtype convert_rules_format_of(const Conversion *c, Target *t) {
    size_t row = t->shape[t->ndim - 1];
    const char *name = t->name;
    if (quant_preset_keeps(text_of(name), t->ndim)) return DTYPE_F32;
    if (!c->how->preset) return own_format(t->parts[0]->type);
    if (strcmp(name, "token_embd.weight") == 0 &&
        !find_target((Conversion *)c, "output.weight"))
        name = "output.weight"; /* one matrix for both */
    return quant_preset_dtype(c->how->preset, text_of(name), c->layers, row, false);
}

static bool convert_rules_finish(Conversion *c, Target *t) {
    const SafeTensor *from = t->parts[0];
    bool stack = t->n_parts > 1 || strstr(t->name, "_exps.");
    if (!check_stack(c, t)) return false;
    if (from->ndim + stack > TENSOR_MAX_DIMS || from->bytes == 0)
        return wrong_shape(c, t, "1 to 4 dimensions and something in it");
    if (!rows_divide(c, t)) return wrong_shape(c, t, "rows that divide as config.json says");
    change_shape(c, t);
    stack_shape(t, stack && from->ndim < 3);
    t->dtype = convert_rules_format_of(c, t);
    return true;
}

bool plan_targets(Conversion *c) {
    const Folder *f = &c->folder;
    /* a fused tensor becomes two */
    c->targets = calloc(2 * f->n_tensors + 1, sizeof *c->targets);
    if (!c->targets) return REFUSE(c, "no memory for %zu tensors", f->n_tensors);
    for (size_t i = 0; i < f->n_tensors; i++)
        if (!follow_rules(c, &f->tensors[i])) return false;
    for (size_t i = 0; i < c->n_targets; i++)
        if (!convert_rules_finish(c, &c->targets[i])) return false;
    return true;
}

void free_targets(Conversion *c) {
    for (size_t i = 0; i < c->n_targets; i++) free(c->targets[i].parts);
    free(c->targets);
}

/* ------------------------------------------------------------------ one name */

static bool find_rule(const ConvertFamily *family, Text theirs, Hit *hit) {
    Text stem = stem_of(family, theirs, &hit->suffix);
    for (int l = 0; l < MAX_RULE_LISTS && family->rules[l]; l++)
        for (hit->rule = family->rules[l]; hit->rule->theirs; hit->rule++)
            if (hit->rule->ours && !is_stack(hit->rule) &&
                matches(hit->rule->theirs, stem, hit))
                return true;
    return false;
}

bool name_here(const char *arch, Text theirs, char *ours, size_t size, Change *change) {
    Hit hit = {0};
    const ConvertFamily *family;
    for (size_t i = 0; (family = family_at(i)); i++) {
        if (strcmp(family->arch, arch) != 0 || !find_rule(family, theirs, &hit)) continue;
        write_name(ours, size, &hit);
        return *change = hit.rule->change, true;
    }
    return false;
}
