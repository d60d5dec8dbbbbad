/* convert.c - a folder becomes a GGUF file.  See converter.h and parts.h.
 *
 *     keys and headers -> a file of full size, opened once as a model -> the weights, block by
 *     block */
#include "parts.h"
#include "json.h"
#include "vision_tower.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 4 << 20 }; /* of rows converted at a time */

/* ------------------------------------------------------------------ numbers */

/* A block of rows of one target. */
typedef struct RowBlock {
    const Conversion *c;
    const Target *target;
    size_t first, cols, row_bytes;
    float *rows;           /* (threads, cols) working memory */
    unsigned char *stored; /* (rows of a block, row_bytes) */
    atomic_bool misfits;   /* a number that the format cannot represent */
} RowBlock;

void convert_note(const Conversion *c, const char *format, ...) {
    char text[300];
    va_list arguments;
    if (!c->how->note) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->how->note(c->how->context, text);
}

/* Which token row i of a draft head is: the folder has how much further than i. */
static void write_ids(const float *offsets, size_t count, unsigned char *out) {
    for (size_t i = 0; i < count; i++) {
        const int64_t id = (int64_t)i + (int64_t)offsets[i];
        memcpy(out + i * sizeof id, &id, sizeof id);
    }
}

static void convert_rows(void *context, int worker, size_t begin, size_t end) {
    RowBlock *b = context;
    float *row = b->rows + (size_t)worker * b->cols;
    for (size_t r = begin; r < end; r++) {
        target_row(b->c, b->target, b->first + r, row);
        if (b->target->dtype == DTYPE_I64) {
            write_ids(row, b->cols, b->stored + r * b->row_bytes);
            continue;
        }
        if (quantize_misfit(b->target->dtype, row, b->cols) < b->cols) b->misfits = true;
        quantize_row(b->target->dtype, row, NULL, b->stored + r * b->row_bytes, b->cols);
    }
}

static bool write_bytes(const Conversion *c, FileOut *out, const void *bytes, size_t size) {
    if (fwrite(bytes, 1, size, out->stream) == size) return true;
    return REFUSE(c, "%s cannot be written: %s", out->path, strerror(errno));
}

static bool write_padding(const Conversion *c, FileOut *out, size_t written) {
    static const unsigned char zeros[GGUF_ALIGNMENT];
    return write_bytes(c, out, zeros,
                       (GGUF_ALIGNMENT - written % GGUF_ALIGNMENT) % GGUF_ALIGNMENT);
}

static bool write_target(const Conversion *c, const Target *t, Pool *pool, FileOut *out,
                         double *done, double all) {
    size_t rows = target_rows(t), cols = t->shape[t->ndim - 1];
    RowBlock b = {
        .c = c, .target = t, .cols = cols, .row_bytes = dtype_row_bytes(t->dtype, cols)};
    size_t at_once = min_size(rows, max_size(1, BLOCK_BYTES / b.row_bytes));
    b.rows = malloc((size_t)pool_threads(pool) * cols * sizeof *b.rows);
    b.stored = malloc(at_once * b.row_bytes);
    bool ok = (b.rows && b.stored) || REFUSE(c, "no memory to convert '%s'", t->name);
    for (; ok && b.first < rows; b.first += at_once) {
        size_t count = min_size(at_once, rows - b.first);
        pool_for(pool, count, 8, convert_rows, &b);
        if (b.misfits) ok = quant_preset_misfit(t->name, t->dtype, c->fault);
        ok = ok && write_bytes(c, out, b.stored, count * b.row_bytes);
        *done += (double)(count * b.row_bytes);
        if (c->how->progress) c->how->progress(c->how->context, *done, all);
    }
    free(b.rows), free(b.stored);
    return ok && write_padding(c, out, rows * b.row_bytes);
}

static size_t target_bytes(const Target *t) {
    return target_rows(t) * dtype_row_bytes(t->dtype, t->shape[t->ndim - 1]);
}

static bool write_numbers(Conversion *c, Pool *pool, FileOut *out) {
    double done = 0, all = 0;
    size_t divisors = c->n_divisors * sizeof **c->divisors;
    for (size_t i = 0; i < c->n_targets; i++) all += (double)target_bytes(&c->targets[i]);
    for (size_t i = 0; i < c->n_targets; i++)
        if (!write_target(c, &c->targets[i], pool, out, &done, all)) return false;
    for (int i = 0; i < 3; i++)
        if (c->divisors[i] &&
            !(write_bytes(c, out, c->divisors[i], divisors) && write_padding(c, out, divisors)))
            return false;
    return true;
}

/* ------------------------------------------------------------------ header */

static Text base_of(const char *path) {
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    return (Text){path + begin, end - begin};
}

/* Phi 3 is recognized by its name: no key says that white space beside special tokens is
 * dropped. */
