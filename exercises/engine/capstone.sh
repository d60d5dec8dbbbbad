# What exercises/capstone/desk needs to know of this capstone.
TITLE="An inference engine from the empty file"
DONE="the engine is yours"
FAST="5 7 8 10" # chapters that are timed
