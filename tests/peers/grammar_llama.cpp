// grammar_llama.cpp - microseconds of a mask in llama.cpp: grammar_llama FOLDER OBJECTS
//
// For each case of the folder (grammar_cases.c) the schema becomes llama.cpp's grammar, and the text is followed token by
// token: at each the grammar sampler is asked about all tokens of the vocabulary.  The first OBJECTS cases are one row of
// the table, the others another.
#include "json-schema-to-grammar.h"
#include "llama.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Times {
    std::vector<double> first, mask, take;
    size_t refused = 0; // cases whose text the grammar refuses, or that do not compile
};

// Of this thread alone, as strata bench grammar has it.
static double microseconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static bool read(const std::string &path, std::string &text) {
    std::ifstream in(path);
    std::stringstream all;
    all << in.rdbuf();
    text = all.str();
    return in.good() || in.eof();
}

static void fill(std::vector<llama_token_data> &tokens) {
    for (size_t i = 0; i < tokens.size(); i++) tokens[i] = {(llama_token)i, 0.0f, 0.0f};
}

static bool follow(const llama_vocab *vocab, const std::string &schema, const std::string &text,
                   Times &times) {
    std::vector<llama_token> ids(text.size() + 8);
    ids.resize((size_t)llama_tokenize(vocab, text.data(), (int)text.size(), ids.data(),
                                      (int)ids.size(), false, false));
    std::vector<llama_token_data> tokens((size_t)llama_vocab_n_tokens(vocab));
    fill(tokens);
    llama_token_data_array all = {tokens.data(), tokens.size(), -1, false};
    double before = microseconds();
    std::string grammar = json_schema_to_grammar(nlohmann::ordered_json::parse(schema));
    llama_sampler *sampler = llama_sampler_init_grammar(vocab, grammar.c_str(), "root");
    if (!sampler) return false;
    llama_sampler_apply(sampler, &all);
    times.first.push_back(microseconds() - before);
    bool ok = true;
    for (llama_token id : ids) {
        if (!(ok = tokens[(size_t)id].logit > -1e30f)) break;
        before = microseconds();
        llama_sampler_accept(sampler, id);
        times.take.push_back(microseconds() - before);
        fill(tokens);
        all = {tokens.data(), tokens.size(), -1, false};
        before = microseconds();
        llama_sampler_apply(sampler, &all);
        times.mask.push_back(microseconds() - before);
    }
    llama_sampler_free(sampler);
    return ok;
}

static void print(const char *what, const char *name, std::vector<double> &x) {
    std::sort(x.begin(), x.end());
    size_t n = x.size();
    if (n == 0) return;
    printf("%-10s %-8s %-12s %7zu %9.2f %9.2f %9.2f %9.2f\n", what, "llama", name, n, x[n / 2],
           x[n * 90 / 100], x[n * 99 / 100], x[n - 1]);
}

static void print_all(const char *what, Times &times) {
    print(what, "first mask", times.first);
    print(what, "mask", times.mask);
    print(what, "take", times.take);
    if (times.refused)
        printf("%-10s %zu of them: the schema or the text is refused\n", what, times.refused);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const std::string folder = argv[1];
    const size_t objects = (size_t)atoi(argv[2]);
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    llama_model *model =
        llama_model_load_from_file((folder + "/vocabulary.gguf").c_str(), params);
    if (!model) return fprintf(stderr, "llama.cpp does not read the vocabulary\n"), 1;
    Times of[2];
    for (size_t i = 0;; i++) {
        char name[32];
        std::string schema, text;
        snprintf(name, sizeof name, "/%02zu", i);
        if (!read(folder + name + ".json", schema) || !read(folder + name + ".txt", text))
            break;
        Times &times = of[i >= objects];
        try {
            if (!follow(llama_model_get_vocab(model), schema, text, times)) times.refused++;
        } catch (const std::exception &) { // a schema that it does not know
            times.refused++;
        }
    }
    print_all("object", of[0]), print_all("calls", of[1]);
    llama_model_free(model);
    return 0;
}
