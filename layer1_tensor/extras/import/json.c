/* json.c - a recursive descent parser.  See json.h. */
#include "json.h"
#include "grow.h"
#include "region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Json {
    Region region;
    JsonValue root;
};

typedef struct Reader {
    Json *json;
    const char *begin, *at, *end;
    int depth;
    size_t *left; /* values that may follow */
    Fault *fault;
} Reader;

static bool json_wrong(const Reader *r, const char *wanted) {
    size_t line = 1;
    const char *line_begin = r->begin;
    for (const char *c = r->begin; c < r->at; c++)
        if (*c == '\n') line++, line_begin = c + 1;
    char found[32] = "the end";
    long rest = r->end - r->at;
    if (rest > 0) snprintf(found, sizeof found, "'%.*s'", rest < 12 ? (int)rest : 12, r->at);
    return fault_set(r->fault, "JSON, line %zu, column %ld: wanted %s, got %s", line,
                     (long)(r->at - line_begin) + 1, wanted, found);
}

static void json_skip_space(Reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

static bool json_take_char(Reader *r, char c) {
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

/* ------------------------------------------------------------------ strings */

static bool take_hex4(Reader *r, uint32_t *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;
        int digit = digit_value(c);
        if (digit > 15) return json_wrong(r, "four hexadecimal digits");
        *unit = *unit * 16 + (uint32_t)digit;
    }
    return true;
}

static size_t put_utf8(uint32_t c, char *out) {
    if (c < 0x80) return out[0] = (char)c, 1;
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 63));
    static const unsigned char mark[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(mark[size] | c);
    return size;
}

static bool json_take_escape(Reader *r, char *out, size_t *size) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t unit, low;
    char kind = r->at < r->end ? *r->at : 0;
    const char *letter = kind ? strchr(letters, kind) : NULL;
    if (letter) return r->at++, out[(*size)++] = meant[letter - letters], true;
    if (kind != 'u')
        return json_wrong(r, "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uHHHH");
    r->at++;
    if (!take_hex4(r, &unit)) return false;
    if (unit >= 0xD800 && unit < 0xDC00) {
        if (!json_take_char(r, '\\') || !json_take_char(r, 'u'))
            return json_wrong(r, "\\u and the other half of a pair of surrogates");
        if (!take_hex4(r, &low)) return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return r->at -= 4,
                   json_wrong(r, "the other half of a pair of surrogates (DC00 to DFFF)");
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    } else if (unit >= 0xDC00 && unit <= 0xDFFF) {
        return r->at -= 4,
               json_wrong(
                   r, "the first half of a pair of surrogates (D800 to DBFF) before this one");
    }
    *size += put_utf8(unit, out + *size);
    return true;
}

/* After the opening quote.  The result is never longer than the source. */
static bool take_string(Reader *r, Text *text) {
    const char *c = r->at;
    while (c < r->end && *c != '"') c += *c == '\\' && r->end - c > 1 ? 2 : 1;
    char *out = region_alloc(&r->json->region, (size_t)(c - r->at) + 1);
    size_t size = 0;
    if (!out) return fault_set(r->fault, "JSON: no memory for a string");
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return json_wrong(r,
                              "no control character inside a string (\\n, \\t are written so)");
        if (json_take_char(r, '\\')) {
            if (!json_take_escape(r, out, &size)) return false;
        } else {
            out[size++] = *r->at++;
        }
    }
    *text = (Text){out, size};
    return json_take_char(r, '"') || json_wrong(r, "the closing \" of a string");
}

/* ------------------------------------------------------------------ numbers and words */

static size_t json_digits(Reader *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return (size_t)(r->at - from);
}

static bool json_take_number(Reader *r, JsonValue *value) {
    const char *from = r->at;
    json_take_char(r, '-');
    if (!json_take_char(r, '0') && json_digits(r) == 0) return json_wrong(r, "a digit");
    if (json_take_char(r, '.') && json_digits(r) == 0)
        return json_wrong(r, "a digit after the point");
    if (json_take_char(r, 'e') || json_take_char(r, 'E')) {
        if (!json_take_char(r, '+')) json_take_char(r, '-');
        if (json_digits(r) == 0) return json_wrong(r, "a digit of the exponent");
    }
    size_t size = (size_t)(r->at - from);
    char *copy = region_alloc(&r->json->region, size);
    if (!copy) return fault_set(r->fault, "JSON: no memory for a number");
    memcpy(copy, from, size);
    *value = (JsonValue){.kind = JSON_NUMBER, .text = {copy, size}};
    return true;
}

static bool json_take_word(Reader *r, const char *word) {
    size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) return false;
    r->at += size;
    return true;
}

/* ------------------------------------------------------------------ arrays and objects */

static bool take_value(Reader *r, JsonValue *value);

/* The members of an array or object being parsed. */
typedef struct Members {
    JsonValue *items;
    Text *keys;
    size_t count, room;
    Text repeated;
} Members;

static bool member_room(Reader *r, Members *m, bool object) {
    size_t before = m->room;
    return ((!object || GROW(m->keys, before, m->count + 1)) &&
            GROW(m->items, m->room, m->count + 1)) ||
           fault_set(r->fault, "JSON: no memory for %zu values", m->count + 1);
}

static bool take_member(Reader *r, Members *m, bool object) {
    if (!member_room(r, m, object)) return false;
    json_skip_space(r);
    if (object) {
        if (!json_take_char(r, '"')) return json_wrong(r, "a key in quotes");
        if (!take_string(r, &m->keys[m->count])) return false;
        json_skip_space(r);
        if (!json_take_char(r, ':')) return json_wrong(r, "a colon after the key");
    }
    if (!take_value(r, &m->items[m->count])) return false;
    m->count++;
    json_skip_space(r);
    return true;
}

