/* nearest: did you mean ... */
#include "check.h"
#include "tensor.h"

static const char commands[] = "generate, diffuse, chat, serve, tokenize, template, quantize";
static const char stages[] = "temp|top_k|top_p|min_p|typical|penalties";

static void expect(const char *word, const char *names, const char *wanted) {
    char got[100];
    Text name = nearest_name(text_of(word), names);
    snprintf(got, sizeof got, "%.*s", (int)name.size, name.data);
    assert_string_equal(got, wanted);
}

static void a_slip_of_a_finger(void **state) {
    (void)state;
    expect("generat", commands, "generate");
    expect("generrate", commands, "generate");
    expect("gneerate", commands, "generate");
    expect("quantise", commands, "quantize");
    expect("CHAT", commands, "chat");
    expect("caht", commands, "chat");
    expect("topk", stages, "top_k");
    expect("Top-P", stages, "top_p");
    expect("top_pk", stages, "top_k"); /* the first of equally near ones */
}

static void the_beginning_of_a_name(void **state) {
    (void)state;
    expect("gen", commands, "generate");
    expect("quant", commands, "quantize");
    expect("te", commands, ""); /* too short */
    expect("t", commands, "");
    expect("tem", "temper tempest", ""); /* of two */
    expect("temp", "temp temperature", "temp");
}

static void nothing_is_near(void **state) {
    (void)state;
    expect("", commands, "");
    expect("xyzzy", commands, "");
    expect("generate", "", "");
    expect("a word that is far longer than any name of a command or of a stage", commands, "");
}

static void hints(void **state) {
    (void)state;
    char out[40];
    assert_string_equal(nearest_hint(out, sizeof out, text_of("topk"), stages),
                        "; did you mean top_k?");
    assert_string_equal(nearest_hint(out, sizeof out, text_of("zebra"), stages), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_of_a_finger), cmocka_unit_test(the_beginning_of_a_name),
        cmocka_unit_test(nothing_is_near), cmocka_unit_test(hints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
