/* gradients in parts, shared by machines, which are threads here: the same weights */
#include "../extras/machines/wire.h"
#include "group_threads.h"
#include "tiny_training.h"
#include "train_families.h"
#include "train_lora.h"
#include "train_parts.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum { STEPS = 4, MOST = 7 };

static const char version[] = "test";

static void lost(void *context, const Fault *fault) {
    (void)context;
    fail_msg("%s", fault->text);
}

typedef struct Run {
    TrainConfig config;
    Corpus corpus;
    TrainPartsConfig parts;
    size_t lora;
    bool ok;
    Fault fault;
} Run;

static Run run_of(size_t parts, Group *group) {
    Run run = {.config = tiny(),
               .corpus = {.world = world, .seed = 1},
               .parts = {parts, group, 20, version, lost, NULL}};
    run.config.steps = STEPS, run.config.batch_tokens = 500, run.config.parts = parts;
    return run;
}

static Trainer *open_run(Run *run) {
    Trainer *t = make(&run->config, &run->corpus, NULL);
    if (run->lora && !trainer_begin_lora(t, run->lora, &run->fault))
        fail_msg("%s", run->fault.text);
    return t;
}

static void *help(void *run) {
    Run *r = run;
    Trainer *t = open_run(r);
    r->ok = train_parts_serve(t, &r->parts, &r->fault);
    trainer_close(t);
    return NULL;
}

/* The weights after the steps; parts 0: by the trainer alone. */
static float *train(Run *run, double *loss) {
    Trainer *t = open_run(run);
    TrainParts *parts = NULL;
    if (run->parts.parts && !(parts = train_parts_open(t, &run->parts, &run->fault)))
        fail_msg("%s", run->fault.text);
    for (int i = 0; i < STEPS; i++) {
        TrainStep step = run->lora ? trainer_step_lora(t) : trainer_step(t);
        *loss = step.loss;
    }
    assert_true(trainer_ok(t, &run->fault));
    float *weights = malloc((t->size + 1) * sizeof *weights);
    memcpy(weights, t->values, t->size * sizeof *weights);
    weights[t->size] = (float)t->tokens_seen;
    train_parts_close(parts);
    trainer_close(t);
    return weights;
}

static float *train_on(const Run *like, int machines, double *loss) {
    Group members[MOST];
    pthread_t threads[MOST];
    Run runs[MOST];
    Fault fault;
    assert_true(group_threads(members, machines, &fault));
    for (int i = 0; i < machines; i++) {
        runs[i] = *like;
        runs[i].parts.group = &members[i];
        if (i) assert_int_equal(pthread_create(&threads[i], NULL, help, &runs[i]), 0);
    }
    float *weights = train(&runs[0], loss);
    for (int i = 1; i < machines; i++) {
        pthread_join(threads[i], NULL);
        if (!runs[i].ok) fail_msg("machine %d: %s", i + 1, runs[i].fault.text);
    }
    for (int i = 0; i < machines; i++) group_close(&members[i]);
    return weights;
}

static void check_machines(Run like) {
    static const int machines[] = {1, 2, 3, 5, 7};
    double want, got;
    size_t size = train_parameters(&like.config) + 1;
    float *alone = train(&like, &want);
    for (int i = 0; i < 5; i++) {
        float *many = train_on(&like, machines[i], &got);
        if (memcmp(alone, many, size * sizeof *alone) != 0 || want != got)
            fail_msg("%d machines, %zu parts: other weights", machines[i], like.parts.parts);
        free(many);
    }
    free(alone);
}

/* Five shapes of training, with parts that machines cannot have alike, and with more parts than
 * documents. */
static void machines_change_no_weight(void **state) {
    (void)state;
    static const size_t parts[] = {7, 8, 13, 40};
    for (int i = 0; i < 4; i++) check_machines(run_of(parts[i], NULL));
    Run delta = run_of(9, NULL), masked = run_of(9, NULL), thin = run_of(9, NULL);
    delta.config.family = &train_delta_family;
    masked.config.shape.bidirectional = true, masked.config.hide = train_hide_tokens;
    thin.lora = 2;
    check_machines(delta), check_machines(masked), check_machines(thin);
}

static void one_part_is_no_part(void **state) {
    (void)state;
    Run alone = run_of(0, NULL), one = run_of(1, NULL);
    double a, b;
    float *want = train(&alone, &a), *got = train(&one, &b);
    assert_memory_equal(want, got, (train_parameters(&alone.config) + 1) * sizeof *want);
    assert_true(a == b);
    free(want), free(got);
}