static void put_name(Conversion *c) {
    char name[200];
    Text base = base_of(c->folder.path);
    bool phi3 = c->strips && strcmp(c->family->arch, "phi3") == 0;
    snprintf(name, sizeof name, "%s%.*s", phi3 ? "Phi-3 " : "", (int)min_size(150, base.size),
             base.data);
    gguf_put_string(c->writer, "general.name", text_of(name));
}

static int file_type(const Conversion *c) {
    if (c->how->preset) return c->how->preset->file_type;
    for (size_t i = 0; i < c->n_targets; i++) /* of most matrices: F32 0, F16 1, BF16 32 */
        if (c->targets[i].ndim > 1 && c->targets[i].dtype != DTYPE_F32)
            return c->targets[i].dtype == DTYPE_F16 ? 1 : 32;
    return 0;
}

static size_t vocab_rows(const Conversion *c) {
    const Target *table = target_of(c, "token_embd.weight");
    if (!table && quirks_of(c->recipe)->head_embeds) table = target_of(c, "output.weight");
    if (table) return table->shape[0];
    return quirks_of(c->recipe)->is_draft_head ? size_or(c->folder.sizes, "vocab_size", 0) : 0;
}

static bool put_header(Conversion *c) {
    size_t vocab;
    if (!put_config(c) || !plan_targets(c)) return false;
    const Quirks *q = quirks_of(c->recipe);
    if (!check_layer_biases(c)) return false;
    if (q->is_vision_tower) {
        if (!check_tower_width(c)) return false;
    } else {
        if (!(vocab = vocab_rows(c))) return REFUSE(c, "the folder has no embedding of tokens");
        if (!check_agreement(c, vocab) || !put_layers(c) || !put_vectors(c)) return false;
        if (!(q->is_draft_head ? put_target_words(c) : put_words(c, vocab))) return false;
    }
    put_name(c);
    gguf_put_int(c->writer, "general.file_type", GGUF_U32, file_type(c));
    for (size_t i = 0; i < c->n_targets; i++) {
        const Target *t = &c->targets[i];
        gguf_announce_tensor(c->writer, t->name, t->dtype, t->ndim, t->shape);
    }
    for (int i = 0; i < 3; i++)
        if (c->divisors[i])
            gguf_announce_tensor(c->writer, divisor_names[i], DTYPE_F32, 1, &c->n_divisors);
    return true;
}

static bool try_header(const Conversion *c, const FileOut *out) {
    Model model;
    FileMap file;
    if (!file_open(&file, out->part, c->fault)) return false;
    bool ok = quirks_of(c->recipe)->is_vision_tower
                  ? model_open_vision(&model, file.data, file.size, CLASS_FIRST, c->fault)
                  : model_open_memory(&model, file.data, file.size, c->fault);
    if (ok) model_close(&model);
    file_close(&file);
    return ok || fault_prefix(c->fault, "the file would be refused");
}

static bool convert_opened(Conversion *c, const char *path, Pool *pool) {
    FileOut out;
    if (!put_header(c) || !gguf_begin_file(c->writer, path, &out, c->fault)) return false;
    /* of a draft head numbers are read, too: which tokens its rows are */
    const bool after = quirks_of(c->recipe)->is_draft_head;
    bool ok = (after || try_header(c, &out)) && write_numbers(c, pool, &out);
    if (ok && after) ok = fflush(out.stream) == 0 && try_header(c, &out);
    if (ok) return file_end(&out, c->fault);
    file_drop(&out);
    return false;
}

bool convert_folder(const char *folder, const char *path, const Convert *how, Pool *pool,
                    Fault *fault) {
    Conversion c = {.how = how, .fault = fault};
    if (folder_owns(folder, path))
        return fault_set(
            fault, "%.200s is a file of the model that is read: give the new file another name",
            path);
    if (!file_writable(path, fault) || !folder_open(&c.folder, folder, fault)) return false;
    c.family = family_of(json_root(c.folder.config), how->vision, &c.class, fault);
    c.recipe = c.family && join_sizes(&c) ? recipe_find(text_of(c.family->arch)) : NULL;
    c.writer = c.recipe ? gguf_writer_open(fault) : NULL;
    if (c.recipe)
        c.prefix = quirks_of(c.recipe)->keys ? quirks_of(c.recipe)->keys : c.family->arch;
    bool ok = c.writer && open_target(&c) &&
              (!quirks_of(c.recipe)->dense || folder_open_dense(&c.folder, fault)) &&
              convert_opened(&c, path, pool);
    gguf_writer_close(c.writer);
    free_targets(&c), free_joined(&c);
    for (int i = 0; i < 3; i++) free(c.divisors[i]);
    folder_close(&c.folder), json_free(c.target.config);
    return ok;
}
