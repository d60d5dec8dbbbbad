/* accept.c - whole texts: does each belong to the grammar?  See tools.h. */
#include "input.h"
#include "tools.h"
#include "grammar.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

bool check_limits(const Grammar *grammar, Fault *fault) {
    return !grammar_is_exhausted(grammar) ||
           fault_set(fault, "no answer%s", grammar_exceeded(grammar));
}

static bool accept_wrong_line(size_t line, Fault *fault) {
    return fault_set(fault,
                     "line %zu of standard input: wanted a JSON string, or an array of strings "
                     "and token ids",
                     line);
}

/* The row after a text.  Where the grammar wants a token and does not say which, a character
 * is one, of no number: as whatever tokens a model would write it. */
static uint32_t read_string(Grammar *grammar, uint32_t row, Text text) {
    static const char nameless[] = "\xFF\xFF\xFF\xFF";
    for (size_t at = 0; at < text.size && row != GRAMMAR_DEAD;) {
        size_t step = 1;
        while (at + step < text.size && (text.data[at + step] & 0xC0) == 0x80) step++;
        uint32_t next = grammar_read(grammar, row, text.data + at, step);
        row = next ? next : grammar_read(grammar, row, nameless, 4);
        at += step;
    }
    return row;
}

/* The row after a string or a token; false: it is neither. */
static bool accept_read_part(Grammar *grammar, const JsonValue *part, size_t tokens,
                             uint32_t *row) {
    char *end, number[24];
    if (part->kind == JSON_STRING) return *row = read_string(grammar, *row, part->text), true;
    if (part->kind != JSON_NUMBER || part->text.size >= sizeof number) return false;
    memcpy(number, part->text.data, part->text.size), number[part->text.size] = 0;
    long id = strtol(number, &end, 10);
    if (*end || id < 0 || id >= (long)(tokens ? tokens : 1 << 24)) return false;
    return *row = grammar_take(grammar, *row, (int32_t)id), true;
}

static bool accept_line(Grammar *grammar, const JsonValue *value, size_t tokens, size_t line,
                        Fault *fault) {
    uint32_t row = grammar_begin(grammar);
    bool array = value->kind == JSON_ARRAY, ok = array || value->kind == JSON_STRING;
    if (!array) ok = ok && accept_read_part(grammar, value, tokens, &row);
    for (size_t i = 0; array && ok && i < value->count; i++)
        ok = accept_read_part(grammar, &value->items[i], tokens, &row);
    if (!ok) return accept_wrong_line(line, fault);
    if (!check_limits(grammar, fault)) return false;
    puts(grammar_is_complete(grammar, row) ? "1" : "0");
    return true;
}

bool accept_lines(Grammar *grammar, size_t tokens, Fault *fault) {
    size_t size;
    char *bytes = read_standard_input(&size, fault);
    bool ok = bytes != NULL;
    Text rest = {bytes, size};
    for (size_t number = 1; ok && rest.size > 0; number++) {
        Text line = text_cut(&rest, '\n');
        if (!text_trim(line).size) continue;
        Json *json = json_read(line, NULL);
        ok = json ? accept_line(grammar, json_root(json), tokens, number, fault)
                  : accept_wrong_line(number, fault);
        json_free(json);
    }
    free(bytes);
    return ok;
}
