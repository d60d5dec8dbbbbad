# Texts that spell a picture of 4 by 4 patches, a word for each, and say where its three squares are; -v seed=1 -v texts=20000
#     white white red white ... white. green top left. red top right. blue bottom left.
function below(n) { x = x * 16807 % 2147483647; return int(x / 2147483647 * n) } # Lehmer's generator: the same in every awk
BEGIN {
    split("red green blue", color, " "); x = seed * 1000003
    for (t = 0; t < texts; t++) {
        for (i = 0; i < 16; i++) patch[i] = "white"
        for (k = 1; k <= 3; k++) { do at[k] = below(16); while (patch[at[k]] != "white"); patch[at[k]] = color[k] }
        text = ""; for (i = 0; i < 16; i++) text = text " " patch[i]
        text = text "."; first = below(3); step = 1 + below(2)
        for (j = 0; j < 3; j++) { k = (first + j * step) % 3 + 1; text = text " " color[k] (at[k] < 8 ? " top" : " bottom") (at[k] % 4 < 2 ? " left." : " right.") }
        print text "\n<|endoftext|>"
    }
}
