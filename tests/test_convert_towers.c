/* test_convert_towers.c - vision towers of every class, published by another program and converted back: the same tensors,
 * and the same rows of a picture, to the bit; and what is refused. */
#include "convert_case.h"
#include "vision.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
/* Qwen 3's folders say both. */
#define PIXELS       "vision.image_min_pixels=2000 vision.image_max_pixels=90000"
#define GEMMA4_TOWER "Gemma4ForConditionalGeneration.tower"

/* What a converted tower makes of a picture, beside what it was published from, to the bit. */
static void same_sight(const char *class) {
    static const char *const files[] = {"in.gguf", "out.gguf"};
    float *rows[2];
    size_t bytes = 0, most[2];
    for (int i = 0; i < 2; i++) {
        Vision v;
        Picture p, square;
        Fault fault;
        if (!vision_open(&v, in_folder(files[i]), CLASS_FIRST, NULL, &fault))
            fail_msg("%s: %s", class, fault.text);
        most[i] = vision_rows(&v);
        assert_true(picture_init(&p, 50, 28, NULL));
        for (size_t k = 0; k < 3 * 50 * 28; k++) p.rgb[k] = (unsigned char)rng_hash(3, 0, k);
        assert_true(vision_shape(&v, &p, false, &square, &fault));
        bytes = vision_rows_of(&v, &square) * vision_width(&v) * sizeof(float);
        rows[i] = malloc(bytes);
        assert_true(vision_read(&v, &square, rows[i], &fault));
        picture_free(&p), picture_free(&square), vision_close(&v);
    }
    if (most[0] != most[1]) fail_msg("%s: %zu rows at most, not %zu", class, most[1], most[0]);
    if (memcmp(rows[0], rows[1], bytes) != 0) fail_msg("%s: other rows", class);
    free(rows[0]), free(rows[1]);
}

static void towers_of_all_kinds(void **state) {
    (void)state;
    static const char *const classes[][2] = {
        {"LlavaForConditionalGeneration.tower", ""},
        {"Gemma3ForConditionalGeneration.tower", "gemma3 merge:2 eye_bias"},
        {"Idefics3ForConditionalGeneration.tower",
         "idefics3 merge:4 eye_bias vision.preproc_image_size=40"},
        {"Idefics3ForConditionalGeneration.tower",
         "idefics3 merge:4 vision.preproc_image_size=40 vision.preproc_max_tiles=1"},
        {"InternVLForConditionalGeneration.tower",
         "internvl merge:4 eye_bias vision.preproc_max_tiles=6"},
        {"Qwen2VLForConditionalGeneration.tower",
         "qwen2vl merge:2 width:40 vision.image_max_pixels=9000"},
        {"Qwen2_5_VLForConditionalGeneration.tower",
         "qwen2.5vl merge:2 windows:2 patch:14 vision.image_min_pixels=4000 "
         "vision.image_max_pixels=90000"},
        {"Qwen3VLForConditionalGeneration.tower", "qwen3vl deep:2 merge:2 width:40 " PIXELS},
        {"Qwen3_5ForConditionalGeneration.tower", "qwen3vl merge:2 image:56 " PIXELS},
        {"Mistral3ForConditionalGeneration.tower",
         "pixtral break merge:2 use_silu=true rope.freq_base=500.0"},
        {"LlavaForConditionalGeneration.pixtral.tower", "pixtral break use_silu=true"},
        {"Llama4ForConditionalGeneration.tower", "llama4 merge:2 vision.preproc_max_tiles=6"},
        {"Gemma4ForConditionalGeneration.tower", "gemma4v"}, /* 26B, 31B */
        {"Gemma4ForConditionalGeneration.tower",
         "gemma4v heads:2 merge:2 rope.freq_base=500.0 width:40"},
        {"Gemma4ForConditionalGeneration.tower", "gemma4v bounded plain"}, /* E2B, E4B */
        {"InternVLChatModel.tower", "internvl merge:4 eye_bias vision.preproc_max_tiles=6"}};
    const Convert how = {.vision = true};
    if (!has_python()) skip();
    for (size_t i = 0; i < COUNT(classes); i++) {
        write_model_of("clip", classes[i][1]);
        publish(classes[i][0], "");
        convert_with(classes[i][0], &how);
        if (i + 1 < COUNT(classes)) same_tensors(classes[i][0]); /* the last has fused maps */
        same_sight(classes[i][0]);
    }
    edit("config.json", "\"hidden_act\": \"gelu\"", "\"hidden_act\": \"gelu_new\"");
    Fault fault;
    assert_false(
        convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault));
    assert_non_null(strstr(fault.text, "hidden_act"));
}

