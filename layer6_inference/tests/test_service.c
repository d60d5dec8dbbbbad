/* many users: each gets the text it would get alone, whatever happens to the others */
#include "house.h"
#include "guidance.h"
#include "long_text.h"
#include "look_ahead.h"
#include "prefix.h"
#include "schedule.h"
#include "service.h"
#include "speculate.h"
#include "take_back.h"

enum { USERS = 40 };

typedef struct User {
    TokenList tokens, negative;
    Chain chain;
    Speculation speculation;
    TakeBack take_back;
    ServiceRequest request;
} User;

static const char *const chains[] = {"greedy",
                                     "temp:1.4",
                                     "mirostat:3",
                                     "cfg:1.5,temp:1",
                                     "penalties:rep=1.3:last=16,top_k:20,temp:1.1",
                                     "contrastive_search:0.5:k=3"};

/* User i as it comes: the same however often it is made. */
static void prepare(User *u, size_t i, const House *h) {
    Rng rng = {91, i, 0};
    Fault fault;
    *u = (User){.speculation.length = 3};
    size_t common = rng_below(&rng, 3) ? 0 : 70; /* some begin alike */
    for (size_t n = 0; n < common; n++) token_list_add(&u->tokens, (int32_t)(97 + n % 26));
    for (size_t n = 1 + rng_below(&rng, i % 3 ? 12 : 90); n > 0; n--)
        token_list_add(&u->tokens, (int32_t)(97 + rng_below(&rng, 26)));
    for (int k = 0; k < 7; k++) token_list_add(&u->negative, "other x"[k]);
    const char *spec = chains[i % (sizeof chains / sizeof *chains)];
    assert_true(chain_parse(&u->chain, spec, h->model.tokenizer, &fault));
    u->request = (ServiceRequest){.tokens = &u->tokens,
                                  .options = {.chain = &u->chain,
                                              .seed = 7 + i,
                                              .limits.max_tokens = 3 + rng_below(&rng, 25),
                                              .limits.only_bos_ends = true},
                                  .priority = (int)rng_below(&rng, 3),
                                  .user = i % 4};
    GenerateOptions *o = &u->request.options;
    if (strstr(spec, "cfg")) with_negative(o, &u->negative);
    with_look_ahead(o);
    if (strcmp(spec, "greedy") == 0 || strstr(spec, "cfg")) {
        /* some write more than their context holds: it shifts */
        with_long_text(o, 0);
        o->limits.max_tokens += i % 4 < 2 ? 330 : 0;
    }
    if (strstr(spec, "temp:1.4")) with_draft(o, &u->speculation);
    if (strstr(spec, "penalties") ||
        strstr(spec, "mirostat")) { /* every fourth byte may not come */
        char bytes[64][2] = {{0}};
        const char *banned[64];
        for (int k = 0; k < 64; k++) bytes[k][0] = (char)(4 * k + 1), banned[k] = bytes[k];
        assert_true(take_back_open(&u->take_back, banned, 64, &fault));
        with_take_back(o, &u->take_back);
    }
}

static void forget(User *u) {
    token_list_free(&u->tokens), token_list_free(&u->negative), chain_close(&u->chain);
    take_back_close(&u->take_back);
}

static void tell_alone(User *users, House *h) {
    Fault fault;
    size_t taken_back = 0, longer = 0;
    for (size_t i = 0; i < USERS; i++) {
        GenerateResult result;
        prepare(&users[i], i, h);
        if (!generate(&h->session, &users[i].tokens, &users[i].request.options, &result,
                      &fault))
            fail_msg("text %zu: %s", i, fault.text);
        taken_back += users[i].take_back.times;
        longer += users[i].tokens.count > session_ctx(&h->session) + 2 * KV_PAGE;
    }
    assert_true(taken_back > 5 && longer > 3);
}

/* No sequence is left: all pages are free, or a prefix's. */
static void assert_all_given_back(Session *session) {
    KvCache *kv = &session->kv;
    assert_int_equal(prefix_free_pages(kv), kv->pages.count);
    while (prefix_evict(kv)) continue;
    assert_int_equal(kv->pages.free_count, kv->pages.count);
}

static double virtual_now;
static double virtual_clock(void) { return virtual_now; }

