"""What gcov counted: gcov --json-format --stdout -b FILE..., read from a stream."""
import json
import os


def files(stream):
    """Of each compiled file, and each header in it: its path, and gcov's dictionary of functions and lines."""
    for text in stream:
        if text.startswith("{"):
            unit = json.loads(text)
            for file in unit["files"]:
                yield os.path.normpath(os.path.join(unit["current_working_directory"], file["file"])), file


def ways(line):
    """How often each way of a line's branches was taken (without those that the compiler makes for errors)."""
    return [b["count"] for b in line.get("branches", []) if not b["throw"]]
