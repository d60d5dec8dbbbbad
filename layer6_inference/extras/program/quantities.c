/* quantities.c - see quantities.h. */
#include "quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Unit {
    const char *name;
    double size;
} Unit;

/* A number and its unit, "100us"; *text is then behind it. */
static bool read_quantity(const char **text, const Unit *units, double *value) {
    char *end;
    double number = strtod(*text, &end);
    if (end == *text || !(number >= 0) || isinf(number)) return false;
    for (const Unit *u = units; u->name; u++) {
        size_t size = strlen(u->name);
        if (strncmp(end, u->name, size) != 0) continue;
        return *value = number * u->size, *text = end + size, true;
    }
    return false;
}

bool network_read(const char *text, MachinesNetwork *network, Fault *fault) {
    static const Unit rates[] = {
        {"kb/s", 1e3 / 8}, {"Mb/s", 1e6 / 8}, {"Gb/s", 1e9 / 8}, {NULL, 0}};
    static const Unit delays[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {NULL, 0}};
    const char *at = text;
    *network = (MachinesNetwork){0};
    bool ok = read_quantity(&at, rates, &network->rate) && network->rate > 0;
    if (ok && *at == ':') at++, ok = read_quantity(&at, delays, &network->delay);
    if (ok && !*at &&
        (network->delay > 3600 || network->rate < 1e3 / 8 || network->rate > 1e15 / 8))
        return fault_set(
            fault,
            "--network is '%.80s': wanted 1 kb/s to 1000000 Gb/s and a delay of at "
            "most an hour",
            text);
    return (ok && !*at) ||
           fault_set(fault,
                     "--network is '%.80s': wanted bits a second (kb/s, Mb/s, Gb/s) and a "
                     "message's delay (us, ms, s), as 1Gb/s:100us",
                     text);
}

Digits digits(double x) {
    Digits d;
    snprintf(d.text, sizeof d.text, fabs(x) < 999.5 ? "%.3g" : "%.0f", x);
    return d;
}
