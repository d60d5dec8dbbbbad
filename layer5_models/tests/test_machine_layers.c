/* layers of a model on several machines, which are threads here: the same bits */
#include "machine_house.h"
#include "../extras/machines/machines_parts.h"
#include "layers_elsewhere.h"

/* Families that the cut would go through; the others have the same bits. */
static const char *const whole[][2] = {{"t5", "encoder"},
                                       {"gemma3n", "several streams"},
                                       {"gemma4", "inputs of their own"},
                                       {"rwkv7", "first one's values"},
                                       {"arwkv7", "first one's values"}};

static const char *why_whole(const char *arch) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(arch, whole[i][0]) == 0) return whole[i][1];
    return NULL;
}

/* False: it is refused. */
static bool compare(const MakeModel *m, int size, const double *shares, bool pack) {
    static float alone[TOKENS * MAKE_VOCAB], shared[TOKENS * MAKE_VOCAB];
    const char *path = in_folder("model.gguf");
    House house;
    Model model;
    Fault fault;
    write_file(m, path);
    assert_true(model_open(&model, path, &fault));
    size_t n = run_text(&model, TOKENS, alone);
    open_machines(&house, (Cut){size, shares, pack, true});
    bool lent = machines_lend(house.machines, &model, path, &fault);
    if (!lent) {
        const char *why = why_whole(m->arch);
        if (!why || !strstr(fault.text, why)) fail_msg("%s: %s", m->arch, fault.text);
        assert_contains(fault.text, "wanted --split rows");
    } else {
        memset(shared, 0xff, sizeof shared);
        assert_int_equal(run_text(&model, TOKENS, shared), n);
        if (memcmp(alone, shared, n * sizeof *alone) != 0)
            fail_msg("%s on %d machines: other bits", m->arch, size);
        assert_true(machines_count(house.machines).parts > 0);
        machines_return(house.machines, &model);
        assert_int_equal(run_text(&model, TOKENS, shared), n); /* alone again */
        assert_memory_equal(alone, shared, n * sizeof *alone);
    }
    close_house(&house);
    model_close(&model);
    return lent;
}

static void every_family_by_layers(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F32,  DTYPE_Q8_0, DTYPE_F16,
                                    DTYPE_Q4_0, DTYPE_BF16, DTYPE_Q5_1};
    for (size_t i = 0; i < sizeof make_families / sizeof *make_families; i++) {
        const char *arch = make_families[i][0];
        if (!runs_alone(arch)) continue;
        MakeModel m = make_model_of(arch, NULL);
        m.dtype = formats[i % 6];
        compare(&m, 2 + (int)(i % 3), i % 4 ? uneven : NULL, i % 3 != 0);
    }
}

/* ------------------------------------------------------------------ sequences */

/* Forks, rewinds, prefixes, pages that texts take from each other, context shifts, several
 * texts in a batch: with keys and values of all kinds, windows, latents and states. */
static void sequences_by_layers(void **state) {
    (void)state;
    static const char *const kv_names[] = {"f32", "q8_0", "f16", "q4_0-h", "bf16", "q8_0-h"};
    static const struct {
        const char *arch, *more;
        Dtype dtype;
    } models[] = {{"llama", "layers:5", DTYPE_Q8_0},
                  {"qwen2", "layers:4", DTYPE_F32},
                  {"gemma3", "layers:7", DTYPE_F16},
                  {"gpt-oss", "layers:4", DTYPE_F32},
                  {"olmo2", "layers:3", DTYPE_F32},
                  {"bloom", "layers:4", DTYPE_F32},
                  {"deepseek2", "layers:4", DTYPE_Q4_0},
                  {"qwen35", "", DTYPE_F32},
                  {"falcon-h1", "", DTYPE_F32},
                  {"jamba", "", DTYPE_F32},
                  {"mamba", "", DTYPE_F32},
                  {"lfm2", "", DTYPE_F32},
                  {"deepseek32", "layers:4", DTYPE_F32},
                  {"qwen2vl", "layers:4", DTYPE_F32}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        MakeModel m = make_model_of(models[i].arch, models[i].more);
        KvFormat kv;
        Fault fault;
        m.dtype = models[i].dtype;
        assert_true(kv_format_read(kv_names[i % 6], &kv, &fault));
        for (int size = 2; size <= 4; size++)
            compare_texts(
                &m, kv, (Cut){size, (i + (size_t)size) % 2 ? uneven : NULL, true, true}, true);
    }
}

/* ------------------------------------------------------------------ pictures */

