/* chains.c - can the chains of a study run?  See study.h. */
#include "study.h"
#include "look_ahead.h"

/* cfg's negative prompt is the begin-of-sequence token alone. */
static bool check_guide(const Study *study, Fault *fault) {
    TokenList begin = {0};
    tokenizer_begin(study->model.tokenizer, &begin);
    bool has_one = begin.count == 1;
    token_list_free(&begin);
    return has_one ||
           fault_set(
               fault,
               "cfg: this model has no begin-of-sequence token to use as the negative prompt");
}

bool study_check_chains(Study *study, Fault *fault) {
    const float none[1] = {0};
    for (size_t i = 0; i < study->job->n_chains; i++) {
        Chain chain;
        Step step = {.tokenizer = study->model.tokenizer,
                     .amateur = none,
                     .unconditional = none,
                     .look_ahead = look_ahead};
        if (!chain_parse(&chain, study->job->chains[i], study->model.tokenizer, fault))
            return false;
        study->guided |= chain_needs(&chain, NEEDS_GUIDE) != NULL;
        study->looks_ahead[i] = chain_needs(&chain, NEEDS_LOOK_AHEAD) != NULL;
        if (!study->contrast && chain_needs(&chain, NEEDS_AMATEUR))
            study->contrast = study->job->chains[i];
        bool ok = chain_check(&chain, &step, fault);
        chain_close(&chain);
        if (!ok) return fault_prefix(fault, study->job->chains[i]);
    }
    return !study->guided || check_guide(study, fault);
}
