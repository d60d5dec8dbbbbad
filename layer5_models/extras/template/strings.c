/* strings.c - the methods of strings. */
#include "library.h"

#include "unicode.h"

#include <string.h>

static Value strip(Machine *machine, Value self, const Value *arguments, bool left,
                   bool right) {
    bool plain = !is_given(arguments[0]) || arguments[0].kind == IS_NONE;
    const String *set = plain ? NULL : want_string(machine, arguments[0]);
    return value_string(string_strip(machine, self.string, set, left, right));
}
static Value both_strip(Machine *m, Value self, const Value *a) {
    return strip(m, self, a, true, true);
}
static Value left_strip(Machine *m, Value self, const Value *a) {
    return strip(m, self, a, true, false);
}
static Value right_strip(Machine *m, Value self, const Value *a) {
    return strip(m, self, a, false, true);
}

static Value strings_upper(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, self.string, CASE_UPPER));
}
static Value strings_lower(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, self.string, CASE_LOWER));
}
static Value strings_title(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, self.string, CASE_TITLE));
}
static Value strings_capitalize(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, self.string, CASE_CAPITAL));
}
static Value swapcase(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, self.string, CASE_SWAP));
}

/* ------------------------------------------------------------------ cutting and joining */

static void strings_add_piece(Machine *machine, List *list, const String *s, size_t from,
                              size_t to) {
    list_add(machine, list, value_string(string_slice(machine, s, from, to)));
}

/* Split at white space, also dropping it at the ends. */
static List *split_words(Machine *machine, const String *s, int64_t most) {
    List *list = list_new(machine);
    s = string_strip(machine, s, NULL, true, false);
    while (s->size && machine_work(machine, 1)) {
        size_t at = 0, taken = 0;
        for (uint32_t c; at < s->size && most != 0; at += taken) {
            c = utf8_decode(s->data + at, s->size - at, &taken);
            if (unicode_is_space(c) || (c >= 0x1C && c <= 0x1F)) break;
        }
        if (most == 0) at = s->size;
        strings_add_piece(machine, list, s, 0, at);
        s = string_strip(machine, string_slice(machine, s, at, s->size), NULL, true, false);
        most--;
    }
    return list;
}

static Value split(Machine *machine, Value self, const Value *arguments) {
    int64_t most = want_int(machine, arguments[1], -1);
    const String *s = self.string;
    if (!is_given(arguments[0]) || arguments[0].kind == IS_NONE)
        return value_list(IS_LIST, split_words(machine, s, most));
    const String *mark = want_string(machine, arguments[0]);
    List *list = list_new(machine);
    size_t at = 0;
    if (mark->size == 0) machine_raise(machine, "ValueError", "empty separator");
    for (; most != 0 && machine_work(machine, 1); most--) {
        size_t found = string_find(machine, s, mark, at);
        if (found == NOWHERE) break;
        strings_add_piece(machine, list, s, at, found);
        at = found + mark->size;
    }
    strings_add_piece(machine, list, s, at, s->size);
    return value_list(IS_LIST, list);
}

static size_t find_last(Machine *machine, const String *s, const String *part, size_t end) {
    for (size_t at = end >= part->size ? end - part->size + 1 : 0;
         at > 0 && machine_work(machine, 1); at--)
        if (memcmp(s->data + at - 1, part->data, part->size) == 0) return at - 1;
    return NOWHERE;
}

/* split from the right: the rest is the first piece. */
static Value split_right(Machine *machine, Value self, const Value *arguments) {
    int64_t most = want_int(machine, arguments[1], -1);
    if (most < 0) return split(machine, self, arguments);
    const String *s = self.string, *mark = want_string(machine, arguments[0]);
    List *backwards = list_new(machine), *list = list_new(machine);
    size_t end = s->size;
    if (mark->size == 0) machine_raise(machine, "ValueError", "empty separator");
    for (; most > 0 && !machine->failed; most--) {
        size_t found = find_last(machine, s, mark, end);
        if (found == NOWHERE) break;
        strings_add_piece(machine, backwards, s, found + mark->size, end);
        end = found;
    }
    strings_add_piece(machine, backwards, s, 0, end);
    for (size_t i = backwards->count; i > 0; i--)
        list_add(machine, list, backwards->items[i - 1]);
    return value_list(IS_LIST, list);
}

