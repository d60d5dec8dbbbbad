// maskbench.cpp - Strata beside llama.cpp on the schemas of MaskBench, in one run: maskbench FOLDER
//
// For each file both engines compile the schema, judge each text, and make the first mask.  In every tenth file both follow
// the first valid text token by token and make a mask at each, over the same 128,000 tokens.  Each engine has a process of
// its own for each file, and LIMIT seconds: one that takes longer or ends otherwise has failed at that file.
#include "maskbench.h"

#include "json-schema-to-grammar.h"
#include "llama-grammar.h"
#include "llama-vocab.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using Json = nlohmann::ordered_json;

enum { MOST = 40 /* masks of a text */, TENTH = 10, LIMIT = 30 };

// ------------------------------------------------------------------ what llama.cpp's two files need of the rest

static std::vector<std::string> pieces;
static int end_token;

struct llama_vocab::impl {};
llama_vocab::llama_vocab() = default;
llama_vocab::~llama_vocab() = default;
bool llama_vocab::is_eog(llama_token id) const { return id == end_token; }
const std::string &llama_vocab::token_to_piece(llama_token id) const {
    return pieces[(size_t)id];
}
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const {
    return 0; // only grammars that name tokens ask
}

void llama_log_internal(ggml_log_level, const char *, ...) {}
extern "C" void ggml_abort(const char *, int, const char *, ...) { abort(); }

std::string string_repeat(const std::string &text, size_t n) {
    std::string all;
    while (n-- > 0) all += text;
    return all;
}
std::string string_join(const std::vector<std::string> &parts, const std::string &between) {
    std::string all;
    for (size_t i = 0; i < parts.size(); i++) all += (i ? between : "") + parts[i];
    return all;
}
std::vector<std::string> string_split(const std::string &text, const std::string &between) {
    std::vector<std::string> parts;
    size_t from = 0, to;
    while ((to = text.find(between, from)) != std::string::npos)
        parts.push_back(text.substr(from, to - from)), from = to + between.size();
    parts.push_back(text.substr(from));
    return parts;
}

// ------------------------------------------------------------------ the engines

struct Engine {
    virtual ~Engine() = default;
    virtual bool open(const Json &schema) = 0; // false: refused
    virtual void begin() = 0;
    virtual bool judge(const std::string &text) = 0;
    virtual void mask() = 0;
    virtual bool take(int token) = 0;
};

struct Ours : Engine {
    void *g = nullptr;
    bool open(const Json &schema) override {
        std::string text = schema.dump();
        return (g = ours_open(text.data(), text.size())) != nullptr;
    }
    void begin() override { ours_begin(g); }
    bool judge(const std::string &text) override {
        return ours_judge(g, text.data(), text.size()) != 0;
    }
    void mask() override { ours_mask(g); }
    bool take(int token) override { return ours_take(g, token) != 0; }
};

struct Theirs : Engine {
    llama_vocab vocab;
    llama_grammar *first = nullptr, *g = nullptr;
    std::vector<llama_token_data> tokens;
    bool open(const Json &schema) override {
        tokens.resize(pieces.size());
        try {
            std::string grammar = json_schema_to_grammar(schema);
            first = llama_grammar_init_impl(&vocab, grammar.c_str(), "root", false, nullptr, 0,
                                            nullptr, 0);
        } catch (const std::exception &) {} // a schema that it does not know
        return first != nullptr;
    }
    void begin() override {
        if (g) llama_grammar_free_impl(g);
        g = llama_grammar_clone_impl(*first);
    }
    bool judge(const std::string &text) override {
        begin();
        if (!take_text(text)) return false;
        const auto &stacks = llama_grammar_get_stacks(g);
        return std::any_of(stacks.begin(), stacks.end(), [](auto &s) { return s.empty(); });
    }
    void mask() override {
        for (size_t i = 0; i < tokens.size(); i++) tokens[i] = {(llama_token)i, 0.0f, 0.0f};
        llama_token_data_array all = {tokens.data(), tokens.size(), -1, false};
        llama_grammar_apply_impl(*g, &all);
    }
    bool take(int token) override { return take_text(pieces[(size_t)token]); }
    bool take_text(const std::string &text) {
        try {
            llama_grammar_accept_str(*g, text);
        } catch (const std::exception &) { // no stack is left
            return false;
        }
        return !llama_grammar_get_stacks(g).empty();
    }
};

