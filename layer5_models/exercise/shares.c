/* The worked exercise of machines: one product on three of them.  Who has which rows, and who
 * sends what?
 *
 *     make worked shares
 *     make worked shares SENTENCE='The fox lost his hat'
 *
 * The machines are threads.  The first eight words of the sentence, as rows of the embedding,
 * are multiplied by a matrix of the storyteller: by its rows, as machines.h does it, and then
 * by its columns, which it does not.
 *
 * --csv prints from,to,what,numbers,bytes. */
#include "worked.h"
#include "../extras/machines/wire.h"
#include "../../tests/group_threads.h"
#include "linear.h"
#include "machines.h"

enum { THREE = 3, EIGHT = 8, LINES = 64 };

static const double shares[THREE] = {3, 2, 2};
static const char version[] = "worked", path[] = "layer5_models/models/storyteller.gguf";

/* ------------------------------------------------------------------ messages of machine 1 */

static struct Line {
    int from, to;
    const char *what;
    size_t numbers, bytes; /* numbers: of the product */
} lines[LINES];
static size_t n_lines;

static void note_line(int from, int to, const char *what, size_t numbers, size_t bytes) {
    if (n_lines < LINES) lines[n_lines++] = (struct Line){from, to, what, numbers, bytes};
}

static bool note_order(Group *group, int to, const void *bytes, size_t size, double seconds,
                       Fault *fault) {
    static const char *const names[ORDER_END + 1] = {[ORDER_HELLO] = "hello: the shares",
                                                     [ORDER_OPEN] = "open this file",
                                                     [ORDER_PRODUCTS] = "multiply these words",
                                                     [ORDER_CLOSE] = "close the file",
                                                     [ORDER_END] = "that was all"};
    Order order;
    memcpy(&order, bytes, sizeof order);
    if (names[order.kind]) {
        size_t numbers = order.kind == ORDER_PRODUCTS ? order.rows * order.in : 0;
        note_line(1, to + 1, names[order.kind], numbers, size);
    }
    return threads_send(group, to, bytes, size, seconds, fault);
}

static bool note_answer(Group *group, int from, void *bytes, size_t size, double seconds,
                        Fault *fault) {
    size_t numbers = (size - sizeof(uint32_t)) / sizeof(float);
    note_line(from + 1, 1, numbers ? "its rows of the product" : "done", numbers, size);
    return threads_take(group, from, bytes, size, seconds, fault);
}

/* ------------------------------------------------------------------ three machines */

static void lost(void *context, const Fault *fault) {
    (void)context;
    worked_fails(fault->text);
}

static void *serve(void *member) {
    Fault fault;
    if (!machines_serve(member, version, &fault)) worked_fails(fault.text);
    return NULL;
}

/* y = W x, each machine with its rows. */
static void multiply_on_three(const Model *model, const Linear *map, const float *x, size_t n,
                              float *y) {
    static GroupKind noted;
    Group members[THREE];
    pthread_t threads[THREE];
    Fault fault;
    if (!group_threads(members, THREE, &fault)) worked_fails(fault.text);
    noted = *members[0].kind, noted.send = note_order, noted.take = note_answer;
    members[0].kind = &noted;
    for (int i = 1; i < THREE; i++)
        if (pthread_create(&threads[i], NULL, serve, &members[i])) worked_fails("no thread");
    MachinesConfig config = {.group = &members[0],
                             .shares = shares,
                             .threads = 1,
                             .seconds = 20,
                             .version = version,
                             .lost = lost};
    Machines *machines = machines_open(&config, &fault);
    if (!machines || !machines_lend(machines, model, path, &fault)) worked_fails(fault.text);
    linear(NULL, map, x, n, y, NULL);
    machines_return(machines, model);
    machines_close(machines);
    for (int i = 1; i < THREE; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREE; i++) group_close(&members[i]);
}

/* ------------------------------------------------------------------ columns */

static float *floats(size_t n) {
    float *x = malloc(n * sizeof *x);
    if (!x) worked_fails("no memory");
    return x;
}

/* y = W x, each machine with some columns: the parts of each sum are added in the order of the
 * machines. */