static Value split_lines(Machine *machine, Value self, const Value *arguments) {
    List *list = list_new(machine);
    const String *s = self.string;
    bool keep = is_given(arguments[0]) && value_true(arguments[0]);
    for (size_t from = 0, at = 0; at < s->size && machine_work(machine, 1); from = at) {
        while (at < s->size && s->data[at] != '\n' && s->data[at] != '\r') at++;
        size_t to = at;
        if (at < s->size)
            at += s->data[at] == '\r' && at + 1 < s->size && s->data[at + 1] == '\n' ? 2 : 1;
        strings_add_piece(machine, list, s, from, keep ? at : to);
    }
    return value_list(IS_LIST, list);
}

static Value strings_partition(Machine *machine, Value self, const Value *arguments) {
    const String *s = self.string, *mark = want_string(machine, arguments[0]);
    List *list = list_new(machine);
    size_t at = string_find(machine, s, mark, 0);
    size_t first = at == NOWHERE ? s->size : at,
           second = at == NOWHERE ? s->size : at + mark->size;
    if (mark->size == 0) machine_raise(machine, "ValueError", "empty separator");
    strings_add_piece(machine, list, s, 0, first);
    strings_add_piece(machine, list, s, first, second);
    strings_add_piece(machine, list, s, second, s->size);
    return value_list(IS_TUPLE, list);
}

static Value strings_join(Machine *machine, Value self, const Value *arguments) {
    const List *items = value_items(machine, arguments[0]);
    Builder builder = {0};
    for (size_t i = 0; i < items->count && !machine->failed; i++) {
        if (items->items[i].kind != IS_STRING)
            machine_raise(machine, "TypeError",
                          "sequence item %zu: expected str instance, %s found", i,
                          type_name(items->items[i]));
        if (i) build_string(machine, &builder, self.string);
        build_str(machine, &builder, items->items[i]);
    }
    return build_value(machine, &builder);
}

static Value strings_replace(Machine *machine, Value self, const Value *arguments) {
    return value_string(string_replace(machine, self.string, want_string(machine, arguments[0]),
                                       want_string(machine, arguments[1]),
                                       want_int(machine, arguments[2], -1)));
}

/* ------------------------------------------------------------------ looking */

static bool has_end(const String *s, const String *part, bool at_end) {
    return part->size <= s->size &&
           memcmp(s->data + (at_end ? s->size - part->size : 0), part->data, part->size) == 0;
}

static Value has_ends(Machine *machine, Value self, const Value *arguments, bool at_end) {
    if (arguments[0].kind != IS_TUPLE)
        return value_bool(has_end(self.string, want_string(machine, arguments[0]), at_end));
    bool found = false;
    for (size_t i = 0; i < arguments[0].list->count; i++)
        found = found ||
                has_end(self.string, want_string(machine, arguments[0].list->items[i]), at_end);
    return value_bool(found);
}
static Value startswith(Machine *m, Value self, const Value *a) {
    return has_ends(m, self, a, false);
}
static Value endswith(Machine *m, Value self, const Value *a) {
    return has_ends(m, self, a, true);
}

static Value remove_prefix(Machine *machine, Value self, const Value *arguments) {
    const String *part = want_string(machine, arguments[0]), *s = self.string;
    return has_end(s, part, false) ? value_string(string_slice(machine, s, part->size, s->size))
                                   : self;
}
static Value remove_suffix(Machine *machine, Value self, const Value *arguments) {
    const String *part = want_string(machine, arguments[0]), *s = self.string;
    return has_end(s, part, true)
               ? value_string(string_slice(machine, s, 0, s->size - part->size))
               : self;
}

