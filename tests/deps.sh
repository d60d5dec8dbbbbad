#!/bin/sh
# Install what the tests and checks need; with `docs`, what the site needs, too; with `proofs`, Frama-C.  `make` and `make run` need a C compiler and make,
# nothing of this.
set -e
site=
brew_site=
case " $* " in *" docs "*)
    site="lintian mkdocs mkdocs-material gnuplot-nox libjs-katex fonts-katex lld wasi-libc libclang-rt-dev-wasm32"
    brew_site="lintian mkdocs gnuplot lld wasi-libc" ;;
esac
case " $* " in *" proofs "*) site="$site frama-c-base" ;; esac
if command -v apt-get >/dev/null 2>&1; then
    optional="libmicrohttpd-dev libedit2 libpng-dev libjpeg-dev"
    packages="gcc clang make pkg-config curl zsh fish man-db libcmocka-dev clang-format cppcheck libclang-rt-dev $site"
    missing=""
    for package in $packages; do
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    wanted=""
    for package in $optional; do
        dpkg -s "$package" >/dev/null 2>&1 || wanted="$wanted $package"
    done
    if [ -z "$missing$wanted" ]; then echo "deps: everything is installed"; exit 0; fi
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then sudo=sudo; fi
    if [ -n "$sudo" ] && ! command -v sudo >/dev/null 2>&1; then
        echo "deps: there is no sudo here: ask an administrator for: apt-get install$missing$wanted" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    if [ "$missing" ]; then
        echo "deps: $sudo apt-get install$missing"
        $sudo apt-get update -qq
        # shellcheck disable=SC2086
        $sudo apt-get install -y -qq $missing >/dev/null
    fi
    # what strata serve needs, strata chat for its keys, and --image for PNG and JPEG files: without them, these are left out
    # shellcheck disable=SC2086
    if [ "$wanted" ] && ! { $sudo apt-get install -y -qq $wanted || { $sudo apt-get update -qq && $sudo apt-get install -y -qq $wanted; }; } >/dev/null 2>&1; then
        echo "deps: not installed, and what needs them is left out (strata serve; in strata chat, lines that can be edited; PNG and JPEG files):$wanted"
    fi
elif command -v brew >/dev/null 2>&1; then
    echo "deps: brew install cmocka fish clang-format cppcheck llvm libmicrohttpd libpng jpeg-turbo $brew_site"
    # shellcheck disable=SC2086
    brew install cmocka fish clang-format cppcheck llvm libmicrohttpd libpng jpeg-turbo $brew_site
    if [ "$brew_site" ]; then echo "deps: the rest of the site by pip (docs/requirements.txt) and npm (katex): make docs says how"; fi
else
    echo "deps: neither apt-get nor brew is here; install cmocka, clang, clang-format and cppcheck by your system's means" >&2
    exit 1
fi
echo "deps: done"
