#!/bin/sh
# The project's own random models beside a native llama.cpp, family by family: llama-simple and strata go on greedily with
# the same three texts, 24 tokens each.
#
#     family           same       where they part
#     gpt2             31 of 72   0.0007 of logits that lie within 9.3
#
# A token is a byte, so what llama-simple prints is compared byte by byte (it leaves out byte 0).  Where two texts part, the
# line says how far apart our logits put the two tokens, beside how far apart all of them lie: a margin below 2 % of that is
# rounding, since llama.cpp keeps keys, values and curves in F16.  A router that wavers between two experts makes more of
# a rounding, so one text of three may part by more; two are a difference, and a failure.  A family that llama.cpp does not
# know, or knows in other sizes, is named with what it says, and so are those that do not write from left to right.
# FAMILIES chooses some.
cd "$(dirname "$0")/../.." || exit 1
. tests/peers/tools.sh
strata=build/bin/strata
simple=$(find_tool llama-simple)
if [ -z "$simple" ]; then
    echo "peers: no llama-simple in $LLAMA_CPP, so families are not compared with it" >&2
    exit 0
fi
make -s -C tests ../build/tests/families || exit 1
mkdir -p build/peers
file=build/peers/family.gguf

# What llama.cpp wants a file to say, or not to have, beyond what make_families.h says of the family.
experts="dense_first:1 layers:3 split:2 expert_key choice_bias shared expert_shared_count=1 leading_dense_block_count=1 expert_weights_norm=true expert_weights_scale=2.5"
words() {
    case $1 in
    qwen2) echo "=qkv_biases" ;;
    qwen) echo "=fused_qkv half:2 kv_heads:4 qkv_biases" ;;
    phi3) echo "=fused_qkv gate_in_up partial" ;;
    starcoder2) echo "=layer norm_biases biases plain tied" ;;
    seed_oss) echo "=moved_norm qkv_biases" ;;
    glm4) echo "=post_norms gate_in_up qkv_biases partial" ;;
    pangu-embedded) echo "=attn_biases" ;;
    stablelm) echo "=layer norm_biases qkv_biases partial" ;;
    command-r) echo "=layer one_norm logit_scale=0.3 tied" ;;
    qwen2moe) echo "=experts:4 split:2 shared shared_key shared_gate qkv_biases" ;;
    phimoe) echo "=norm_biases attn_biases experts:4 head_bias" ;;
    ernie4_5-moe) echo "interleave_moe_layer_step=1 leading_dense_block_count=1" ;;
    glm4moe) echo "=moved_norm qkv_biases partial experts:6 $experts" ;;
    exaone-moe) echo "expert_gating_func=2" ;;
    hunyuan-moe | step35) echo "shared_key" ;;
    smallthinker) echo "window:4096" ;; # it takes any other for 4096
    # its adjugates read what the experts said, with weights of other experts: not the makers' formula
    grovemoe) echo "expert_group_scale=0.0" ;;
    grok) echo "router_logit_softcapping=30.0" ;; # it caps none of these
    minimax-m2) echo "expert_key" ;;
    afmoe) echo "leading_dense_block_count=1" ;;
    mamba2) echo "attention.head_count=8 state:16" ;;
    falcon-h1) echo "state:16" ;;
    jamba | granitehybrid | nemotron_h | nemotron_h_moe | lfm2) echo "kv_listed state:16" ;;
    kimi-linear) echo "kv_listed leading_dense_block_count=1" ;;
    rwkv6 | rwkv7 | arwkv7) echo "head_dim:64" ;;
    lfm2moe) echo "kv_listed expert_gating_func=2 experts_every:1 dense_first:2 leading_dense_block_count=2" ;;
    qwen35) echo "full_attention_interval=3" ;;
    qwen35moe | qwen3next) echo "full_attention_interval=2" ;;
    baichuan) echo "layers:32" ;; # of others it knows nothing
    t5) echo "written:2 decoder_block_count=2" ;;
    esac
}

# Bytes as numbers, in one line.
bytes() { od -An -v -tu1 | tr -s ' \n' ' '; }

