/* table.c - what the texts of a study are like.  See study.h. */
#include "input.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { REASONS = 12 };

typedef struct Summary {
    double valid, surprisal, entropy, speed;
    Diversity diversity;
    char reasons[160];
} Summary;

static void count_reasons(const Sample *samples, size_t n, char *out, size_t size) {
    char names[REASONS][16];
    size_t counts[REASONS] = {0}, used = 0;
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        if (samples[i].verdict.valid) continue;
        while (k < used && strcmp(names[k], samples[i].verdict.reason) != 0) k++;
        if (k == REASONS) continue;
        if (k == used) snprintf(names[used++], sizeof *names, "%s", samples[i].verdict.reason);
        counts[k]++;
    }
    for (size_t k = 0; k < used; k++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s %zu", k ? " " : "", names[k],
                 counts[k]);
}

static bool summarize(const Study *study, size_t chain, Summary *s, Fault *fault) {
    const Sample *samples = study->samples + chain * study->texts;
    Text *texts = malloc(study->texts * sizeof *texts);
    double tokens = 0, seconds = 0;
    if (!texts) return fault_set(fault, "no memory for a table");
    *s = (Summary){0};
    for (size_t i = 0; i < study->texts; i++) {
        texts[i] = (Text){samples[i].text.bytes, samples[i].text.size};
        s->valid += samples[i].verdict.valid ? 1.0 / (double)study->texts : 0;
        s->surprisal += samples[i].surprisal, s->entropy += samples[i].entropy;
        tokens += (double)samples[i].tokens, seconds += samples[i].seconds;
    }
    s->surprisal /= fmax(1, tokens), s->entropy /= fmax(1, tokens);
    s->speed = seconds > 0 ? tokens / seconds : 0;
    count_reasons(samples, study->texts, s->reasons, sizeof s->reasons);
    bool ok = diversity_measure(texts, study->texts, &s->diversity, fault);
    free(texts);
    return ok;
}

static const char header[] = "chain,valid,distinct_1,distinct_2,distinct_3,self_similarity,"
                             "repetition,surprise,entropy,words,tokens_per_second,reasons\n";

static void print_csv(FILE *out, const char *chain, const Summary *s) {
    const Diversity *d = &s->diversity;
    fprintf(out, "\"%s\",%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f,%.0f,\"%s\"\n", chain,
            s->valid, d->distinct[0], d->distinct[1], d->distinct[2], d->self_similarity,
            d->repetition, s->surprisal, s->entropy, d->words, s->speed, s->reasons);
}

static void print_row(const char *chain, const Summary *s) {
    const Diversity *d = &s->diversity;
    printf("%-40.40s %5.1f%% %6.3f %6.3f %6.3f %7.3f %7.3f %8.3f %7.3f %6.0f %7.0f  %s\n",
           chain, 100 * s->valid, d->distinct[0], d->distinct[1], d->distinct[2],
           d->self_similarity, d->repetition, s->surprisal, s->entropy, d->words, s->speed,
           s->reasons);
}

bool study_report(Study *study, Fault *fault) {
    const Job *job = study->job;
    FILE *csv = study->csv.stream;
    bool ok = true;
    if (csv) fputs(header, csv);
    printf("%-40s %6s %6s %6s %6s %7s %7s %8s %7s %6s %7s  %s\n", "chain", "valid", "dist-1",
           "dist-2", "dist-3", "similar", "repeats", "surprise", "entropy", "words", "tok/s",
           "why invalid");
    for (size_t c = 0; ok && c < job->n_chains; c++) {
        Summary summary;
        if (!(ok = summarize(study, c, &summary, fault))) break;
        print_row(job->chains[c], &summary);
        if (csv) print_csv(csv, job->chains[c], &summary);
    }
    return ok && file_end(&study->csv, fault);
}
