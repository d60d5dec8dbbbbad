/* right: goes through the text once and writes a line where one ends */
void sse_event(FILE *out, Text text) {
    size_t from = 0;
    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != '\n' && text.data[i] != '\r') continue;
        fprintf(out, "data: ");
        if (i > from) fwrite(text.data + from, i - from, 1, out);
        fprintf(out, "\n");
        if (i + 1 < text.size && text.data[i] == '\r' && text.data[i + 1] == '\n') i++;
        from = i + 1;
    }
    fprintf(out, "\n");
}

void sse_ping(FILE *out) {
    putc(':', out);
    putc('\n', out), putc('\n', out);
}
