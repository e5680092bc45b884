#!/bin/sh
# tag.sh: makes the signed tag of a release at the commit that is checked out, with the version's section of CHANGELOG.md as its message, and
# verifies it. The key is git's: user.signingkey, or else that of the committer's address. It refuses what would be a wrong tag, and pushes nothing.
set -eu
cd "$(dirname "$0")/.."
refuse() {
    echo "tag.sh: $1" >&2
    exit 1
}
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build | head -n 1)
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed"
python3 packaging/versions.py || refuse "the files state different versions"
grep -q "^## $version ([0-9]* [A-Z][a-z]* 20[0-9][0-9])$" CHANGELOG.md || refuse "the section $version of CHANGELOG.md has no date: '## $version (1 January 2027)'"
if git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null; then
    refuse "v$version is there, and a tag is never moved"
fi
# git would take lines that begin with '#' for comments, the heading among them.
awk -v heading="## $version " '/^## / { inside = index($0, heading) == 1 } inside' CHANGELOG.md | git tag --sign --cleanup=whitespace --file=- "v$version"
git verify-tag "v$version"