/* They come at random, some go before they are served; what is told is what is told alone. */
static ServiceCounts serve(const User *alone, SessionConfig config, SchedulePolicy policy,
                           uint64_t seed) {
    static User users[USERS];
    House h;
    Service service;
    Fault fault;
    Rng rng = {seed, 0, 0};
    size_t come = 0;
    open_house(&h, config);
    for (size_t i = 0; i < USERS; i++) prepare(&users[i], i, &h);
    assert_true(service_open(&service, &h.session, policy, &fault));
    service.clock = virtual_clock, virtual_now = 0;
    while (come < USERS || service.count) {
        while (come < USERS && rng_below(&rng, 3) == 0) {
            ServiceRequest *r = &users[come].request;
            if (rng_below(&rng, 9) == 0) r->deadline = virtual_now + rng_below(&rng, 20);
            if (!service_submit(&service, r, &fault)) break; /* the queue is full: later */
            come++;
        }
        if (come && rng_below(&rng, 25) == 0)
            users[rng_below(&rng, come)].request.cancelled = true;
        if (!service_step(&service, &fault)) fail_msg("%s", fault.text);
        assert_true(++virtual_now < 5000);
    }
    for (size_t i = 0; i < USERS; i++) {
        const ServiceRequest *r = &users[i].request;
        const TokenList *got = &users[i].tokens, *want = &alone[i].tokens;
        assert_int_equal(r->state, REQUEST_OVER);
        if (r->end == REQUEST_FAILED) fail_msg("%zu: %s", i, r->fault.text);
        if (r->end == REQUEST_ENDED) assert_int_equal(got->count, want->count);
        assert_true(got->count <= want->count);
        if (memcmp(got->ids, want->ids, got->count * sizeof *got->ids) != 0)
            fail_msg("text %zu is another one beside others", i);
    }
    ServiceCounts counts = service.counts;
    service_close(&service);
    assert_all_given_back(&h.session);
    for (size_t i = 0; i < USERS; i++) forget(&users[i]);
    close_house(&h);
    return counts;
}

static void others_change_nothing(void **state) {
    (void)state;
    static User alone[USERS];
    const SessionConfig
        wide = {.sequences = 12, .max_tokens = 64, .max_logits = 64},
        scarce = {.sequences = 12, .max_tokens = 64, .max_logits = 64, .pages = 14},
        kept = {.sequences = 6, .max_tokens = 32, .max_logits = 16, .pages = 20, .prefixes = 8};
    const SchedulePolicy calm = {.budget = 48, .chunk = 16, .running = 8, .waiting = 20},
                         hurried = {
                             .budget = 9, .chunk = 4, .running = 6, .waiting = 6, .ageing = 30};
    SchedulePolicy rigid = calm;
    House h;
    open_house(&h, wide);
    tell_alone(alone, &h);
    close_house(&h);
    ServiceCounts c = serve(alone, wide, calm, 1);
    assert_true(c.ended > USERS / 2 && c.cancelled + c.late > 0);
    c = serve(alone, scarce, calm, 2);
    assert_true(c.preempted > 0);
    c = serve(alone, kept, hurried, 3);
    assert_true(c.cached_tokens > 0);
    rigid.static_batch = true;
    serve(alone, wide, rigid, 4);
    rigid.static_batch = false, rigid.prompts_first = true;
    serve(alone, scarce, rigid, 5);
    for (size_t i = 0; i < USERS; i++) forget(&alone[i]);
}

/* Whatever keys and values are kept in. */
static void nor_do_they_in_few_bits(void **state) {
    (void)state;
    static User alone[USERS];
    static const char *const names[] = {"bf16", "q8_0", "q4_0-h"};
    const SchedulePolicy hurried = {
        .budget = 9, .chunk = 4, .running = 6, .waiting = 6, .ageing = 30};
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        SessionConfig wide = {.sequences = 12, .max_tokens = 64, .max_logits = 64}, scarce;
        Fault fault;
        House h;
        assert_true(kv_format_read(names[f], &wide.kv, &fault));
        scarce = wide, scarce.pages = 14, scarce.prefixes = 8;
        open_house(&h, wide);
        tell_alone(alone, &h);
        close_house(&h);
        ServiceCounts c = serve(alone, scarce, hurried, 6 + f);
        assert_true(c.preempted > 0 && c.cached_tokens > 0);
        for (size_t i = 0; i < USERS; i++) forget(&alone[i]);
    }
}

