#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packages: in make nightly, as root: the packages of scripts/packaging are built, those of Debian twice, in other folders, to
# the same bytes; lintian, hardening-check and rpmlint find nothing. Then they are installed in a bare Debian, without this tree: the
# commands of README.md show the sample's profile, the tests of autopkgtest pass there, and after the removal the files
# are those of before. The steps of the APKBUILD run with stubs of abuild's functions.
[ -n "${CSTRACE_NIGHTLY:-}" ] || { echo "a quarter of an hour; in make nightly"; exit 77; }
# the tests that a package runs when it is built are those of every build
unset CSTRACE_NIGHTLY
[ "$(id -u)" = 0 ] || { echo "needs root, for debootstrap and chroot"; exit 77; }
for tool in dpkg-buildpackage dh lintian hardening-check rpmbuild rpmlint debootstrap unshare; do
	command -v $tool >/dev/null || { echo "no $tool; run scripts/install-deps packages"; exit 77; }
done
. tests/cli/tap.sh
top=$PWD
packages=$top/scripts/packaging/packages
# Two builds that a compiler's cache makes equal would show nothing.
PATH=$(echo "$PATH" | tr : '\n' | grep -v ccache | paste -sd :)
unset CC CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL

# ---- Debian's packages, twice ----

# lintian has its say in there
check "make deb" "$packages" deb "$tmp/one"
debs=$tmp/one/deb
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 NOCHECK=1 DEB_BUILD_OPTIONS=parallel=1 "$packages" deb "$tmp/another, longer folder") >"$tmp/log" 2>&1
verdict $? "again in another folder, with another umask, time zone and number of jobs, and without tests"
same_debs() {
	n=0
	for deb in "$debs"/*.deb; do
		cmp "$deb" "$tmp/another, longer folder/deb/${deb##*/}" || return 1
		n=$((n + 1))
	done
	[ $n -ge 6 ]
}
check "two builds are equal" same_debs
# make dist's, where nothing was changed
dist_bytes() {
	"$top/scripts/dist" "$tmp/dist" && cmp "$tmp"/dist/*.tar.xz "$debs"/*.orig.tar.xz
}
if [ -e .git ] && [ -z "$(git status --porcelain)" ]; then
	check "the source is the tarball of the commit" dist_bytes
else
	check "the source is the tarball of this tree" sh -c "'$top/scripts/dist' --tree '$tmp/dist' && cmp '$tmp'/dist/*.tar.xz '$debs'/*.orig.tar.xz"
fi
hardened() {
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/unpacked" || return 1
	done
	# which knows CET by one sign only
	hardening-check --nocfprotection "$tmp"/unpacked/usr/bin/perf-cstrace "$tmp"/unpacked/usr/lib/*/*.so.* "$tmp"/unpacked/usr/lib/*/cstrace/*.so.*
}
check "what is installed is hardened" hardened

# ---- a bare Debian ----

root=$tmp/root
# The mirror that apt has here.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
	awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
if [ -z "$mirror" ] || ! debootstrap --variant=minbase bookworm "$root" "$mirror" >"$tmp/log" 2>&1; then
	skip "in a bare Debian" "debootstrap: $(tail -n 1 "$tmp/log")"
	[ "$tap_failed" -eq 0 ] || finish
	bare=
else
	bare=1
fi

# in_root COMMAND: a shell there, with processes of its own, without anything of this machine's environment.
in_root() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive unshare --mount --pid --fork \
		--mount-proc="$root/proc" chroot "$root" sh -eu -c "$1"
}
# What is there, without what apt and dpkg keep for themselves.
files_there() {
	in_root "find / -xdev \( -path /proc -o -path /packages -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
		-o -path /var/lib/dpkg -o -path /tmp \) -prune -o -print | LC_ALL=C sort"
}
# read_me FIRST LAST: runs these of the command lines in the README's section about packages, from perf on.
read_me() {
	sed -n '/^## Packages/,/^## /s/^    \(perf .*\)/\1/p' README.md | sed -n "$1,$2p" >"$root/packages/commands"
	cat "$root/packages/commands"
	[ -s "$root/packages/commands" ] && in_root "cd /packages/work && . /packages/commands" | grep fibonacci
}
purge() {
	in_root "apt-get purge -y \$(dpkg-query -W -f '\${Package} \${source:Package}\n' | sed -n 's/ cstrace\$//p')" >"$tmp/log" 2>&1
	verdict $? "$1"
}
# The tests of debian/tests/control, each with what it depends on.
autopkgtests() {
	sed -n 's/^Tests: //p' scripts/packaging/debian/tests/control
}
depends_of() {
	sed -n "/^Tests: $1\$/,/^\$/s/^Depends: //p" scripts/packaging/debian/tests/control | sed 's/ *| *[^,]*//g; s/,/ /g'
}

