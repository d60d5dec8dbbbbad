/* traffic.c - see traffic.h. */
#include "traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t about(size_t mean, uint64_t seed, uint64_t stream, uint64_t i) {
    return mean / 2 + 1 + rng_hash(seed, stream, i) % mean;
}

bool traffic_make(Traffic *t, const TrafficShape *s, Fault *fault) {
    const size_t burst = s->burst ? s->burst : 1;
    double now = 0;
    *t = (Traffic){calloc(s->count + 1, sizeof *t->visits), s->count};
    if (!t->visits) return fault_set(fault, "no memory for %zu requests", s->count);
    for (size_t i = 0; i < s->count; i++) {
        /* the time to the next burst is exponential; the last burst may be smaller */
        if (s->rate > 0 && i % burst == 0)
            now -= log(1 - rng_unit(s->seed, 2, i)) * (double)min_size(burst, s->count - i) /
                   s->rate;
        const bool heavy = rng_unit(s->seed, 4, i) * s->rate < s->heavy;
        t->visits[i] =
            (Visit){.arrival = now,
                    .prompt = about(heavy ? s->heavy_prompt : s->prompt, s->seed, 0, i),
                    .answer = about(s->answer, s->seed, 1, i),
                    .priority = !heavy && rng_unit(s->seed, 3, i) < s->urgent,
                    .user = heavy};
    }
    return true;
}

void traffic_free(Traffic *t) {
    free(t->visits);
    *t = (Traffic){0};
}

void traffic_write(const Traffic *t, FILE *out) {
    fprintf(out, "arrival,prompt,answer,priority,user\n");
    for (size_t i = 0; i < t->count; i++) {
        const Visit *v = &t->visits[i];
        fprintf(out, "%.6f,%zu,%zu,%d,%u\n", v->arrival, v->prompt, v->answer, v->priority,
                v->user);
    }
}

/* ------------------------------------------------------------------ reading */

/* The number before the next comma or the end of the line. */
static bool traffic_read_number(const char **at, const char *end, double low, double *number) {
    char text[32];
    size_t n = 0;
    while (*at < end && **at != ',' && n < sizeof text - 1) text[n++] = *(*at)++;
    text[n] = 0;
    char *stop;
    *number = strtod(text, &stop);
    bool ok = n && *stop == 0 && *number >= low && *number <= 1e9;
    if (*at < end && **at == ',') ++*at;
    return ok;
}

static bool traffic_read_line(const char *at, const char *end, double before, Visit *v) {
    double arrival, prompt, answer, priority = 0, user = 0;
    if (at < end && end[-1] == '\r') end--; /* CR LF */
    if (!traffic_read_number(&at, end, 0, &arrival) ||
        !traffic_read_number(&at, end, 1, &prompt) ||
        !traffic_read_number(&at, end, 1, &answer))
        return false;
    if (at < end && !traffic_read_number(&at, end, -1000, &priority)) return false;
    if (at < end && !traffic_read_number(&at, end, 0, &user)) return false;
    *v = (Visit){arrival, (size_t)prompt, (size_t)answer, (int)priority, (uint32_t)user};
    return at == end && arrival >= before;
}

static const char *line_end(const char *at, const char *end) {
    while (at < end && *at != '\n') at++;
    return at;
}

static size_t count_lines(Text text) {
    size_t n = 1;
    for (size_t i = 0; i < text.size; i++) n += text.data[i] == '\n';
    return n;
}

bool traffic_read(Traffic *t, Text text, Fault *fault) {
    static const char title[] = "arrival,prompt,answer";
    const char *end = text.data + text.size, *at = line_end(text.data, end);
    *t = (Traffic){0};
    if (text.size < sizeof title - 1 || memcmp(text.data, title, sizeof title - 1) != 0)
        return fault_set(fault, "the first line of a trace is %s[,priority[,user]]", title);
    t->visits = calloc(count_lines(text), sizeof *t->visits);
    if (!t->visits) return fault_set(fault, "no memory for the trace");
    for (size_t line = 2; at < end; line++) {
        const char *next = line_end(++at, end);
        double before = t->count ? t->visits[t->count - 1].arrival : 0;
        if (at == end) break;
        if (!traffic_read_line(at, next, before, &t->visits[t->count++])) {
            traffic_free(t);
            return fault_set(
                fault,
                "line %zu of the trace: wanted seconds (not before the line "
                "above), tokens of the prompt, tokens of the answer[, priority[, user]]",
                line);
        }
        at = next;
    }
    return t->count || (traffic_free(t), fault_set(fault, "the trace has no requests"));
}