/* A client that disconnects at one of the checks. */
static size_t asked, goes_at;
static bool goes(void *context, const ServiceRequest *request) {
    return request == context && ++asked > goes_at;
}

/* A long prompt whose client is gone is cancelled between two layers; other sequences lose
 * nothing. */
static void a_client_goes_in_the_middle_of_a_step(void **state) {
    (void)state;
    const SchedulePolicy policy = {.budget = 64, .running = 2, .waiting = 2};
    size_t stopped = 0;
    for (goes_at = 0; goes_at < 40; goes_at++) {
        User gone, stays, alone;
        GenerateResult result;
        House h;
        Service service;
        Fault fault;
        open_house(&h, (SessionConfig){.sequences = 4, .max_tokens = 64, .max_logits = 8});
        prepare(&alone, 4, &h), prepare(&stays, 4, &h), prepare(&gone, 4, &h);
        while (gone.tokens.count < 150) token_list_add(&gone.tokens, 'z');
        alone.request.options.extras[0] = stays.request.options.extras[0] = (Extra){0};
        gone.request.options.extras[0] = (Extra){0};
        assert_true(
            generate(&h.session, &alone.tokens, &alone.request.options, &result, &fault));
        assert_true(service_open(&service, &h.session, policy, &fault));
        service.is_gone = goes, service.context = &gone.request, asked = 0;
        assert_true(service_submit(&service, &stays.request, &fault));
        assert_true(service_submit(&service, &gone.request, &fault));
        while (service.count) {
            assert_true(service_step(&service, &fault));
            stopped += h.session.stopped;
        }
        assert_int_equal(gone.request.end, REQUEST_CANCELLED);
        assert_int_equal(stays.tokens.count, alone.tokens.count);
        assert_memory_equal(stays.tokens.ids, alone.tokens.ids, 4 * alone.tokens.count);
        service_close(&service);
        assert_all_given_back(&h.session);
        forget(&gone), forget(&stays), forget(&alone);
        close_house(&h);
    }
    assert_true(stopped > 2);
}

/* n choices of one prompt: it is read once. */
static void choices_share_their_prompt(void **state) {
    (void)state;
    static User users[4];
    const SchedulePolicy policy = {.budget = 64, .running = 4, .waiting = 4};
    House h;
    Service service;
    Fault fault;
    open_house(&h, (SessionConfig){.sequences = 4, .max_tokens = 64, .max_logits = 8});
    assert_true(service_open(&service, &h.session, policy, &fault));
    for (size_t i = 0; i < 4; i++) {
        prepare(&users[i], 0, &h);
        users[i].request.options.seed = i;
        if (i) users[i].request.after = &users[0].request;
        assert_true(service_submit(&service, &users[i].request, &fault));
    }
    size_t prompt = users[0].tokens.count;
    while (service.count) assert_true(service_step(&service, &fault));
    for (size_t i = 1; i < 4; i++) assert_int_equal(users[i].request.cached, prompt - 1);
    service_close(&service);
    for (size_t i = 0; i < 4; i++) forget(&users[i]);
    close_house(&h);
}

/* Three of one user, then one of another: who sent one is second. */
static void a_user_with_many_waits_for_his_own(void **state) {
    (void)state;
    static User users[4];
    const SchedulePolicy policy = {.budget = 64, .running = 1, .waiting = 4, .ageing = 2};
    House h;
    Service service;
    Fault fault;
    open_house(&h, (SessionConfig){.sequences = 2, .max_tokens = 64, .max_logits = 8});
    assert_true(service_open(&service, &h.session, policy, &fault));
    service.clock = virtual_clock, virtual_now = 0;
    for (size_t i = 0; i < 4; i++) {
        prepare(&users[i], 1, &h);
        users[i].request.user = i < 3 ? 7 : 8, users[i].request.priority = 0;
        assert_true(service_submit(&service, &users[i].request, &fault));
        assert_int_equal(users[i].request.round, i % 3);
        virtual_now++;
    }
    for (; service.count; virtual_now++) assert_true(service_step(&service, &fault));
    assert_true(users[0].request.finished < users[3].request.finished);
    assert_true(users[3].request.finished < users[1].request.finished);
    assert_true(users[1].request.finished < users[2].request.finished);
    service_close(&service);
    for (size_t i = 0; i < 4; i++) forget(&users[i]);
    close_house(&h);
}

