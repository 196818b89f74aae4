#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh - the tarball: the same bytes from other folders, at other times, with other locales, umasks and configurations, and of
# the files as they are (--tree); it has the files of the commit and needs no git (in make nightly it is built and tested);
# checksums and signatures.
. tests/cli/tap.sh
[ -e .git ] || { echo "no clone of the repository: a tarball is made of a commit"; exit 77; }
for tool in git xz sha256sum; do
	command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
unset SOURCE_DATE_EPOCH
# A user whose configuration has no key, but whatever else could get into the tarball.
HOME=$tmp/home
GNUPGHOME=$tmp/home/gnupg
export HOME GNUPGHOME
mkdir -p "$GNUPGHOME"
chmod 700 "$GNUPGHOME"
# A clone does not ask who owns the repository that it is made of, but git does.
git config --global safe.directory '*'
git config --global user.name test
git config --global user.email test@example.org

# A small repository: what dist does has nothing to do with how much there is. In make nightly it is this one.
small() {
	mkdir -p "$tmp/small/a folder" && cp -R include scripts Makefile README.md LICENSES .gitignore "$tmp/small" && ln -s ../README.md "$tmp/small/a folder/link" &&
		printf 'a\r\nb\n' >"$tmp/small/a folder/lines" && git -C "$tmp/small" init -q && git -C "$tmp/small" add -A &&
		GIT_AUTHOR_DATE=@1700000000 GIT_COMMITTER_DATE=@1700000000 git -C "$tmp/small" commit -qm "files"
}
if [ -z "${CSTRACE_NIGHTLY:-}" ]; then
	check "a small repository" small
	origin=$tmp/small
else
	origin=.