/* A key and its index among the members. */
typedef struct Placed {
    Text key;
    size_t at;
} Placed;

static int by_key(const void *x, const void *y) {
    const Placed *a = x, *b = y;
    int order = text_order(a->key, b->key);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Of equal keys keep the last. */
static bool drop_equal_keys(Reader *r, Members *m) {
    Placed *placed = malloc((m->count + 1) * sizeof *placed);
    bool *dropped = calloc(m->count + 1, 1);
    size_t kept = 0;
    for (size_t i = 0; placed && i < m->count; i++) placed[i] = (Placed){m->keys[i], i};
    if (placed) qsort(placed, m->count, sizeof *placed, by_key);
    for (size_t i = 0; placed && dropped && i + 1 < m->count; i++)
        if (text_equal(placed[i].key, placed[i + 1].key))
            dropped[placed[i].at] = true, m->repeated = placed[i].key;
    for (size_t i = 0; placed && dropped && i < m->count; i++)
        if (!dropped[i]) m->keys[kept] = m->keys[i], m->items[kept++] = m->items[i];
    bool ok = placed && dropped;
    if (ok) m->count = kept;
    free(placed), free(dropped);
    return ok || fault_set(r->fault, "JSON: no memory for %zu keys", m->count);
}

static bool keep_members(Reader *r, const Members *m, JsonValue *value, bool object) {
    JsonValue *items = region_alloc(&r->json->region, m->count * sizeof *items);
    Text *keys = object ? region_alloc(&r->json->region, m->count * sizeof *keys) : NULL;
    if (!items || (object && !keys))
        return fault_set(r->fault, "JSON: no memory for %zu values", m->count);
    if (m->count) memcpy(items, m->items, m->count * sizeof *items);
    if (m->count && object) memcpy(keys, m->keys, m->count * sizeof *keys);
    *value = (JsonValue){.kind = object ? JSON_OBJECT : JSON_ARRAY,
                         .count = m->count,
                         .items = items,
                         .keys = keys,
                         .repeated = m->repeated};
    return true;
}

/* After the opening bracket. */
static bool take_members(Reader *r, JsonValue *value, bool object) {
    Members m = {0};
    char close = object ? '}' : ']';
    if (++r->depth > JSON_DEPTH)
        return json_wrong(r, "fewer values inside each other (500 at most)");
    json_skip_space(r);
    bool ok = true, more = !json_take_char(r, close);
    while (ok && more) {
        ok = take_member(r, &m, object);
        more = ok && json_take_char(r, ',');
        if (ok && !more)
            ok = json_take_char(r, close) ||
                 json_wrong(r, object ? "a comma or }" : "a comma or ]");
    }
    ok = ok && (!object || m.count < 2 || drop_equal_keys(r, &m));
    ok = ok && keep_members(r, &m, value, object);
    free(m.items), free(m.keys);
    r->depth--;
    return ok;
}

static bool take_any(Reader *r, JsonValue *value) {
    *value = (JsonValue){.kind = JSON_STRING};
    if (json_take_char(r, '"')) return take_string(r, &value->text);
    if (json_take_char(r, '{')) return take_members(r, value, true);
    if (json_take_char(r, '[')) return take_members(r, value, false);
    value->kind = JSON_NULL;
    if (json_take_word(r, "null")) return true;
    value->kind = JSON_TRUE;
    if (json_take_word(r, "true")) return true;
    value->kind = JSON_FALSE;
    if (json_take_word(r, "false")) return true;
    if (r->at < r->end && (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')))
        return json_take_number(r, value);
    return json_wrong(r, "a value");
}

static bool take_value(Reader *r, JsonValue *value) {
    json_skip_space(r);
    if (*r->left == 0) return json_wrong(r, "no more values: there are too many");
    --*r->left;
    size_t place = (size_t)(r->at - r->begin);
    bool ok = take_any(r, value);
    value->place = place;
    return ok;
}

Json *json_read(Text text, Fault *fault) {
    size_t left = SIZE_MAX;
    return json_read_some(text, &left, fault);
}

Json *json_read_some(Text text, size_t *left, Fault *fault) {
    Json *json = calloc(1, sizeof *json);
    if (!json) {
        fault_set(fault, "JSON: no memory for a text");
        return NULL;
    }
    Reader r = {json, text.data, text.data, text.data + text.size, 0, left, fault};
    bool ok = take_value(&r, &json->root);
    json_skip_space(&r);
    if (ok && r.at < r.end) ok = json_wrong(&r, "nothing after the value");
    if (ok) return json;
    json_free(json);
    return NULL;
}

void json_free(Json *json) {
    if (!json) return;
    region_free(&json->region);
    free(json);
}

const JsonValue *json_root(const Json *json) { return &json->root; }

JsonValue json_string(Text text) { return (JsonValue){.kind = JSON_STRING, .text = text}; }

Text json_text(const JsonValue *value) {
    return value && value->kind == JSON_STRING ? value->text : (Text){"", 0};
}

const JsonValue *json_find(const JsonValue *object, Text key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (size_t i = object->count; i > 0; i--)
        if (text_equal(object->keys[i - 1], key)) return &object->items[i - 1];
    return NULL;
}

const JsonValue *json_get(const JsonValue *object, const char *key) {
    return json_find(object, text_of(key));
}