if [ -n "$bare" ]; then
	mkdir -p "$root/packages/work"
	cp "$debs"/*.deb "$root/packages"
	cp "$debs"/cstrace-*/debian/tests/* "$root/packages/work"
	printf 'deb %s bookworm main\n' "$mirror" >"$root/etc/apt/sources.list"
	in_root "apt-get update" >"$tmp/log" 2>&1
	verdict $? "a bare Debian: $mirror"

	in_root "cd /packages && apt-get install -y ./*.deb" >"$tmp/log" 2>&1
	verdict $? "apt install ./*.deb"
	check "README: the sample's profile" read_me 1 1
	check "README: the sample in perf report" read_me 2 3
	check "man pages, completion" in_root "test -e /usr/share/man/man1/perf-cstrace.1.gz -a -e /usr/share/man/man5/cstrace-package.5.gz \
		-a -e /usr/share/bash-completion/completions/perf-cstrace"
	check "text of instructions: libcapstone is recommended" in_root \
		"cd /usr/share/perf-cstrace/sample; perf-cstrace script -i perf.data --symfs symfs --itrace=i100000i -F ip,disasm | grep -q 'x[0-9]'"
	for name in $(autopkgtests); do
		in_root "apt-get install -y --no-install-recommends $(depends_of "$name" | sed "s/[a-z0-9-]*cstrace[a-z0-9-]*//g") &&
			cd /packages/work && mkdir $name.tmp && AUTOPKGTEST_TMP=\$PWD/$name.tmp ./$name" >"$tmp/log" 2>&1
		verdict $? "autopkgtest: $name"
	done

	purge "apt purge"
	files_there >"$tmp/before"
	no_trace() {
		! grep cstrace "$tmp/before"
	}
	check "no file of ours is left" no_trace
	# Once more, now that all that they need is there: what is left or gone then is theirs.
	in_root "cd /packages && apt-get install -y ./*.deb && perf-cstrace --version" >"$tmp/log" 2>&1
	verdict $? "apt install again"
	purge "apt purge again"
	files_there >"$tmp/after"
	check "the files are those of before" diff "$tmp/before" "$tmp/after"
fi

# ---- rpm ----

