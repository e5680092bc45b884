# For tests of one of the tool's commands, by `. checks.sh`: $pumice is the tool, $command its command, $work a folder that is
# theirs. What fails is printed, and sets $failed to 1.
failed=0

fail() {
    echo "$*"
    failed=1
}

# status STATUS ARGUMENTS...: runs the command, which must end with that status.
status() {
    wanted=$1
    shift
    "$pumice" "$command" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$wanted" ] || fail "pumice $command $*: ended with $got, expected $wanted: $(cat "$work/out" "$work/err")"
}

# says PATTERN: in what it printed.
says() {
    grep -q -- "$1" "$work/out" "$work/err" || fail "expected '$1' in: $(cat "$work/out" "$work/err")"
}

# once PATTERN: in one line of what it wrote to standard error.
once() {
    [ "$(grep -c -- "$1" "$work/err")" = 1 ] || fail "expected '$1' once in: $(cat "$work/err")"
}
