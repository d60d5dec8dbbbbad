/* schema_format.c - string formats as patterns.  See schema.h.
 *
 * Source   RFC 3339 (dates and times), 4122 (UUID), 5321 (mail), 1123 and 5891 (host names),
 *          2673 and 4291 (addresses), 3986 (URI), 6570 (URI templates), 6901 (pointers). */
#include "schema.h"
#include "regex.h"

#include <stdio.h>
#include <string.h>

#define D28  "(0[1-9]|1[0-9]|2[0-8])"
#define LEAP "([0-9][0-9](0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
#define DATE                                                                                  \
    "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|" \
    "02-" D28 ")|" LEAP "-02-29)"
#define OFFSET "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
#define CLOCK  "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?" OFFSET
#define BYTE   "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
#define IPV4   BYTE "(\\." BYTE "){3}"
#define H16    "[0-9A-Fa-f]{1,4}"
#define LS32   "(" H16 ":" H16 "|" IPV4 ")"
#define IPV6                                                                                  \
    "((" H16 ":){6}" LS32 "|::(" H16 ":){5}" LS32 "|(" H16 ")?::(" H16 ":){4}" LS32 "|((" H16 \
    ":){0,1}" H16 ")?::(" H16 ":){3}" LS32 "|((" H16 ":){0,2}" H16 ")?::(" H16 ":){2}" LS32   \
    "|((" H16 ":){0,3}" H16 ")?::" H16 ":" LS32 "|((" H16 ":){0,4}" H16 ")?::" LS32 "|((" H16 \
    ":){0,5}" H16 ")?::" H16 "|((" H16 ":){0,6}" H16 ")?::)"
#define LABEL "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
/* No -- at the third character (RFC 5891, 4.2.3.1), as in xn--: what follows it must be a
 * name in Punycode, which no pattern can check. */
#define ALNUM      "[A-Za-z0-9]"
#define HYPHENATED "[A-Za-z0-9-]"
#define HOST_LABEL                                                           \
    ALNUM "(" HYPHENATED "?" ALNUM "|" HYPHENATED "{2}" ALNUM "|" HYPHENATED \
          "(" ALNUM HYPHENATED "|-" ALNUM ")" HYPHENATED "{0,58}" ALNUM ")?"
#define ATOM        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
#define QUOTED      "\"([ !#-\\[\\]-~]|\\\\[ -~])*\""
#define MAIL_DOMAIN "(" LABEL "(\\." LABEL ")*|\\[(" IPV4 "|IPv6:" IPV6 ")\\])"
#define PCHAR       "([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
#define AUTHORITY                                                                        \
    "(([A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?(\\[(" IPV6                       \
    "|v[0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+)\\]|([A-Za-z0-9._~!$&'()*+,;=-]|%[0-" \
    "9A-Fa-f]{2})*)(:[0-9]*)?"
#define TAIL   "(\\?(" PCHAR "|[/?])*)?(#(" PCHAR "|[/?])*)?"
#define SCHEME "[A-Za-z][A-Za-z0-9+.-]*:"
#define HIER \
    "(//" AUTHORITY "(/" PCHAR "*)*|/(" PCHAR "+(/" PCHAR "*)*)?|(" PCHAR "+(/" PCHAR "*)*)?)"
#define SEGMENT_NC "([A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+"
#define RELATIVE                                                                          \
    "(//" AUTHORITY "(/" PCHAR "*)*|/(" PCHAR "+(/" PCHAR "*)*)?|(" SEGMENT_NC "(/" PCHAR \
    "*)*)?)"
#define POINTER "(/([^~/]|~[01])*)*"
#define VARCHAR "([A-Za-z0-9_]|%[0-9A-Fa-f]{2})"
#define VARSPEC VARCHAR "(\\.?" VARCHAR ")*(:[1-9][0-9]{0,3}|\\*)?"
#define TEMPLATE                                                                               \
    "([!#$&(-;=?-\\[\\]_a-z~'\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF\\u{10000}-\\u{"     \
    "1FFFD}"                                                                                   \
    "\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{EFFFD}]|%[0-9A-Fa-f]{2}|\\{[+#." \
    "/;?&"                                                                                     \
    "=,!@|]?" VARSPEC "(," VARSPEC ")*\\})*"
#define TIMES "(T([0-9]+H([0-9]+M([0-9]+S)?)?|[0-9]+M([0-9]+S)?|[0-9]+S))"
#define DAYS  "([0-9]+Y([0-9]+M([0-9]+D)?)?|[0-9]+M([0-9]+D)?|[0-9]+D)"

