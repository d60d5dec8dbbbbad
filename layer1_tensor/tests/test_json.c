/* test_json.c - valid and invalid JSON. */
#include "check.h"
#include "json.h"

static Json *read_json(const char *text) {
    Fault fault = {""};
    Json *json = json_read(text_of(text), &fault);
    if (!json) fail_msg("%s: %s", text, fault.text);
    return json;
}

static void values_are_what_was_written(void **state) {
    (void)state;
    Json *json = read_json(" {\"a\": [1e400, \"\\u00e9\\ud83d\\ude00\\n\", true], \"b\": {}} ");
    const JsonValue *root = json_root(json), *a = json_get(root, "a");
    assert_int_equal(root->count, 2);
    assert_int_equal(a->count, 3);
    assert_true(text_equal(a->items[0].text, text_of("1e400")));
    assert_true(text_equal(a->items[1].text, text_of("\xC3\xA9\xF0\x9F\x98\x80\n")));
    assert_int_equal(a->items[2].kind, JSON_TRUE);
    assert_null(json_get(a, "x"));
    json_free(json);
}

static void of_equal_keys_the_last_stays(void **state) {
    (void)state;
    Json *json = read_json(
        "{\"b\": 1, \"a\": 2, \"\\u0062\": 3, \"c\": 4, \"b\": {\"x\": 5, \"x\": 6}, \"\": 7}");
    const JsonValue *root = json_root(json);
    assert_int_equal(root->count, 4);
    assert_true(text_equal(root->keys[0], text_of("a")));
    assert_true(text_equal(root->keys[1], text_of("c")));
    assert_true(text_equal(root->keys[2], text_of("b")));
    assert_true(text_equal(root->repeated, text_of("b")));
    assert_int_equal(json_get(root, "b")->count, 1);
    assert_true(text_equal(json_get(json_get(root, "b"), "x")->text, text_of("6")));
    json_free(json);
    json = read_json("{\"a\": 1, \"b\": 2}");
    assert_null(json_root(json)->repeated.data);
    json_free(json);
}

static void what_is_no_json_is_refused_by_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted;
    } bad[] = {{"", "column 1: wanted a value"},
               {"[1,]", "column 4: wanted a value"},
               {"{\"a\" 1}", "a colon after the key"},
               {"01", "nothing after the value"},
               {"\"\t\"", "no control character"},
               {"\"\\x\"", "one of the escapes"},
               {"\"\\ud800\"", "the other half of a pair of surrogates"},
               {"\"\\ud800\\u0041\"", "column 10: wanted the other half"},
               {"\"\\udc00\"", "column 4: wanted the first half"},
               {"[\n\"", "line 2, column 2: wanted the closing"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Fault fault = {""};
        if (json_read(text_of(bad[i].text), &fault)) fail_msg("%s is taken", bad[i].text);
        if (!strstr(fault.text, bad[i].wanted)) fail_msg("%s: %s", bad[i].text, fault.text);
    }
}

static void values_are_counted_over_several_texts(void **state) {
    (void)state;
    Fault fault = {""};
    size_t left = 7;
    Json *json = json_read_some(text_of("[1, {\"a\": 2}]"), &left, &fault);
    assert_non_null(json);
    assert_int_equal(left, 3);
    json_free(json);
    assert_null(json_read_some(text_of("[[], 1, 2]"), &left, &fault));
    assert_non_null(strstr(fault.text, "column 9: wanted no more values"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_what_was_written),
        cmocka_unit_test(of_equal_keys_the_last_stays),
        cmocka_unit_test(what_is_no_json_is_refused_by_place),
        cmocka_unit_test(values_are_counted_over_several_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
