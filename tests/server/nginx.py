"""nginx.py - an example of docs/examples in a running nginx, for tests."""
import contextlib
import os
import shutil
import subprocess
import time

from client import ROOT, SLOW, check


def missing(*tools):
    """Says so, and is true, when nginx or one of these is not here."""
    lacks = [tool for tool in ("nginx", *tools) if not shutil.which(tool)]
    if lacks:
        print("SKIPPED, AND SO NOT CHECKED: a proxy in front (there is no %s here)" % " and no ".join(lacks))
    return bool(lacks)


def write_conf(folder, example, changes):
    """The example with a test's ports, paths and certificate."""
    with open(os.path.join(ROOT, "docs", "examples", example)) as file:
        site = file.read()
    for old, new in changes:
        changed = site.replace(old, new)
        check("the example says " + old, changed != site)
        site = changed
    paths = "".join("%s_temp_path %s/%s;\n" % (what, folder, what) for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(folder + "/nginx.conf", "w") as file:
        file.write("pid %s/pid; error_log %s/errors; events {}\nhttp {\naccess_log off;\n%s%s}\n" % (folder, folder, paths, site))


@contextlib.contextmanager
def nginx(folder, example, changes):
    """nginx with the example; false when it does not start."""
    os.chmod(folder, 0o755)
    write_conf(folder, example, changes)
    process = subprocess.Popen(["nginx", "-p", folder, "-c", folder + "/nginx.conf", "-e", folder + "/errors", "-g", "daemon off;"])
    try:
        end = time.time() + 20 * SLOW
        while not os.path.exists(folder + "/pid") and process.poll() is None and time.time() < end:
            time.sleep(0.05)
        if process.poll() is not None:
            with open(folder + "/errors") as file:
                check("nginx starts", file.read(), "")
        yield process.poll() is None
    finally:
        process.terminate()
        process.wait(30)
