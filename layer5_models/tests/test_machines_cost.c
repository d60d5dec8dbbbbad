/* the model of costs of several machines: a shape, a counted pass, and seconds */
#include "machine_house.h"
#include "machines_cost.h"

static const double uneven_shares[] = {3, 1, 0.5, 0, 2, 1, 1, 5, 1};

static MachinesShape shape_of(const MakeModel *m) {
    return (MachinesShape){.dim = m->dim,
                           .heads = m->heads,
                           .kv_heads = m->kv_heads,
                           .head_dim = m->head_dim,
                           .hidden = m->hidden,
                           .layers = m->layers,
                           .vocab = MAKE_VOCAB,
                           .bits = 8 * (double)dtype_row_bytes(m->dtype, 256) / 256};
}

static void compare_prices(const Model *model, const MachinesShape *shape,
                           const MachinesConfig *config, int size) {
    static const size_t tokens[] = {1, 2, 7, 40, 70};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        MachinesPrice want, got;
        Fault fault;
        if (!machines_price(model, config, size, tokens[i], &want, &fault))
            fail_msg("%s", fault.text);
        machines_shape_price(shape, config, size, tokens[i], &got);
        if (memcmp(&want, &got, sizeof want) != 0)
            fail_msg("%d machines, %zu tokens, layers %d: %zu messages, %zu and %zu bytes, %zu "
                     "weights, got %zu, %zu and %zu, %zu",
                     size, tokens[i], config->by_layers, want.messages, want.sent,
                     want.received, want.numbers, got.messages, got.sent, got.received,
                     got.numbers);
    }
}

/* Bytes and messages by formula, and counted by passes of such a model. */
static void a_shape_costs_what_a_pass_counts(void **state) {
    (void)state;
    static const char *const words[] = {"", "heads:8 kv_heads:4 layers:5", "kv_heads:1"};
    static const Dtype formats[] = {DTYPE_F32, DTYPE_Q4_0, DTYPE_F16};
    const char *path = in_folder("shape.gguf");
    for (size_t i = 0; i < 3; i++) {
        Model model;
        Fault fault;
        MakeModel m = make_model_of("llama", *words[i] ? words[i] : NULL);
        m.dtype = formats[i];
        const MachinesShape shape = shape_of(&m);
        write_file(&m, path);
        if (!model_open(&model, path, &fault)) fail_msg("%s", fault.text);
        for (int size = 1; size <= 9; size++)
            for (int how = 0; how < 16; how++) {
                const MachinesConfig config = {.shares = how & 1 ? uneven_shares : NULL,
                                               .by_layers = how & 2,
                                               .half = how & 4,
                                               .least = how & 8 ? m.dim * m.dim + 1 : 0};
                compare_prices(&model, &shape, &config, size);
            }
        compare_prices(&model, &shape, &(MachinesConfig){.by_layers = false}, 1000);
        compare_prices(&model, &shape, &(MachinesConfig){.by_layers = true}, 1000);
        model_close(&model);
    }
}

/* ------------------------------------------------------------------ bytes on a line */

/* Bytes of so many tokens, as the cost says. */
static double line(MachinesBytes b, double tokens) { return b.pass + b.token * tokens + b.row; }

/* By rows a pass of any length; by layers one part, to one machine. */
static void bytes_are_on_a_line(void **state) {
    (void)state;
    const MachinesShape shape = {64, 4, 2, 16, 96, 6, 300, 4.5};
    for (int how = 0; how < 4; how++) {
        const MachinesConfig config = {.by_layers = how & 1, .half = how & 2};
        const size_t n = how & 1 ? 1 : 9;
        MachinesCost cost;
        MachinesPrice price;
        machines_shape_cost(&shape, &config, 4, &cost);
        machines_shape_price(&shape, &config, 4, n, &price);
        const double times = how & 1 ? 3 : 1;
        assert_near(times * line(cost.sent, (double)n), (double)price.sent, 1e-6);
        assert_near(times * line(cost.received, (double)n), (double)price.received, 1e-6);
        if (how & 1) assert_int_equal(cost.stages, 4);
    }
}

/* Logits cost 4 bytes a number of the other machine's rows, and x there. */
static void logits_are_sent(void **state) {
    (void)state;
    const MachinesShape shape = {64, 4, 2, 16, 96, 6, 320, 4.5};
    MachinesCost cost;
    machines_shape_cost(&shape, &(MachinesConfig){.by_layers = false}, 2, &cost);
    assert_near(cost.sent.row, 4 * 64, 1e-9);
    assert_near(cost.received.row, 4 * 160, 1e-9);
    machines_shape_cost(&shape, &(MachinesConfig){.by_layers = true}, 2, &cost);
    assert_true(cost.sent.row == 0 && cost.received.row == 0);
}

/* ------------------------------------------------------------------ seconds */

/* Two seconds for the weights, or as long as the tokens take. */
static double two_or_tokens(const void *context, double tokens) {
    (void)context;
    return tokens > 4 ? tokens / 2 : 2;
}

static const MachinesPass eight = {
    .tokens = 8, .rows = 8, .weights = two_or_tokens, .attention = 0.5, .rest = 0.25};

static void one_machine_has_no_network(void **state) {
    (void)state;
    const MachinesShape shape = {64, 4, 2, 16, 96, 6, 300, 4.5};
    const MachinesNetwork slow = {1, 1000};
    for (int by_layers = 0; by_layers < 2; by_layers++) {
        MachinesCost cost;
        machines_shape_cost(&shape, &(MachinesConfig){.by_layers = by_layers}, 1, &cost);
        assert_near(machines_seconds(&cost, &slow, &eight), 4 + 0.5 + 0.25, 1e-12);
        assert_true(line(cost.sent, 1) == 0 && line(cost.received, 1) == 0);
    }
}

