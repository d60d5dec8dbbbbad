/* profile_trace.c - see profile_trace.h. */
#include "profile_trace.h"

void profile_write_trace(const Profile *p, FILE *out) {
    const double begin = p->count ? p->events[0].start : 0;
    const char *comma = "";
    fprintf(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (size_t i = 0; i < p->count; i++, comma = ",") {
        const ProfileEvent *e = &p->events[i];
        fprintf(
            out,
            "%s\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f}",
            comma, p->rows[e->row].name, 1e6 * (e->start - begin), 1e6 * (e->end - e->start));
    }
    fprintf(out, "\n]}\n");
}
