/* shapes.c - the shape of one of our tensors from theirs, and whether it can have one.  See
 * parts.h, Change. */
#include "parts.h"
#include "safetensors.h"

#include <math.h>
#include <string.h>

static bool wrong_shape(const Conversion *c, const Target *t, const char *wanted) {
    char got[80];
    const SafeTensor *from = t->parts[0];
    return REFUSE(c, "the tensor '%.*s' is %s, wanted %s", (int)min_size(80, from->name.size),
                  from->name.data, tensor_shape_text(from->ndim, from->shape, got, sizeof got),
                  wanted);
}

static bool shapes_same_shape(const SafeTensor *a, const SafeTensor *b) {
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

static bool check_stack(const Conversion *c, const Target *t) {
    for (size_t e = 0; e < t->n_parts; e++) {
        if (!t->parts[e])
            return REFUSE(c, "expert %zu of '%s' is missing, of %zu", e, t->name, t->n_parts);
        if (!shapes_same_shape(t->parts[e], t->parts[0]))
            return REFUSE(c, "the experts of '%s' are not of one shape", t->name);
    }
    return true;
}

/* Of MXFP4 the last two dimensions are blocks and their bytes: 32 numbers in 16. */
static int part_shape(const Target *t, size_t shape[SAFE_MAX_DIMS]) {
    const SafeTensor *from = t->parts[0];
    memcpy(shape, from->shape, sizeof from->shape);
    if (from->ndim == 5) { /* patches of two frames: (dim, 3, 2, p, p) as (dim, 3, 2 p, p) */
        shape[2] *= shape[3], shape[3] = shape[4];
        return 4;
    }
    if (from->type != SAFE_U8 || from->ndim < 2) return from->ndim;
    shape[from->ndim - 2] *= 2 * shape[from->ndim - 1];
    return from->ndim - 1;
}

static bool is_scaled_right(const Target *t) {
    for (size_t i = 0; i < t->n_parts; i++) {
        const SafeTensor *from = t->parts[i], *scales = t->scales[i];
        const int n = from->ndim;
        if (!scales) continue;
        bool blocks = from->type == SAFE_U8;
        if (blocks ? n < 3 || from->shape[n - 1] != 16 || scales->bytes * 16 != from->bytes
                   : n != 2 || scales->ndim != 2 || scales->type != SAFE_F32 ||
                         scales->shape[0] != (from->shape[0] + 127) / 128 ||
                         scales->shape[1] != (from->shape[1] + 127) / 128)
            return false;
    }
    return true;
}

/* Value heads are as many for each key head. */
static bool values_divide(const Conversion *c, Change change, const size_t *shape, int n) {
    const bool behind = change == TILED_QKV || change == TILED_TAPS;
    const size_t before = behind ? 2 * c->groups * c->key_dim : 0,
                 all = shape[change == TILED_COLUMNS ? n - 1 : 0];
    return n && c->groups && c->value_heads && c->value_heads % c->groups == 0 &&
           all > before && (all - before) % c->value_heads == 0 &&
           (change != TILED_TAPS || n < 3 || shape[1] == 1);
}

static bool rows_divide(const Conversion *c, const Target *t) {
    size_t shape[SAFE_MAX_DIMS];
    const int n = part_shape(t, shape);
    const size_t heads = t->change == PERMUTED_K ? c->kv_heads : c->heads,
                 experts = config_size(c, "expert_count", 0),
                 patch = config_size(c, "patch_size", 0);
    switch (t->change) {
    case PERMUTED_K: /* each layer may have others */
        if (quirks_of(c->recipe)->optional_parts)
            return n && c->head_dim && shape[0] % c->head_dim == 0 && c->head_dim % 2 == 0;
        /* fall through */
    case PERMUTED_Q: return n && heads && shape[0] % (2 * heads) == 0;
    case REGROUPED:
    case REGROUPED_COLUMNS:
        return n == 2 && c->kv_heads && heads % c->kv_heads == 0 &&
               shape[t->change == REGROUPED_COLUMNS] % heads == 0;
    case PERMUTED_QKV:
    case PERMUTED_BY_HEADS:
    case BY_HEADS:
        return n && c->kv_heads && heads % c->kv_heads == 0 &&
               shape[0] % (heads + 2 * c->kv_heads) == 0 &&
               (t->change == BY_HEADS || shape[0] / (heads + 2 * c->kv_heads) % 2 == 0);
    case FIRST_HALF:
    case SECOND_HALF: return n >= 2 && shape[n - 2] % 2 == 0;
    case FIRST_THIRD:
    case SECOND_THIRD:
    case LAST_THIRD: return n && n < 3 && shape[0] % 3 == 0;
    case FIRST_COLUMNS:
    case SECOND_COLUMNS:
    case EVEN_COLUMNS:
    case ODD_COLUMNS: return n == 3 && shape[2] % 2 == 0;
    case EVEN:
    case ODD: return (n == 2 || n == 3) && shape[1] % 2 == 0;
    case LATENT_K:
    case LATENT_V:
        return n == 2 && heads && shape[0] % heads == 0 && c->key_dim &&
               shape[0] / heads > c->key_dim;
    case DELTA_QKV:
    case DELTA_GATE:
        return n == 2 && c->groups && shape[0] % (2 * c->groups) == 0 &&
               shape[0] / c->groups > 2 * c->key_dim;
    case FLAT: return n == 2 && shape[0] == 1;
    case LAST_TWO: return n == 3 && shape[0] == 1;
    case SQUEEZED: return n < 2 || (n == 3 && shape[1] == 1);
    case TRANSPOSED: return n <= 3;
    case REMIXED: return n == 3 ? shape[0] == 5 : n == 2 && shape[1] % 5 == 0;
    case GROUPED: return c->groups && n == 1 && shape[0] % c->groups == 0;
    case AFTER_PAD: return n == 2 && shape[0] > c->first_position;
    case TILED:
    case TILED_RATES:
    case TILED_QKV:
    case TILED_TAPS:
    case TILED_COLUMNS: return values_divide(c, t->change, shape, n);
    case EACH:
    case EACH_TURNED: return n == 2 && experts && shape[0] % experts == 0;
    case PADDED: return n == 2;
    case BREAK_ROW: return n == 2 && shape[0] > c->break_row;
    case PIXELS:
        return n == 2 && patch && shape[1] / 3 / patch == patch && shape[1] % (3 * patch) == 0;
    case LISTED: return n < 2;
    case SQUASHED:
    case KDA_RATES: return n > 0;
    case COLUMN:
    case RATES: return n == 1;
    default: return true;
    }
}

static void shapes_swap(size_t *a, size_t *b) {
    size_t old = *a;
    *a = *b, *b = old;
}

/* Turn their shape of a part into ours. */
static void change_shape(const Conversion *c, Target *t) {
    size_t from[SAFE_MAX_DIMS], *s = t->shape;
    t->ndim = part_shape(t, from);
    for (int i = 0; i < TENSOR_MAX_DIMS; i++) s[i] = i < t->ndim ? from[i] : 1;
    const size_t experts = config_size(c, "expert_count", 1);
    const size_t each = c->heads ? s[0] / c->heads : 0, latent = s[1],
                 values = c->groups ? (s[0] / c->groups - 2 * c->key_dim) / 2 * c->groups : 0;
    switch (t->change) {
    case TRANSPOSED:
    case REMIXED:
        if (t->ndim >= 2) shapes_swap(&s[t->ndim - 2], &s[t->ndim - 1]);
        break;
    case FIRST_HALF:
    case SECOND_HALF: s[t->ndim - 2] /= 2; break;
    case FIRST_THIRD:
    case SECOND_THIRD:
    case LAST_THIRD: s[0] /= 3; break;
    case FIRST_COLUMNS:
    case SECOND_COLUMNS:
    case EVEN_COLUMNS:
    case ODD_COLUMNS: s[2] /= 2, shapes_swap(&s[1], &s[2]); break;
    case EVEN:
    case ODD: s[1] /= 2; break;
    case LATENT_K: t->ndim = 3, s[0] = c->heads, s[1] = latent, s[2] = c->key_dim; break;
    case LATENT_V: t->ndim = 3, s[0] = c->heads, s[1] = each - c->key_dim, s[2] = latent; break;
    case DELTA_QKV: s[0] = 2 * c->groups * c->key_dim + values; break;
    case DELTA_GATE: s[0] = values; break;
    case BREAK_ROW:
    case FLAT: t->ndim = 1, s[0] = s[1], s[1] = 1; break;
    case LAST_TWO: t->ndim = 2, s[0] = s[1], s[1] = s[2], s[2] = 1; break;
    case EACH:
    case EACH_TURNED:
        t->ndim = 3, s[2] = s[1], s[1] = s[0] / experts, s[0] = experts;
        if (t->change == EACH_TURNED) shapes_swap(&s[1], &s[2]);
        break;
    case PIXELS: t->ndim = 4, s[2] = s[3] = config_size(c, "patch_size", 1), s[1] = 3; break;
    case PADDED: s[0] = size_or(c->folder.sizes, "vocab_size", s[0]); break;
    case SQUEEZED:
    case TILED_TAPS:
        if (t->ndim == 3) t->ndim = 2, s[1] = s[2], s[2] = 1;
        break;
    case SQUASHED: t->ndim = 1, s[0] *= s[1] * s[2] * s[3], s[1] = s[2] = s[3] = 1; break;
    case KDA_RATES: s[0] *= s[1] * s[2] * s[3], s[2] = s[3] = 1; /* fall through */
    case COLUMN:
    case RATES: t->ndim = 2, s[1] = 1; break;
    case AFTER_PAD: s[0] -= c->first_position; break;
    case GROUPED: t->ndim = 2, s[1] = s[0] / c->groups, s[0] = c->groups; break;
    default: break;
    }
    if (t->ndim == 0) t->ndim = 1;
}

/* A stack of n parts of shape (a, b) is (n, a, b). */
static void stack_shape(Target *t) {
    memmove(t->shape + 1, t->shape, (TENSOR_MAX_DIMS - 1) * sizeof *t->shape);
    t->shape[0] = t->n_parts, t->ndim++;
}

/* The mean size of a map's numbers, which quantizes them to -1, 0 and 1. */
static void measure_size(Target *t) {
    const size_t n = t->parts[0]->bytes / safe_type_bytes(t->parts[0]->type);
    double sum = 0;
    float number;
    for (size_t i = 0; i < n; i++)
        safe_numbers(t->parts[0], i, &number, 1), sum += fabs((double)number);
    t->size = (float)fmax(sum / (double)n, 1e-5);
}

bool shape_target(const Conversion *c, Target *t) {
    const SafeTensor *from = t->parts[0];
    if (!check_stack(c, t)) return false;
    size_t shape[SAFE_MAX_DIMS];
    if (part_shape(t, shape) + t->stack > TENSOR_MAX_DIMS || from->bytes == 0)
        return wrong_shape(c, t, "1 to 4 dimensions and something in it");
    if (!is_scaled_right(t)) return wrong_shape(c, t, "a scale for each of its blocks");
    if (!rows_divide(c, t)) return wrong_shape(c, t, "rows that divide as config.json says");
    change_shape(c, t);
    if (t->stack) stack_shape(t);
    if (t->change == TERNARY) measure_size(t);
    return true;
}
