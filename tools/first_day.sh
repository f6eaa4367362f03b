#!/usr/bin/env bash
# The first day in one go, against a server that is up: transcripts are scanned and delivered, a journal entry is
# started, resolved and synced, and both are found by words that do not occur in them. Prints how long each step took.
#
# Usage: tools/first_day.sh [ADDRESS]     by default http://127.0.0.1:8000, or the port MEMORYSERVER_PORT
#
# Beyond the small transcript of the tests, those in ../shared/data/transcripts are scanned where that folder is.
#
# FIRST_DAY_TOKEN  the API token; without it one is issued for the administrator on this machine
# FIRST_DAY_WORK   the laptop's folder, kept; run again with it, what was done is not done twice
# FIRST_DAY_UNTIL  "sync" ends it before the searches, which need the real model
set -euo pipefail
cd "$(dirname "$0")/.."

address=${1:-http://127.0.0.1:${MEMORYSERVER_PORT:-8000}}
memory=(.venv/bin/python -m memorycli)
if [ -n "${FIRST_DAY_WORK:-}" ]; then
    work=$FIRST_DAY_WORK
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
export MEMORYSERVER_HOME=$work/home MEMORYSERVER_PROJECT=first-day MEMORYSERVER_JOURNAL_DIR=$work/journal
unset CLAUDE_PROJECT_DIR MEMORYSERVER_URL MEMORYSERVER_TOKEN
goal="Make the invoice list open quickly"

step() {
    local what=$1 start=${EPOCHREALTIME/./} took
    shift
    "$@"
    took=$(((${EPOCHREALTIME/./} - start) / 1000))
    printf '%6d.%03d s  %s\n' $((took / 1000)) $((took % 1000)) "$what"
}
fail() {
    echo "first day: $1" >&2
    exit 1
}
queued() { find "$work/home/learning_queue" -maxdepth 1 -name '[0-9]*.json' | wc -l; }

token() {
    if [ -n "${FIRST_DAY_TOKEN:-}" ]; then
        echo "$FIRST_DAY_TOKEN"
    else
        .venv/bin/python manage.py create_token admin --name "first day"
    fi
}
login() { token | "${memory[@]}" login "$address" >/dev/null; }

scan() {
    local roots=(--root tests/e2e/transcripts)
    if [ -d ../shared/data/transcripts ]; then roots+=(--root ../shared/data/transcripts); fi
    "${memory[@]}" capture scan "${roots[@]}"
}
scan_again() {
    local before
    before=$(queued)
    scan >/dev/null
    [ "$(queued)" = "$before" ] || fail "a second scan queued something"
}
deliver() {
    "${memory[@]}" capture push --now # what failed at a killed server waits a few seconds otherwise
    [ "$(queued)" = 0 ] || fail "queue files were left"
}
journal() {
    if [[ $("${memory[@]}" ghap list --json) == *"$goal"* ]]; then return; fi
    "${memory[@]}" ghap start --domain performance --strategy research-first \
        --goal "$goal" \
        --hypothesis "Each row triggers its own query for the customer" \
        --action "Load the customers together with the invoices" \
        --prediction "The number of queries drops from hundreds to two" >/dev/null
    "${memory[@]}" ghap update --note "The profiler shows 412 SELECTs" >/dev/null
    "${memory[@]}" ghap resolve confirmed --result "Two queries instead of 412, page opens in 0.2 s" >/dev/null
}

# find_by_meaning QUERY SOURCE EXPECTED: waits until the job has embedded it and it is among the first five by meaning.
find_by_meaning() {
    local answer
    for _ in $(seq 120); do
        answer=$("${memory[@]}" search "$1" --source "$2" --mode semantic --json)
        if [[ $answer == *'"mode": "semantic"'* && $answer == *"$3"* ]]; then return; fi
        sleep 1
    done
    fail "«$1» did not find «$3»: $answer"
}

step "log in" login
step "scan transcripts" scan
step "scan again: nothing new" scan_again
step "deliver learnings" deliver
step "start, note and resolve an entry" journal
step "sync the journal" "${memory[@]}" sync --strict
if [ "${FIRST_DAY_UNTIL:-}" = sync ]; then exit; fi
step "find a learning by a paraphrase" find_by_meaning "coupon validity depends on where the build machine sits" learnings "voucher's expiry"
step "find the entry by a paraphrase" find_by_meaning "too many database round trips, N+1 problem" ghap "$goal"
echo "The first day is done."
