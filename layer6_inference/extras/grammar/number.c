/* number.c - bounds and divisors, digit by digit.  See number.h. */
#include "number.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ decimals */

/* Digits of the text without the point, and how many precede it. */
typedef struct Digits {
    char digit[2 * NUMBER_DIGITS];
    long count, before;
} Digits;

static bool read_digits(Text text, Digits *d, bool *negative) {
    size_t i = 0;
    bool point = false;
    *negative = i < text.size && text.data[i] == '-' && ++i;
    for (; i < text.size && text.data[i] != 'e' && text.data[i] != 'E'; i++) {
        if (text.data[i] == '.') {
            point = true;
            continue;
        }
        if (d->count == NUMBER_DIGITS) return false;
        d->digit[d->count++] = text.data[i];
        d->before += !point;
    }
    if (i == text.size) return true;
    char exponent[24] = "";
    if (text.size - i - 1 >= sizeof exponent) return false;
    memcpy(exponent, text.data + i + 1, text.size - i - 1);
    d->before += strtol(exponent, NULL, 10);
    return true;
}

bool decimal_read(Decimal *decimal, Text text) {
    Digits d; /* written before they are read: zeroing 800 digits took most of the time */
    d.count = d.before = 0;
    decimal->negative = false, decimal->whole_count = decimal->part_count = 0;
    if (!read_digits(text, &d, &decimal->negative)) return false;
    long first = 0, last = d.count;
    while (first < last && d.digit[first] == '0') first++;
    while (last > first && d.digit[last - 1] == '0') last--;
    if (first == last) { /* zero has no sign */
        decimal->negative = false, decimal->whole_count = 1, decimal->whole[0] = '0';
        return true;
    }
    long whole = d.before - first, part = last - d.before;
    if (whole > NUMBER_DIGITS || part > NUMBER_DIGITS) return false;
    for (long i = 0; i < whole; i++)
        decimal->whole[i] = first + i < last ? d.digit[first + i] : '0';
    for (long i = 0; i < part; i++) {
        long at = d.before + i;
        decimal->part[i] = at >= first ? d.digit[at] : '0';
    }
    decimal->whole_count = (uint16_t)(whole > 0 ? whole : 1);
    decimal->part_count = (uint16_t)(part > 0 ? part : 0);
    if (whole <= 0) decimal->whole[0] = '0';
    return true;
}

static int compare_magnitudes(const Decimal *a, const Decimal *b) {
    if (a->whole_count != b->whole_count) return a->whole_count < b->whole_count ? -1 : 1;
    int whole = memcmp(a->whole, b->whole, a->whole_count);
    if (whole) return whole < 0 ? -1 : 1;
    uint16_t common = a->part_count < b->part_count ? a->part_count : b->part_count;
    int part = memcmp(a->part, b->part, common);
    if (part) return part < 0 ? -1 : 1;
    return (a->part_count > b->part_count) - (a->part_count < b->part_count);
}

int decimal_compare(const Decimal *a, const Decimal *b) {
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = compare_magnitudes(a, b);
    return a->negative ? -order : order;
}

/* ------------------------------------------------------------------ multiples */

