// vision_theirs.cpp - the rows that llama.cpp's mtmd makes of a picture, as floats, in the order of the prompt.
//
//   vision_theirs MODEL.gguf MMPROJ.gguf PICTURE.ppm OUT
#include "llama.h"
#include "mtmd.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static int fails(const char *what) {
    fprintf(stderr, "vision_theirs: %s\n", what);
    return 1;
}

// Newer versions want to know how long a text is.
template <class Text> static auto set_length(Text &text, size_t length) -> decltype(text.text_len, void()) { text.text_len = length; }
static void set_length(...) {}

static bool read_ppm(const char *path, unsigned &width, unsigned &height, std::vector<unsigned char> &rgb) {
    std::ifstream in(path, std::ios::binary);
    std::string magic;
    unsigned most;
    in >> magic >> width >> height >> most;
    in.get();
    rgb.assign(std::istreambuf_iterator<char>(in), {});
    return magic == "P6" && rgb.size() == 3ul * width * height;
}

int main(int argc, char **argv) {
    unsigned width, height;
    std::vector<unsigned char> rgb;
    if (argc != 5) return fails("wanted MODEL MMPROJ PICTURE OUT");
    if (!read_ppm(argv[3], width, height, rgb)) return fails("the picture is no PPM");
    ggml_backend_load_all();
    llama_model *model = llama_model_load_from_file(argv[1], llama_model_default_params());
    if (!model) return fails("the model does not load");
    mtmd_context_params params = mtmd_context_params_default();
    params.use_gpu = params.warmup = params.print_timings = false;
    params.n_threads = 1, params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    mtmd_context *context = mtmd_init_from_file(argv[2], model, params);
    if (!context) return fails("the mmproj file does not load");
    const std::string prompt = std::string("a") + mtmd_default_marker() + "b";
    mtmd_input_text text = {};
    text.text = prompt.c_str(), text.parse_special = true, set_length(text, prompt.size());
    const mtmd_bitmap *bitmap = mtmd_bitmap_init(width, height, rgb.data());
    mtmd_input_chunks *chunks = mtmd_input_chunks_init();
    if (mtmd_tokenize(context, chunks, &text, &bitmap, 1) != 0) return fails("the prompt is refused");
    FILE *out = fopen(argv[4], "wb");
    for (size_t i = 0; out && i < mtmd_input_chunks_size(chunks); i++) {
        const mtmd_input_chunk *chunk = mtmd_input_chunks_get(chunks, i);
        if (mtmd_input_chunk_get_type(chunk) != MTMD_INPUT_CHUNK_TYPE_IMAGE) continue;
        if (mtmd_encode_chunk(context, chunk) != 0) return fails("the picture is refused");
        fwrite(mtmd_get_output_embd(context), sizeof(float), mtmd_input_chunk_get_n_tokens(chunk) * llama_model_n_embd_inp(model), out);
    }
    return out && fclose(out) == 0 ? 0 : fails("cannot write");
}