/* What a folder of a class must not say, or lack. */
static void refuse_tower(const char *class, const char *file, const char *from, const char *to,
                         const char *says) {
    const Convert how = {.vision = true};
    Fault fault;
    publish(class, "");
    edit(file, from, to);
    assert_false(
        convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault));
    if (!strstr(fault.text, says)) fail_msg("no '%s' in: %s", says, fault.text);
}

static void pictures_that_are_refused(void **state) {
    (void)state;
    static const char *const edits[][4] = {
        {"tokenizer.json", "[IMG_BREAK]", "[IMG_BRAKE]", "has no [IMG_BREAK]"},
        {"tokenizer.json", "\"id\": 2", "\"id\": 4", "rows that divide"},
        {"config.json", "\"rope_type\": \"default\"", "\"rope_type\": \"linear\"",
         "rope_type is not default"},
        {"config.json", "\"head_dim\": 16", "\"head_dim\": 15", "head_dim is 15"},
        {"config.json", "\"vision_feature_layer\": -1",
         "\"vision_feature_select_strategy\": \"all\"", "strategy is not default"},
        {"preprocessor_config.json", "\"longest_edge\": 28", "\"longest_edge\": 29",
         "longest_edge is 29, wanted config.json's image_size, 28"},
        {"preprocessor_config.json", "\"longest_edge\": 28", "\"longest_edge\": 2.8e1",
         "longest_edge is not an integer, wanted 28"},
        {"preprocessor_config.json", "\"do_resize\": true", "\"resize_to_max_canvas\": true",
         "'resize_to_max_canvas' is true, wanted false"},
    };
    if (!has_python()) skip();
    write_model_of("clip", "pixtral break merge:2 use_silu=true");
    for (size_t i = 0; i < COUNT(edits); i++)
        refuse_tower("Mistral3ForConditionalGeneration.tower", edits[i][0], edits[i][1],
                     edits[i][2], edits[i][3]);
    write_model_of("clip", "qwen2.5vl merge:2 windows:2 patch:14 vision.image_min_pixels=4000");
    refuse_tower("Qwen2_5_VLForConditionalGeneration.tower", "preprocessor_config.json",
                 "\"min_pixels\": 4000", "\"min_pixels\": 1e99",
                 "min_pixels is not an integer below 2^32");
}

