/* Tiny World: entropy by enumeration, writing, checking and its reasons */
#include "world_check.h"
#include "worlds.h"
#include "check.h"
#include "models.h"
#include "../src/world/rules.h"

/* 2 names; a bold one needs no helper, a shy one has one of the other names */
static const char small[] =
    "class name nerve he\nbold he: Max, Leo\nshy she: Ann\nvar H name\nvar F name\n"
    "rule top\n|3 +long {H} ran. <end>\n|1 {H} sat.\n"
    "rule end\n| ?H.nerve=bold ?long {H.he} won.\n|2 ?H.nerve=bold The end.\n| ?H.nerve=shy "
    "{F} helped {H}.\n";

/* All texts of the small language with their exact probabilities, listed by hand. */
static const struct {
    const char *text;
    double p;
} all[] = {{"Max ran. he won.", 0.75 / 3 / 3},
           {"Max ran. The end.", 0.75 / 3 * 2 / 3},
           {"Leo ran. he won.", 0.75 / 3 / 3},
           {"Leo ran. The end.", 0.75 / 3 * 2 / 3},
           {"Ann ran. Max helped Ann.", 0.75 / 3 / 2},
           {"Ann ran. Leo helped Ann.", 0.75 / 3 / 2},
           {"Max sat.", 0.25 / 3},
           {"Leo sat.", 0.25 / 3},
           {"Ann sat.", 0.25 / 3}};
enum { ALL = sizeof all / sizeof *all };

/* k/n: the k-th of every n words, for writing, checking and entropy alike */
static void variables_can_share_a_class(void **state) {
    (void)state;
    Fault fault;
    WorldText text = {0};
    World *world = world_open_text("class name\n: Ann, Bob, Cid, Dan, Eve\nvar H name 1/2\n"
                                   "var F name 2/2\nrule top\n| {H} met {F}.\n",
                                   &fault);
    if (!world) fail_msg("%s", fault.text);
    assert_non_null(world_rule(world, "top"));
    assert_null(world_rule(world, "to"));
    for (uint64_t i = 0; i < 200; i++) {
        world_write(world, "top", 1, i, &text);
        assert_true(strchr("ACE", text.bytes[0]) && strchr("BD", text.bytes[8]));
        assert_near(text.nats, log(6), 1e-12);
        assert_near(world_check(world, "top", text.bytes, text.size, false).nats, log(6), 1e-9);
    }
    assert_false(world_check(world, "top", "Bob met Dan.", 12, false).valid);
    world_text_free(&text), world_close(world);
    static const char *const wrong[] = {"0/2", "3/2", "1", "1/2x"};
    for (int i = 0; i < 4; i++) {
        char grammar[100];
        snprintf(grammar, sizeof grammar,
                 "class name\n: Ann, Bob\nvar H name %s\nrule top\n| {H}\n", wrong[i]);
        assert_null(world_open_text(grammar, &fault));
        assert_contains(fault.text, "share");
    }
}

/* Lines that cannot be read: what is wrong, and where. */
static void wrong_lines_are_named(void **state) {
    (void)state;
    static const struct {
        const char *grammar, *says;
    } cases[] = {
        {"x\n", "line 1: cannot read 'x'"},
        {"| x\n", "line 1: cannot read"},
        {"class c\n\n# note\n| x\n", "line 4: cannot read"},
        {"class c\nw\n", "line 2: cannot read"},
        {"class c a b c d e f g h\n", "too many columns at 'g h'"},
        {"class c\n: A\nvar H d\n", "no class 'd'"},
        {"class c\n: A\nvar H c 1/22222222222222222\n", "no share"},
        {"rule t\n", "a rule without text: 't'"},
        {"rule t\n| <u>\n", "a rule without text: 'u'"},
        {"rule t\n| {V}\n", "no variable 'V'"},
        {"class c a\nw: X\nvar V c\nrule t\n| {V.b}\n", "no column 'b'"},
        {"class c a\nw: X\nvar V c\nrule t\n| ?V.b=1 x\n", "no such variable or column"},
        {"rule t\n| ?V.a=1 x\n", "no such variable or column in '?V.a=1'"},
        {"rule t\n| ?a ?b ?c ?d ?e x\n", "too many conditions at '?e'"},
        {"rule a_name_of_more_than_sixty_bytes_which_is_cut_where_the_message_names_it\n",
         "which_is_cut_where_the_messa'"}};
    Fault fault;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(world_open_text(cases[i].grammar, &fault));
        assert_contains(fault.text, cases[i].says);
    }
    static char many[4000];
    char *at = many + sprintf(many, "rule t\n|");
    for (int i = 0; i < 65; i++) at += sprintf(at, " +t%d", i);
    assert_null(world_open_text(many, &fault));
    assert_contains(fault.text, "more than 64 tags at 't64'");
    at = many + sprintf(many, "class c\n: A\n");
    for (int i = 0; i < 41; i++) at += sprintf(at, "var V%d c\n", i);
    assert_null(world_open_text(many, &fault));
    assert_contains(fault.text, "too many variables at 'V40'");
}

