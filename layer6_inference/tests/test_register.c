/* stages of a program's own: registered by name, then read, printed, run, copied and rewound
 * like all others */
#include "check.h"
#include "inference.h"

enum { V = 8 };

static float logits[V];
static Candidates c;
static Arena arena;

/* Once a token was chosen, its logit and those below it are out: texts climb.  By `step` at
 * least. */
typedef struct Climb {
    int calls;
} Climb;
static Climb climb = {0};

static void climb_apply(Stage *stage, Candidates *candidates, const Step *step) {
    (void)step;
    ((Climb *)stage->kind->context)->calls++;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates_id(candidates, i) < *stage_memory(stage))
            candidates_set(candidates, i, -INFINITY);
}

static void full_apply(Stage *stage, Candidates *candidates, const Step *step) {
    (void)step;
    candidates_keep_best(candidates, (size_t)stage->value[0]);
}

static void climb_begin(const Stage *stage, double *row) { *row = 0 * stage->value[0]; }
static void climb_accept(const Stage *stage, int32_t token, double *row) {
    *row = token + stage->value[0];
}

static const StageKind climb_kind = {
    .name = "climb",
    .gloss = "each token is larger than the last",
    .example = "climb:2",
    .params = {{.key = "step", .default_value = 1, .low = 1, .high = 5, .integer = true},
               {.key = "needed", .low = -1, .high = 1, .required = true}},
    .apply = climb_apply,
    .context = &climb,
    .memory = 1,
    .begin = climb_begin,
    .accept = climb_accept};

