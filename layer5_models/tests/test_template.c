/* chat templates: every construct, errors with their lines, limits, and which text is the
 * user's */
#include "check.h"
#include "models_extras.h"
#include "template_rows.h"

static const char variables[] =
    "{\"d\": {\"a\": 1, \"b c\": [true], \"items\": \"mine\"}, \"l\": [1, 2, 3],"
    "\"t\": [{\"n\": \"x\", \"c\": [{\"n\": \"y\"}]}, {\"n\": \"z\"}]}";

/* Render `source`; the caller frees the text.  An error is "!" and what it says. */
static char *render_with(const char *source, const char *json, Rendered *rendered) {
    struct tm now = {
        .tm_year = 126, .tm_mon = 6, .tm_mday = 26, .tm_hour = 12, .tm_min = 34, .tm_sec = 56};
    Fault fault = {"!"};
    Json *input = json_read(text_of(json), &fault);
    assert_non_null(input);
    Template *tree = template_read(text_of(source), &fault);
    bool ok = tree && template_render(tree, json_root(input), &now, rendered, &fault);
    char *text = ok ? strdup(rendered->text) : malloc(sizeof fault.text + 1);
    if (!ok) sprintf(text, "!%s", fault.text);
    if (!ok) *rendered = (Rendered){0};
    template_free(tree), json_free(input);
    return text;
}

static char *render(const char *source) {
    Rendered rendered;
    char *text = render_with(source, variables, &rendered);
    rendered_free(&rendered);
    return text;
}

/* "!line 3: TypeError: ..." without its line */
static void drop_line(char *text) {
    const char *colon = text[0] == '!' ? strstr(text, ": ") : NULL;
    if (colon && strncmp(text, "!line ", 6) == 0)
        memmove(text + 1, colon + 2, strlen(colon + 2) + 1);
}

static void check_rows(const Row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *text = render(rows[i].source);
        drop_line(text);
        if (strcmp(text, rows[i].text) != 0)
            fail_msg("%s\n  wanted '%s'\n  got    '%s'", rows[i].source, rows[i].text, text);
        free(text);
    }
}

#define ROWS(name)                                        \
    static void rows_of_##name(void **state) {            \
        (void)state;                                      \
        check_rows(name, sizeof(name) / sizeof(name)[0]); \
    }
ROWS(white_space)
ROWS(literals)
ROWS(operators)
ROWS(inside)
ROWS(loops)
ROWS(blocks)
ROWS(filters)
ROWS(methods)
ROWS(checks)
ROWS(errors)

