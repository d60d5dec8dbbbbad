/* documents.c - openings of true documents of Tiny World.  See study.h.
 *
 * The world's chats are skipped: an opening is the beginning of a story, which the document may
 * follow with a card of its facts. */
#include "study.h"

#include <stdlib.h>

enum { HELD_OUT = 2 }; /* corpus number; the bundled models train on corpus 1 */

/* The next document that begins with a story; *index moves past it. */
static Text next_story(const Study *study, uint64_t *index, WorldText *text) {
    for (;;) {
        Text opening = world_opening(study->world, "document", HELD_OUT, (*index)++,
                                     study->job->words, text);
        if (text->bytes[0] != '<') return opening;
    }
}

/* Only the world's texts have control tokens; in a prompt their names are plain text. */
bool opening_tokenize(const Study *study, Opening *o, Fault *fault) {
    const Tokenizer *t = study->model.tokenizer;
    tokenizer_begin(t, &o->tokens);
    return tokenizer_encode(t, (Text){o->text.bytes, o->end}, study->world != NULL, &o->tokens,
                            fault);
}

bool study_documents(Study *study, Fault *fault) {
    uint64_t index = (uint64_t)study->job->first;
    for (size_t i = 0; i < study->n_openings; i++) {
        Opening *o = &study->openings[i];
        o->end = next_story(study, &index, &o->text).size;
        if (o->end == o->text.size)
            return fault_set(
                fault, "--words %ld: document %zu is shorter, so nothing is left to generate",
                study->job->words, i + 1);
        if (!opening_tokenize(study, o, fault)) return false;
    }
    return true;
}

bool study_results(Study *study, Fault *fault) {
    const CompareJob *job = study->job;
    study->texts = study->n_openings * (size_t)job->seeds;
    study->samples = calloc(job->n_chains * study->texts, sizeof *study->samples);
    if (study->world)
        study->truth = calloc(job->n_chains * study->n_openings, sizeof *study->truth);
    return (study->samples && (study->truth || !study->world)) ||
           fault_set(fault, "no memory for %zu texts", study->texts);
}

void study_close_texts(Study *study) {
    for (size_t i = 0; study->samples && i < study->job->n_chains * study->texts; i++)
        world_text_free(&study->samples[i].text), free(study->samples[i].ids);
    for (size_t i = 0; study->openings && i < study->n_openings; i++)
        world_text_free(&study->openings[i].text), token_list_free(&study->openings[i].tokens);
    free(study->samples), free(study->openings), free(study->truth);
    world_close(study->world);
}
