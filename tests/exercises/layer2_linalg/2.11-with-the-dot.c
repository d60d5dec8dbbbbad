/* right: each piece by dot_f32, the row and the inputs walked along */
float dot_quantized(Dtype dtype, const void *row, const float *x, size_t n) {
    float piece[PANEL_COLS], sum = 0;
    while (n > 0) {
        size_t some = n > PANEL_COLS ? PANEL_COLS : n;
        dequantize_row(dtype, row, piece, some);
        sum += dot_f32(piece, x, some);
        row = (const char *)row + dtype_row_bytes(dtype, some);
        x += some, n -= some;
    }
    return sum;
}
