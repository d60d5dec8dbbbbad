/* orders.c - the table of /commands.  See talk.h. */
#include "talk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool no_turns(const Talk *talk) { return talk->count <= talk_first(talk); }

static bool asked(const Talk *talk, Fault *fault) {
    return !no_turns(talk) || fault_set(fault, "there are no messages yet");
}

static bool orders_path_of(Text text, char path[1024], Fault *fault) {
    if (text.size == 0 || text.size >= 1024)
        return fault_set(fault, "a file name of %zu bytes: wanted 1 to 1023", text.size);
    memcpy(path, text.data, text.size);
    return path[text.size] = 0, true;
}

static bool image(Talk *talk, Text text, Fault *fault) {
    char path[1024];
    return orders_path_of(text, path, fault) && talk_add_picture(talk, path, fault) &&
           fprintf(stderr, "[image of %zu tokens, sent with the next message]\n",
                   pictures_tokens(&talk->pictures, talk->next.number[talk->next.count - 1])) >
               0;
}

static bool orders_undo(Talk *talk, Text text, Fault *fault) {
    (void)text;
    if (!asked(talk, fault)) return false;
    size_t from = talk_asked(talk);
    talk_drop(talk, from, talk->count - from);
    fprintf(stderr, "[removed the last question and its answer; %zu turns]\n", talk->count);
    return true;
}

/* Ask the last question again, with another text or the same one (NULL); nothing changes if
 * that fails. */
static bool ask_again(Talk *talk, const Text *text, Fault *fault) {
    size_t from = talk_asked(talk), count = talk->count - from;
    Talk before = {.turns = malloc(count * sizeof(Turn)), .count = count};
    if (!before.turns) return fault_set(fault, "no memory for %zu turns", count);
    memcpy(before.turns, talk->turns + from, count * sizeof(Turn));
    const Turn *old = before.turns;
    talk->count = from;
    bool ok = text ? talk_say(talk, *text, old->shown, fault)
                   : talk_add(talk, "user", text_of(old->content), (Text){0}, fault) &&
                         talk_show(talk, old->shown, fault);
    ok = ok && talk_reply(talk, fault);
    if (ok) {
        talk_drop(&before, 0, count);
    } else { /* cannot fail: there was room before */
        memcpy(talk->turns + talk->count, before.turns, count * sizeof(Turn));
        talk->count += count;
    }
    free(before.turns);
    return ok;
}

/* With the next seed. */
static bool retry(Talk *talk, Text text, Fault *fault) {
    (void)text;
    return asked(talk, fault) && ask_again(talk, NULL, fault);
}

static bool edit(Talk *talk, Text text, Fault *fault) {
    if (!asked(talk, fault)) return false;
    if (text.size == 0) return fault_set(fault, "wanted the new question: /edit TEXT");
    return ask_again(talk, &text, fault);
}

static bool chain(Talk *talk, Text text, Fault *fault) {
    if (text.size == 0) {
        char *now = chain_print(&talk->chain);
        const char *own = now && talk->tools ? strchr(now, ',') : NULL; /* after the tools */
        printf("%s\n", own ? own + 1 : now ? now : "");
        return free(now), true;
    }
    char *spec = strndup(text.data, text.size);
    bool ok =
        spec ? talk_choose_chain(talk, spec, fault) : fault_set(fault, "no memory for a chain");
    free(spec);
    return ok;
}

static bool system_text(Talk *talk, Text text, Fault *fault) {
    if (!talk_set_system(talk, text, fault)) return false;
    fprintf(stderr, text.size ? "[new system message]\n" : "[no system message]\n");
    return true;
}

static bool save(Talk *talk, Text text, Fault *fault) {
    char path[1024];
    return orders_path_of(text, path, fault) && talk_save(talk, path, fault) &&
           fprintf(stderr, "[%zu turns saved]\n", talk->count) > 0;
}

