/* particles beside the distribution they stand for, which is counted out (counted.h) */
#include "dead_end.h"

static ParticleOptions options_of(Counted *w, size_t particles, double resample,
                                  uint64_t seed) {
    return (ParticleOptions){.particles = particles,
                             .seed = seed,
                             .resample = resample,
                             .text.limits.max_tokens = LENGTH,
                             .text.rules = &w->rules};
}

/* Draw `runs` clouds: the mean over runs of (mean weight, the chosen text, and the sum of
 * weight * indicator), which are unbiased for P and for P times the distribution. */
static void compare(Counted *w, size_t particles, double resample, size_t runs) {
    double share = 0, squares = 0, sum[TEXTS] = {0}, square[TEXTS] = {0};
    for (size_t r = 0; r < runs; r++) {
        Particle out[PARTICLES_MAX];
        ParticleResult result;
        Fault fault;
        ParticleOptions o = options_of(w, particles, resample, 1000 * r);
        double here[TEXTS] = {0};
        assert_true(particles_draw(&w->session, prompt, 5, &o, out, &result, &fault));
        double mean = exp(result.log_share), total = 0;
        share += mean, squares += mean * mean;
        for (size_t i = 0; i < particles; i++) {
            int x = text_number(&out[i].tokens);
            assert_near(out[i].log_prob, log(w->p[x]), 1e-3);
            assert_int_equal(out[i].reason, STOP_LIMIT);
            here[x] += mean * out[i].weight, total += out[i].weight;
        }
        for (int x = 0; x < TEXTS; x++) sum[x] += here[x], square[x] += here[x] * here[x];
        assert_near(total, 1, 1e-9);
        assert_true(result.effective > 0.999 && result.effective < (double)particles + 1e-6);
        assert_true(resample > 0 || result.resampled == 0);
        assert_int_equal(result.tokens, LENGTH * particles);
        assert_true(result.cut);
        particles_free(out, particles);
    }
    double n = (double)runs;
    double error = sqrt((squares / n - share / n * share / n) / n);
    assert_near(share / n, w->all, 5 * error);
    for (int x = 0; x < TEXTS; x++) {
        double m = sum[x] / n;
        assert_near(m, w->p[x], 5 * sqrt((square[x] / n - m * m) / n) + 20 * w->all / n / 64);
    }
}

static void weights_are_unbiased(void **state) {
    (void)state;
    Counted w;
    open_world(&w, 3);
    compare(&w, 1, 0, 3000);
    compare(&w, 8, 0, 600);
    compare(&w, 8, 0.5, 600);
    compare(&w, 16, 1, 300);
    close_world(&w);
}

/* How far is what is drawn from what is meant?  KL(meant | drawn) in nats, of `runs` draws. */
static double distance(Counted *w, size_t particles, size_t runs) {
    double drawn[TEXTS] = {0}, sum = 0;
    for (size_t r = 0; r < runs; r++) {
        Particle out[PARTICLES_MAX];
        ParticleResult result;
        Fault fault;
        ParticleOptions o = options_of(w, particles, 0.5, 7 + 1000 * r);
        assert_true(particles_draw(&w->session, prompt, 5, &o, out, &result, &fault));
        drawn[text_number(&out[result.chosen].tokens)] += 1;
        particles_free(out, particles);
    }
    for (int x = 0; x < TEXTS; x++) {
        double p = w->p[x] / w->all, q = (drawn[x] + 0.5) / ((double)runs + 0.5 * TEXTS);
        sum += p * log(p / q);
    }
    return sum;
}

static void many_come_nearer_than_the_mask(void **state) {
    (void)state;
    Counted w;
    open_world(&w, 3);
    double one = distance(&w, 1, 2000), sixteen = distance(&w, 16, 2000);
    print_message("KL: %.4f with one particle, %.4f with sixteen\n", one, sixteen);
    assert_true(sixteen < 0.03 && sixteen < one);
    close_world(&w);
}