static int prepare(void **state) {
    (void)state;
    return candidates_open(&c, V, &arena, NULL) && stage_register(&climb_kind, NULL) ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

/* One step with falling logits: the smallest token that is left. */
static int32_t choose(Chain *chain) {
    Fault fault;
    Step step = {.seed = 1};
    int32_t token = -1;
    for (int i = 0; i < V; i++) logits[i] = (float)-i;
    assert_true(candidates_load(&c, logits, &fault));
    if (!chain_run(chain, &c, &step, &token, &fault)) fail_msg("%s", fault.text);
    chain_accept(chain, token);
    return token;
}

static void open_chain(Chain *chain, const char *spec) {
    Fault fault;
    if (!chain_parse(chain, spec, NULL, &fault)) fail_msg("%s", fault.text);
}

static void it_stands_in_the_list(void **state) {
    (void)state;
    const StageKind *const *list;
    size_t count = stage_list(&list);
    assert_ptr_equal(list[count - 1], &climb_kind);
    assert_ptr_equal(stage_find(text_of("climb")), &climb_kind);
    Chain chain;
    Fault fault;
    assert_false(chain_parse(&chain, "zigzag", NULL, &fault));
    assert_contains(fault.text, ", climb");
}

static void it_is_read_and_printed(void **state) {
    (void)state;
    const char *const specs[][2] = {{"climb:2:needed=1,greedy", "climb:step=2:needed=1,greedy"},
                                    {"climb:needed=-1", "climb:needed=-1,draw"}};
    for (size_t i = 0; i < 2; i++) {
        Chain chain, again;
        open_chain(&chain, specs[i][0]);
        char *text = chain_print(&chain);
        assert_string_equal(text, specs[i][1]);
        open_chain(&again, text);
        char *same = chain_print(&again);
        assert_string_equal(same, text);
        chain_close(&chain), chain_close(&again), free(text), free(same);
    }
    Chain chain;
    Fault fault;
    assert_false(chain_parse(&chain, "climb:2", NULL, &fault));
    assert_false(chain_parse(&chain, "climb:6:needed=1", NULL, &fault));
    assert_contains(fault.text, "from 1 to 5");
}

static void it_runs_is_copied_and_rewound(void **state) {
    (void)state;
    Chain chain, copy;
    open_chain(&chain, "climb:2:needed=0,greedy");
    climb.calls = 0;
    assert_int_equal(choose(&chain), 0);
    assert_int_equal(choose(&chain), 2);
    chain_copy(&copy, &chain);
    assert_int_equal(choose(&chain), 4);
    assert_int_equal(choose(&copy), 4);
    chain_rewind(&chain, 2);
    assert_int_equal(choose(&chain), 2);
    assert_int_equal(choose(&copy), 6);
    chain_reset(&chain);
    assert_int_equal(choose(&chain), 0);
    assert_int_equal(climb.calls, 7);
    chain_close(&chain), chain_close(&copy);
}

static void refused(StageKind kind, const char *why) {
    const StageKind *const *list;
    size_t before = stage_list(&list);
    Fault fault = {""};
    assert_false(stage_register(&kind, &fault));
    assert_contains(fault.text, why);
    assert_int_equal(stage_list(&list), before);
}

static void what_chains_could_not_hold_is_refused(void **state) {
    (void)state;
    StageKind good = climb_kind, kind;
    refused(good, "there already");
    const char *const names[][2] = {{NULL, "no name"},
                                    {"", "no name"},
                                    {"a:b", "no name"},
                                    {"a,b", "no name"},
                                    {"Upper", "no name"},
                                    {"temp", "there already"},
                                    {"llama", "preset"},
                                    {"draw", "there already"},
                                    {"a_name_of_more_than_31_characters", "no name"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        kind = good, kind.name = names[i][0], refused(kind, names[i][1]);
    good.name = "other";
    kind = good, kind.gloss = NULL, refused(kind, "no gloss");
    kind = good, kind.example = NULL, refused(kind, "no example");
    kind = good, kind.apply = NULL, refused(kind, "no apply");
    kind = good, kind.accept = NULL, refused(kind, "no begin or accept");
    kind = good, kind.begin = NULL, refused(kind, "no begin or accept");
    kind = good, kind.params[0].key = "a=b", refused(kind, "no key");
    kind = good, kind.params[0].key = "needed", refused(kind, "two parameters");
    kind = good, kind.params[0].default_value = 0.5, refused(kind, "wanted 1 to 5");
    kind = good, kind.params[0].default_value = NAN, refused(kind, "wanted 1 to 5");
    kind = good, kind.params[1].low = 2, refused(kind, "wanted 2 to 1");
}

/* As many parameters as there may be, each read, printed and checked. */
static void all_parameters_are_used(void **state) {
    (void)state;
    static StageKind full;
    static const char *const keys[STAGE_PARAMS] = {"a", "b", "c", "d", "e"};
    full = climb_kind, full.name = "full", full.memory = 0;
    full.apply = full_apply;
    for (int i = 0; i < STAGE_PARAMS; i++)
        full.params[i] = (StageParam){.key = keys[i], .low = -1e20, .high = 1e20};
    assert_true(stage_register(&full, NULL));
    Chain chain;
    Fault fault;
    open_chain(&chain, "full:1:b=1e16:c=0.1:d=-3:e=0.30000000000000004,draw");
    char *text = chain_print(&chain);
    assert_string_equal(text, "full:a=1:b=1e+16:c=0.1:d=-3:e=0.30000000000000004,draw");
    free(text);
    assert_true(chain_check_tokens(&chain, V, &fault));
    assert_int_equal(choose(&chain), 0);
    chain_close(&chain);
    assert_false(chain_parse(&chain, "full:1:f=2", NULL, &fault));
    assert_contains(fault.text, "it has a, b, c, d, e");
}

static bool half_is_off(const Stage *stage) { return stage->value[0] == 0; }

/* Off by one of its values, but not by its defaults: "off" is refused, and never printed. */
static void what_off_does_not_switch_off_prints_its_values(void **state) {
    (void)state;
    static const StageKind half = {
        .name = "half",
        .gloss = "off where its value is 0",
        .example = "half:a=0",
        .params = {{.key = "a", .default_value = 1, .low = 0, .high = 2}},
        .is_off = half_is_off,
        .apply = climb_apply};
    Chain chain;
    Fault fault;
    assert_true(stage_register(&half, NULL));
    open_chain(&chain, "half:a=0,greedy");
    assert_true(stage_is_off(&chain.stages[0]));
    char *text = chain_print(&chain);
    assert_string_equal(text, "half:a=0,greedy");
    chain_close(&chain), free(text);
    assert_false(chain_parse(&chain, "half:off", NULL, &fault));
    assert_contains(fault.text, "half cannot be off");
}

static void spoil_apply(Stage *stage, Candidates *candidates, const Step *step) {
    (void)step;
    candidates_set(candidates, 3, stage->value[0] > 0 ? INFINITY : NAN);
}

static void a_stage_that_makes_bad_numbers_is_named(void **state) {
    (void)state;
    static const StageKind spoil = {
        .name = "spoil",
        .gloss = "a logit that is no number, or infinite",
        .example = "spoil:1",
        .params = {{.key = "infinite", .low = 0, .high = 1, .required = true}},
        .apply = spoil_apply};
    assert_true(stage_register(&spoil, NULL));
    for (int infinite = 0; infinite < 2; infinite++) {
        Chain chain;
        Fault fault;
        int32_t token;
        const Step step = {.seed = 1};
        open_chain(&chain, infinite ? "spoil:1,greedy" : "spoil:0,greedy");
        for (int i = 0; i < V; i++) logits[i] = (float)-i;
        assert_true(candidates_load(&c, logits, &fault));
        assert_false(chain_run(&chain, &c, &step, &token, &fault));
        assert_contains(fault.text, infinite ? "spoil made the logit of token 3 infinite"
                                             : "of token 3 something that is no number");
        chain_close(&chain);
    }
}

/* The last test: it leaves no room. */
static void the_list_has_an_end(void **state) {
    (void)state;
    static StageKind many[STAGES];
    static char names[STAGES][STAGE_NAME];
    const StageKind *const *list;
    size_t count = stage_list(&list), more = STAGES - count;
    for (size_t i = 0; i <= more; i++) {
        many[i] = climb_kind;
        snprintf(names[i], sizeof names[i], "own_stage_with_a_long_name_%zu", i);
        many[i].name = names[i];
        if (i == more)
            refused(many[i], "no room");
        else
            assert_true(stage_register(&many[i], NULL));
    }
    assert_ptr_equal(stage_find(text_of(names[more - 1])), &many[more - 1]);
    Chain chain;
    Fault fault;
    assert_false(
        chain_parse(&chain, "nothing", NULL, &fault)); /* too many names for one sentence */
    assert_contains(fault.text, "no stage 'nothing'");
    char out[64];
    assert_true(chain_meant(text_of("top_kk"), out, sizeof out)); /* of the first names */
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(it_stands_in_the_list),
                                       TEST(it_is_read_and_printed),
                                       TEST(it_runs_is_copied_and_rewound),
                                       TEST(what_chains_could_not_hold_is_refused),
                                       TEST(all_parameters_are_used),
                                       TEST(what_off_does_not_switch_off_prints_its_values),
                                       TEST(a_stage_that_makes_bad_numbers_is_named),
                                       TEST(the_list_has_an_end)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