/* Marks that begin nothing are text; empty words and the empty text are none. */
static void odd_texts_are_written_as_they_are(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"| a\\nb\\x {1 <2 c{\n", "a\nb\\x {1 <2 c{"},
                                           {"| {V}.\n", "A."},
                                           {"|\n", ""},
                                           {"|2\n", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char grammar[200];
        Fault fault;
        WorldText text = {0};
        snprintf(grammar, sizeof grammar, "class c\n: A,,\nvar V c\nrule t\n%s", cases[i][0]);
        World *world = world_open_text(grammar, &fault);
        if (!world) fail_msg("%s", fault.text);
        world_write(world, "t", 1, 0, &text);
        assert_int_equal(text.size, strlen(cases[i][1]));
        assert_memory_equal(text.bytes, cases[i][1], text.size);
        world_text_free(&text), world_close(world);
    }
}

/* A tale is a story of a part of the language: read as one, it is one, and less surprising as
 * what it is. */
static void tales_are_stories(void **state) {
    (void)state;
    Fault fault;
    WorldText text = {0};
    World *world = world_open(&fault);
    bool stories_are_tales = true;
    assert_non_null(world);
    for (uint64_t i = 0; i < 60; i++) {
        world_write(world, "tale", 3, i, &text);
        WorldVerdict tale = world_check(world, "tale", text.bytes, text.size, false);
        WorldVerdict story = world_check(world, "story", text.bytes, text.size, false);
        assert_true(tale.valid && story.valid);
        assert_true(tale.nats < story.nats);
        world_write(world, "story", 3, i, &text);
        stories_are_tales &= world_check(world, "tale", text.bytes, text.size, false).valid;
    }
    assert_false(stories_are_tales);
    world_text_free(&text);
    world_close(world);
}

static void entropy_is_the_enumerated_one(void **state) {
    (void)state;
    Fault fault;
    World *world = world_open_text(small, &fault);
    if (!world) fail_msg("%s", fault.text);
    double total = 0, entropy = 0, mean = 0;
    int counts[ALL] = {0};
    WorldText text = {0};
    for (int i = 0; i < ALL; i++) total += all[i].p, entropy -= all[i].p * log(all[i].p);
    assert_near(total, 1, 1e-12);
    enum { DRAWS = 200000 };
    for (int d = 0; d < DRAWS; d++) {
        world_write(world, "top", 5, (uint64_t)d, &text);
        int i = 0;
        while (i < ALL && strcmp(all[i].text, text.bytes) != 0) i++;
        assert_true(i < ALL);                         /* nothing else is written */
        assert_near(text.nats, -log(all[i].p), 1e-9); /* and each reports its own probability */
        counts[i]++, mean += text.nats / DRAWS;
    }
    assert_near(mean, entropy, 0.01);
    for (int i = 0; i < ALL;
         i++) { /* written as often as it should be; read back with the same probability */
        assert_near(counts[i], all[i].p * DRAWS, 5 * sqrt(all[i].p * DRAWS));
        WorldVerdict v = world_check(world, "top", all[i].text, strlen(all[i].text), false);
        assert_true(v.valid && v.derivations == 1);
        assert_near(v.nats, -log(all[i].p), 1e-9);
    }
    assert_false(world_check(world, "top", "Ann ran. Ann helped Ann.", 24, false).valid);
    assert_false(world_check(world, "top", "Ann ran. he won.", 16, false).valid);
    assert_true(world_check(world, "top", "Max ran. The", 12, true).valid);
    assert_false(world_check(world, "top", "Max ran. Thx", 12, true).valid);
    world_text_free(&text);
    world_close(world);
}

/* As a prefix a text has the probability of all that begin with it, added up from the list. */
static void a_prefix_is_worth_what_begins_with_it(void **state) {
    (void)state;
    Fault fault;
    World *world = world_open_text(small, &fault);
    if (!world) fail_msg("%s", fault.text);
    for (int i = 0; i < ALL; i++)
        for (size_t n = 0; n <= strlen(all[i].text); n++) {
            double p = 0;
            for (int k = 0; k < ALL; k++)
                p += strncmp(all[k].text, all[i].text, n) == 0 ? all[k].p : 0;
            WorldVerdict v = world_check(world, "top", all[i].text, n, true);
            assert_true(v.valid);
            assert_near(v.nats, -log(p), 1e-9);
        }
    assert_true(isinf(world_check(world, "top", "Bob", 3, true).nats));
    world_close(world);
}