# Ids as the bytes that llama-simple prints of them: 256 is a special token, 257 ends the text, 0 is not seen.
spelled='function spell(id) { return id == 0 ? "" : id == 256 ? " 60 124 105 109 95 115 116 97 114 116 124 62" : " " id }'

# "same", or how many of our ids are, and the two tokens behind them.
part() {
    awk "$spelled"'
        function tell(before, ours, rest, n) { # a newline is all that is left where their text ended
            rest = substr(theirs, length(said) + 1)
            n = split(rest, token, " ")
            if (n <= 1) token[1] = 257
            if (index(rest, spell(256)) == 1) token[1] = 256
            print "parts", before, ours, token[1]
        }
        NR == 1 { $1 = $1; theirs = " " $0 " " }
        NR == 2 {
            said = ""
            for (i = 1; i <= NF; i++) {
                next_said = said spell($i)
                if (index(theirs, next_said " ") != 1) {
                    tell(i - 1, $i)
                    exit
                }
                said = next_said
            }
            if (NF < prompt + 24 && substr(theirs, length(said) + 1) != " 10 ") tell(NF, 257)
            else print "same"
        }' prompt="$prompt" build/peers/theirs build/peers/ours
}

# How far apart tokens $2 and $3 lie behind the first $1 of our ids, and the width of all logits there.
margin() {
    $strata logits -m "$file" --last --tokens "$(cut -d' ' -f"1-$1" build/peers/ours | tr ' ' ,)" 2>/dev/null |
        awk -v a="$2" -v b="$3" '
            { if (!n++ || $3 > most) most = $3; if (n == 1 || $3 < least) least = $3 }
            $2 == a { x = $3 } $2 == b { y = $3 }
            END {
                d = x < y ? y - x : x - y
                printf "%.4f of logits that lie within %.1f\n", d, most - least
                exit !(n && d <= 0.02 * (most - least))
            }'
}

compare() {
    { "$simple" -m "$file" -n 24 "$1" >build/peers/bytes </dev/null; } 2>build/peers/log || return 1
    bytes <build/peers/bytes >build/peers/theirs
    $strata generate -m "$file" -p "$1" -n 24 --chain greedy --ids 2>/dev/null </dev/null >build/peers/ours
    if [ "$arch" = t5 ]; then sed -i 's/ 255//' build/peers/ours; fi # llama-simple does not print the start token
    # shellcheck disable=SC2046
    set -- $(part)
    if [ "$1" = same ]; then same=$((same + 24)); return; fi
    same=$((same + $2 - prompt))
    parting=$(margin "$2" "$3" "$4") || far=$((far + 1))
}

printf '%-15s  %-8s  %s\n' family same "where they part"
failed= unread=
for arch in ${FAMILIES:-$($strata inspect --families | awk '{ print $1 }')}; do
    build/tests/families "$arch" "$(words "$arch")" "$file" || exit 1
    same=0 far=0 parting='' read=yes
    if ! $strata generate -m "$file" -p a -n 1 --quiet >/dev/null 2>build/peers/log; then
        printf '%-15s  %s\n' "$arch" "does not write from left to right"
        continue
    fi
    for text in "the fox" "once upon a time there was a hen" "zz"; do
        prompt=${#text}
        compare "$text" || { read=; break; }
    done
    if [ -n "$read" ]; then
        printf '%-15s  %2d of 72  %s\n' "$arch" "$same" "$parting"
        [ "$far" -lt 2 ] || failed="$failed $arch"
    else
        grep -q 'error loading\|ASSERT' build/peers/log || echo "error loading model: llama-simple ended by a fault" >build/peers/log
        printf '%-15s  not read  %.100s\n' "$arch" "$(sed -n 's/.*error loading model: //p; s/.*GGML_ASSERT/GGML_ASSERT/p' build/peers/log)"
    fi
done
if [ -n "$failed" ]; then
    echo "peers: greedy tokens of$failed differ by more than rounding" >&2
    exit 1
fi