/* Two pictures of eight rows, of which `together` see each other, among the tokens. */
static void read_pictures(Told *t, size_t together) {
    enum { ROWS = 16 };
    static float rows[ROWS * 256];
    static const size_t grid[2][2] = {{2, 4}, {4, 2}};
    int32_t token[40], sequence[40], position[40];
    bool wanted[40];
    Fault fault;
    Batch batch = {.count = 40,
                   .token = token,
                   .sequence = sequence,
                   .position = position,
                   .wanted = wanted};
    for (size_t i = 0; i < ROWS * 256; i++) rows[i] = (float)(i * 7 % 31) / 31 - 0.5f;
    assert_true(t->session.model->sizes.dim <= 256);
    if (!session_lend(&t->session, rows, ROWS, together, &fault)) fail_msg("%s", fault.text);
    session_grid(&t->session, grid, 8);
    for (int32_t i = 0; i < 40;
         i++) { /* row 20, where the batch would be cut, is in a picture */
        const int32_t text = i >= 24, at = i - 24 * text, row = at - (text ? 4 : 14);
        token[i] = row >= 0 && row < 8 ? MAKE_VOCAB + text * 8 + row : at;
        sequence[i] = text, position[i] = at, wanted[i] = at >= (text ? 14 : 22);
    }
    if (!session_forward(&t->session, &batch, &fault)) fail_msg("%s", fault.text);
    memcpy(t->logits, t->session.logits, 4 * MAKE_VOCAB * sizeof(float));
    t->steps = 4;
    go_on(t, (size_t[]){1, 0}, (size_t[]){1, 2}, 2, 3);
}

static void pictures_pass_through_layers(void **state) {
    (void)state;
    static const struct {
        const char *arch, *more;
        size_t together;
    } models[] = {{"gemma3", "layers:4", 4}, {"gemma4", GEMMA4, 4}, {"qwen2vl", "layers:4", 0}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const char *path = in_folder("seen.gguf");
        House house;
        Model model;
        Told told[2];
        Fault fault;
        MakeModel m = make_model_of(models[i].arch, models[i].more);
        write_file(&m, path);
        assert_true(model_open(&model, path, &fault));
        for (int shared = 0; shared < 2; shared++) {
            if (shared) { open_lent(&house, (Cut){3, NULL, true, true}, &model, path); }
            open_texts(&told[shared], &model, (KvFormat){.dtype = DTYPE_F32});
            read_pictures(&told[shared], models[i].together);
            session_close(&told[shared].session);
        }
        assert_memory_equal(told[0].logits, told[1].logits, 6 * MAKE_VOCAB * sizeof(float));
        free(told[0].logits), free(told[1].logits);
        close_lent(&house, &model);
    }
}

/* ------------------------------------------------------------------ what each has */

/* Pages of all machines together are as many bytes as those of one alone, if no layer has a
 * window; and each has those of its layers. */
static void each_machine_keeps_its_layers(void **state) {
    (void)state;
    Model model;
    Fault fault;
    Told alone;
    LayerClasses classes;
    size_t first = 0, bytes = 0;
    MakeModel m = make_model_of("llama", "layers:7");
    write_file(&m, in_folder("kept.gguf"));
    assert_true(model_open(&model, in_folder("kept.gguf"), &fault));
    open_texts(&alone, &model, (KvFormat){.dtype = DTYPE_F16});
    const KvCache *kv = &alone.session.kv;
    assert_true(classes_open(&classes, kv->shape, kv->config.layers));
    assert_int_equal(classes.count, 1);
    for (size_t end = 3; first < 7; first = end, end += 2) {
        const LayersOrder order = {.order = {.rows = 4, .in = m.dim},
                                   .first = first,
                                   .end = end,
                                   .layers = 7,
                                   .pages = kv->pages.count / 7,
                                   .dtype = DTYPE_F16,
                                   .sequences = SEQUENCES,
                                   .ctx = 256,
                                   .batch = 4};
        HeldLayers held;
        assert_true(held_open(&held, &model, NULL, &order, kv->shape, classes.of, &fault));
        assert_int_equal(held.kv.pages.count, kv->pages.count / 7 * (end - first));
        bytes += held.kv.pages.count * held.kv.pages.page_bytes;
        held_close(&held);
    }
    assert_int_equal(bytes, kv->pages.count * kv->pages.page_bytes);
    classes_close(&classes);
    session_close(&alone.session), free(alone.logits);
    model_close(&model);
}