/* "x" n times, read letter by letter as one of two kinds: 2^n ways, of probability 1
 * together. */
static void many_ways_add_up_or_are_refused(void **state) {
    (void)state;
    Fault fault;
    char text[1200];
    World *world = world_open_text("rule top\n| <a>\n| <a><top>\nrule a\n| x\n|3 x\n", &fault);
    if (!world) fail_msg("%s", fault.text);
    memset(text, 'x', sizeof text);
    WorldVerdict v = world_check(world, "top", text, 12, false);
    assert_int_equal(v.derivations, 1 << 12);
    assert_near(v.nats, 12 * log(2), 1e-9);
    v = world_check(world, "top", text, 60, false);
    assert_false(v.valid);
    assert_string_equal(v.reason, "ways");
    assert_contains(v.detail, "too many ways");
    world_close(world);
    /* a probability below the smallest double is one all the same */
    world = world_open_text("rule top\n| <a>\n| <a><top>\nrule a\n| x\n|3 y\n", &fault);
    v = world_check(world, "top", text, sizeof text, false);
    assert_near(v.nats, sizeof text * log(8), 1e-6);
    world_close(world);
}

/* The writer adds up the choices it made; where several ways lead to one text, the text is
 * likelier than any of them: the mean of the score is below that of the choices. */
static void the_score_is_never_above_the_choices(void **state) {
    (void)state;
    Fault fault;
    WorldText text = {0};
    World *world = world_open_text("rule top\n| <a>\n| x\nrule a\n|3 x\n|1 y\n", &fault);
    double chosen = 0, scored = 0, entropy = -(0.875 * log(0.875) + 0.125 * log(0.125));
    enum { DRAWS = 20000 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        world_write(world, "top", 9, i, &text);
        WorldVerdict v = world_check(world, "top", text.bytes, text.size, false);
        assert_true(v.nats <= text.nats + 1e-12);
        chosen += text.nats / DRAWS, scored += v.nats / DRAWS;
    }
    assert_near(scored, entropy, 0.02);
    assert_true(scored < chosen - 0.5);
    world_text_free(&text), world_close(world);
}

/* Two derivations of one text: their probabilities add up. */
static void ambiguity_is_seen(void **state) {
    (void)state;
    Fault fault;
    World *world = world_open_text("rule top\n| <a>\n| x\nrule a\n|3 x\n|1 y\n", &fault);
    WorldVerdict v = world_check(world, "top", "x", 1, false);
    assert_int_equal(v.derivations, 2);
    assert_near(exp(-v.nats), 0.5 + 0.5 * 0.75, 1e-12);
    world_close(world);
    assert_null(world_open_text("rule top\n| {Q}\n", &fault));
    assert_contains(fault.text, "line 2");
    assert_null(world_open_text("rule top\n| <missing>\n", &fault));
    assert_contains(fault.text, "missing");
}

static void documents_are_valid_unambiguous_and_repeatable(void **state) {
    (void)state;
    Fault fault;
    World *world = world_open(&fault);
    if (!world) fail_msg("%s", fault.text);
    WorldText text = {0}, again = {0};
    int chats = 0, cards = 0;
    for (uint64_t i = 0; i < 1500; i++) {
        world_write(world, "document", 3, i, &text);
        world_write(world, "document", 3, i, &again);
        assert_string_equal(text.bytes, again.bytes);
        WorldVerdict v = world_check(world, "document", text.bytes, text.size, false);
        if (!v.valid)
            fail_msg("document %d: %s at %zu: %s", (int)i, v.reason, v.place, v.detail);
        assert_int_equal(v.derivations, 1);
        assert_near(v.nats, text.nats, 1e-6);
        chats += strstr(text.bytes, "<|im_start|>assistant") != NULL;
        cards += strstr(text.bytes, "{\"name\"") != NULL;
    }
    assert_true(chats > 300 && cards > 150);
    world_text_free(&text), world_text_free(&again);
    world_close(world);
}

/* The wide world writes what it reads, with the same nats; its first name is k times likelier
 * than the k-th; the tiny world knows none of its rare words. */
static void wide_world_has_a_tail(void **state) {
    (void)state;
    Fault fault;
    World *tiny = world_open_named("tiny", &fault), *wide = world_open_named("wide", &fault);
    if (!tiny || !wide) fail_msg("%s", fault.text);
    WorldText text = {0};
    int first = 0, third = 0, rare = 0, n = 6000;
    for (int i = 0; i < n; i++) {
        world_write(wide, "story", 3, (uint64_t)i, &text);
        first += strncmp(text.bytes, "Tom ", 4) == 0 || strstr(text.bytes, "named Tom.");
        third += strncmp(text.bytes, "Max ", 4) == 0 || strstr(text.bytes, "named Max.");
        if (i >= 300) continue;
        WorldVerdict v = world_check(wide, "story", text.bytes, text.size, false);
        if (!v.valid) fail_msg("story %d: %s: %s", i, v.reason, v.detail);
        assert_near(v.nats, text.nats, 1e-6);
        rare += !world_check(tiny, "story", text.bytes, text.size, false).valid;
    }
    assert_true(rare > 100);
    assert_true(first > 2 * third && first < 4 * third);
    world_text_free(&text);
    world_close(tiny), world_close(wide);
    assert_null(world_open_named("flat", &fault));
    assert_contains(fault.text, "--world flat: wanted tiny or wide");
}

