/* fuzz_template.c - damaged chat templates: fuzz_template [CASES [FIRST]]
 *
 * A good template is mangled: bytes changed, pieces cut, doubled, moved and taken from another one.  Either it is
 * refused with a line and a sentence, or it gives a text; twice the same; and a mark for each byte.
 *
 * Case N is the same on every machine: `fuzz_template 1 N` runs it alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models_extras.h"
#include "template_rows.h"

enum { SOURCE = 2000 };

static struct {
    size_t number, size, rendered, refused;
    char source[SOURCE + 1];
    Rng rng;
    Json *input;
} f;

static _Noreturn void fail(const char *what) {
    printf("case %zu: %s, in\n%.*s\n", f.number, what, (int)f.size, f.source);
    exit(1);
}

#define EXPECT(condition)                   \
    do {                                    \
        if (!(condition)) fail(#condition); \
    } while (0)

static size_t below(size_t n) { return rng_below(&f.rng, n); }

/* ------------------------------------------------------------------ sources */

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *any_source(void) {
    static const struct {
        const Row *rows;
        size_t count;
    } groups[] = {{white_space, COUNT(white_space)},
                  {literals, COUNT(literals)},
                  {operators, COUNT(operators)},
                  {inside, COUNT(inside)},
                  {loops, COUNT(loops)},
                  {blocks, COUNT(blocks)},
                  {filters, COUNT(filters)},
                  {methods, COUNT(methods)},
                  {checks, COUNT(checks)},
                  {errors, COUNT(errors)}};
    size_t group = below(COUNT(groups));
    return groups[group].rows[below(groups[group].count)].source;
}

static void insert(const char *bytes, size_t size, size_t at) {
    if (f.size + size > SOURCE) return;
    memmove(f.source + at + size, f.source + at, f.size - at);
    memcpy(f.source + at, bytes, size);
    f.size += size;
}

static void cut(size_t at, size_t size) {
    memmove(f.source + at, f.source + at + size, f.size - at - size);
    f.size -= size;
}

static void mangle(void) {
    static const char *const words[] = {"{{",
                                        "}}",
                                        "{%",
                                        "%}",
                                        "{#",
                                        "#}",
                                        "-",
                                        "|",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "'",
                                        "\"",
                                        "not ",
                                        " in ",
                                        " is ",
                                        "loop",
                                        "0",
                                        "-1",
                                        "99999999999999999999",
                                        "1e999",
                                        "nope",
                                        "none",
                                        "\\",
                                        "{}",
                                        ":",
                                        ",",
                                        "\xC3",
                                        "\xF0\x9F\x99\x82",
                                        "**",
                                        "~",
                                        "%s",
                                        "range(9)",
                                        "|list",
                                        "|tojson(indent=2)",
                                        ".items()",
                                        "{% if x %}",
                                        "{% endif %}",
                                        "{% for x in l %}",
                                        "{% endfor %}",
                                        "d",
                                        "l",
                                        "t"};
    size_t at = f.size ? below(f.size) : 0,
           size = f.size ? below(f.size - at < 30 ? f.size - at : 30) : 0;
    char piece[32];
    const char *other = any_source(), *word = words[below(COUNT(words))];
    switch (below(6)) {
    case 0:
        if (f.size) f.source[at] = (char)below(256);
        break;
    case 1: cut(at, size); break;
    case 2:
        memcpy(piece, f.source + at, size);
        insert(piece, size, f.size ? below(f.size) : 0);
        break;
    case 3: insert(other, strlen(other), at); break;
    default: insert(word, strlen(word), at); break;
    }
}

/* ------------------------------------------------------------------ a case */

static void try_source(void) {
    struct tm now = {.tm_year = 126, .tm_mon = 6, .tm_mday = 26};
    Fault fault = {"?"};
    Rendered first, second;
    char *copy = malloc(f.size ? f.size : 1); /* what is read beyond it is noticed */
    memcpy(copy, f.source, f.size);
    Template *tree = template_read((Text){copy, f.size}, &fault);
    free(copy);
    bool ok = tree && template_render(tree, json_root(f.input), &now, &first, &fault);
    if (!ok) {
        EXPECT(strncmp(fault.text, "line ", 5) == 0 && strstr(fault.text, ": "));
        f.refused++;
    } else {
        EXPECT(template_render(tree, json_root(f.input), &now, &second, &fault));
        EXPECT(first.size == second.size && memcmp(first.text, second.text, first.size) == 0);
        for (size_t i = 0; i < first.size; i++)
            EXPECT(first.user[i] <= 1 && first.user[i] == second.user[i]);
        rendered_free(&first), rendered_free(&second);
        f.rendered++;
    }
    template_free(tree);
}

static void run_case(size_t number) {
    f.number = number;
    f.rng = (Rng){7, number, 0};
    const char *source = any_source();
    f.size = strlen(source);
    memcpy(f.source, source, f.size);
    for (size_t n = below(8); n > 0; n--) mangle();
    try_source();
}

int main(int argc, char **argv) {
    size_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000,
           from = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    Fault fault;
    f.input = json_read(
        text_of("{\"d\": {\"a\": 1, \"b c\": [true], \"items\": \"mine\"}, \"l\": [1, 2, 3],"
                "\"t\": [{\"n\": \"x\", \"c\": [{\"n\": \"y\"}]}, {\"n\": \"z\"}]}"),
        &fault);
    for (size_t i = 0; i < cases; i++) run_case(from + i);
    json_free(f.input);
    printf("%zu templates: %zu gave a text, %zu were refused\n", cases, f.rendered, f.refused);
    return 0;
}