/* A session of one sequence: a text of higher priority takes it, and gives it back. */
static void the_only_sequence_is_given_away_and_back(void **state) {
    (void)state;
    const SchedulePolicy policy = {.budget = 64, .running = 1, .waiting = 2};
    House h;
    Service service;
    Fault fault;
    User low, high, alone;
    GenerateResult result;
    open_house(&h, (SessionConfig){.sequences = 1, .max_tokens = 64, .max_logits = 8});
    prepare(&low, 2, &h), prepare(&high, 2, &h), prepare(&alone, 2, &h);
    low.request.priority = 0, high.request.priority = 1;
    low.request.options.limits.max_tokens = high.request.options.limits.max_tokens =
        alone.request.options.limits.max_tokens = 9;
    assert_true(generate(&h.session, &alone.tokens, &alone.request.options, &result, &fault));
    assert_true(service_open(&service, &h.session, policy, &fault));
    service.clock = virtual_clock, virtual_now = 0;
    assert_true(service_submit(&service, &low.request, &fault));
    for (int i = 0; i < 4; i++, virtual_now++) assert_true(service_step(&service, &fault));
    assert_true(service_submit(&service, &high.request, &fault));
    for (; service.count; virtual_now++) {
        assert_true(service_step(&service, &fault));
        assert_true(virtual_now < 100);
    }
    assert_int_equal(low.request.preemptions, 1);
    assert_true(high.request.finished < low.request.finished);
    assert_int_equal(low.tokens.count, alone.tokens.count);
    assert_memory_equal(low.tokens.ids, alone.tokens.ids, 4 * alone.tokens.count);
    assert_memory_equal(high.tokens.ids, alone.tokens.ids, 4 * alone.tokens.count);
    service_close(&service);
    assert_true(!h.session.is_wanted); /* the session does not ask a service that is gone */
    forget(&low), forget(&high), forget(&alone);
    close_house(&h);
}

/* A clock by which every token takes a millisecond. */
static const Service *timed;
static double reckoned;
static double clock_of_tokens(void) {
    return reckoned += 1e-3 * (double)timed->engine.runners[0].count;
}

/* Once it has seen what steps take, a service reads beside an answer as many tokens of a prompt
 * as it is told to have time for. */
static void prompts_leave_time_for_answers(void **state) {
    (void)state;
    const SchedulePolicy policy = {
        .budget = 64, .chunk = 32, .running = 2, .waiting = 2, .stretch = 9};
    House h;
    Service service;
    Fault fault;
    User writes, reads;
    open_house(&h, (SessionConfig){.sequences = 4, .max_tokens = 64, .max_logits = 8});
    prepare(&writes, 0, &h), prepare(&reads, 4, &h);
    while (writes.tokens.count < 40) token_list_add(&writes.tokens, 'y');
    while (reads.tokens.count < 130) token_list_add(&reads.tokens, 'z');
    writes.request.options.limits.max_tokens = 60;
    writes.request.options.limits.only_bos_ends = true;
    assert_true(service_open(&service, &h.session, policy, &fault));
    timed = &service, reckoned = 0, service.clock = clock_of_tokens;
    assert_true(service_submit(&service, &writes.request, &fault));
    for (int i = 0; i < 16; i++) assert_true(service_step(&service, &fault));
    assert_int_equal(writes.request.state, REQUEST_RUNNING);
    assert_non_null(service.policy.cost);
    assert_true(service_submit(&service, &reads.request, &fault));
    assert_true(service_step(&service, &fault));
    assert_in_range(service.engine.runners[0].count, 8, 10);
    while (reads.request.state == REQUEST_RUNNING && reads.request.first == 0) {
        assert_true(service_step(&service, &fault));
        assert_in_range(service.engine.runners[0].count, 1, 10);
    }
    while (service.count) assert_true(service_step(&service, &fault));
    service_close(&service);
    forget(&writes), forget(&reads);
    close_house(&h);
}