bool number_multiple(NumberTest *test, const Decimal *of) {
    uint64_t divisor = 0;
    if (of->negative || of->whole_count + of->part_count > 47 || of->part_count > 40)
        return false;
    for (int i = 0; i < of->whole_count + of->part_count; i++) {
        char digit = i < of->whole_count ? of->whole[i] : of->part[i - of->whole_count];
        divisor = divisor * 10 + (uint64_t)(digit - '0');
        if (divisor > 9999999) return false;
    }
    *test = (NumberTest){
        .relation = NUMBER_MULTIPLE, .divisor = (uint32_t)divisor, .shift = of->part_count};
    return divisor > 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

bool number_common(NumberTest *test, const NumberTest *other) {
    const uint64_t most = 1000000000;
    uint64_t a = test->divisor, b = other->divisor;
    uint32_t shift = test->shift > other->shift ? test->shift : other->shift;
    for (uint32_t i = test->shift; i < shift && a <= most; i++) a *= 10;
    for (uint32_t i = other->shift; i < shift && b <= most; i++) b *= 10;
    if (a > most || b > most) return false;
    uint64_t both = a / common_divisor(a, b) * b;
    if (both * (shift + 2) >= NUMBER_NEVER) return false;
    test->divisor = (uint32_t)both, test->shift = shift;
    return true;
}

/* After `rest`, k digits can reach any of 10^k consecutive remainders: the smallest k that
 * covers 0, before the point; after it, the fraction digits left. */
int number_hint(const NumberTest *t, uint32_t state) {
    uint32_t place = state % (t->shift + 2), left = place ? t->shift + 1 - place : 1;
    uint64_t rest = state / (t->shift + 2), divisor = t->divisor, scale = 1, missing;
    for (uint32_t i = 0; !place && i < t->shift; i++) /* the fraction will be zeros */
        divisor /= common_divisor(divisor, 10);
    if (t->relation != NUMBER_MULTIPLE || left == 0 || left > 9) return -1;
    for (uint32_t i = 0; i < left; i++) scale *= 10;
    for (;; scale *= 10) {
        missing = (divisor - rest % divisor * scale % divisor) % divisor;
        if (missing < scale) break;
        if (place) return -1;
    }
    return (int)('0' + missing / (scale / 10));
}

/* State: the remainder, and the position: 0 before the point, 1 + n after n fraction digits. */
static uint32_t step_multiple(const NumberTest *t, uint32_t state, uint8_t byte) {
    uint32_t place = state % (t->shift + 2), rest = state / (t->shift + 2);
    if (byte == '-') return state;
    if (byte == '.')
        place = 1;
    else if (place == t->shift + 1)
        return byte == '0' ? state : NUMBER_NEVER;
    else
        rest = (uint32_t)(((uint64_t)rest * 10 + (byte - '0')) % t->divisor),
        place += place > 0;
    return rest * (t->shift + 2) + place;
}

static bool is_multiple(const NumberTest *t, uint32_t state) {
    uint32_t place = state % (t->shift + 2);
    uint64_t rest = state / (t->shift + 2);
    for (uint32_t digits = place ? place - 1 : 0; digits < t->shift; digits++)
        rest = rest * 10 % t->divisor;
    return rest == 0;
}

/* ------------------------------------------------------------------ comparisons */

/* State of a comparison: |x| against |bound| over the digits read. */
typedef struct Compared {
    bool negative, in_part, nonzero;
    int order;      /* -1, 0, 1 for the digits so far */
    uint32_t count; /* digits of the integer or fraction, capped where more do not matter */
} Compared;

static Compared unpack(uint32_t state) {
    return (Compared){state & 1, state >> 1 & 1, state >> 2 & 1, (int)(state >> 3 & 3) - 1,
                      state >> 5};
}

static uint32_t packed(Compared c) {
    return (uint32_t)c.negative | (uint32_t)c.in_part << 1 | (uint32_t)c.nonzero << 2 |
           (uint32_t)(c.order + 1) << 3 | c.count << 5;
}

/* More integer digits than the bound: greater; fewer: less. */
static int order_of_whole(const Decimal *bound, Compared c) {
    if (c.count != bound->whole_count) return c.count < bound->whole_count ? -1 : 1;
    return c.order;
}

/* Is |x| beyond |bound| whatever follows, or short of it for good?  Digits only increase
 * |x|. */
static bool is_beyond(const Decimal *bound, Compared c, bool strict) {
    uint32_t most = c.in_part ? bound->part_count : bound->whole_count;
    if (c.count != most) return c.in_part ? c.order > 0 : c.count > most;
    return c.order > 0 || (c.order == 0 && strict && (c.in_part || bound->part_count == 0));
}

static bool is_short(Compared c) { return c.in_part && c.order < 0; }

/* Can no continuation pass? */
static bool is_hopeless(const NumberTest *t, Compared c) {
    bool strict = t->relation == NUMBER_ABOVE || t->relation == NUMBER_BELOW;
    bool lower = t->relation == NUMBER_AT_LEAST || t->relation == NUMBER_ABOVE;
    bool zero = t->bound.part_count == 0 && t->bound.whole[0] == '0';
    if (c.negative == t->bound.negative)
        return lower == c.negative ? is_beyond(&t->bound, c, strict) : is_short(c);
    if (!c.negative) return !lower;
    return lower && (!zero || strict || c.nonzero); /* -0 is 0 */
}

static uint32_t step_compared(const NumberTest *t, uint32_t state, uint8_t byte) {
    const Decimal *bound = &t->bound;
    Compared c = state ? unpack(state) : (Compared){0}; /* packed: order + 1, never 0 */
    uint32_t most = c.in_part ? bound->part_count : bound->whole_count;
    const char *digits = c.in_part ? bound->part : bound->whole;
    if (byte == '-') {
        c.negative = true;
    } else if (byte == '.') {
        c.order = order_of_whole(bound, c);
        c.in_part = true, c.count = 0;
    } else {
        char there = c.count < most ? digits[c.count] : '0';
        bool counts = c.order == 0 && (c.in_part || c.count < most);
        if (counts) c.order = ((char)byte > there) - ((char)byte < there);
        c.nonzero = c.nonzero || byte != '0';
        if (c.count < most + !c.in_part) c.count++;
    }
    return is_hopeless(t, c) ? NUMBER_NEVER : packed(c);
}

static bool number_holds(NumberRelation relation, int order) {
    switch (relation) {
    case NUMBER_AT_LEAST: return order >= 0;
    case NUMBER_ABOVE: return order > 0;
    case NUMBER_AT_MOST: return order <= 0;
    case NUMBER_BELOW: return order < 0;
    case NUMBER_MULTIPLE: break;
    }
    return false;
}

static bool passes(const NumberTest *t, uint32_t state) {
    Compared c = unpack(state);
    int order = c.in_part ? c.order : order_of_whole(&t->bound, c);
    if (order == 0 && (c.in_part ? c.count : 0) < t->bound.part_count) order = -1;
    bool negative = c.negative && c.nonzero;
    if (negative != t->bound.negative) return number_holds(t->relation, negative ? -1 : 1);
    return number_holds(t->relation, negative ? -order : order);
}

/* ------------------------------------------------------------------ both */

uint32_t number_step(const NumberTest *test, uint32_t state, uint8_t byte) {
    if ((byte < '0' || byte > '9') && byte != '.' && byte != '-') return NUMBER_NEVER;
    if (test->relation == NUMBER_MULTIPLE) return step_multiple(test, state, byte);
    return step_compared(test, state, byte);
}

bool number_accepts(const NumberTest *test, uint32_t state) {
    if (test->relation == NUMBER_MULTIPLE) return is_multiple(test, state);
    return state != 0 && passes(test, state);
}
