#!/bin/sh
# The core: lines of src/ and include/ of each layer, and the budget.   make core
#
#   core.sh          the table
#   core.sh check    ... and whether each layer keeps to its budget, each folder of the core to 20 files (but samplers), and each
#                    folder has a row in its layer's README
cd "$(dirname "$0")/.." || exit 1
bad=0
printf '%-20s %7s %7s %7s %8s %8s\n' layer lines budget files folders extras
for row in layer1_tensor:3000 layer2_linalg:5500 layer3_nn:1200 layer4_transformer:3500 layer5_models:7500 layer6_inference:7500; do
    layer=${row%:*}
    # without the generated table of Unicode
    core=$(find "$layer/src" "$layer/include" \( -name '*.c' -o -name '*.h' \) ! -name unicode_table.h; ls "$layer/story.c" 2>/dev/null)
    extras=$(find "$layer/extras" -name '*.[ch]' 2>/dev/null)
    # shellcheck disable=SC2086
    printf '%-20s %7d %7d %7d %8d %8d\n' "$layer" "$(cat $core | wc -l)" "${row#*:}" "$(echo "$core" | wc -l)" "$(find "$layer/src" -type d | wc -l)" \
        "$(if [ "$extras" ]; then cat $extras; fi | wc -l)"
    [ "$1" = check ] || continue
    # shellcheck disable=SC2086
    lines=$(cat $core | wc -l)
    [ "$lines" -le "${row#*:}" ] || { echo "the core of $layer has $lines lines, ${row#*:} at most"; bad=1; }
    for folder in $(find "$layer/src" -type d ! -name samplers); do
        files=$(find "$folder" -maxdepth 1 -type f | wc -l)
        [ "$files" -le 20 ] || [ "$layer" = layer1_tensor ] || { echo "$folder has $files files, 20 at most"; bad=1; }
    done
    for folder in $(find "$layer"/src "$layer"/extras -mindepth 1 -maxdepth 1 -type d ! -name include 2>/dev/null); do
        grep -q "^| \`${folder#"$layer"/}/\`" "$layer/README.md" || { echo "$folder has no row in $layer/README.md"; bad=1; }
    done
done
exit $bad