check "make rpm" "$packages" rpm "$tmp/rpms"
no_static() {
	for rpm in "$tmp"/rpms/rpm/*/*.rpm; do
		rpm -qlp "$rpm" 2>/dev/null | sed "s|^|${rpm##*/} |"
	done >"$tmp/list"
	grep -q ' /usr/bin/perf-cstrace$' "$tmp/list" && [ "$(grep -c '^cstrace-static.*\.a$' "$tmp/list")" = 2 ] &&
		! grep '\.a$' "$tmp/list" | grep -v '^cstrace-static\|^cstrace-opencsd.*/cstrace/' &&
		! rpm -qp --provides "$tmp"/rpms/rpm/*/cstrace-opencsd-*.rpm 2>/dev/null | grep libopencsd
}
check "static libraries are in their package, and the drop-in provides nothing" no_static

# ---- Alpine ----

# The functions of abuild that the APKBUILD calls. The kernel's tarball is that of Debian.
apk_steps() {
	"$packages" apk "$tmp/alpine" && cd "$tmp/alpine/apk" || return 1
	startdir=$PWD srcdir=$PWD/src pkgdir=$PWD/pkg/cstrace
	. ./APKBUILD
	builddir=$srcdir/$pkgname-$pkgver
	amove() {
		for pattern; do
			(cd "$pkgdir" && for f in $pattern; do
				mkdir -p "$subpkgdir/${f%/*}" && mv "$f" "$subpkgdir/$f" || exit 1
			done) || return 1
		done
	}
	mkdir -p "$srcdir" && cp "$pkgname-$pkgver.tar.xz" "$srcdir" &&
		ln -s "$(ls /usr/src/linux-source-*.tar.xz | sort -V | tail -n 1)" "$srcdir/linux-$_kernver.tar.xz" && unpack &&
		cd "$builddir" && build && check && package || return 1
	# abuild's own packages, as far as there is something for them here
	static() { amove 'usr/lib/*.a'; }
	default_dev() {
		amove $(cd "$pkgdir" && find usr -path usr/include -prune -o -name '*.[acho]' -print) usr/include usr/lib/pkgconfig \
			usr/lib/cmake 'usr/lib/*.so'
	}
	doc() { amove usr/share/doc usr/share/man; }
	bash_completion() { amove usr/share/bash-completion; }
	zsh_completion() { amove usr/share/zsh/site-functions; }
	fish_completion() { amove usr/share/fish/vendor_completions.d; }
	libs() { amove 'usr/lib/lib*.so.[0-9]*'; }
	for sub in $subpackages; do
		subpkgname=${sub%%:*} subpkgdir=$startdir/pkg/${sub%%:*}
		case $sub in
		*:*) split=${sub#*:} ;;
		*) split=$(echo "${sub#"$pkgname"-}" | tr - _) ;;
		esac
		mkdir -p "$subpkgdir" && ${split%:*} || return 1
	done
	cd "$startdir/pkg" && find . ! -type d | sed 's|^\./||; s|/python3[^/]*/[^/]*/|/python3/|' | sort >"$tmp/apk"
}
(set -e; apk_steps) >"$tmp/log" 2>&1
verdict $? "APKBUILD: build, check, package and the packages that it splits"
# Which package has the files that a pattern names; all of them are in one of these.
while read -r package pattern; do
	grep -E "^$package/$pattern\$" "$tmp/apk" >"$tmp/theirs"
	check "Alpine, $package: $pattern" test -s "$tmp/theirs"
	grep -vxF -f "$tmp/theirs" "$tmp/apk" >"$tmp/rest"
	mv "$tmp/rest" "$tmp/apk"
done <<'END'
cstrace usr/bin/[a-z-]*
cstrace usr/share/perf-cstrace/(pgo\.c|collect-target|sample/.*)
cstrace-libs usr/lib/libcstrace(-files)?\.so\.[0-9]*
cstrace-perf-libs usr/lib/libcstrace-perf\.so\.[0-9]*
cstrace-opencsd usr/(lib/cstrace|include/cstrace-opencsd)/.*
cstrace-static usr/lib/[a-z-]*\.a
cstrace-dev usr/(include/cstrace/.*|lib/[a-z-]*\.so|lib/(pkgconfig|cmake)/.*)
cstrace-doc usr/share/(doc|man)/.*
cstrace-bash-completion usr/share/.*/perf-cstrace
cstrace-zsh-completion usr/share/.*/_perf-cstrace
cstrace-fish-completion usr/share/.*/perf-cstrace\.fish
py3-cstrace usr/lib/python3/cstrace.*
END
check "Alpine: no other file" sh -c "! grep . '$tmp/apk'"
finish
