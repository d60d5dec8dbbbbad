/* scopes: a tree of them, percentiles, a trace, and nothing without profiling */
#include "check.h"
#include "profile_trace.h"
#include "tensor.h"

static void inner(void) { PROFILE("inner"); }

static void outer(int times) {
    PROFILE("outer");
    for (int i = 0; i < times; i++) inner();
}

static void scopes_form_a_tree(void **state) {
    (void)state;
    Profile p;
    Fault fault;
    outer(3); /* not profiled */
    assert_true(profile_start(&p, 100, &fault));
    assert_false(profile_start(&p, 100, &fault));
    outer(3), outer(2), inner();
    profile_stop(&p);
    outer(1);
    assert_int_equal(p.count, 8), assert_int_equal(p.n_rows, 3);
    assert_string_equal(p.rows[0].name, "outer"), assert_string_equal(p.rows[1].name, "inner");
    assert_int_equal(p.rows[0].count, 2), assert_int_equal(p.rows[1].count, 5);
    assert_int_equal(p.rows[1].parent, 0), assert_int_equal(p.rows[2].parent, -1);
    assert_int_equal(p.rows[1].depth, 1), assert_int_equal(p.missed, 0);
    assert_true(p.rows[0].sum >= p.rows[1].sum && p.rows[0].p95 >= p.rows[0].median);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    profile_write_trace(&p, out), fclose(out);
    assert_contains(text, "{\"name\":\"outer\",\"ph\":\"X\"");
    free(text), profile_free(&p);
}

static void where_there_is_no_room_it_ends(void **state) {
    (void)state;
    Profile p;
    Fault fault;
    assert_true(profile_start(&p, 3, &fault));
    outer(5), outer(1);
    profile_stop(&p);
    assert_int_equal(p.count, 3), assert_int_equal(p.missed, 1);
    profile_free(&p);
    assert_true(profile_start(&p, 3, &fault)); /* and may begin again */
    inner();
    profile_stop(&p);
    assert_int_equal(p.rows[0].count, 1);
    profile_free(&p);
    assert_true(profile_start(&p, 0, &fault));
    inner();
    profile_stop(&p);
    assert_true(p.count == 0 && p.missed == 1);
    profile_free(&p);
}

/* More names than rows; a scope that is still open when the profile stops. */
static void too_many_names_end_it_too(void **state) {
    (void)state;
    Profile p;
    Fault fault;
    static char names[PROFILE_ROWS][8];
    assert_true(profile_start(&p, 2 * PROFILE_ROWS, &fault));
    profile_push("open");
    for (int i = 0; i < PROFILE_ROWS; i++) {
        snprintf(names[i], sizeof *names, "%d", i);
        PROFILE(names[i]);
    }
    profile_stop(&p);
    assert_int_equal(p.n_rows, PROFILE_ROWS), assert_int_equal(p.missed, 1);
    assert_true(p.rows[0].count == 0 && p.rows[0].median == 0);
    profile_free(&p);
}

RUN(TEST(scopes_form_a_tree), TEST(where_there_is_no_room_it_ends),
    TEST(too_many_names_end_it_too))
