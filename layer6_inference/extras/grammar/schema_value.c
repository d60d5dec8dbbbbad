/* schema_value.c - the texts of one given value.  See schema.h. */
#include "schema.h"
#include "number.h"
#include "unicode.h"
#include "utf8.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Has a number a part behind the point when it is written out? */
static bool is_fraction(Text number) {
    Decimal d;
    const bool short_form = !memchr(number.data, '.', number.size) &&
                            !memchr(number.data, 'e', number.size) &&
                            !memchr(number.data, 'E', number.size);
    return !short_form && decimal_read(&d, number) && d.part_count > 0;
}

uint32_t schema_type_of(const JsonValue *value) {
    switch (value->kind) {
    case JSON_NULL: return TYPE_BIT_NULL;
    case JSON_FALSE:
    case JSON_TRUE: return TYPE_BIT_BOOLEAN;
    case JSON_STRING: return TYPE_BIT_STRING;
    case JSON_ARRAY: return TYPE_BIT_ARRAY;
    case JSON_OBJECT: return TYPE_BIT_OBJECT;
    case JSON_NUMBER: break;
    }
    return is_fraction(value->text) ? TYPE_BIT_FRACTION : TYPE_BIT_INTEGER;
}

bool schema_equal(const JsonValue *a, const JsonValue *b) {
    Decimal x, y;
    if (a->kind != b->kind) return false;
    if (a->kind == JSON_STRING) return text_equal(a->text, b->text);
    if (a->kind == JSON_NUMBER)
        return decimal_read(&x, a->text) && decimal_read(&y, b->text)
                   ? decimal_compare(&x, &y) == 0
                   : text_equal(a->text, b->text);
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const JsonValue *other =
            a->kind == JSON_OBJECT ? json_find(b, a->keys[i]) : &b->items[i];
        if (!other || !schema_equal(&a->items[i], other)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ strings */

/* JSON's short escape of a character; 0: none. */
static char escape_letter(uint32_t c) {
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *place = c && c < 0x80 ? strchr(escaped, (int)c) : NULL;
    return place ? letters[place - escaped] : 0;
}

/* A character of a given string: ASCII in its usual spelling, others literally or as \uHHHH. */
static Expr given_char(Schema *s, uint32_t c) {
    char text[2] = {'\\', escape_letter(c)};
    if (text[1]) return expr_text(s->exprs, text, 2);
    return c < 0x20 || c >= 0x80 ? char_json(s->exprs, c) : expr_byte(s->exprs, (uint8_t)c);
}

static Expr spell(Schema *s, Text text, Expr (*write)(Schema *, uint32_t)) {
    size_t count = 0, taken;
    uint32_t *chars = malloc((text.size + 1) * sizeof *chars);
    NEED_MEMORY(chars, "a schema");
    for (size_t at = 0; at < text.size; at += taken)
        chars[count++] = utf8_decode(text.data + at, text.size - at, &taken);
    Expr e = EXPR_EMPTY;
    while (count > 0) e = expr_cat(s->exprs, write(s, chars[--count]), e);
    free(chars);
    return e;
}

static Expr any_spelling(Schema *s, uint32_t c) { return char_json(s->exprs, c); }

/* Goals share keys: cached, one string per hash slot. */
Expr schema_every_spelling(Schema *s, Text text) {
    size_t place = ((uintptr_t)text.data ^ (uintptr_t)text.data >> 9) % SCHEMA_SPELLED;
    SpelledText *kept = &s->spelled[place];
    if (!kept->text.data || kept->text.data != text.data || kept->text.size != text.size)
        *kept = (SpelledText){text, spell(s, text, any_spelling)};
    return kept->expr;
}

Expr schema_given_string(Schema *s, Text text, bool quotes) {
    Expr inside = spell(s, text, given_char), quote = expr_byte(s->exprs, '"');
    if (!quotes) return inside;
    return expr_cat(s->exprs, quote, expr_cat(s->exprs, inside, quote));
}

/* ------------------------------------------------------------------ numbers */

/* A number written out if short (1e2 is 100), with optional trailing zeros (1.50). */
static Expr given_number(Schema *s, Text text) {
    Decimal d;
    char digits[2 * NUMBER_DIGITS + 8];
    Expr zeros = expr_repeat(s->exprs, expr_byte(s->exprs, '0'), 0, EXPR_FOREVER);
    if (!decimal_read(&d, text) || d.whole_count + d.part_count > 40)
        return expr_text(s->exprs, text.data, text.size);
    snprintf(digits, sizeof digits, "%s%.*s%s%.*s", d.negative ? "-" : "", d.whole_count,
             d.whole, d.part_count ? "." : "", d.part_count, d.part);
    Expr plain = expr_text(s->exprs, digits, strlen(digits)), more;
    if (d.part_count)
        more = zeros;
    else
        more = expr_optional(s->exprs, expr_cat(s->exprs, expr_text(s->exprs, ".0", 2), zeros));
    return expr_cat(s->exprs, plain, more);
}

/* ------------------------------------------------------------------ all */

static Expr given_list(Schema *s, const JsonValue *value) {
    bool object = value->kind == JSON_OBJECT;
    ExprStore *x = s->exprs;
    Expr e = expr_byte(x, object ? '}' : ']');
    e = expr_cat(x, s->options.space == JSON_SPACE_FREE ? s->space : EXPR_EMPTY, e);
    for (size_t i = value->count; i > 0; i--) {
        e = expr_cat(x, schema_value(s, &value->items[i - 1]), e);
        if (object) {
            Expr colon = expr_cat(x, expr_byte(x, ':'), s->space);
            if (s->options.space == JSON_SPACE_FREE) colon = expr_cat(x, s->space, colon);
            e = expr_cat(x, schema_given_string(s, value->keys[i - 1], true),
                         expr_cat(x, colon, e));
        }
        Expr before = i > 1 ? expr_cat(x, expr_byte(x, ','), s->space) : EXPR_EMPTY;
        if (s->options.space == JSON_SPACE_FREE) before = expr_cat(x, s->space, before);
        e = expr_cat(x, before, e);
    }
    return expr_cat(x, expr_byte(x, object ? '{' : '['), e);
}

Expr schema_value(Schema *s, const JsonValue *value) {
    switch (value->kind) {
    case JSON_NULL: return expr_text(s->exprs, "null", 4);
    case JSON_FALSE: return expr_text(s->exprs, "false", 5);
    case JSON_TRUE: return expr_text(s->exprs, "true", 4);
    case JSON_NUMBER: return given_number(s, value->text);
    case JSON_STRING: return schema_given_string(s, value->text, true);
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return given_list(s, value);
}

/* ------------------------------------------------------------------ is it what it seems? */

static bool is_utf8(Text text) { return utf8_whole(text) == text.size; }

bool schema_check_text(Schema *s, const JsonValue *value) {
    bool ok = value->kind != JSON_STRING || is_utf8(value->text);
    for (size_t i = 0; ok && i < value->count && value->kind == JSON_OBJECT; i++)
        ok = is_utf8(value->keys[i]);
    if (!ok) return schema_refuse(s, value, NULL, "a text here is not UTF-8");
    if (value->repeated.data)
        return schema_refuse(s, value, NULL, "a key is written twice here");
    for (size_t i = 0; ok && i < value->count; i++) ok = schema_check_text(s, &value->items[i]);
    return ok;
}

/* ------------------------------------------------------------------ one text */

static void schema_value_put(SchemaText *out, const char *bytes, size_t size) {
    NEED_MEMORY(GROW(out->bytes, out->room, out->size + size), "a schema");
    if (size) memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void put_string(SchemaText *out, Text text) {
    schema_value_put(out, "\"", 1);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        char escape[8];
        if (escape_letter(c))
            snprintf(escape, sizeof escape, "\\%c", escape_letter(c));
        else if (c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", c);
        else
            snprintf(escape, sizeof escape, "%c", c);
        schema_value_put(out, escape, strlen(escape));
    }
    schema_value_put(out, "\"", 1);
}

static void schema_value_put_number(SchemaText *out, Text text) {
    Decimal d;
    if (!decimal_read(&d, text)) {
        schema_value_put(out, text.data, text.size);
        return;
    }
    if (d.negative) schema_value_put(out, "-", 1);
    schema_value_put(out, d.whole, d.whole_count);
    if (d.part_count) schema_value_put(out, ".", 1);
    schema_value_put(out, d.part, d.part_count);
}

void schema_write(SchemaText *out, const JsonValue *value) {
    bool object = value->kind == JSON_OBJECT;
    switch (value->kind) {
    case JSON_NULL: schema_value_put(out, "null", 4); return;
    case JSON_FALSE: schema_value_put(out, "false", 5); return;
    case JSON_TRUE: schema_value_put(out, "true", 4); return;
    case JSON_NUMBER: schema_value_put_number(out, value->text); return;
    case JSON_STRING: put_string(out, value->text); return;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    schema_value_put(out, object ? "{" : "[", 1);
    for (size_t i = 0; i < value->count; i++) {
        if (i) schema_value_put(out, ",", 1);
        if (object) put_string(out, value->keys[i]), schema_value_put(out, ":", 1);
        schema_write(out, &value->items[i]);
    }
    schema_value_put(out, object ? "}" : "]", 1);
}
