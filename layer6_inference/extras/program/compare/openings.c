/* openings.c - how the texts of a study begin.  See study.h. */
#include "world_check.h"
#include "worlds.h"
#include "input.h"
#include "study.h"

#include <stdlib.h>
#include <string.h>

static void set_prompt(Opening *o, Text prompt, size_t line) {
    o->line = line;
    world_text_append(&o->text, prompt);
    o->end = o->text.size;
}

/* One prompt per line; empty lines are skipped. */
static size_t split_prompts(Text rest, Opening *openings) {
    size_t n = 0;
    for (size_t number = 1; rest.size; number++) {
        Text line = text_cut(&rest, '\n');
        if (line.size && line.data[line.size - 1] == '\r') line.size--;
        if (!line.size) continue;
        if (openings) set_prompt(&openings[n], line, number);
        n++;
    }
    return n;
}

static bool open_prompts(Study *study, Fault *fault) {
    const char *path = study->job->prompts;
    size_t size;
    char *bytes = read_named(path, &size, fault);
    if (!bytes) return false;
    Text all = {bytes, size};
    study->n_openings = split_prompts(all, NULL);
    study->openings = calloc(study->n_openings + 1, sizeof *study->openings);
    if (study->openings) split_prompts(all, study->openings);
    free(bytes);
    return (study->openings || fault_set(fault, "no memory for the prompts")) &&
           (study->n_openings ||
            fault_set(fault, "%.200s: no prompts: wanted one per line", path));
}

static bool alloc_openings(Study *study, size_t n, Fault *fault) {
    study->n_openings = n;
    study->openings = calloc(n, sizeof *study->openings);
    return study->openings || fault_set(fault, "no memory for the openings");
}

/* ln p of each document, and of all documents that begin like it. */
static bool score_documents(const Study *study, Fault *fault) {
    for (Opening *o = study->openings; o < study->openings + study->n_openings; o++) {
        WorldVerdict whole =
            world_check(study->world, "document", o->text.bytes, o->text.size, false);
        WorldVerdict begin = world_check(study->world, "document", o->text.bytes, o->end, true);
        if (!whole.valid || !begin.valid)
            return fault_set(fault, "a document of the world that it cannot read: %s",
                             whole.detail);
        o->unlikely = begin.nats, o->nats = whole.nats - begin.nats;
    }
    return true;
}

bool study_openings(Study *study, Fault *fault) {
    const CompareJob *job = study->job;
    if (!job->prompt && !job->prompts)
        return (study->world = world_open_named(job->world, fault)) &&
               alloc_openings(study, (size_t)job->documents, fault) &&
               study_documents(study, fault) && score_documents(study, fault);
    if (job->prompt) {
        if (!alloc_openings(study, 1, fault)) return false;
        set_prompt(study->openings, text_of(job->prompt), 0);
    } else if (!open_prompts(study, fault)) {
        return false;
    }
    for (size_t i = 0; i < study->n_openings; i++)
        if (!opening_tokenize(study, &study->openings[i], fault)) return false;
    return true;
}
