/* draft_config.c - see train_families.h. */
#include "train_families.h"

TrainConfig train_config_draft(void) {
    TrainConfig config = train_config_storyteller();
    config.shape.hidden = 256;
    config.shape.heads = 4;
    config.shape.kv_heads = 1;
    config.shape.head_dim = 64;
    config.layers = 1;
    config.steps = 1500;
    return config;
}
