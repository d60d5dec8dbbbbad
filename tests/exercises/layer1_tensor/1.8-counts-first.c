/* right: all four numbers first, then what may be wrong with them */
uint64_t gguf_load(const unsigned char *p, int size) {
    uint64_t value = 0, worth = 1;
    for (int i = 0; i < size; i++, worth *= 256) value += p[i] * worth;
    return value;
}

static void read_header(Gguf *gguf, Reader *reader) {
    const unsigned char *magic = take_bytes(reader, 4, "the magic is missing");
    uint64_t version = take_int(reader, 4, "the version is missing"),
             tensors = take_int(reader, 8, "no tensor count"),
             pairs = take_int(reader, 8, "no pair count"), room = left(reader);
    gguf->version = (uint32_t)version, gguf->n_tensors = (size_t)tensors,
    gguf->n_pairs = (size_t)pairs;
    if (magic && (magic[0] != 'G' || magic[1] != 'G' || magic[2] != 'U' || magic[3] != 'F'))
        refuse_magic(reader, magic);
    if (magic && version != 2 && version != 3) refuse_version(reader, gguf->version);
    if (reader->ok && tensors > room / 32) fail(reader, "there is no room for so many tensors");
    if (reader->ok && pairs > room / 13) fail(reader, "there is no room for so many pairs");
}