/* Five layers in six have a window.  Two machines reserve half of the pages of one each. */
static void windows_reserve_few_pages(void **state) {
    (void)state;
    Model model;
    Fault fault;
    House house;
    Session s;
    size_t pages[2];
    const SessionConfig config = {
        .sequences = 2, .ctx = 2048, .max_tokens = 64, .max_logits = 1};
    MakeModel m = make_model_of("gemma3", "layers:12 ctx:2048");
    const char *path = in_folder("windows.gguf");
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    for (int shared = 0; shared < 2; shared++) {
        if (shared) open_lent(&house, (Cut){2, NULL, false, true}, &model, path);
        if (!session_open(&s, &model, NULL, config, &fault)) fail_msg("%s", fault.text);
        assert_true(session_eval(&s, (int32_t[]){1, 2}, 2, false, &fault));
        pages[shared] =
            shared ? house.machines->layers[0].own.kv.pages.count : s.kv.pages.count;
        session_close(&s);
    }
    assert_int_equal(2 * pages[1], pages[0]);
    close_lent(&house, &model);
}

/* Counted on one machine, and on the wire: every fifth family. */
static void the_price_of_layers_is_what_goes_over_the_wire(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof make_families / sizeof *make_families; i += 5) {
        const char *arch = make_families[i][0], *path = in_folder("priced.gguf");
        const int size = 2 + (int)(i % 3);
        static float out[TOKENS * MAKE_VOCAB];
        MakeModel m = make_model_of(arch, NULL);
        MachinesConfig config = {
            .shares = i % 2 ? uneven : NULL, .by_layers = true, .half = i / 5 % 2};
        MachinesPrice price;
        House house;
        Model model;
        Fault fault;
        if (!runs_alone(arch)) continue;
        write_file(&m, path);
        assert_true(model_open(&model, path, &fault));
        /* a state of each token whose logits are wanted may be kept */
        const size_t tokens = i % 2 || model_extras(&model)->quirks->recurrent ? 1 : TOKENS;
        bool ok = machines_price(&model, &config, size, tokens, &price, &fault);
        if (ok == (why_whole(arch) != NULL)) fail_msg("%s: %s", arch, fault.text);
        if (ok) {
            half_rows = config.half;
            open_machines(&house, (Cut){size, config.shares, false, true});
            half_rows = false;
            assert_true(machines_lend(house.machines, &model, path, &fault));
            run_text(&model, tokens, out);
            MachinesCount count = machines_count(house.machines);
            if (price.sent != count.sent || price.received != count.received)
                fail_msg("%s: sent %zu, %zu, received %zu, %zu", arch, price.sent, count.sent,
                         price.received, count.received);
            machines_return(house.machines, &model);
            close_house(&house);
        }
        model_close(&model);
    }
}

/* By hand: layers of a llama of equal matrices, one row to each other machine and back. */
static void the_price_of_layers_is_the_formula(void **state) {
    (void)state;
    enum { ORDER = 40, SEQUENCE = 24, CLASS = 4, ENTRY = 12, ROW = 8, ANSWER = 4 };
    MakeModel m = make_model_of("llama", "layers:6");
    MachinesConfig config = {.shares = (double[]){1, 2, 3}, .by_layers = true};
    MachinesPrice price;
    Model model;
    Fault fault;
    write_file(&m, in_folder("formula.gguf"));
    assert_true(model_open(&model, in_folder("formula.gguf"), &fault));
    assert_true(machines_price(&model, &config, 3, 1, &price, &fault));
    const size_t kv = m.kv_heads * m.head_dim, q = m.heads * m.head_dim,
                 layer = 4 * m.dim * (2 * q + 2 * kv + 3 * m.hidden),
                 head = 4 * m.dim * MAKE_VOCAB;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(price.weights[i], (i + 1) * layer + (i == 0 ? head : 0));
        assert_int_equal(price.kept[i], (i + 1) * 2 * kv);
    }
    assert_int_equal(price.messages, 4);
    assert_int_equal(price.sent, 2 * (ORDER + SEQUENCE + CLASS + ENTRY + ROW + 4 * m.dim));
    assert_int_equal(price.received, 2 * (ANSWER + 4 * m.dim));
    model_close(&model);
}

/* What an order says of one row: 40 bytes of head, 24 of the sequence, 4 of what is gone, 12 of
 * a page, then which row it is. */
typedef struct OneRow {
    PassOrder head;
    PassSequence sequence;
    int32_t gone;
    uint32_t changed[3];
    int32_t row[2];
} OneRow;

static void refuse_row(HeldLayers *held, OneRow row, size_t size) {
    PassRows rows;
    unsigned char *bytes = malloc(sizeof row); /* exactly: so sanitizers see what is behind */
    memcpy(bytes, &row, sizeof row);
    bytes = realloc(bytes, size ? size : 1);
    assert_false(held_read(held, bytes, size, &rows));
    free(bytes);
}