/* The parts' sum is the gradient of the whole batch, but for rounding. */
static void parts_add_up(void **state) {
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        Run run = run_of(6, NULL);
        if (masked) run.config.shape.bidirectional = true, run.config.hide = train_hide_tokens;
        Trainer *whole = open_run(&run), *cut = open_run(&run);
        TrainParts *parts = train_parts_open(cut, &run.parts, &run.fault);
        TrainStep a = trainer_step(whole), b = trainer_step(cut);
        double most = 0, error = 0;
        for (size_t i = 0; i < whole->size; i++) {
            most = fmax(most, fabs((double)whole->gradients[i]));
            error = fmax(error, fabs((double)whole->gradients[i] - (double)cut->gradients[i]));
        }
        assert_true(error <= 1e-5 * most);
        assert_near(a.loss, b.loss, 1e-6 * a.loss);
        assert_int_equal(a.tokens, b.tokens);
        assert_true(most > 0 && error > 0); /* it was really found in another order */
        train_parts_close(parts);
        trainer_close(whole), trainer_close(cut);
    }
}

/* ------------------------------------------------------------------ what can be wrong */

/* What the first of two machines is told, with a change on the second. */
static void refused(void (*change)(Run *run), const char *says) {
    Group members[2];
    pthread_t thread;
    Fault fault;
    assert_true(group_threads(members, 2, &fault));
    Run first = run_of(4, &members[0]), second = run_of(4, &members[1]);
    change(&second);
    Trainer *t = open_run(&first);
    assert_int_equal(pthread_create(&thread, NULL, help, &second), 0);
    TrainParts *parts = train_parts_open(t, &first.parts, &fault);
    if (parts) fail_msg("a run that should not begin: %s", says);
    assert_contains(fault.text, says);
    assert_true(t->elsewhere == NULL);
    pthread_join(thread, NULL);
    assert_true(second.ok);
    trainer_close(t), group_close(&members[0]), group_close(&members[1]);
}

static void other_version(Run *run) { run->parts.version = "other"; }
static void other_corpus(Run *run) { run->corpus.seed = 2; }
static void other_parts(Run *run) { run->parts.parts = 5; }

static void differences_are_named(void **state) {
    (void)state;
    refused(other_version,
            "machine 2 of 2: this is version other, the first machine's is test");
    refused(other_corpus, "machine 2 of 2: another corpus");
    refused(other_parts, "machine 2 of 2: another number of --parts: 5");
}

static void each_machine_needs_a_part(void **state) {
    (void)state;
    Group members[2];
    Fault fault;
    assert_true(group_threads(members, 2, &fault));
    Run run = run_of(1, &members[0]);
    Trainer *t = open_run(&run);
    assert_null(train_parts_open(t, &run.parts, &fault));
    assert_contains(fault.text, "2 machines share the parts of a batch, which has 1");
    trainer_close(t), group_close(&members[0]), group_close(&members[1]);
}

/* A machine that could not begin says why; one that says nothing is named. */
static void *cannot_begin(void *group) {
    Fault fault;
    TrainPartsConfig config = {4, group, 20, version, lost, NULL};
    fault_set(&fault, "no such corpus");
    assert_true(train_parts_serve(NULL, &config, &fault));
    return NULL;
}

static void a_machine_that_cannot_begin_is_named(void **state) {
    (void)state;
    for (int silent = 0; silent < 2; silent++) {
        Group members[2];
        pthread_t thread;
        Fault fault;
        assert_true(group_threads(members, 2, &fault));
        Run run = run_of(4, &members[0]);
        run.parts.seconds = silent ? 0.05 : 20;
        Trainer *t = open_run(&run);
        if (!silent) pthread_create(&thread, NULL, cannot_begin, &members[1]);
        assert_null(train_parts_open(t, &run.parts, &fault));
        assert_contains(fault.text, silent ? "machine 2 of 2 has not answered for 0.05 s"
                                           : "machine 2 of 2: no such corpus");
        if (!silent) pthread_join(thread, NULL);
        trainer_close(t), group_close(&members[0]), group_close(&members[1]);
    }
}

/* Between two steps, longer than the others wait for an order. */
static void a_pause_is_no_end(void **state) {
    (void)state;
    Group members[2];
    pthread_t thread;
    Fault fault;
    assert_true(group_threads(members, 2, &fault));
    Run first = run_of(4, &members[0]), second = run_of(4, &members[1]);
    first.parts.seconds = second.parts.seconds = 0.2;
    Trainer *t = open_run(&first);
    assert_int_equal(pthread_create(&thread, NULL, help, &second), 0);
    TrainParts *parts = train_parts_open(t, &first.parts, &fault);
    if (!parts) fail_msg("%s", fault.text);
    trainer_step(t);
    usleep(1200000);
    trainer_step(t);
    train_parts_close(parts);
    pthread_join(thread, NULL);
    assert_true(second.ok);
    trainer_close(t), group_close(&members[0]), group_close(&members[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(machines_change_no_weight),
                                       TEST(one_part_is_no_part),
                                       TEST(parts_add_up),
                                       TEST(differences_are_named),
                                       TEST(each_machine_needs_a_part),
                                       TEST(a_machine_that_cannot_begin_is_named),
                                       TEST(a_pause_is_no_end)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
