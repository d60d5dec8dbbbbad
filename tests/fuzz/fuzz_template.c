/* fuzz_template.c - damaged chat templates: fuzz_template [CASES [FIRST]]
 *
 * A good template is mangled: bytes changed, pieces cut, doubled, moved and taken from another one.  Either it is
 * refused with a line and a sentence, or it gives a text; twice the same; and a mark for each byte.
 *
 * Case N is the same on every machine: `fuzz_template 1 N` runs it alone. */
#include "models_extras.h"
#include "template_rows.h"

enum { SOURCE = 2000 };

#include "mangle.h"

static struct {
    size_t rendered, refused;
    Json *input;
} all;

/* ------------------------------------------------------------------ sources */

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

static const char bad_words[] =
    "{{ }} {% %} {# #} - | ( ) [ ] ' \" not_ _in_ _is_ loop 0 -1 "
    "99999999999999999999 1e999 nope none \\ {} : , \xC3 \xF0\x9F\x99\x82 ** ~ %s "
    "range(9) |list |tojson(indent=2) .items() {%_if_x_%} {%_endif_%} "
    "{%_for_x_in_l_%} {%_endfor_%} d l t";

/* ------------------------------------------------------------------ a case */

static void try_source(void) {
    struct tm now = {.tm_year = 126, .tm_mon = 6, .tm_mday = 26};
    Fault fault = {"?"};
    Rendered first, second;
    char *copy = malloc(f.size ? f.size : 1); /* what is read beyond it is noticed */
    memcpy(copy, f.bytes, f.size);
    Template *tree = template_read((Text){copy, f.size}, &fault);
    free(copy);
    bool ok = tree && template_render(tree, json_root(all.input), &now, &first, &fault);
    if (!ok) {
        EXPECT(strncmp(fault.text, "line ", 5) == 0 && strstr(fault.text, ": "));
        all.refused++;
    } else {
        EXPECT(template_render(tree, json_root(all.input), &now, &second, &fault));
        EXPECT(first.size == second.size && memcmp(first.text, second.text, first.size) == 0);
        for (size_t i = 0; i < first.size; i++)
            EXPECT(first.user[i] <= 1 && first.user[i] == second.user[i]);
        rendered_free(&first), rendered_free(&second);
        all.rendered++;
    }
    template_free(tree);
}

static void run_case(size_t number) {
    begin_case(number);
    Text good = text_of(any_source());
    put(good.data, good.size);
    for (size_t n = below(8); n > 0; n--) mangle(bad_words, text_of(any_source()));
    try_source();
}

int main(int argc, char **argv) {
    size_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000,
           from = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    Fault fault;
    all.input = json_read(
        text_of("{\"d\": {\"a\": 1, \"b c\": [true], \"items\": \"mine\"}, \"l\": [1, 2, 3],"
                "\"t\": [{\"n\": \"x\", \"c\": [{\"n\": \"y\"}]}, {\"n\": \"z\"}]}"),
        &fault);
    for (size_t i = 0; i < cases; i++) run_case(from + i);
    json_free(all.input);
    printf("%zu templates: %zu gave a text, %zu were refused\n", cases, all.rendered,
           all.refused);
    return 0;
}