static void orders_that_are_cut_off_are_refused(void **state) {
    (void)state;
    enum { PAGES = 3 };
    Model model;
    Fault fault;
    HeldLayers held;
    PassRows rows;
    MakeModel m = make_model_of("llama", "layers:2");
    write_file(&m, in_folder("cut.gguf"));
    assert_true(model_open(&model, in_folder("cut.gguf"), &fault));
    const KvShape shapes[2] = {{.kv_heads = m.kv_heads, .key_dim = 16, .value_dim = 16},
                               {.kv_heads = m.kv_heads, .key_dim = 16, .value_dim = 16}};
    const LayersOrder order = {.order = {.rows = 1, .in = m.dim},
                               .end = 2,
                               .layers = 2,
                               .pages = PAGES,
                               .sequences = 1,
                               .ctx = 64,
                               .batch = 1};
    assert_true(held_open(&held, &model, NULL, &order, shapes, (int32_t[]){0, 0}, &fault));
    const OneRow good = {
        .head = {.order = {.rows = 1, .in = m.dim}, .sequences = 1},
        .sequence = {.length = 1, .changed = 1},
        .changed = {0, 0, 2},
    };
    assert_true(held_read(&held, (const void *)&good, sizeof good, &rows));
    assert_true(rows.x_at == sizeof good && rows.batch.count == 1);
    assert_true(held.kv.table[0] == 4 && held.kv.table[1] == 5); /* of number 2 */
    for (size_t n = 0; n < sizeof good; n++) refuse_row(&held, good, n);
    OneRow bad = good;
    bad.changed[2] = PAGES, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.changed[1] = 1, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.sequence.sequence = 1, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.sequence.length = 65, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.row[0] = 1, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.row[1] = 1, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.head.order.rows = 2, refuse_row(&held, bad, sizeof bad);
    bad = good, bad.head.order.in = 1, refuse_row(&held, bad, sizeof bad);
    held_close(&held), model_close(&model);
}

/* Longrope's divisors are chosen on the first machine. */
static void ropes_are_chosen_for_all(void **state) {
    (void)state;
    const char *path = in_folder("long.gguf");
    static float alone[2][TOKENS * MAKE_VOCAB], shared[TOKENS * MAKE_VOCAB];
    House house;
    Model model;
    Fault fault;
    MakeModel m = make_model_of("phi3", "long_rope:64");
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    open_machines(&house, (Cut){2, NULL, false, true});
    size_t n = 0;
    for (int k = 0; k < 2; k++) {
        if (!model_choose_rope(&model, k ? "long" : "short", &fault))
            fail_msg("%s", fault.text);
        n = run_text(&model, TOKENS, alone[k]);
        assert_true(machines_lend(house.machines, &model, path, &fault));
        run_text(&model, TOKENS, shared);
        machines_return(house.machines, &model);
        assert_memory_equal(alone[k], shared, n * sizeof *shared);
    }
    assert_memory_not_equal(alone[0], alone[1], n * sizeof *shared);
    close_house(&house);
    model_close(&model);
}

/* ------------------------------------------------------------------ what can happen */

static int asked;
static bool third_time(void *context) {
    (void)context;
    return ++asked < 3;
}

static bool slowly(void *context) {
    (void)context;
    usleep(800000);
    return true;
}

/* The first machine computes for longer than others wait for a word of it. */
static void a_slow_first_machine_is_not_lost(void **state) {
    (void)state;
    const char *path = in_folder("slow.gguf");
    House house;
    Model model;
    Told told;
    Fault fault;
    MakeModel m = make_model_of("llama", NULL);
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    silence = 0.5;
    open_lent(&house, (Cut){3, NULL, true, true}, &model, path);
    open_texts(&told, &model, (KvFormat){.dtype = DTYPE_F32});
    told.session.is_wanted = slowly;
    go_on_with(&told, 0, 1, 70);
    session_close(&told.session), free(told.logits);
    close_lent(&house, &model);
    silence = 20;
}

/* A cancelled batch changes nothing: what follows has the same bits.  Two texts in a batch are
 * two parts. */