// ------------------------------------------------------------------ a file

struct Result {
    bool ended = false, refused = false, valid_refused = false, invalid_accepted = false;
    double first = 0, of[MOST];
    size_t masks = 0;
};

// Of this thread alone, as strata bench grammar has it.
static double microseconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void follow(Engine &engine, const std::string &text, Result &r) {
    int ids[MOST];
    size_t n = ours_tokens(text.data(), text.size(), ids, MOST);
    engine.begin();
    for (size_t i = 0; i < n; i++) {
        double before = microseconds();
        engine.mask();
        r.of[r.masks++] = microseconds() - before;
        if (!engine.take(ids[i])) return;
    }
}

static void try_file(Engine &engine, const Json &file, bool masks, Result &r) {
    double before = microseconds();
    r.ended = true;
    if (!engine.open(file["schema"])) {
        r.refused = true;
        return;
    }
    engine.begin(), engine.mask();
    r.first = microseconds() - before;
    for (const Json &test : file["tests"]) {
        const std::string text = test["data"].dump();
        const bool valid = test["valid"], accepts = engine.judge(text);
        r.valid_refused |= valid && !accepts;
        r.invalid_accepted |= !valid && accepts;
        if (valid && masks) follow(engine, text, r), masks = false;
    }
}

// In a process of its own: a crash or an endless search ends only that.
static Result apart(Engine &engine, const Json &file, bool masks) {
    Result r;
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        alarm(LIMIT);
        try_file(engine, file, masks, r);
        _exit(write(ends[1], &r, sizeof r) != (ssize_t)sizeof r);
    }
    close(ends[1]);
    if (read(ends[0], &r, sizeof r) != (ssize_t)sizeof r) r = Result();
    close(ends[0]), waitpid(child, nullptr, 0);
    return r;
}

// ------------------------------------------------------------------ the tables

static void print_judged(const char *name, const std::vector<Result> &all) {
    size_t refused = 0, failed = 0, valid = 0, invalid = 0;
    for (const Result &r : all)
        refused += r.refused, failed += !r.ended, valid += r.valid_refused,
            invalid += r.invalid_accepted;
    auto share = [&](size_t n) { return 100.0 * (double)n / (double)all.size(); };
    printf("%-18s %7zu %7.1f %% %7.1f %% %13.2f %% %14.2f %%\n", name, all.size(),
           share(refused), share(failed), share(valid), share(invalid));
}

static void print_times(const char *name, const char *what, std::vector<double> x) {
    std::sort(x.begin(), x.end());
    size_t n = x.size();
    if (n)
        printf("%-18s %-12s %7zu %11.2f %11.2f %11.2f\n", name, what, n, x[n / 2],
               x[n * 99 / 100], x[n - 1]);
}

static void print_masks(const char *name, const std::vector<Result> &all) {
    std::vector<double> first, masks;
    for (const Result &r : all) {
        if (r.first > 0) first.push_back(r.first);
        masks.insert(masks.end(), r.of, r.of + r.masks);
    }
    print_times(name, "first mask", first), print_times(name, "mask", masks);
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: maskbench FOLDER\n"), 2;
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (int i = 0, n = ours_words(&end_token); i < n; i++) {
        size_t size;
        const char *piece = ours_piece(i, &size);
        pieces.emplace_back(piece, size);
    }
    std::vector<Result> ours, theirs;
    for (size_t i = 0; i < files.size(); i++) {
        std::ifstream in(files[i]);
        const Json file = Json::parse(in);
        Ours mine;
        Theirs other;
        ours.push_back(apart(mine, file, i % TENTH == 0));
        theirs.push_back(apart(other, file, i % TENTH == 0));
    }
    printf("%-18s %7s %9s %9s %15s %16s\n", "engine", "files", "refused", "failed",
           "valid refused", "invalid accepted");
    print_judged("strata", ours), print_judged("llama.cpp", theirs);
    printf("\n%-18s %-12s %7s %11s %11s %11s\n", "microseconds", "", "count", "p50", "p99",
           "max");
    print_masks("strata", ours), print_masks("llama.cpp", theirs);
    return 0;
}
