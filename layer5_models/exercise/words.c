/* The worked exercise of vocabularies: one sentence through five of them.
 *
 *     make worked words
 *     make worked words SENTENCE='The fox lost his hat'
 *
 * They are learned here, from the same stories, and have the same size (vocabularies.h).  --csv
 * prints text,vocabulary,words,tokens,exact,plainer,lost: tokens of each kind of text, and how
 * many of its words come back. */
#include "vocabularies.h"

typedef struct Vocabulary {
    const char *name, *rule;
    Tokenizer *tokenizer;
} Vocabulary;

enum { FIVE = 5 };

static Text stories(uint64_t seed, uint64_t count, WorldText *all) {
    Fault fault;
    WorldText one = {0};
    World *world = world_open(&fault);
    must(world, &fault);
    for (uint64_t i = 0; i < count; i++) {
        world_write(world, "story", seed, i, &one);
        world_text_append(all, (Text){one.bytes, one.size});
        world_text_append(all, text_of("\n"));
    }
    world_text_free(&one), world_close(world);
    return (Text){all->bytes, all->size};
}

static void learn(Vocabulary five[FIVE], Text text, const CountList *words) {
    Tokenizer *bytes = learn_bytes(text);
    five[0] = (Vocabulary){"bytes", "pairs of bytes, in the order they were learned", bytes};
    five[1] = (Vocabulary){"scores", "pairs by their score, bytes as a last resort",
                           learn_scores(bytes, words)};
    five[2] = (Vocabulary){"unigram", "the best path of all", learn_unigram(words)};
    five[3] =
        (Vocabulary){"wordpiece", "the longest piece of a plain word", learn_wordpiece(words)};
    five[4] =
        (Vocabulary){"longest", "the longest string, whatever follows", learn_longest(bytes)};
}

static TokenList encoded(const Tokenizer *t, Text text) {
    TokenList tokens = {0};
    Fault fault;
    must(tokenizer_encode(t, text, false, &tokens, &fault), &fault);
    return tokens;
}

/* Spaces as U+2581, bytes that are no character as <C3>. */
static void show_piece(Text piece) {
    for (size_t at = 0, taken; at < piece.size; at += taken) {
        uint32_t code = utf8_decode(piece.data + at, piece.size - at, &taken);
        if (code == ' ')
            printf("\xE2\x96\x81");
        else if (code < ' ' || (code == 0xFFFD && taken == 1))
            printf("<%02X>", (unsigned char)piece.data[at]);
        else
            printf("%.*s", (int)taken, piece.data + at);
    }
}

/* What the tokens say, without the space that may be put in front. */
static void comes_back(const Tokenizer *t, const TokenList *tokens, WorldText *out) {
    out->size = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        Text piece = tokenizer_piece(t, tokens->ids[i], false);
        bool front = out->size == 0 && piece.size && piece.data[0] == ' ';
        world_text_append(out, front ? (Text){piece.data + 1, piece.size - 1} : piece);
    }
    world_text_append(out, text_of(""));
}

static bool any_unknown(const Tokenizer *t, const TokenList *tokens) {
    bool any = false;
    for (size_t i = 0; i < tokens->count; i++)
        any = any || (t->unknown >= 0 && tokens->ids[i] == t->unknown);
    return any;
}

static void show_sentence(const Vocabulary *v, Text text) {
    WorldText back = {0};
    TokenList tokens = encoded(v->tokenizer, text);
    printf("\n   %s: %s\n   %3zu tokens  ", v->name, v->rule, tokens.count);
    for (size_t i = 0; i < tokens.count; i++) {
        if (i) putchar('|');
        show_piece(tokenizer_piece(v->tokenizer, tokens.ids[i], true));
    }
    comes_back(v->tokenizer, &tokens, &back);
    bool same = text_equal((Text){back.bytes, back.size}, text);
    printf("\n   %s%.*s\n", same ? "comes back as it was" : "comes back as  ",
           same ? 0 : (int)back.size, back.bytes);
    token_list_free(&tokens), world_text_free(&back);
}

/* ------------------------------------------------------------------ kinds of texts, as CSV */

static void count_text(const char *kind, const Vocabulary *v, Text text) {
    size_t words = 0, exact = 0, lost = 0;
    WorldText back = {0};
    TokenList tokens = encoded(v->tokenizer, text);
    for (Text rest = text; rest.size;) {
        Text word = text_cut(&rest, ' ');
        if (!word.size) continue;
        TokenList own = encoded(v->tokenizer, word);
        comes_back(v->tokenizer, &own, &back);
        if (any_unknown(v->tokenizer, &own))
            lost++;
        else if (text_equal((Text){back.bytes, back.size}, word))
            exact++;
        words++;
        token_list_free(&own);
    }
    printf("%s,%s,%zu,%zu,%zu,%zu,%zu\n", kind, v->name, words, tokens.count, exact,
           words - exact - lost, lost);
    token_list_free(&tokens), world_text_free(&back);
}

static void count_kinds(const Vocabulary *v, WorldText *story) {
    static const char *const others[][2] = {
        {"other words",
         "The committee postponed its quarterly budget until an engineer explained "
         "how algorithms schedule traffic."},
        {"numbers", "In 1994 about 3500 people paid 17.25 for 120 grams, and 99 paid 1000000."},
        {"accents",
         "Zoë naïvely ordered crème brûlée à la carte at a café in Málaga with Jürgen."},
        {"other script", "Ёж потерял свою шляпу и пошёл искать её в лесу за рекой."}};
    count_text("stories", v, (Text){story->bytes, story->size});
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        count_text(others[i][0], v, text_of(others[i][1]));
}

int main(int argc, char **argv) {
    bool csv = worked_csv(argc, argv);
    const char *sentence = sentence_or("Zoë the hedgehog lost 25 fine hats, didn't she?");
    WorldText all = {0}, held_out = {0};
    Text text = stories(7, STORIES, &all);
    CountList words = words_in(text);
    Vocabulary five[FIVE];
    if (!csv) {
        printf("1. %d stories of Tiny World: %zu different words.  Five vocabularies of %d "
               "tokens are learned from them\n   and written as build/words-NAME.gguf.\n\n"
               "2. \"%s\", through all five\n",
               STORIES, words.count, VOCAB, sentence);
        guess("which of the five takes the fewest tokens, and which do not give it back?");
    }
    learn(five, text, &words);
    if (csv) printf("text,vocabulary,words,tokens,exact,plainer,lost\n");
    stories(8, 20, &held_out);
    for (size_t i = 0; i < held_out.size; i++)
        if (held_out.bytes[i] == '\n') held_out.bytes[i] = ' ';
    for (int i = 0; i < FIVE; i++) {
        if (csv)
            count_kinds(&five[i], &held_out);
        else
            show_sentence(&five[i], text_of(sentence));
        tokenizer_close(five[i].tokenizer);
    }
    free(words.rows), world_text_free(&all), world_text_free(&held_out);
    return worked_end();
}
