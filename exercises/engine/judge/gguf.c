/* gguf.c - writes GGUF files for the judge: keys, then tensors, then their numbers.  See
 * engine.h. */
#include "engine.h"

enum { MOST_TENSORS = 128 };
struct Out {
    FILE *file;
    unsigned alignment;
    uint64_t keys, tensors;
    bool scattered; /* the numbers lie in another order than the entries, with gaps */
    struct {
        char name[64];
        int format, rows, cols, depth; /* depth: matrices of a tensor of 3 dimensions */
        const double *x;
    } tensor[MOST_TENSORS];
};

static void put(Out *out, uint64_t value, int size) {
    for (int i = 0; i < size; i++) fputc((int)(value >> 8 * i & 255), out->file);
}

static void put_text(Out *out, const void *bytes, size_t size) {
    put(out, size, 8);
    fwrite(bytes, 1, size, out->file);
}

static void put_float(Out *out, double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    put(out, bits, 4);
}

Out *out_open(const char *name, unsigned alignment) {
    Out *out = calloc(1, sizeof *out);
    need(out, "no memory for a file");
    out->file = judge_input(name);
    out->alignment = alignment;
    fputs("GGUF", out->file);
    put(out, 3, 4);
    put(out, 0, 8), put(out, 0, 8); /* the counts, when they are known */
    if (alignment != 32) out_int(out, "general.alignment", GGUF_U32, alignment);
    return out;
}

static void put_key(Out *out, const char *key, int type) {
    put_text(out, key, strlen(key));
    put(out, (uint64_t)type, 4);
    out->keys++;
}

void out_item_int(Out *out, int type, long long value) {
    static const int size[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    put(out, (uint64_t)value, size[type]);
}

void out_int(Out *out, const char *key, int type, long long value) {
    put_key(out, key, type);
    out_item_int(out, type, value);
}

void out_float(Out *out, const char *key, double value) {
    put_key(out, key, GGUF_F32);
    put_float(out, value);
}

void out_text(Out *out, const char *key, const char *value) {
    put_key(out, key, GGUF_STRING);
    put_text(out, value, strlen(value));
}

void out_array(Out *out, const char *key, int type, int n) {
    put_key(out, key, GGUF_ARRAY);
    put(out, (uint64_t)type, 4);
    put(out, (uint64_t)n, 8);
}

void out_item_text(Out *out, const void *bytes, size_t size) { put_text(out, bytes, size); }

void out_tensor(Out *out, const char *name, int format, int rows, int cols, const double *x) {
    need(out->tensors < MOST_TENSORS, "the judge: too many tensors");
    uint64_t i = out->tensors++;
    snprintf(out->tensor[i].name, sizeof out->tensor[i].name, "%s", name);
    out->tensor[i].format = format, out->tensor[i].rows = rows, out->tensor[i].cols = cols;
    out->tensor[i].x = x;
    out->tensor[i].depth = 1;
}

void out_depth(Out *out, int depth) { out->tensor[out->tensors - 1].depth = depth; }

void out_scatter(Out *out) { out->scattered = true; }

static uint64_t size_of(int format, long n) {
    return (uint64_t)(format == F32 ? 4 * n : format == F16 ? 2 * n : n / 32 * 34);
}

/* The number of a block that is farthest from 0 is -128, so half of the scales are negative. */
double block_scale(const double *x) {
    double far = 0;
    for (int i = 0; i < 32; i++) far = fabs(x[i]) > fabs(far) ? x[i] : far;
    return f16_to_f32(f16_from_f32((float)(far / -128)));
}

double rounded(double x, int format, double scale) {
    if (format == F32) return (double)(float)x;
    if (format == F16) return (double)f16_to_f32(f16_from_f32((float)x));
    double q = scale != 0 ? round(x / scale) : 0;
    return (q < -126 ? -128 : fmin(127, q)) * scale; /* -128: a rounded scale moves no end */
}

void round_rows(double *x, int n, int format) {
    for (int i = 0; i < n; i += 32) {
        double scale = format == Q8_0 ? block_scale(x + i) : 0;
        for (int k = i; k < n && k < i + 32; k++) x[k] = rounded(x[k], format, scale);
    }
}

/* The numbers are those of the format already: scales come out as they were. */
static void put_numbers(Out *out, const double *x, long n, int format) {
    for (long i = 0; i < n; i++) {
        if (format == F32) put_float(out, x[i]);
        if (format == F16) put(out, f16_from_f32((float)x[i]), 2);
        if (format != Q8_0 || i % 32 != 0) continue;
        double scale = block_scale(x + i);
        put(out, f16_from_f32((float)scale), 2);
        for (int k = 0; k < 32; k++)
            fputc((int)lround(scale != 0 ? x[i + k] / scale : 0) & 255, out->file);
    }
}

static void pad(Out *out) {
    while ((uint64_t)ftell(out->file) % out->alignment) fputc(0xee, out->file);
}

/* The offsets of the tensors, in the order of their numbers; a gap goes before each. */
static void set_offsets(const Out *out, uint64_t *offset, int *order) {
    int n = (int)out->tensors;
    uint64_t at = 0;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0 && out->scattered; i--) {
        int j = judge_between(0, i), other = order[i];
        order[i] = order[j], order[j] = other;
    }
    for (int i = 0; i < n; i++) {
        int t = order[i];
        if (out->scattered) at += out->alignment * (uint64_t)judge_between(1, 3);
        offset[t] = at;
        at += size_of(out->tensor[t].format, (long)out->tensor[t].rows * out->tensor[t].cols);
        at = (at + out->alignment - 1) / out->alignment * out->alignment;
    }
}

static void put_entry(Out *out, int i, uint64_t offset) {
    int rows = out->tensor[i].rows, depth = out->tensor[i].depth;
    int dimensions = depth > 1 ? 3 : rows > 1 ? 2 : 1;
    uint64_t size[] = {(uint64_t)out->tensor[i].cols, (uint64_t)(rows / depth),
                       (uint64_t)depth};
    put_text(out, out->tensor[i].name, strlen(out->tensor[i].name));
    put(out, (uint64_t)dimensions, 4);
    for (int k = 0; k < dimensions; k++) put(out, size[k], 8);
    put(out, (uint64_t)out->tensor[i].format, 4);
    put(out, offset, 8);
}

void out_close(Out *out) {
    uint64_t offset[MOST_TENSORS];
    int order[MOST_TENSORS], n = (int)out->tensors;
    set_offsets(out, offset, order);
    for (int i = 0; i < n; i++) put_entry(out, i, offset[i]);
    pad(out);
    for (long i = 0, start = ftell(out->file); i < n; i++) {
        int t = order[i];
        while ((uint64_t)(ftell(out->file) - start) < offset[t]) fputc(0xee, out->file);
        put_numbers(out, out->tensor[t].x, (long)out->tensor[t].rows * out->tensor[t].cols,
                    out->tensor[t].format);
    }
    pad(out);
    fseek(out->file, 8, SEEK_SET);
    put(out, out->tensors, 8), put(out, out->keys, 8);
    need(fclose(out->file) == 0, "a model file cannot be written: is the disk full?");
    free(out);
}