/* A byte position in characters; -1: not found. */
static Value strings_place_of(Machine *machine, const String *s, size_t at) {
    if (at == NOWHERE) return value_int(-1);
    return value_int((int64_t)string_length(machine, string_slice(machine, s, 0, at)));
}
static Value strings_find(Machine *machine, Value self, const Value *arguments) {
    return strings_place_of(
        machine, self.string,
        string_find(machine, self.string, want_string(machine, arguments[0]), 0));
}
static Value rfind(Machine *machine, Value self, const Value *arguments) {
    const String *part = want_string(machine, arguments[0]);
    return strings_place_of(machine, self.string,
                            find_last(machine, self.string, part, self.string->size));
}
static Value index_of(Machine *machine, Value self, const Value *arguments) {
    Value at = strings_find(machine, self, arguments);
    if (at.integer < 0) machine_raise(machine, "ValueError", "substring not found");
    return at;
}
static Value count(Machine *machine, Value self, const Value *arguments) {
    const String *part = want_string(machine, arguments[0]);
    int64_t n = 0;
    if (part->size == 0) return value_int((int64_t)string_length(machine, self.string) + 1);
    for (size_t at = 0; (at = string_find(machine, self.string, part, at)) != NOWHERE;
         at += part->size)
        n++;
    return value_int(n);
}

/* Is it non-empty, with all characters of the given kinds? */
static Value all_of(const String *s, bool letters, bool digits, bool spaces) {
    for (size_t at = 0, taken; at < s->size; at += taken) {
        uint32_t c = utf8_decode(s->data + at, s->size - at, &taken);
        unsigned kind = 1u << unicode_category(c);
        if (!((kind & UNICODE_LETTERS && letters) || (kind & UNICODE_NUMBERS && digits) ||
              (unicode_is_space(c) && spaces)))
            return value_bool(false);
    }
    return value_bool(s->size > 0);
}
static Value isdigit_(Machine *m, Value self, const Value *a) {
    return (void)m, (void)a, all_of(self.string, false, true, false);
}
static Value isalpha_(Machine *m, Value self, const Value *a) {
    return (void)m, (void)a, all_of(self.string, true, false, false);
}
static Value isalnum_(Machine *m, Value self, const Value *a) {
    return (void)m, (void)a, all_of(self.string, true, true, false);
}
static Value isspace_(Machine *m, Value self, const Value *a) {
    return (void)m, (void)a, all_of(self.string, false, false, true);
}

/* Is there a letter with two cases, and are all such letters in this one? */
static Value is_case(Machine *machine, const String *s, Case one, Case other) {
    bool same = text_equal(string_text(s), string_text(string_case(machine, s, one)));
    bool differs = !text_equal(string_text(s), string_text(string_case(machine, s, other)));
    return value_bool(same && differs);
}
static Value isupper_(Machine *m, Value self, const Value *a) {
    return (void)a, is_case(m, self.string, CASE_UPPER, CASE_LOWER);
}
static Value islower_(Machine *m, Value self, const Value *a) {
    return (void)a, is_case(m, self.string, CASE_LOWER, CASE_UPPER);
}

/* ------------------------------------------------------------------ filling up */

static Value strings_fill(Machine *machine, const String *s, int64_t left, int64_t right,
                          const String *with) {
    Builder builder = {0};
    for (; left > 0 && machine_work(machine, 1); left--) build_string(machine, &builder, with);
    build_string(machine, &builder, s);
    for (; right > 0 && machine_work(machine, 1); right--)
        build_string(machine, &builder, with);
    return build_value(machine, &builder);
}

static int64_t missing_width(Machine *machine, Value self, const Value *arguments) {
    int64_t length = (int64_t)string_length(machine, self.string),
            wanted = want_int(machine, arguments[0], 0);
    return wanted > length ? wanted - length : 0;
}
static Value ljust(Machine *m, Value self, const Value *a) {
    return strings_fill(m, self.string, 0, missing_width(m, self, a), string_or(m, a[1], " "));
}
static Value rjust(Machine *m, Value self, const Value *a) {
    return strings_fill(m, self.string, missing_width(m, self, a), 0, string_or(m, a[1], " "));
}
static Value strings_center(Machine *m, Value self, const Value *a) {
    int64_t width = missing_width(m, self, a), wanted = want_int(m, a[0], 0);
    int64_t left = width / 2 + (width & wanted & 1);
    return strings_fill(m, self.string, left, width - left, string_or(m, a[1], " "));
}
static Value zfill(Machine *m, Value self, const Value *a) {
    size_t sign =
        self.string->size && strchr("+-", self.string->data[0]) && self.string->data[0];
    Value digits = strings_fill(m, string_slice(m, self.string, sign, self.string->size),
                                missing_width(m, self, a), 0, string_of(m, text_of("0")));
    return strings_fill(m, digits.string, (int64_t)sign, 0,
                        string_slice(m, self.string, 0, sign));
}