fi
check "a clone" git clone -q "$origin" "$tmp/one"
check "another clone" git clone -q "$origin" "$tmp/two three"
dist() {
	(cd "$1" && shift && "$@") >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/out" "$tmp/err"; return 1; }
}
check "dist" dist "$tmp/one" scripts/dist "$tmp/a"
name=$(basename "$tmp"/a/*.tar.xz .tar.xz)
check "it says that it did not sign" grep -qx 'not signed: no key (DIST_KEY=ID, or git config user.signingkey)' "$tmp/out"
other() {
	umask 077
	git -C "$tmp/two three" config tar.umask 0
	git -C "$tmp/two three" config core.autocrlf true
	touch -d 2001-01-01 "$tmp/two three/Makefile" "$tmp/two three"
	dist / env LC_ALL=tr_TR.UTF-8 LANG=de_DE TZ=Asia/Tokyo XZ_OPT=-0 XZ_DEFAULTS=-T4 TAR_OPTIONS=--owner=7 "$tmp/two three/scripts/dist" "$tmp/b"
}
check "dist elsewhere" other
check "the same bytes" cmp "$tmp/a/$name.tar.xz" "$tmp/b/$name.tar.xz"
check "the same checksums" cmp "$tmp/a/$name.SHA256SUMS" "$tmp/b/$name.SHA256SUMS"
sums() {
	(cd "$tmp/a" && sha256sum --ignore-missing -c "$name.SHA256SUMS") && xz -dc "$tmp/a/$name.tar.xz" >"$tmp/a/$name.tar" &&
		(cd "$tmp/a" && sha256sum -c "$name.SHA256SUMS")
}
check "checksums of the tarball and of the tar in it" sums
check "SOURCE_DATE_EPOCH" dist "$tmp/one" env SOURCE_DATE_EPOCH=1000000000 scripts/dist "$tmp/c"
at_that_time() {
	[ "$(TZ=UTC tar tvf "$tmp/c/$name.tar.xz" | awk '{ print $2, $4 }' | sort -u)" = "0/0 2001-09-09" ]
}
check "is the time of all files, which root owns" at_that_time
not_committed() {
	echo more >>"$tmp/one/README.md"
	dist "$tmp/one" scripts/dist "$tmp/d" && grep -q 'not committed' "$tmp/err" && cmp "$tmp/a/$name.tar.xz" "$tmp/d/$name.tar.xz"
}
check "what is not committed is not in it, and dist says so" not_committed
now() {
	touch "$tmp/one/new"
	dist "$tmp/one" scripts/dist --tree "$tmp/now" && [ "$(ls "$tmp/now")" = "$name.tar.xz" ] && grep -q "git add" "$tmp/err" &&
		tar -C "$tmp/now" -xf "$tmp/now/$name.tar.xz" && cmp "$tmp/now/$name/README.md" "$tmp/one/README.md" && [ ! -e "$tmp/now/$name/new" ]
}
check "with --tree it is, and dist says which files are not" now
missing() {
	rm "$tmp/one/README.md"
	! dist "$tmp/one" scripts/dist --tree "$tmp/missing" >"$tmp/log" && grep -q README.md "$tmp/err" && [ ! -e "$tmp/missing/$name.tar.xz" ]
}
check "a file that is missing there is an error" missing
git -C "$tmp/one" checkout -q README.md
rm "$tmp/one/new"
same_tree() {
	dist / env TZ=Asia/Tokyo XZ_OPT=-0 "$1/scripts/dist" --tree "$2" && cmp "$tmp/a/$name.tar.xz" "$2/$name.tar.xz" && cat "$tmp/out" "$tmp/err" &&
		[ ! -s "$tmp/err" ] && [ "$(cat "$tmp/out")" = "$(git -C "$tmp/one" show -s --format=%ct)" ]
}
check "with --tree a clone without changes makes the same bytes, and prints their time" same_tree "$tmp/one" "$tmp/tree"

# ---- what is in it ----
check "unpack" tar -C "$tmp" -xf "$tmp/a/$name.tar.xz"
tree=$tmp/$name
same_files() {
	git -C "$tmp/one" ls-files | sort >"$tmp/listed"
	(cd "$tree" && find . ! -type d | sed 's|^\./||' | sort) | diff "$tmp/listed" - && diff -r -x .git "$tmp/one" "$tree"
}
check "the files of the commit" same_files
no_dist() {
	! "$tree/scripts/dist" "$tmp/e" 2>"$tmp/err" && grep -q 'no clone of the repository' "$tmp/err"
}
check "no tarball is made of it, with a reason" no_dist
built() {
	mkdir -p "$tree/build/obj" "$tree/other/deb" "$tree/scripts/__pycache__" && touch "$tree/build/obj/a.c" "$tree/other/config.mk" \
		"$tree/scripts/__pycache__/a" "$tree/scripts/dist.orig" && same_tree "$tree" "$tree/other/deb"
	rc=$?
	rm -r "$tree/build" "$tree/other" "$tree/scripts/__pycache__" "$tree/scripts/dist.orig"
	return $rc
}
check "with --tree it makes the same bytes again, without what was built in it" built
# scripts/release-check builds it, too
mk() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 --no-print-directory -C "$tree" CC="${CC:-gcc}" CFLAGS=-O1 WERROR=1 "$@"
}
[ -z "${CSTRACE_NIGHTLY:-}" ] || check "it builds and passes make quick without git" mk quick

# ---- signatures ----
if command -v gpg >/dev/null; then
	check "a key" gpg --batch --quiet --passphrase '' --quick-generate-key test@example.org ed25519 sign never
	check "dist with the key" dist "$tmp/one" make -s DIST_KEY=test@example.org O="$tmp/signed" dist
	for file in "$name.tar.xz" "$name.SHA256SUMS"; do
		check "$file: signature" gpg --batch --verify "$tmp/signed/$file.asc" "$tmp/signed/$file"
	done
	check "the same bytes as without" cmp "$tmp/a/$name.tar.xz" "$tmp/signed/$name.tar.xz"
	git -C "$tmp/one" config user.signingkey test@example.org
	check "git's key" dist "$tmp/one" scripts/dist "$tmp/git"
	check "its signature" gpg --batch --verify "$tmp/git/$name.tar.xz.asc" "$tmp/git/$name.tar.xz"
	unknown() {
		! dist "$tmp/one" scripts/dist --key nobody@example.org "$tmp/git" && grep -q 'not signed with nobody@example.org' "$tmp/err" &&
			[ ! -e "$tmp/git/$name.tar.xz.asc" ]
	}
	check "a key that is not there: it says so, and leaves no old signature" unknown
	gpgconf --kill all
else
	skip "signatures" "no gpg (package gnupg)"
fi
finish
