/* events on the wire: a text, framed, and what a client makes of it */
#include "check.h"
#include "../extras/service/sse.h"

static void assert_framed(const char *bytes, size_t size, const char *wire) {
    char *got = NULL;
    size_t n;
    FILE *out = open_memstream(&got, &n);
    assert_non_null(out);
    sse_event(out, (Text){bytes, size});
    fclose(out);
    assert_int_equal(n, strlen(wire));
    assert_memory_equal(got, wire, n);
    free(got);
}

static void texts_are_framed(void **state) {
    (void)state;
    assert_framed("{\"a\": 1}", 8, "data: {\"a\": 1}\n\n");
    assert_framed("", 0, "data: \n\n");
    assert_framed(" b", 2, "data:  b\n\n"); /* a client takes one blank away, and one alone */
    assert_framed("a\nb", 3, "data: a\ndata: b\n\n");
    assert_framed("a\r\nb\rc\n", 7, "data: a\ndata: b\ndata: c\ndata: \n\n");
    assert_framed("\r", 1, "data: \ndata: \n\n");
}

static void a_ping_is_a_comment(void **state) {
    (void)state;
    char *got = NULL;
    size_t n;
    FILE *out = open_memstream(&got, &n);
    assert_non_null(out);
    sse_ping(out);
    fclose(out);
    assert_string_equal(got, ":\n\n");
    free(got);
}

RUN(TEST(texts_are_framed), TEST(a_ping_is_a_comment))