/* "{} is {name}".format(a, name=b); a field is only a number or a name. */
static Value field(Machine *machine, Text name, const Value *arguments, size_t *next) {
    size_t index = 0;
    bool number = name.size < 6;
    for (size_t i = 0; i < name.size && number; i++) {
        number = name.data[i] >= '0' && name.data[i] <= '9';
        index = index * 10 + (size_t)(name.data[i] - '0');
    }
    if (number) {
        if (name.size == 0) index = (*next)++;
        if (index < arguments[0].list->count) return arguments[0].list->items[index];
        machine_raise(machine, "IndexError",
                      "Replacement index %zu out of range for positional args tuple", index);
        return value_none();
    }
    const Value *found =
        dict_find(machine, arguments[1].dict, value_string(string_of(machine, name)));
    if (!found)
        machine_raise(machine,
                      memchr(name.data, ':', name.size) || memchr(name.data, '.', name.size)
                          ? "ValueError"
                          : "KeyError",
                      "format(): no argument named '%.*s'", (int)min_size(name.size, 60),
                      name.data);
    return found ? *found : value_none();
}

static Value strings_format(Machine *machine, Value self, const Value *arguments) {
    const String *s = self.string;
    Builder builder = {0};
    size_t next = 0;
    for (size_t at = 0; at < s->size && machine_work(machine, 1); at++) {
        char c = s->data[at];
        bool twice = at + 1 < s->size && s->data[at + 1] == c;
        const char *close = memchr(s->data + at, '}', s->size - at);
        if ((c != '{' && c != '}') || twice) {
            build_string(machine, &builder, string_slice(machine, s, at, at + 1));
            at += (c == '{' || c == '}') && twice;
        } else if (c == '}' || !close) {
            machine_raise(machine, "ValueError", "Single '%c' encountered in format string", c);
        } else {
            Text name = {s->data + at + 1, (size_t)(close - s->data) - at - 1};
            build_str(machine, &builder, field(machine, name, arguments, &next));
            at += name.size + 1;
        }
    }
    return build_value(machine, &builder);
}

const Builtin methods_of_strings[] = {{"split", "sep? maxsplit?", split, NULL},
                                      {"strip", "chars?", both_strip, NULL},
                                      {"lstrip", "chars?", left_strip, NULL},
                                      {"rstrip", "chars?", right_strip, NULL},
                                      {"startswith", "prefix", startswith, NULL},
                                      {"endswith", "suffix", endswith, NULL},
                                      {"replace", "old new count?", strings_replace, NULL},
                                      {"upper", "", strings_upper, NULL},
                                      {"lower", "", strings_lower, NULL},
                                      {"title", "", strings_title, NULL},
                                      {"capitalize", "", strings_capitalize, NULL},
                                      {"swapcase", "", swapcase, NULL},
                                      {"join", "iterable", strings_join, NULL},
                                      {"rsplit", "sep? maxsplit?", split_right, NULL},
                                      {"splitlines", "keepends?", split_lines, NULL},
                                      {"partition", "sep", strings_partition, NULL},
                                      {"removeprefix", "prefix", remove_prefix, NULL},
                                      {"removesuffix", "suffix", remove_suffix, NULL},
                                      {"find", "sub", strings_find, NULL},
                                      {"rfind", "sub", rfind, NULL},
                                      {"index", "sub", index_of, NULL},
                                      {"count", "sub", count, NULL},
                                      {"isdigit", "", isdigit_, NULL},
                                      {"isalpha", "", isalpha_, NULL},
                                      {"isalnum", "", isalnum_, NULL},
                                      {"isspace", "", isspace_, NULL},
                                      {"isupper", "", isupper_, NULL},
                                      {"islower", "", islower_, NULL},
                                      {"ljust", "width fillchar?", ljust, NULL},
                                      {"rjust", "width fillchar?", rjust, NULL},
                                      {"center", "width fillchar?", strings_center, NULL},
                                      {"zfill", "width", zfill, NULL},
                                      {"format", "*", strings_format, NULL},
                                      {0}};
