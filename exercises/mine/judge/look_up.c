/* look_up.c - chapter 11: does a row of the table get the gradient of its look-up, too?  See
 * chapters.h.
 *
 * Between the stories are texts of signs, each with one of two letters behind it:
 *
 *     #x@z$x@z*z#x...        which sign comes next is drawn; which letter, its kind decides
 *
 * As targets all signs are alike, so the head's gradient pulls their rows in the same way.  As
 * inputs those of a kind predict the same letter: the gradient of the look-up, and no other,
 * pulls their rows to each other. */
#include "chapters.h"

#include "gguf_file.h"

enum { SIGNS = 16, KIND = SIGNS / 2, PAIRS = 60, TALES = 8, MOST_DIM = 8192 };

static char signs[SIGNS + 1] = "#$%&*+/<=>@^`{|}"; /* the first half is of one kind */

static void draw_kinds(void) {
    for (int i = SIGNS; i-- > 1;) {
        int k = judge_between(0, i);
        char c = signs[i];
        signs[i] = signs[k], signs[k] = c;
    }
}

void judge_stories_and_signs(FILE *out, uint64_t first, int stories) {
    draw_kinds();
    for (int i = 0; i < stories; i += TALES) {
        judge_stories(out, first + (uint64_t)i, TALES);
        for (int k = 0; k < PAIRS; k++) {
            int sign = judge_between(0, SIGNS - 1);
            fprintf(out, "%c%c", signs[sign], sign < KIND ? 'x' : 'z');
        }
        fputs("\n<|endoftext|>\n", out);
    }
}

typedef struct Table {
    GgufFile file;
    Gguf gguf;
    const float *rows; /* NULL: not in F32 */
    size_t dim, size;
} Table;

static void table_open(Table *t, const char *name) {
    Fault fault;
    need(gguf_open(&t->file, &t->gguf, judge_path(name), &fault), "%s", fault.text);
    const GgufTensor *table = gguf_find_tensor(&t->gguf, "token_embd.weight");
    bool floats = table && table->dtype == DTYPE_F32;
    t->rows = floats ? (const void *)table->data : NULL,
    t->size = floats ? table->bytes / 4 : 0;
    t->dim = table ? table->shape[1] : 0;
}

/* Where the rows of the signs begin. */
static bool find_signs(const Table *t, size_t *begin) {
    Fault fault;
    Tokenizer *tokenizer = tokenizer_open(&t->gguf, &fault);
    TokenList tokens = {0};
    need(tokenizer, "%s", fault.text);
    for (int i = 0; i < SIGNS; i++) {
        tokens.count = 0;
        if (tokenizer_encode(tokenizer, (Text){&signs[i], 1}, false, &tokens, &fault) &&
            tokens.count == 1)
            begin[i] = (size_t)tokens.ids[0] * t->dim;
        else
            begin[i] = t->size;
    }
    token_list_free(&tokens), tokenizer_close(tokenizer);
    for (int i = 0; i < SIGNS; i++)
        if (begin[i] + t->dim > t->size) return false;
    return true;
}

/* How much of a table is another one but for its scale. */
static double scale_of(const Table *a, const Table *b) {
    double ab = 0, bb = 0;
    for (size_t i = 0; i < a->size; i++)
        ab += (double)a->rows[i] * (double)b->rows[i],
            bb += (double)b->rows[i] * (double)b->rows[i];
    return bb > 0 ? ab / bb : 0;
}

/* The signs' rows have moved from b to a: the variance between the kinds over that within them,
 * which is about 1 for rows that know nothing of kinds (Fisher's F). */
static double kinds_apart(const Table *a, const Table *b, const size_t *begin) {
    double scale = scale_of(a, b), between = 0, within = 0;
    for (size_t j = 0; j < a->dim; j++) {
        double mean[2] = {0, 0}, moved[SIGNS];
        for (int i = 0; i < SIGNS; i++) {
            moved[i] = (double)a->rows[begin[i] + j] - scale * (double)b->rows[begin[i] + j];
            mean[i / KIND] += moved[i] / KIND;
        }
        for (int i = 0; i < SIGNS; i++)
            within += (moved[i] - mean[i / KIND]) * (moved[i] - mean[i / KIND]);
        between += (mean[0] - mean[1]) * (mean[0] - mean[1]);
    }
    return within > 0 ? between * KIND / 2 / (within / (SIGNS - 2)) : 0;
}

double judge_kinds_apart(const char *longer, const char *shorter) {
    Table a, b;
    size_t begin[SIGNS];
    table_open(&a, longer), table_open(&b, shorter);
    bool readable = a.rows && b.rows && a.size == b.size && find_signs(&a, begin);
    double apart = readable ? kinds_apart(&a, &b, begin) : INFINITY;
    gguf_close(&a.file, &a.gguf), gguf_close(&b.file, &b.gguf);
    return apart;
}
