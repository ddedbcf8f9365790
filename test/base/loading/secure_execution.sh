#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that a set-user-ID program ignores the directory of backends that its caller sets. An
# ordinary program uses it.
#
# usage: secure_execution.sh PROGRAM MODULE LIBRARY NAME
#   PROGRAM  test_open_locally
#   MODULE   the module that PROGRAM opens
#   LIBRARY  prints a message when it is loaded
#   NAME     name of the backend's library
# Exit status 77: skipped.

set -eu
program=$1 module=$2 library=$3 name=$4
owner=4711 caller=4712

skip() {
    echo "skipped: $1"
    exit 77
}

as_caller() { setpriv --reuid=$caller --regid=$caller --clear-groups "$@"; }

[ "$(id -u)" -eq 0 ] || skip "only root can make set-user-ID programs of another user"
command -v setpriv > /dev/null || skip "setpriv (util-linux) is missing"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir -m 755 "$folder/backends"
cp "$library" "$folder/backends/$name"
cp "$program" "$folder/program"
cp "$(command -v id)" "$folder/id"
chmod 755 "$folder"/backends/*
chown $owner "$folder/program" "$folder/id"
chmod 755 "$folder/program"
chmod 4755 "$folder/id"
[ "$(as_caller "$folder/id" -u)" = $owner ] || skip "$folder does not honour set-user-ID (nosuid)"
as_caller test -r "$module" || skip "other users cannot read the build tree"

export SPRUCE_BACKEND_PATH="$folder/backends"

# The ordinary program loads the library with the rights of the caller.
output=$(as_caller "$folder/program" "$module" hip 2>&1) || true
echo "ordinary: $output"
case $output in
    *"loaded with effective user $caller"*) ;;
    *) echo "the library was not loaded"; exit 1 ;;
esac

# The set-user-ID program uses the backend beside the core and loads no other.
chmod 4755 "$folder/program"
status=0
output=$(as_caller "$folder/program" "$module" hip 2>&1) || status=$?
echo "set-user-ID: $output"
case $output in
    *"loaded with"*) echo "the library was loaded"; exit 1 ;;
esac
[ "$status" -eq 0 ] || { echo "the backend beside the core was not used"; exit 1; }