static void a_cancelled_batch_is_rolled_back(void **state) {
    (void)state;
    const char *path = in_folder("cancelled.gguf");
    House house;
    Model model;
    Told told[2];
    Fault fault;
    MakeModel m = make_model_of("qwen35", NULL);
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    for (int shared = 0; shared < 2; shared++) {
        Told *t = &told[shared];
        if (shared) { open_lent(&house, (Cut){3, NULL, true, true}, &model, path); }
        open_texts(t, &model, (KvFormat){.dtype = DTYPE_F32});
        go_on_with(t, 0, 1, 70);
        if (shared) {
            int32_t token[200], sequence[200] = {0}, position[200];
            bool wanted[200] = {false};
            const Batch batch = {.count = 100,
                                 .token = token,
                                 .sequence = sequence,
                                 .position = position,
                                 .wanted = wanted};
            for (int32_t i = 0; i < 100; i++) token[i] = i, position[i] = 70 + i;
            t->session.is_wanted = third_time, asked = 0;
            assert_false(session_forward(&t->session, &batch, &fault));
            assert_true(t->session.stopped && asked == 3);
            assert_int_equal(session_length(&t->session, 0), 70);
            t->session.is_wanted = NULL;
        }
        size_t before = shared ? machines_count(house.machines).parts : 0;
        go_on(t, (size_t[]){0, 2}, (size_t[]){1, 2}, 2, 1);
        if (shared) assert_int_equal(machines_count(house.machines).parts, before + 2);
        go_on_with(t, 0, 1, 100);
        session_close(&t->session);
    }
    assert_memory_equal(told[0].logits, told[1].logits, 4 * MAKE_VOCAB * sizeof(float));
    free(told[0].logits), free(told[1].logits);
    close_lent(&house, &model);
}

/* A probe and rows between layers need all layers on one machine: a session that expects a
 * probe has them. */
static void what_needs_all_layers_is_refused(void **state) {
    (void)state;
    const char *path = in_folder("refused.gguf");
    static float rows[LONG * 256];
    House house;
    Model model;
    Fault fault;
    Told t;
    Probe probe = {.acts = NULL};
    MakeModel m = make_model_of("llama", NULL);
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    open_lent(&house, (Cut){2, NULL, false, true}, &model, path);
    for (int expected = 0; expected < 2; expected++) {
        session_expect_probe(expected);
        open_texts(&t, &model, (KvFormat){.dtype = DTYPE_F32});
        assert_int_equal(session_probe(&t.session, &probe, &fault), expected);
        if (!expected) assert_contains(fault.text, "layers are on several machines");
        go_on_with(&t, 0, 1, 3);
        session_close(&t.session), free(t.logits);
    }
    session_expect_probe(false);
    open_texts(&t, &model, (KvFormat){.dtype = DTYPE_F32});
    session_tap(&t.session, (size_t[]){1}, 1, rows);
    assert_false(session_eval(&t.session, (int32_t[]){1, 2}, 2, false, &fault));
    assert_contains(fault.text, "wanted --split rows");
    session_tap(&t.session, NULL, 0, NULL);
    assert_true(session_eval(&t.session, (int32_t[]){1, 2}, 2, false, &fault));
    session_close(&t.session), free(t.logits);
    close_lent(&house, &model);
}

/* Rows that are added behind the first layers need these here; by rows they are. */
static void deep_pictures_are_refused(void **state) {
    (void)state;
    const char *path = in_folder("deep.gguf");
    static float rows[3 * 64];
    House house;
    Model model;
    Fault fault;
    Told t;
    MakeModel m = make_model_of("qwen3vl", "layers:4 n_deepstack_layers=2");
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    assert_int_equal(session_lent_width(&model), 3 * 64);
    open_lent(&house, (Cut){2, NULL, false, true}, &model, path);
    open_texts(&t, &model, (KvFormat){.dtype = DTYPE_F32});
    assert_true(session_lend(&t.session, rows, 1, 0, &fault));
    assert_false(session_eval(&t.session, (int32_t[]){1, MAKE_VOCAB}, 2, false, &fault));
    assert_contains(fault.text, "pictures change rows between layers");
    assert_true(session_lend(&t.session, NULL, 0, 0, &fault));
    assert_true(session_eval(&t.session, (int32_t[]){1, 2}, 2, false, &fault));
    session_close(&t.session), free(t.logits);
    close_lent(&house, &model);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_family_by_layers),
                                       TEST(sequences_by_layers),
                                       TEST(pictures_pass_through_layers),
                                       TEST(each_machine_keeps_its_layers),
                                       TEST(windows_reserve_few_pages),
                                       TEST(orders_that_are_cut_off_are_refused),
                                       TEST(ropes_are_chosen_for_all),
                                       TEST(the_price_of_layers_is_the_formula),
                                       TEST(the_price_of_layers_is_what_goes_over_the_wire),
                                       TEST(a_slow_first_machine_is_not_lost),
                                       TEST(a_cancelled_batch_is_rolled_back),
                                       TEST(what_needs_all_layers_is_refused),
                                       TEST(deep_pictures_are_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