static bool orders_load(Talk *talk, Text text, Fault *fault) {
    char path[1024];
    return orders_path_of(text, path, fault) && talk_load(talk, path, fault) &&
           fprintf(stderr, "[%zu turns loaded]\n", talk->count) > 0;
}

/* The tokens of the context, each in brackets, special tokens by name. */
static bool tokens(Talk *talk, Text text, Fault *fault) {
    (void)text, (void)fault;
    const TokenList *list = talk->sequence ? talk->sequence->tokens : NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        Text piece = tokenizer_piece(talk->loaded.model->tokenizer, list->ids[i], true);
        printf("%" PRId32 "[%.*s]", list->ids[i], (int)piece.size, piece.data);
    }
    printf("\n%zu tokens\n", list ? list->count : 0);
    return true;
}

static bool stats(Talk *talk, Text text, Fault *fault) {
    const ReplyStats *s = &talk->stats;
    (void)text, (void)fault;
    if (s->prompt == 0) {
        printf("%zu turns; no answer yet; the context holds %zu\n", talk->count,
               session_ctx(&talk->loaded.session));
        return true;
    }
    printf(
        "%zu turns; last answer: %zu prompt tokens, %zu of them cached, %zu evaluated; %zu "
        "generated, the first after %.0f ms, then %.0f tokens/s; %s; the context holds %zu\n",
        talk->count, s->prompt, s->kept, s->prompt - s->kept, s->generated, 1e3 * s->first,
        s->generated > 1 && s->seconds > 0 ? (double)(s->generated - 1) / s->seconds : 0.0,
        stop_reason_name(s->reason), session_ctx(&talk->loaded.session));
    return true;
}

static bool reset(Talk *talk, Text text, Fault *fault) {
    size_t first = talk_first(talk);
    (void)text, (void)fault;
    talk_drop(talk, first, talk->count - first);
    shown_release(&talk->next);
    return true;
}

static bool quit(Talk *talk, Text text, Fault *fault) {
    (void)text, (void)fault;
    return talk->over = true;
}

static bool help(Talk *talk, Text text, Fault *fault);

static const struct {
    const char *name, *takes, *gloss;
    bool (*run)(Talk *talk, Text text, Fault *fault);
} orders[] = {
    {"help", "", "this list", help},
    {"undo", "", "remove the last question and its answer", orders_undo},
    {"retry", "", "answer the last question again", retry},
    {"image", "FILE", "send an image with the next message", image},
    {"edit", "TEXT", "replace the last question", edit},
    {"chain", "[SPEC]", "show or choose the samplers", chain},
    {"system", "[TEXT]", "set the system message; without TEXT: remove it", system_text},
    {"save", "FILE", "save the conversation as JSON", save},
    {"load", "FILE", "load a saved conversation", orders_load},
    {"tokens", "", "print the model's context, token by token", tokens},
    {"stats", "", "counts and times of the last answer", stats},
    {"reset", "", "start a new conversation", reset},
    {"quit", "", "quit, as does Ctrl-D", quit}};

static bool help(Talk *talk, Text text, Fault *fault) {
    (void)talk, (void)text, (void)fault;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        printf("  /%s %-*s %s\n", orders[i].name, 15 - (int)strlen(orders[i].name),
               orders[i].takes, orders[i].gloss);
    printf("Ctrl-C stops an answer.  A line that ends in \\ goes on.\n");
    return true;
}

bool talk_order(Talk *talk, Text line, Fault *fault) {
    Text name = text_cut(&line, ' ');
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (!text_equal((Text){name.data + 1, name.size - 1}, text_of(orders[i].name)))
            continue;
        if (line.size && !*orders[i].takes)
            return fault_set(fault, "/%s takes no argument: got '%.*s'", orders[i].name,
                             (int)min_size(line.size, 60), line.data);
        return orders[i].run(talk, line, fault);
    }
    return fault_set(fault, "no command '%.*s': /help lists them", (int)min_size(name.size, 40),
                     name.data);
}