/* One particle is the mask alone: the text that generate draws. */
static void one_is_the_mask(void **state) {
    (void)state;
    Counted w;
    open_world(&w, 5);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Particle out;
        ParticleResult result;
        Fault fault;
        ParticleOptions o = options_of(&w, 1, 0.5, seed);
        assert_true(particles_draw(&w.session, prompt, 5, &o, &out, &result, &fault));
        assert_drawn_by_generate(&w, seed, &out.tokens);
        particles_free(&out, 1);
    }
    close_world(&w);
}

/* A stage that leaves no token ends a particle; if it has a reason to give, the draw fails. */
static void dead_ends_are_told(void **state) {
    (void)state;
    Counted w;
    Particle out[PARTICLES_MAX];
    ParticleResult result;
    Fault fault;
    open_dead_end(&w, 3);
    ParticleOptions o = options_of(&w, 4, 0, 1);
    assert_false(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    assert_contains(fault.text, "dead end: seven left no token that may come next");
    o.text.limits.stop_ids = allowed, o.text.limits.n_stop_ids = 1, o.particles = 16;
    assert_true(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    for (size_t i = 0, dead = 0; i < 16; i++) {
        dead += out[i].reason == STOP_DEAD_END;
        assert_true(out[i].reason == STOP_DEAD_END || out[i].reason == STOP_ID);
        assert_true((out[i].weight > 0) == (out[i].reason == STOP_ID));
        assert_true(i < 15 || (dead > 0 && dead < 16));
    }
    assert_false(result.cut);
    particles_free(out, 16);
    dead_end_why = ": it knows no more";
    assert_false(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    assert_contains(fault.text, "it knows no more");
    close_world(&w);
}

static bool stop_at_two(void *context, size_t steps) { return (void)context, steps < 2; }

/* A stop token ends one particle and not the others; the caller may end all; what cannot be is
 * refused. */
static void particles_end(void **state) {
    (void)state;
    Counted w;
    Particle out[PARTICLES_MAX];
    ParticleResult result;
    Fault fault;
    size_t ended = 0;
    open_world(&w, 3);
    ParticleOptions o = options_of(&w, 16, 0.5, 1);
    o.text.limits.stop_ids = allowed, o.text.limits.n_stop_ids = 1,
    o.text.limits.max_tokens = 6;
    assert_true(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    for (size_t i = 0; i < 16; i++) {
        bool here = out[i].reason == STOP_ID;
        assert_true(here ? out[i].tokens.count < 6 : out[i].tokens.count == 6);
        for (size_t k = 0; k < out[i].tokens.count; k++)
            assert_true(out[i].tokens.ids[k] != allowed[0]);
        assert_true(here == (out[i].weight > 0)); /* the others were cut */
        ended += here;
    }
    assert_true(ended > 0);
    particles_free(out, 16);
    o.text.on_step = stop_at_two;
    assert_true(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    for (size_t i = 0; i < 16; i++)
        assert_true(out[i].reason == STOP_ID || out[i].reason == STOP_CALLER);
    particles_free(out, 16);
    o.text.on_step = NULL,
    o.text.limits.max_tokens = 0; /* nothing was drawn: nothing weighs less */
    assert_true(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    for (size_t i = 0; i < 16; i++) assert_near(out[i].weight, 1 / 16.0, 1e-12);
    assert_near(result.log_share, 0, 0);
    particles_free(out, 16);
    o.particles = 33;
    assert_false(particles_draw(&w.session, prompt, 5, &o, out, &result, &fault));
    assert_contains(fault.text, "wanted 1 to 32");
    o.particles = 2;
    assert_false(particles_draw(&w.session, prompt, 0, &o, out, &result, &fault));
    assert_contains(fault.text, "0 tokens");
    close_world(&w);
}

RUN(TEST(weights_are_unbiased), TEST(many_come_nearer_than_the_mask), TEST(one_is_the_mask),
    TEST(particles_end), TEST(dead_ends_are_told))
