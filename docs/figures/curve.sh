#!/bin/sh
# The logs of the storyteller's two stages, one behind the other: stage,tokens,loss,heldout_loss,floor.  usage: curve.sh MODELS
set -e
echo "stage,tokens,loss,heldout_loss,floor"
awk -F, 'FNR == 1 { stage++; before = last; next } { last = before + $2; printf "%d,%d,%s,%s,%s\n", stage, last, $3, $7, $8 }' "$1/first.csv" "$1/storyteller.csv"
