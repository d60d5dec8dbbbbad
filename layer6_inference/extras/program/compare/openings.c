/* openings.c - how the texts of a study begin.  See study.h.
 *
 * The world's chats are skipped: an opening is the beginning of a story, which the document may
 * follow with a card of its facts. */
#include "world_check.h"
#include "worlds.h"
#include "input.h"
#include "study.h"

#include <stdlib.h>
#include <string.h>

enum { HELD_OUT = 2 }; /* corpus number; the bundled models train on corpus 1 */

/* The next document that begins with a story; *index moves past it. */
static Text next_story(const Study *study, uint64_t *index, WorldText *text) {
    for (;;) {
        Text opening = world_opening(study->world, "document", HELD_OUT, (*index)++,
                                     study->job->words, text);
        if (text->bytes[0] != '<') return opening;
    }
}

static bool open_documents(Study *study, Fault *fault) {
    uint64_t index = (uint64_t)study->job->first;
    for (size_t i = 0; i < study->n_openings; i++) {
        Opening *o = &study->openings[i];
        o->end = next_story(study, &index, &o->text).size;
        if (o->end == o->text.size)
            return fault_set(
                fault, "--words %ld: document %zu is shorter, so nothing is left to generate",
                study->job->words, i + 1);
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

/* Only the world's texts have control tokens; in a prompt their names are plain text. */
static bool tokenize(const Study *study, Opening *o, Fault *fault) {
    const Tokenizer *t = study->model.tokenizer;
    tokenizer_begin(t, &o->tokens);
    return tokenizer_encode(t, (Text){o->text.bytes, o->end}, study->world != NULL, &o->tokens,
                            fault);
}

bool study_openings(Study *study, Fault *fault) {
    const CompareJob *job = study->job;
    bool ok = true;
    if (job->prompts) {
        ok = open_prompts(study, fault);
    } else {
        study->n_openings = job->prompt ? 1 : (size_t)job->documents;
        study->openings = calloc(study->n_openings, sizeof *study->openings);
        if (!study->openings) return fault_set(fault, "no memory for the openings");
        if (job->prompt)
            set_prompt(study->openings, text_of(job->prompt), 0);
        else
            ok = (study->world = world_open_named(job->world, fault)) &&
                 open_documents(study, fault);
    }
    for (size_t i = 0; ok && i < study->n_openings; i++)
        ok = tokenize(study, &study->openings[i], fault);
    return ok;
}
