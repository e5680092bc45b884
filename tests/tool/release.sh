#!/bin/sh
# The tag of a release, rehearsed in a clone of the last commit with a key that is thrown away: what tag.sh refuses, what it makes, and that the
# archive of the tag is that of the commit.
#     release.sh SOURCE_ROOT
root=$1
for program in git gpg gpg-agent; do
    command -v "$program" >/dev/null || { echo "no $program"; exit 77; }
done
git -C "$root" rev-parse --quiet --verify HEAD >/dev/null 2>&1 || { echo "no checkout of git"; exit 77; }
work=$(mktemp -d) || exit 1
export GNUPGHOME="$work/keys"
trap 'gpgconf --kill gpg-agent; rm -rf "$work"' EXIT
set -e
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'Nobody <nobody@example.invalid>' ed25519 sign 1d
git clone --quiet "$root" "$work/clone"
cd "$work/clone"
git config user.name Nobody
git config user.email nobody@example.invalid
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build | head -n 1)
git tag --list | xargs -r git tag --delete >/dev/null # this version's may be there

refused() { # PART OF THE REASON
    ! packaging/tag.sh >"$work/said" 2>&1 || { echo "a tag was made: $1"; exit 1; }
    grep -q "$1" "$work/said" || { cat "$work/said"; exit 1; }
    [ -z "$(git tag --list)" ]
}
sed -i "s/^## $version (.*/## $version (soon)/" CHANGELOG.md
refused 'not committed'
git commit --quiet --all --message='a release without a date'
refused 'no date'
sed -i "s/^## $version (.*/## $version (1 January 2027)/; " CHANGELOG.md
sed -i "s/^pkgver=.*/pkgver=9.9.9/" packaging/arch/PKGBUILD
git commit --quiet --all --message='a release of two versions'
refused 'different versions'
git checkout --quiet HEAD~ packaging
git commit --quiet --all --message='a release'

packaging/tag.sh
! packaging/tag.sh 2>/dev/null || { echo "the tag was made twice"; exit 1; }
git cat-file tag "v$version" | grep -q "^## $version (1 January 2027)$" || { echo "the message lacks its heading"; exit 1; }
[ "$(git cat-file tag "v$version" | grep -c '^## ')" = 1 ] || { echo "the message has other sections"; exit 1; }
packaging/source_archive.sh "v$version" "$work/tag"
packaging/source_archive.sh HEAD "$work/commit"
cmp "$work/tag/pumice-$version.tar.gz" "$work/commit/pumice-$version.tar.gz"

# What is not the signer's is not verified.
git cat-file tag "v$version" | sed 's/^## /## not /' >"$work/forged"
git update-ref "refs/tags/v$version" "$(git mktag <"$work/forged")"
! git verify-tag "v$version" 2>/dev/null || { echo "a changed tag is verified"; exit 1; }