/* What a processor of pictures says is used, or as it is here, or known to change nothing; or refused. */
static void processors_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *class, *words, *file, *from, *to, *says;
    } edits[] = {
        {"Gemma3", "gemma3 merge:2", NULL, "\"do_pan_and_scan\": null",
         "\"do_pan_and_scan\": true", "'do_pan_and_scan' is true, wanted false"},
        {"Gemma3", "gemma3 merge:2", NULL, "\"resample\": 2", "\"resample\": 3",
         "resample is 3, wanted 2"},
        {"Gemma3", "gemma3 merge:2", NULL, "\"height\": 28", "\"height\": 56",
         "size is 56, wanted 28"},
        {"Gemma3", "gemma3 merge:2", NULL, "\"height\": 28", "\"depth\": 28",
         "size has 'depth', wanted height width shortest_edge"},
        {"Gemma3", "gemma3 merge:2", NULL, "\"do_resize\": true", "\"do_resize\": false",
         "'do_resize' is false, wanted true"},
        {"Gemma3", "gemma3 merge:2", NULL, "\"image_seq_length\"", "\"sharpness\"",
         "preprocessor_config.json: 'sharpness' is 256, and nothing is known of it in a "
         "Gemma3ForConditionalGeneration"},
        {"Llava", "", NULL, "\"crop_size\": {\"height\": 28", "\"crop_size\": {\"height\": 27",
         "crop_size is 27, wanted 28"},
        {"Llava", "", NULL, "\"do_center_crop\": true",
         "\"do_center_crop\": false, \"do_pad\": false",
         "do_pad and do_center_crop are false, wanted one of them"},
        {"Llava", "", NULL, "\"do_center_crop\": true", "\"do_center_crop\": 1",
         "'do_center_crop' is 1, wanted true or false"},
        {"Idefics3", "idefics3 merge:4 vision.preproc_image_size=40", NULL,
         "\"do_image_splitting\": true", "\"do_image_splitting\": 0",
         "do_image_splitting is not true or false"},
        {"Gemma3", "gemma3 merge:2", NULL, "\"do_pan_and_scan\": null",
         "\"do_pan_and_scan\": \"false\"", "'do_pan_and_scan' is \"false\", wanted false"},
        {"Idefics3", "idefics3 merge:4 vision.preproc_image_size=40", NULL,
         "\"max_image_size\": {\"longest_edge\": 28",
         "\"max_image_size\": {\"longest_edge\": 56", "max_image_size is 56, wanted 28"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, NULL, "\"patch_size\": 7",
         "\"patch_size\": 8", "patch_size is 8, wanted 7"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, NULL, "\"merge_size\": 2",
         "\"merge_size\": 4", "merge_size is 4, wanted 2"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, NULL, "\"temporal_patch_size\": 2",
         "\"temporal_patch_size\": 1", "'temporal_patch_size' is 1, wanted 2"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, NULL, "\"shortest_edge\"", "\"height\"",
         "size has 'height', wanted shortest_edge longest_edge"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, "config.json", "\"out_hidden_size\": 64",
         "\"out_hidden_size\": 65", "out_hidden_size is not 64"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, "config.json", "indexes\": [0, 1]",
         "indexes\": [1, 0]", "is not a list of blocks in their order, of 3"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, "config.json", "indexes\": [0, 1]",
         "indexes\": [0]", "deepstack_visual_indexes names 1 blocks"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, "config.json", "indexes\": [0, 1]",
         "indexes\": 2", "deepstack_visual_indexes is not a list"},
        {"Qwen3VL", "qwen3vl deep:2 merge:2 " PIXELS, "config.json",
         "\"num_position_embeddings\": 16", "\"num_position_embeddings\": 15",
         "num_position_embeddings is 15, wanted a square"}};
    if (!has_python()) skip();
    for (size_t i = 0; i < COUNT(edits); i++) {
        char class[80];
        snprintf(class, sizeof class, "%sForConditionalGeneration.tower", edits[i].class);
        write_model_of("clip", edits[i].words);
        refuse_tower(class, edits[i].file ? edits[i].file : "preprocessor_config.json",
                     edits[i].from, edits[i].to, edits[i].says);
    }
    write_model_of("clip", "internvl merge:4");
    refuse_tower("InternVLChatModel.tower", "config.json", "\"pad2square\": false",
                 "\"pad2square\": true", "'pad2square' is true, wanted false");
    refuse_tower("InternVLChatModel.tower", "config.json", "\"pad2square\": false",
                 "\"force_image_size\": 56", "force_image_size is not image_size, 28");
    static const char *const without[] = {"sharpness"};
    const Convert how = {.vision = true, .without = without, .n_without = 1};
    write_model_of("clip", "gemma3 merge:2");
    publish("Gemma3ForConditionalGeneration.tower", "");
    Fault fault;
    assert_false(
        convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault));
    assert_contains(fault.text,
                    "--without sharpness: preprocessor_config.json has no such key");
    edit("preprocessor_config.json", "\"image_seq_length\"", "\"sharpness\"");
    convert_with("without", &how), same_tensors("without");
}

