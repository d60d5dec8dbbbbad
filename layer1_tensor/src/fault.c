/* fault.c - see fault.h. */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text quoted from a file may hold control characters; a fault is one line. */
static void one_line(Fault *fault) {
    for (char *c = fault->text; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

bool fault_set(Fault *fault, const char *format, ...) {
    if (!fault) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    one_line(fault);
    return false;
}

bool fault_prefix(Fault *fault, const char *context) {
    if (!fault) return false;
    char old[sizeof fault->text];
    memcpy(old, fault->text, sizeof old);
    int used = snprintf(fault->text, sizeof fault->text, "%s: ", context);
    if (used > 0 && (size_t)used < sizeof fault->text)
        snprintf(fault->text + used, sizeof fault->text - (size_t)used, "%s", old);
    one_line(fault);
    return false;
}

bool fault_is_memory(const Fault *fault) { return strstr(fault->text, "no memory"); }

void fault_abort(const char *file, int line, const char *condition, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: contract broken: ", file, line);
    vfprintf(stderr, format, args);
    fprintf(stderr, " (needs %s)\n", condition);
    va_end(args);
    abort();
}

void (*fault_out_of_memory)(const char *what);

void fault_no_memory(const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (fault_out_of_memory) fault_out_of_memory(text);
    fprintf(stderr, "strata: no memory for %s\n", text);
    exit(EXIT_FAILURE);
}