static void multiply_by_columns(const Tensor *w, const float *x, size_t n, int machines,
                                float *y) {
    size_t out = w->shape[0], in = w->shape[1];
    double bounds[THREE + 1];
    float *row = floats(in);
    share_bounds(machines == THREE ? shares : NULL, machines, bounds);
    for (size_t r = 0; r < out; r++) {
        for (size_t k = 0; k < in; k++) row[k] = tensor_get(w, (size_t[]){r, k});
        for (size_t c = 0; c < n; c++) {
            float sum = 0;
            for (int i = 0; i < machines; i++) {
                size_t begin = share_begin(bounds, i, in);
                sum += dot_f32(row + begin, x + c * in + begin, share_rows(bounds, i, in));
            }
            y[c * out + r] = sum;
        }
    }
    free(row);
}

static size_t different(const float *a, const float *b, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += memcmp(&a[i], &b[i], sizeof *a) != 0;
    return count;
}

/* ------------------------------------------------------------------ the tale */

static void show_rows(const Tensor *w, size_t n) {
    double bounds[THREE + 1];
    share_bounds(shares, THREE, bounds);
    printf("   The matrix has %zu rows of %zu numbers; a row times a word is one number.\n"
           "   Shares 3:2:2, in blocks of sixteen rows:\n\n",
           w->shape[0], w->shape[1]);
    for (int i = 0; i < THREE; i++) {
        size_t begin = share_begin(bounds, i, w->shape[0]),
               rows = share_rows(bounds, i, w->shape[0]);
        printf("   machine %d   rows %3zu to %3zu   %3zu rows x %zu words = %zu numbers\n",
               i + 1, begin, begin + rows - 1, rows, n, rows * n);
    }
}

static void show_lines(bool csv) {
    if (csv) printf("from,to,what,numbers,bytes\n");
    for (const struct Line *l = lines; l < lines + n_lines; l++)
        if (csv)
            printf("%d,%d,%s,%zu,%zu\n", l->from, l->to, l->what, l->numbers, l->bytes);
        else if (l->numbers)
            printf("   %d -> %d   %-23s %5zu bytes: %zu numbers and a header of %zu bytes\n",
                   l->from, l->to, l->what, l->bytes, l->numbers,
                   l->bytes - l->numbers * sizeof(float));
        else
            printf("   %d -> %d   %-23s %5zu bytes\n", l->from, l->to, l->what, l->bytes);
}

static void show_columns(const Tensor *w, const float *x, size_t n) {
    size_t all = n * w->shape[0];
    float *y[THREE + 1];
    printf("\n4. Now cut the columns instead: each machine has a part of every sum, and the "
           "parts are added.\n\n");
    guess("how many of the %zu numbers get other bits?", all);
    for (int machines = 1; machines <= THREE; machines++)
        multiply_by_columns(w, x, n, machines, y[machines] = floats(all));
    printf("   two machines    %zu of %zu have other bits than on one\n"
           "   three machines  %zu of %zu, and %zu have other bits than on two\n",
           different(y[1], y[2], all), all, different(y[1], y[3], all), all,
           different(y[2], y[3], all));
    for (int machines = 1; machines <= THREE; machines++) free(y[machines]);
}

static void show_product(const Model *model, const char *sentence, bool csv) {
    Word words[EIGHT];
    Linear map = {.w = gguf_tensor_view(tensor_named(&model->gguf, "blk.0.ffn_gate.weight"))};
    size_t out = map.w.shape[0], in = map.w.shape[1],
           n = words_of(words, EIGHT, &model->gguf, sentence);
    float *x = floats(n * in), *alone = floats(n * out), *three = floats(n * out);
    for (size_t i = 0; i < n; i++) embedding(x + i * in, &model->embedding, words[i].token);
    linear(NULL, &map, x, n, alone, NULL);
    if (!csv) {
        printf("1. \"%s\": %zu words of %zu numbers.\n"
               "   Three machines (threads here) multiply these words by a matrix.\n",
               sentence, n, in);
        show_rows(&map.w, n);
        printf("\n2. Who sends what?\n\n");
        guess("how many numbers go to machine 2, and how many come back?");
    }
    multiply_on_three(model, &map, x, n, three);
    show_lines(csv);
    if (!csv) {
        printf("\n3. Of %zu numbers %zu have other bits than on one machine: no sum was cut.\n",
               n * out, different(alone, three, n * out));
        show_columns(&map.w, x, n);
    }
    free(x), free(alone), free(three);
}

int main(int argc, char **argv) {
    Model model;
    Fault fault;
    bool csv = worked_csv(argc, argv);
    if (!model_open(&model, path, &fault)) worked_fails(fault.text);
    show_product(&model, sentence_or("Once upon a time there was a fox"), csv);
    model_close(&model);
    return worked_end();
}
