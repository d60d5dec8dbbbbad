# From chats of the world: those that begin with a story and a question about it, each in FOLDER/question1 and on; the right answers, a
# line each, in FOLDER/truths.  At most `most` of them.
function done() { turn = 0; text = "" }
/^<\|im_start\|>user$/ { turn++; next }
/^<\|endoftext\|>$/ { done(); next }
turn == 1 && /<\|im_end\|>$/ {
    sub(/<\|im_end\|>$/, ""); turn = lines ? 2 : 9
    if (turn == 2 && count < most) { file = folder "/question" (count + 1); printf "%s%s\n", text, $0 >file; close(file) }
    lines = 0; next
}
turn == 1 { text = text $0 "\n"; lines++; next }
turn == 2 && /^<\|im_start\|>assistant$/ { next }
turn == 2 { sub(/<\|im_end\|>$/, ""); if (count < most) { print >(folder "/truths"); count++ } turn = 9 }
