#!/bin/sh
# short_run.sh FUZZER DRIVER FILE.cl...: six seconds of libFuzzer from the seeds that the driver makes of the files.
set -e
fuzzer=$1 driver=$2
shift 2
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
"$driver" -c "$corpus" "$@"
"$fuzzer" -max_total_time=6 -max_len=65536 -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$corpus/" "$corpus"