static void errors_name_their_line(void **state) {
    static const Row rows[] = {{"a\n\nb {{ nope.x }}", "!line 3: UndefinedError"},
                               {"{# two\nlines #}\n{% frob %}", "!line 3: TemplateSyntaxError"},
                               {"{%- macro f(x) %}\n{{ x.y.z }}\n{%- endmacro %}\n\n{{ f(1) }}",
                                "!line 2: UndefinedError"},
                               {"\r\n\r\n{{ 1 / 0 }}", "!line 3: ZeroDivisionError"},
                               {"{{ [1,\n2,\n'a' + 1] }}", "!line 3: TypeError"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = render(rows[i].source);
        assert_contains(text, rows[i].text);
        free(text);
    }
}

/* A template that would not end, or would take all memory, is stopped with a message. */
static void all_has_limits(void **state) {
    static const Row rows[] = {
        {"{% set r = range(99999)|list %}{% for a in range(99) %}{{ r == r }}{% endfor %}",
         "steps"},
        {"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "levels inside each other"},
        {"{{ 'x' * 9999999999 }}", "RuntimeError: the template takes more than"},
        {"{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s "
         "%}{% endfor %}",
         "MiB"},
        {"{% set x = 'x' * 1000 %}{% for a in range(9000) %}{{ x }}{% endfor %}",
         "the text is longer than 4 MiB"},
        {"{{ range(100001) }}", "Range too big"},
        {"{% set ns = namespace(a=1) %}{% set ns.a = ns %}{{ ns }}",
         "levels inside each other"},
        {"{{ 9223372036854775807 + 1 }}", "OverflowError"},
        {"{{ 123456789012345678901234567890 + 1 }}", "OverflowError"},
        {"{% set x = [[1]] %}{% for i in range(9999) %}{% set x = [x] %}{% endfor %}{{ "
         "'%9999999d' % 1 }}",
         ""}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = render(rows[i].source);
        assert_contains(text, rows[i].text);
        free(text);
    }
    char deep[20001];
    memset(deep, '(', 20000);
    memcpy(deep, "{{", 2), deep[20000] = 0;
    char *text = render(deep);
    assert_contains(text, "TemplateSyntaxError: too many brackets inside each other");
    free(text);
}

/* No construct is silently skipped. */
static void what_is_not_built_in_is_refused(void **state) {
    static const Row rows[] = {
        {"{% include 'x' %}", "a chat template stands alone"},
        {"{{ x|xmlattr }}", "No filter named 'xmlattr' found."},
        {"{{ f(*l) }}", "arguments behind * are not built in"},
        {"{{ cycler(1, 2) }}", "not built in"},
        {"{{ 'a'.encode() }}", "'str object' has no attribute 'encode'"},
        {"{{ 'a'|trim(1, 2) }}", "takes at most 1 arguments (2 given)"},
        {"{{ 'a'|trim(junk=1) }}", "unexpected keyword argument 'junk'"},
        {"{{ 'a'|indent(2, width=3) }}", "unexpected keyword argument 'width'"},
        {"{{ '\\N{SNOWMAN}' }}", "write the character itself"},
        {"{% do l %}", "unknown tag 'do'"},
        {"{% break %}", "'break' outside loop"},
        {"{% if 1 %}{% 'x' %}{% endif %}", "tag name expected"},
        {"{{ '{:>3}'.format(1) }}", "no argument named ':>3'"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = render(rows[i].source);
        assert_contains(text, rows[i].text);
        free(text);
    }
}

/* Bytes of variables stay marked through all operations; those of the template and of bos_token
 * are not. */
static void a_users_text_is_known(void **state) {
    static const Row rows[] = {
        /* the mark of each byte of the text: . template, u user */
        {"<{{ m }}>", ".uuu."},
        {"{{ bos_token }}{{ m }}", "...uuu"},
        {"{{ m|upper }}{{ m|replace('i', 'XY') }}", "uuuu..u"},
        {"{{ '[' + m + ']' }}{{ m ~ 1 }}{{ m[1:] }}", ".uuu.uuu.uu"},
        {"{{ [m]|join(',') }}{{ m|tojson }}", "uuu.uuu."},
        {"{{ [m] }}{{ m.split('i')|join }}", "..uuu..uu"},
        {"{{ '%s!' % m }}{{ '{}'.format(m) }}", "uuu.uuu"},
        {"{% set x %}a{{ m }}{% endset %}{{ x|trim }}{{ x|length }}", ".uuu."},
        {"{% macro f(x) %}:{{ x }}{% endmacro %}{{ f(m) }}", ".uuu"},
        {"{% for c in m %}{{ c }}-{% endfor %}", "u.u.u."},
        {"{% for k, v in o.items() %}{{ k }}={{ v }}{% endfor %}", "u.uu"},
        {"{{ m|escape }}{{ m|indent(2, true) }}{{ m|reverse }}", "uuu..uuuuuu"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Rendered rendered;
        char marks[64] = "",
             *text = render_with(
                 rows[i].source,
                 "{\"m\": \"hi!\", \"o\": {\"k\": \"vw\"}, \"bos_token\": \"<s>\"}", &rendered);
        for (size_t j = 0; j < rendered.size && j < 63; j++)
            marks[j] = rendered.user[j] ? 'u' : '.';
        if (strcmp(marks, rows[i].text) != 0)
            fail_msg("%s gives %s: wanted %s, got %s", rows[i].source, text, rows[i].text,
                     marks);
        rendered_free(&rendered), free(text);
    }
}

/* Every built-in form writes a conversation with all its marks, and its turns in order. */
static void forms_write_conversations(void **state) {
    static const char conversation[] =
        "{\"messages\": [{\"role\": \"system\", \"content\": \"S1\"}, {\"role\": \"user\", "
        "\"content\": \"U2\"},"
        "{\"role\": \"assistant\", \"content\": \"A3\"}, {\"role\": \"user\", \"content\": "
        "\"U4\"}],"
        "\"add_generation_prompt\": true, \"bos_token\": \"<s>\", \"eos_token\": \"</s>\"}";
    (void)state;
    for (const ChatFormKind *kind = chat_form_kinds; kind->name; kind++) {
        Rendered rendered;
        char *text = render_with(kind->text, conversation, &rendered), *at = text, mark[64];
        static const char *const turns[] = {"S1", "U2", "A3", "U4"};
        for (size_t i = 0; i < 4; i++)
            if (!(at = strstr(at, turns[i])))
                fail_msg("%s: no %s in '%s'", kind->name, turns[i], text);
        for (Text rest = text_of(kind->marks ? kind->marks : ""); rest.size;) {
            Text one = text_cut(&rest, ' ');
            snprintf(mark, sizeof mark, "%.*s", (int)one.size, one.data);
            assert_contains(text, mark);
        }
        rendered_free(&rendered), free(text);
    }
}

/* The last bytes of some forms, which models are particular about. */
static void forms_open_the_answer(void **state) {
    static const Row rows[] = {
        {"chatml", "<|im_start|>user\nhi <b><|im_end|>\n<|im_start|>assistant\n"},
        {"llama3", "<s><|start_header_id|>user<|end_header_id|>\n\nhi <b><|eot_id|>"
                   "<|start_header_id|>assistant<|end_header_id|>\n\n"},
        {"gemma", "<s><start_of_turn>user\nhi <b><end_of_turn>\n<start_of_turn>model\n"},
        {"phi3", "<|user|>\nhi <b><|end|>\n<|assistant|>\n"},
        {"phi4", "<|im_start|>user<|im_sep|>hi <b><|im_end|><|im_start|>assistant<|im_sep|>"},
        {"mistral", "<s>[INST] hi <b>[/INST]"},
        {"llama2", "<s>[INST] hi <b> [/INST]"},
        {"zephyr", "<|user|>\nhi <b></s>\n<|assistant|>\n"},
        {"vicuna", "<s>USER: hi <b>\nASSISTANT:"},
        {"deepseek", "<s><｜User｜>hi <b><｜Assistant｜>"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ChatFormKind *kind = chat_form_kinds;
        while (strcmp(kind->name, rows[i].source) != 0) kind++;
        Rendered rendered;
        char *text = render_with(
            kind->text,
            "{\"messages\": [{\"role\": \"user\", \"content\": \"hi <b>\"}],"
            "\"add_generation_prompt\": true, \"bos_token\": \"<s>\", \"eos_token\": \"</s>\"}",
            &rendered);
        assert_string_equal(text, rows[i].text);
        rendered_free(&rendered), free(text);
    }
}

RUN(TEST(forms_write_conversations), TEST(forms_open_the_answer), TEST(rows_of_white_space),
    TEST(rows_of_literals), TEST(rows_of_operators), TEST(rows_of_inside), TEST(rows_of_loops),
    TEST(rows_of_blocks), TEST(rows_of_filters), TEST(rows_of_methods), TEST(rows_of_checks),
    TEST(rows_of_errors), TEST(errors_name_their_line), TEST(all_has_limits),
    TEST(what_is_not_built_in_is_refused), TEST(a_users_text_is_known))