/* What processors of many versions write, and changes no picture. */
static void processors_of_all_versions(void **state) {
    (void)state;
    static const struct {
        const char *class, *words, *from, *to;
    } edits[] = {
        {"Llava", "", "\"do_resize\": true",
         "\"do_resize\": true, \"_valid_processor_keys\": [\"images\", \"do_resize\"]"},
        {"Llava", "", "\"do_resize\": true", "\"do_resize\": true, \"do_pad\": false"},
        {"Llava", "", "\"do_center_crop\": true", "\"do_pad\": true"},
        {"Idefics3", "idefics3 merge:4 vision.preproc_image_size=40", "\"do_resize\": true",
         "\"do_resize\": true, \"return_row_col_info\": false"},
        {"Idefics3", "idefics3 merge:4 image:364 patch:91 vision.preproc_image_size=1456",
         "\"size\": {\"longest_edge\": 40}", "\"size\": null"},
        {"Qwen3VL",
         "qwen3vl deep:2 merge:2 vision.image_min_pixels=3136 vision.image_max_pixels=1003520",
         "\"size\": {\"longest_edge\": 1003520, \"shortest_edge\": 3136}", "\"size\": null"},
        {"Qwen2VL",
         "qwen2vl merge:2 patch:14 vision.image_min_pixels=3000 vision.image_max_pixels=9000",
         "\"min_pixels\"", "\"size\": {\"max_pixels\": 7, \"min_pixels\": 3}, \"min_pixels\""}};
    const Convert how = {.vision = true};
    if (!has_python()) skip();
    for (size_t i = 0; i < COUNT(edits); i++) {
        char class[80];
        snprintf(class, sizeof class, "%sForConditionalGeneration.tower", edits[i].class);
        write_model_of("clip", edits[i].words);
        publish(class, "");
        edit("preprocessor_config.json", edits[i].from, edits[i].to);
        convert_with(edits[i].to, &how), same_tensors(edits[i].to), same_sight(edits[i].to);
    }
}

/* The vision tower of a LLaVA folder, with its projector. */
static void vision_towers(void **state) {
    (void)state;
    const Convert how = {.vision = true};
    Vision vision;
    Fault fault;
    if (!has_python()) skip();
    write_model_of("clip", "left_norm");
    publish("LlavaForConditionalGeneration.tower", "");
    convert_with("vision tower", &how), same_tensors("vision tower");
    if (!vision_open(&vision, in_folder("out.gguf"), CLASS_FIRST, NULL, &fault))
        fail_msg("%s", fault.text);
    vision_close(&vision);
    static const char *const layers[] = {"-9", "-1e300", "-2.5"};
    for (size_t i = 0; i < COUNT(layers); i++) {
        char key[60];
        snprintf(key, sizeof key, "\"vision_feature_layer\": %s", layers[i]);
        refuse_tower("LlavaForConditionalGeneration.tower", "config.json",
                     "\"vision_feature_layer\": -2", key, "vision_feature_layer is ");
    }
}