static void what_cannot_be_served_is_refused(void **state) {
    (void)state;
    const SchedulePolicy policy = {.budget = 64, .running = 1, .waiting = 1};
    House h;
    Service service;
    Fault fault;
    User u, late, none;
    open_house(&h, (SessionConfig){.sequences = 2, .max_tokens = 64, .max_logits = 8});
    prepare(&u, 1, &h), prepare(&late, 2, &h), prepare(&none, 4, &h);
    assert_true(service_open(&service, &h.session, policy, &fault));
    assert_true(service_submit(&service, &u.request, &fault));
    assert_false(service_submit(&service, &late.request, &fault));
    assert_contains(fault.text, "the queue is full");
    none.tokens.count = 0;
    assert_true(service_step(&service, &fault));
    assert_false(service_submit(&service, &none.request, &fault));
    assert_contains(fault.text, "the prompt is empty");
    assert_int_equal(service.counts.refused, 2);
    service_close(&service);
    forget(&u), forget(&late), forget(&none);
    close_house(&h);
}

/* What the next step reads: tokens, rows of logits, positions that they see, lengths. */
static void assert_step(Service *service, double tokens, double rows, double seen,
                        double past) {
    Fault fault;
    assert_true(service_step(service, &fault));
    assert_near(service->last.tokens, tokens, 0);
    assert_near(service->last.rows, rows, 0);
    assert_near(service->last.seen, seen, 0);
    assert_near(service->last.past, past, 0);
}

/* Each layer has its own pages: two for each of them hold 128 tokens. */
static void a_text_longer_than_all_pages_is_refused(void **state) {
    (void)state;
    const SchedulePolicy policy = {.budget = 64, .running = 1, .waiting = 1};
    House h;
    Service service;
    Fault fault;
    User u;
    open_house(&h, (SessionConfig){.sequences = 2, .max_tokens = 64, .max_logits = 8});
    const size_t layers = h.session.kv.config.layers;
    close_house(&h);
    open_house(&h, (SessionConfig){
                       .sequences = 2, .max_tokens = 64, .max_logits = 8, .pages = 2 * layers});
    prepare(&u, 1, &h);
    u.request.options.extras[0] = (Extra){0}; /* no drafts */
    while (u.tokens.count < 2 * KV_PAGE) token_list_add(&u.tokens, 'z');
    assert_true(service_open(&service, &h.session, policy, &fault));
    assert_false(service_submit(&service, &u.request, &fault));
    assert_contains(fault.text, "the whole KV cache 128");
    u.tokens.count--;
    assert_true(service_submit(&service, &u.request, &fault));
    assert_step(&service, 64, 0, 64 * 65 / 2, 64);
    assert_step(&service, 63, 1, 127 * 128 / 2 - 64 * 65 / 2, 127);
    assert_near(service.last.before, 64, 0);
    service_close(&service);
    forget(&u);
    close_house(&h);
}

/* Its memory is a state of fixed size, so that no text has too many tokens for its pages. */
static void a_model_without_keys_needs_no_pages(void **state) {
    (void)state;
    const SchedulePolicy policy = {.budget = 64, .running = 1, .waiting = 1};
    House h;
    Service service;
    Fault fault;
    User u;
    open_house_of("mamba", &h,
                  (SessionConfig){.sequences = 1, .max_tokens = 64, .max_logits = 8});
    assert_int_equal(h.session.kv.pages.count, 0);
    prepare(&u, 1, &h);
    assert_true(service_open(&service, &h.session, policy, &fault));
    if (!service_submit(&service, &u.request, &fault)) fail_msg("%s", fault.text);
    while (service.count) assert_true(service_step(&service, &fault));
    assert_int_equal(u.request.end, REQUEST_ENDED);
    assert_true(u.request.result.tokens > 0);
    service_close(&service);
    forget(&u);
    close_house(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_change_nothing),
        cmocka_unit_test(nor_do_they_in_few_bits),
        cmocka_unit_test(a_client_goes_in_the_middle_of_a_step),
        cmocka_unit_test(choices_share_their_prompt),
        cmocka_unit_test(a_user_with_many_waits_for_his_own),
        cmocka_unit_test(the_only_sequence_is_given_away_and_back),
        cmocka_unit_test(prompts_leave_time_for_answers),
        cmocka_unit_test(what_cannot_be_served_is_refused),
        cmocka_unit_test(a_text_longer_than_all_pages_is_refused),
        cmocka_unit_test(a_model_without_keys_needs_no_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