static void rows_by_hand(void **state) {
    (void)state;
    const MachinesCost cost = {.machines = 2,
                               .share = 0.5,
                               .heads = 0.75,
                               .messages = 10,
                               .sent = {100, 20, 3},
                               .received = {50, 10, 1}};
    const double bytes = 100 + 8 * 20 + 8 * 3 + 50 + 8 * 10 + 8;
    assert_near(machines_seconds(&cost, &(MachinesNetwork){1000, 0.01}, &eight),
                0.5 * 4 + 0.75 * 0.5 + 0.25 + bytes / 1000 + 10 * 0.01, 1e-12);
}

/* Two parts of four tokens on three machines: four ticks, three of them with messages. */
static void layers_by_hand(void **state) {
    (void)state;
    const MachinesCost cost = {.machines = 3,
                               .by_layers = true,
                               .stages = 3,
                               .stage = {0.2, 0.3, 0.4},
                               .outside = 0.1,
                               .sent = {100, 20, 0},
                               .received = {50, 10, 0}};
    const double part = 2 + 0.25, ticks = 0.2 + 0.3 + 0.4 + 0.4, head = 0.1 * 4,
                 out = 100 + 4 * 20, back = 50 + 4 * 10;
    assert_near(machines_seconds(&cost, &(MachinesNetwork){1000, 0.01}, &eight),
                ticks * part + head + 0.25 + 2 * 2 * out / 1000 + 3 * (back / 1000 + 0.02),
                1e-12);
    MachinesPass one = eight;
    one.tokens = one.rows = 1; /* a single part passes through one after the other */
    assert_near(machines_seconds(&cost, &(MachinesNetwork){1000, 0.01}, &one),
                2 + 0.9 * 0.5 + 0.25 + 2 * (120 + 60) / 1000.0 + 4 * 0.01, 1e-12);
}

/* Every tick of up to a thousand machines, beside a plain search for its slowest one. */
static void ticks_wait_for_the_slowest(void **state) {
    (void)state;
    static MachinesCost cost;
    const MachinesNetwork fast = {INFINITY, 0};
    for (uint64_t round = 0; round < 40; round++) {
        cost = (MachinesCost){.machines = 2, .by_layers = true};
        cost.stages = cost.machines = round == 0 ? 1000 : 2 + (int)(rng_hash(3, round, 0) % 40);
        for (int k = 0; k < cost.stages; k++)
            cost.stage[k] = (double)(rng_hash(4, round, (uint64_t)k) % 9);
        MachinesPass pass = eight;
        pass.tokens = (double)(1 + rng_hash(5, round, 0) % 2000), pass.rows = pass.rest = 0;
        pass.attention = 0;
        const int n = (int)pass.tokens, most = 4 * cost.stages,
                  parts = n == 1          ? 1
                          : n / 16 < 2    ? 2
                          : n / 16 < most ? n / 16
                                          : most;
        double want = 0;
        for (int t = 0; t < parts + cost.stages - 1; t++) {
            double slowest = 0;
            for (int k = 0; k < cost.stages; k++)
                if (t - k >= 0 && t - k < parts) slowest = fmax(slowest, cost.stage[k]);
            want += slowest * two_or_tokens(NULL, pass.tokens / parts);
        }
        assert_near(machines_seconds(&cost, &fast, &pass), want, 1e-6);
    }
}

/* A thousand machines, more than there are layers and key-value heads. */
static void a_thousand_machines(void **state) {
    (void)state;
    const MachinesShape shape = {16384, 128, 8, 128, 53248, 126, 128256, 4.5};
    MachinesCost cost;
    machines_shape_cost(&shape, &(MachinesConfig){.by_layers = true}, 1000, &cost);
    assert_int_equal(cost.stages, 126);
    double sum = cost.outside;
    for (int k = 0; k < cost.stages; k++) sum += cost.stage[k];
    assert_near(sum, 1, 1e-9);
    machines_shape_cost(&shape, &(MachinesConfig){.by_layers = false}, 1000, &cost);
    assert_near(cost.heads, 1.0 / 8, 1e-12);
    assert_near(cost.messages, 8 * 126 + 2, 1e-9);
    assert_near(
        cost.numbers,
        126.0 * (16384.0 * (2 * 16384 + 2 * 1024) + 3.0 * 16384 * 53248) + 128256.0 * 16384, 1);
}

/* Three quarters of the layers on the first. */
static void shares_divide_layers(void **state) {
    (void)state;
    const MachinesShape shape = {64, 4, 2, 16, 96, 8, 300, 8};
    const double shares[] = {3, 1};
    MachinesCost cost;
    machines_shape_cost(&shape, &(MachinesConfig){.by_layers = true, .shares = shares}, 2,
                        &cost);
    assert_near(cost.stage[0], 3 * cost.stage[1], 1e-12);
    assert_near(cost.outside + cost.stage[0] + cost.stage[1], 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_costs_what_a_pass_counts),
        cmocka_unit_test(bytes_are_on_a_line),
        cmocka_unit_test(logits_are_sent),
        cmocka_unit_test(one_machine_has_no_network),
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(layers_by_hand),
        cmocka_unit_test(ticks_wait_for_the_slowest),
        cmocka_unit_test(a_thousand_machines),
        cmocka_unit_test(shares_divide_layers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