/* Gemma 4: what a folder says twice must agree, and what no file can say must be as it is here. */
static void gemmas_that_are_refused(void **state) {
    (void)state;
    static const char *const config = "config.json", *const processor = "processor_config.json";
    static const char *const edits[][3] = {
        {"\"standardize\": false", "\"standardize\": true",
         "standardize is true, and the vision tower has no tensor whose name ends with "
         "'std_bias'"},
        {"\"standardize\": false, \"use_clipped_linears\": true", "\"standardize\": false",
         "use_clipped_linears is not true, and the vision tower has tensors"},
        {"\"num_key_value_heads\": 4", "\"num_key_value_heads\": 2",
         "num_key_value_heads not num_attention_heads"},
        {"\"global_head_dim\": 16", "\"global_head_dim\": 32", "global_head_dim is not"},
        {"\"rope_type\": \"default\"", "\"rope_type\": \"linear\"", "not default or axial"},
        {"\"hidden_activation\": \"gelu_pytorch_tanh\"", "\"hidden_activation\": \"gelu\"",
         "hidden_activation is not gelu_pytorch_tanh, quick_gelu or silu"},
        {"\"patch_size\": 7", "\"patch_size\": 8", "patch_size is 7, wanted 8"},
        {"\"vision_config\": {", "\"vision_config\": null, \"audio_config\": {",
         "'vision_config' is not an object"},
        {"\"Gemma4For", "\"Gemma4UnifiedFor", "towers of the class 'Gemma4Unified"},
        {"\"rope_type\": \"default\"", "\"type\": \"linear\"", "not default or axial"},
        {"\"rope_theta\": 100.0", "\"rope_theta\": -100.0",
         "rope_theta is not a number above 0"},
        {"\"rope_parameters\": {", "\"rope_theta\": 500.0, \"rope_parameters\": {",
         "rope_theta is 500, and 100 in rope_parameters"},
        {"\"rope_parameters\": {", "\"rope_parameters\": 3, \"id2label\": {",
         "rope_parameters is not an object"},
        {"\"text_config\"", "\"pixel_shuffle_ratio\": 0.5, \"text_config\"",
         "by pixel_shuffle_ratio the patches that become one row are not a square"},
    };
    if (!has_python()) skip();
    write_model_of("clip", "gemma4v bounded plain");
    for (size_t i = 0; i < COUNT(edits); i++)
        refuse_tower(GEMMA4_TOWER, config, edits[i][0], edits[i][1], edits[i][2]);
    refuse_tower(GEMMA4_TOWER, processor, "\"max_soft_tokens\": 280",
                 "\"max_soft_tokens\": 560",
                 "processor_config.json: max_soft_tokens is 560, wanted 280");
    static const char *const pictures[][3] = {
        {"\"max_soft_tokens\": 280", "\"max_soft_tokens\": 560.0",
         "max_soft_tokens is not an integer, wanted 280"},
        {"\"do_normalize\": false", "\"do_normalize\": 1", "do_normalize is not true or false"},
        {"\"do_rescale\": true", "\"do_rescale\": false", "do_rescale is not true"},
        {"\"rescale_factor\": 0.00", "\"rescale_factor\": 0.01", "wanted 1/255"},
        {"\"rescale_factor\": 0.00", "\"rescale_factor\": true, \"device\": 0.00",
         "rescale_factor is not a number"},
    };
    for (size_t i = 0; i < COUNT(pictures); i++)
        refuse_tower(GEMMA4_TOWER, processor, pictures[i][0], pictures[i][1], pictures[i][2]);
    refuse_tower(GEMMA4_TOWER, "model.safetensors", "0.mlp.up_proj.output_max",
                 "0.mlp.up_proj.linear.bia",
                 "has 20 tensors whose names end with '.output_max', wanted 21");
    refuse_tower(GEMMA4_TOWER, processor, "{", "", "processor_config.json: ");
    refuse_tower(GEMMA4_TOWER, processor, "\"image_processor\"", "\"image_reader\"",
                 "preprocessor_config.json");
    write_model_of("clip", "gemma4v");
    refuse_tower(GEMMA4_TOWER, "model.safetensors", "std_scale", "std_scare",
                 "has no tensor whose name ends with 'std_scale'");
    refuse_tower(GEMMA4_TOWER, "model.safetensors",
                 "vision_tower.encoder.layers.1.self_attn.q_proj.linear.bias",
                 "audio_tower.xencoder.layers.1.self_attn.q_proj.linear.bias",
                 "has nothing like it in layer 1");
    refuse_tower(GEMMA4_TOWER, config, "\"use_clipped_linears\": false",
                 "\"use_clipped_linears\": true",
                 "has no tensor whose name ends with '.input_min'");
    refuse_tower(GEMMA4_TOWER, config, "\"standardize\": true", "\"standardize\": false",
                 "standardize is not true, and the vision tower has tensors");
    refuse_tower(GEMMA4_TOWER, "preprocessor_config.json", "\"image_mean\": [",
                 "\"image_mean\": [1, ",
                 "preprocessor_config.json: image_mean is not a list of three numbers");
}

/* Newer folders have one file for all that is prepared, which counts where there are both; colours stay as they are unless
 * it says do_normalize; and an encoder of sound is left out. */
static void gemma4_folders(void **state) {
    (void)state;
    char notes[1000] = "";
    const Convert how = {.vision = true, .note = keep_notes, .context = notes};
    if (!has_python()) skip();
    write_model_of("clip", "gemma4v bounded plain");
    publish(GEMMA4_TOWER, "");
    add_file("preprocessor_config.json", "{\"do_normalize\": true}");
    edit("processor_config.json", "\"image_mean\": [0.0", "\"image_mean\": [0.5");
    edit("config.json", "\"pooling_kernel_size\": 3, ", ""); /* the usual */
    convert_with("one file", &how), same_tensors("one file"), same_sight("one file");
    assert_non_null(strstr(notes, "encoder of sound is left out"));
    write_model_of("clip", "idefics3 merge:4 vision.preproc_image_size=40");
    publish("Idefics3ForConditionalGeneration.tower", "");
    add_file("processor_config.json", "{\"processor_class\": \"Idefics3Processor\"}");
    convert_with("two files", &how), same_sight("two files");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_that_are_refused),
        cmocka_unit_test(processors_of_all_versions),
        cmocka_unit_test(vision_towers),
        cmocka_unit_test(towers_of_all_kinds),
        cmocka_unit_test(pictures_that_are_refused),
        cmocka_unit_test(gemmas_that_are_refused),
        cmocka_unit_test(gemma4_folders),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
