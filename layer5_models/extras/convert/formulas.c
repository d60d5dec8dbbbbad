/* formulas.c - keys that follow from config.json by a formula of the class's row.  See parts.h.
 *
 *     feed_forward_length=n_inner|4*n_embd      the first of these for which all is there
 *     attention.key_length=kv_lora_rank+qk_rope_head_dim
 *     residual_scale=scale_depth/sqrt.num_hidden_layers
 *     ssm.dt_b_c_rms=true
 *     /diffusion.shift_logits=false             a key without the family's name
 *
 * A formula is numbers and keys of config.json with *, / and + between them, left to right;
 * "mlp_multipliers.1" is a number of a list.  With a '/' the key is a fraction, else, or if
 * it is a length, a size or a count, an integer. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "num_hidden_layers", or "mlp_multipliers.1". */
static bool formulas_key(const Conversion *c, Text name, double *value) {
    const char *dot = memchr(name.data, '.', name.size);
    const Text key = {name.data, dot ? (size_t)(dot - name.data) : name.size};
    const JsonValue *found = json_find(c->folder.sizes, key);
    if (!dot) return json_number(found, value);
    const size_t at = strtoul(dot + 1, NULL, 10);
    return found && found->kind == JSON_ARRAY && at < found->count &&
           json_number(&found->items[at], value);
}

static bool formulas_term(const Conversion *c, Text term, double *value) {
    static const char root[] = "sqrt.";
    const bool square = term.size > 5 && memcmp(term.data, root, 5) == 0;
    if (square) term.data += 5, term.size -= 5;
    if (*term.data >= '0' && *term.data <= '9')
        *value = strtod(term.data, NULL);
    else if (!formulas_key(c, term, value))
        return false;
    if (square) *value = sqrt(*value);
    return true;
}

bool formula_value(const Conversion *c, const char *at, double *value) {
    char sign = '+';
    for (*value = 0;; sign = *at++) {
        double term;
        size_t n = strcspn(at, "*/+| ");
        if (!formulas_term(c, (Text){at, n}, &term)) return false;
        *value = sign == '*' ? *value * term : sign == '/' ? *value / term : *value + term;
        at += n;
        if (*at != '*' && *at != '/' && *at != '+') return true;
    }
}

/* The first of several formulas whose keys are all there. */
static void put_formula(Conversion *c, const char *key, const char *at) {
    double value;
    for (; *at && *at != ' '; at += strcspn(at, "| "), at += *at == '|') {
        if (!formula_value(c, at, &value)) continue;
        if (memchr(at, '/', strcspn(at, "| ")) && !strstr(key, "length") &&
            !strstr(key, "size") && !strstr(key, "count"))
            put_number(c, key, value);
        else
            put_size(c, key, (size_t)value);
        return;
    }
}

void put_formulas(Conversion *c) {
    for (const char *at = c->family->adds; at && *at;
         at += strcspn(at, " "), at += strspn(at, " ")) {
        char key[96], full[160];
        const size_t n = strcspn(at, "=");
        const bool whole = *at == '/';
        snprintf(key, sizeof key, "%.*s", (int)n, at);
        snprintf(full, sizeof full, "%s%s%s", whole ? "" : c->family->arch, whole ? "" : ".",
                 key + whole);
        if (strncmp(at + n + 1, "true", 4) == 0)
            gguf_put_int(c->writer, full, GGUF_BOOL, 1);
        else if (strncmp(at + n + 1, "false", 5) == 0)
            gguf_put_int(c->writer, full, GGUF_BOOL, 0);
        else
            put_formula(c, key, at + n + 1);
    }
}

/* RWKV 6 halves x after every so many blocks: what block l adds is divided by as much. */
static float rescaled(const Conversion *c, size_t l, Text map) {
    const size_t every = config_size(c, "rescale_every_n_layers", 0);
    const bool adds = text_equal(map, text_of("time_mix_output")) ||
                      text_equal(map, text_of("channel_mix_value"));
    return every && adds ? ldexpf(1, -(int)min_size(l / every, 1000)) : 1;
}

/* What the class's row multiplies "blk.3.attn_k.weight" by: "attn_k=key_multiplier". */
float factor_of(const Conversion *c, const char *name) {
    const bool in_block = strncmp(name, "blk.", 4) == 0;
    const char *begin = in_block ? strchr(name + 4, '.') + 1 : name;
    const size_t size = strcspn(begin, ".");
    double factor;
    if (in_block && quirks_of(c->recipe)->recurrent == RECURRENT_RWKV6)
        return rescaled(c, strtoul(name + 4, NULL, 10), (Text){begin, size});
    for (const char *at = c->family->times; at && *at;
         at += strcspn(at, " "), at += strspn(at, " ")) {
        const size_t n = strcspn(at, "=");
        if (n == size && memcmp(at, begin, n) == 0 && formula_value(c, at + n + 1, &factor))
            return (float)factor;
    }
    return 1;
}