/* Replace the last (or first) `old` in text by `new` and expect this reason. */
static void spoil(const World *world, const char *text, bool last, const char *old,
                  const char *new, const char *reason) {
    char spoiled[4000];
    const char *at = strstr(text, old);
    assert_non_null(at);
    for (const char *next = at; last && next; next = strstr(next + 1, old)) at = next;
    snprintf(spoiled, sizeof spoiled, "%.*s%s%s", (int)(at - text), text, new,
             at + strlen(old));
    WorldVerdict v = world_check(world, "document", spoiled, strlen(spoiled), false);
    assert_false(v.valid);
    if (strcmp(v.reason, reason) != 0)
        fail_msg("'%s' for '%s': reason %s (%s), wanted %s", new, old, v.reason, v.detail,
                 reason);
    assert_true(v.place <= (size_t)(at - text) + strlen(old) + 40);
}

static const char story[] =
    "Tom was a gentle fox. He lived by the river.\n\nOne day, Tom could not find his red ball. "
    "Nobody else had one like it. He looked all over "
    "the yard, but it was not there. Tom began to cry.\n\nThen his friend Lily the rabbit came "
    "by. "
    "\"What is wrong?\" asked Lily. \"I lost my red ball,\" "
    "said Tom. Side by side they peeked into every corner. At last they found the ball under "
    "the bridge. Tom thanked Lily with all his heart.\n\n"
    "In the end Tom felt happy. The end.";

static void mistakes_have_reasons(void **state) {
    (void)state;
    Fault fault;
    World *world = world_open(&fault);
    char text[4000];
    assert_true(world_check(world, "document", story, strlen(story), false).valid);
    spoil(world, story, true, "the ball under", "the kite under", "thing");
    spoil(world, story, false, "my red ball", "my blue ball", "color");
    spoil(world, story, true, "Tom felt", "Leo felt", "name");
    spoil(world, story, false, "his red ball", "her red ball", "pronoun");
    spoil(world, story, false, "could not find", "could not found", "grammar");
    spoil(world, story, true, "The end.", "The end. And", "grammar");
    snprintf(text, sizeof text,
             "%s\n\n{\"name\": \"Tom\", \"kind\": \"fox\", \"trait\": \"gentle\", \"place\": "
             "\"by the river\", \"object\": \"red ball\", "
             "\"feeling\": \"happy\", \"friends\": [\"Lily\"]}",
             story);
    assert_true(world_check(world, "document", text, strlen(text), false).valid);
    spoil(world, text, true, "\"fox\"", "\"owl\"", "card");
    spoil(world, text, true, "red ball", "red kite", "card");
    snprintf(
        text, sizeof text,
        "<|im_start|>user\n%s\n\nWhere was the ball?<|im_end|>\n<|im_start|>assistant\nIt "
        "was under the bridge.<|im_end|>\n"
        "<|im_start|>user\nWho helped Tom?<|im_end|>\n<|im_start|>assistant\nLily the rabbit "
        "helped him.<|im_end|>\n",
        story);
    /* a chat asks one or two questions after the first */
    if (!world_check(world, "document", text, strlen(text), false).valid) {
        char *cut = strstr(text, "<|im_start|>user\nWho helped");
        snprintf(cut, 400,
                 "<|im_start|>user\nHow did Tom feel at the "
                 "end?<|im_end|>\n<|im_start|>assistant\nTom was happy.<|im_end|>\n");
    }
    assert_true(world_check(world, "document", text, strlen(text), false).valid);
    spoil(world, text, true, "under the bridge", "behind the barn", "answer");
    world_close(world);
}

RUN(TEST(variables_can_share_a_class), TEST(wrong_lines_are_named),
    TEST(odd_texts_are_written_as_they_are), TEST(tales_are_stories),
    TEST(entropy_is_the_enumerated_one), TEST(a_prefix_is_worth_what_begins_with_it),
    TEST(many_ways_add_up_or_are_refused), TEST(the_score_is_never_above_the_choices),
    TEST(ambiguity_is_seen), TEST(documents_are_valid_unambiguous_and_repeatable),
    TEST(wide_world_has_a_tail), TEST(mistakes_have_reasons))
