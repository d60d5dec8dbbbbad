/* right: every failure is handled where it happens */
#include <string.h>

bool generate(Session *session, TokenList *tokens, const GenerateOptions *options,
              GenerateResult *result, Fault *fault) {
    Engine engine;
    bool ok = true;
    memset(result, 0, sizeof *result);
    if (!engine_open(&engine, session, fault)) {
        engine_close(&engine);
        return false;
    }
    Sequence *text = engine_add(&engine, tokens, options, fault);
    if (!text) {
        engine_close(&engine);
        return false;
    }
    do {
        if (!text->live) break;
        ok = engine_step(&engine, fault);
    } while (ok);
    memcpy(result, &text->result, sizeof *result);
    if (ok && text->failed) {
        *fault = text->fault;
        ok = false;
    }
    engine_close(&engine);
    return ok;
}
