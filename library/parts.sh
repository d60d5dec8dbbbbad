# What a program that uses all of Strata links, and where the headers are: sourced by scripts, in the repository's root.
#
#   $tables     objects that take the place of tables of the core: before the archives
#   $archives   each before the ones it calls
#   $includes   for the compiler
build=${BUILD:-build} tables= archives= includes=
for layer in layer6_inference layer5_models layer4_transformer layer3_nn layer2_linalg layer1_tensor; do
    for table in "$layer"/extras/*.c; do
        [ ! -e "$table" ] || tables="$tables $build/${table%.c}.o"
    done
    [ ! -d "$layer/extras" ] || archives="$archives $build/lib/lib${layer#*_}_extras.a"
    archives="$archives $build/lib/lib${layer#*_}.a"
    includes="$includes -I$layer/include -I$layer/extras/include"
done