static const struct {
    const char *name, *pattern; /* NULL: standard, but not supported */
} formats[] = {
    {"date", DATE},
    {"time", CLOCK},
    {"date-time", DATE "[Tt]" CLOCK},
    {"duration", "P(" DAYS TIMES "?|" TIMES "|[0-9]+W)"},
    {"email", "(" ATOM "(\\." ATOM ")*|" QUOTED ")@" MAIL_DOMAIN},
    {"hostname", HOST_LABEL "(\\." HOST_LABEL ")*"},
    {"ipv4", IPV4},
    {"ipv6", IPV6},
    {"uuid", "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"},
    {"uri", SCHEME HIER TAIL},
    {"uri-reference", "(" SCHEME HIER "|" RELATIVE ")" TAIL},
    {"uri-template", TEMPLATE},
    {"json-pointer", POINTER},
    {"relative-json-pointer", "(0|[1-9][0-9]*)(#|" POINTER ")"},
    {"regex", NULL},
    {"iri", NULL},
    {"iri-reference", NULL},
    {"idn-email", NULL},
    {"idn-hostname", NULL},
};

static bool read_pattern(Schema *s, const char *pattern, Expr *inside) {
    const RegexOptions options = {.write = charset_json};
    return regex_read(s->exprs, text_of(pattern), &options, inside, s->fault);
}

/* Texts of which the times of leap seconds consist. */
typedef struct LeapParts {
    Expr digit[10], plus, minus, colon, second, zulu;
} LeapParts;

static bool read_leap_parts(Schema *s, LeapParts *p) {
    bool ok = read_pattern(s, "\\+", &p->plus) && read_pattern(s, "-", &p->minus) &&
              read_pattern(s, ":", &p->colon) &&
              read_pattern(s, ":60(\\.[0-9]+)?", &p->second) &&
              read_pattern(s, "[Zz]", &p->zulu);
    for (int i = 0; ok && i < 10; i++)
        ok = read_pattern(s, (const char[]){(char)('0' + i), 0}, &p->digit[i]);
    return ok;
}

static Expr two_digits(Schema *s, const LeapParts *p, int n) {
    return expr_cat(s->exprs, p->digit[n / 10], p->digit[n % 10]);
}

/* "+05:30", of so many minutes. */
static Expr leap_offset(Schema *s, const LeapParts *p, Expr sign, int minutes) {
    Expr rest = expr_cat(s->exprs, p->colon, two_digits(s, p, minutes % 60));
    rest = expr_cat(s->exprs, two_digits(s, p, minutes / 60), rest);
    return expr_cat(s->exprs, sign, rest);
}

/* A leap second is the last of a UTC day: 23:59:60Z, 18:59:60-05:00, 05:29:60+05:30.  Offsets
 * are multiples of 15 minutes; each local time has an eastern and a western one.  Minutes are
 * grouped by hour to keep few alternatives open. */
static bool leap_seconds(Schema *s, Expr *inside) {
    LeapParts p;
    *inside = EXPR_NONE;
    if (!read_leap_parts(s, &p)) return false;
    for (int hour = 0; hour < 24; hour++) {
        Expr minutes = EXPR_NONE;
        for (int minute = 14; minute < 60; minute += 15) {
            const int east = (60 * hour + minute + 1) % 1440, west = (1440 - east) % 1440;
            Expr zone = expr_either(s->exprs, leap_offset(s, &p, p.plus, east),
                                    leap_offset(s, &p, p.minus, west));
            if (!east) zone = expr_either(s->exprs, p.zulu, zone);
            zone = expr_cat(s->exprs, p.second, zone);
            zone = expr_cat(s->exprs, two_digits(s, &p, minute), zone);
            minutes = expr_either(s->exprs, minutes, zone);
        }
        minutes = expr_cat(s->exprs, p.colon, minutes);
        *inside = expr_either(s->exprs, *inside,
                              expr_cat(s->exprs, two_digits(s, &p, hour), minutes));
    }
    return true;
}

/* At most 253 characters. */
static Expr limit_host(Schema *s, Expr name) {
    return expr_and(s->exprs, name, expr_repeat(s->exprs, s->any_char, 1, 253));
}

bool schema_format(Schema *s, Text name, Expr *inside, bool *known) {
    size_t i = 0, count = sizeof formats / sizeof *formats;
    while (i < count && !text_equal(name, text_of(formats[i].name))) i++;
    *known = i < count;
    if (!*known) return true;
    if (!formats[i].pattern)
        return fault_set(s->fault, "schema: format %s is not supported", formats[i].name);
    if (!read_pattern(s, formats[i].pattern, inside)) return false;
    if (strcmp(formats[i].name, "hostname") == 0) *inside = limit_host(s, *inside);
    if (strstr(formats[i].name, "time")) {
        Expr leap, date = EXPR_EMPTY;
        if (!leap_seconds(s, &leap)) return false;
        if (strcmp(formats[i].name, "time") != 0 && !read_pattern(s, DATE "[Tt]", &date))
            return false;
        *inside = expr_either(s->exprs, *inside, expr_cat(s->exprs, date, leap));
    }
    return true;
}
