#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The texts in scripts/packaging against the tree: the source package is filled in and has every symbol, and each installed
# file belongs to one package, for Debian and in the spec; the APKBUILD is a shell's text. Building and installing the packages
# is the nightly's (interop/packages).
. tests/cli/tap.sh
mk() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$BUILD" "$@"
}
for tool in tar xz; do
	command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
# The tarball is made four times here: at the lowest level, a tenth of the time.
mkdir "$tmp/bin"
printf '#!/bin/sh\nexec "%s" "$@" -0\n' "$(command -v xz)" >"$tmp/bin/xz"
chmod +x "$tmp/bin/xz"
PATH=$tmp/bin:$PATH
packages=scripts/packaging/packages
version=$("$PERF_CSTRACE" --version | sed -n '1s/.* \([0-9.]*\).*/\1/p')

check "source package" $packages deb-source "$tmp/out"
debian=$tmp/out/deb/cstrace-$version/debian
check "version" grep -qx "cstrace ($version-[^ ]*) unstable; urgency=medium" "$debian/changelog"
filled() {
	! grep -rn '@[A-Z0-9]*@' "$@"
}
check "without a URL nothing is left open" filled "$debian"
check "... and there is no watch file" test ! -e "$debian/watch"
check "spec" $packages rpm-source "$tmp/out"
check "spec is filled in" filled "$tmp/out/rpm/cstrace.spec"
(
	umask 077
	URL=https://example.org/cstrace TZ=Asia/Tokyo LC_ALL=C.UTF-8 $packages deb-source "$tmp/with url" &&
		URL=https://example.org/cstrace $packages apk "$tmp/with url"
) >"$tmp/log" 2>&1
verdict $? "with a URL, in another folder"
check "... it is in watch, control and copyright" grep -q https://example.org/cstrace "$tmp/with url/deb/cstrace-$version/debian/watch" \
	"$tmp/with url/deb/cstrace-$version/debian/control" "$tmp/with url/deb/cstrace-$version/debian/copyright"
check "... and nothing is left open" filled "$tmp/with url/deb/cstrace-$version/debian" "$tmp/with url/apk/APKBUILD"
check "the same tree makes the same tarball" cmp "$tmp/out/deb/cstrace_$version.orig.tar.xz" \
	"$tmp/with url/deb/cstrace_$version.orig.tar.xz"
check "APKBUILD is shell" sh -n "$tmp/with url/apk/APKBUILD"
sum() {
	(cd "$tmp/with url/apk" && . ./APKBUILD && echo "$sha512sums" | grep "cstrace-$version" | sha512sum -c)
}
check "... and has the checksum of its tarball" sum
check "rules is make's" make -n -f "$debian/rules" -C "$debian/.." --no-print-directory override_dh_auto_build

# What dpkg-gensymbols would find wrong when the packages are built.
same_symbols() {
	for library in libcstrace libcstrace-files libcstrace-perf; do
		nm -D --defined-only --with-symbol-versions "$BUILD/$library.so" | awk '{ sub(/@@/, "@", $3); print $3 }' |
			sed '/@/!s/.*/&@&/' | sort >"$tmp/exported"
		sed -n "/^$library.so/,/^lib/p" "$debian"/*.symbols | sed -n 's/^ \([^ ]*\) .*/\1/p' | sort >"$tmp/listed"
		[ -s "$tmp/listed" ] && diff "$tmp/exported" "$tmp/listed" || return 1
	done
}
check "symbols files are those of the libraries" same_symbols

# Each pattern fits something, and each file one package.
place() {
	mk install install-sample prefix=/usr "libdir=/usr/$1" "zshdir=/usr/share/zsh/$3" DESTDIR="$tmp/$2" >"$tmp/log" 2>&1
	verdict $? "install into $1"
	[ -z "$python" ] || {
		mk install-python O="$tmp/python" PYTHON=$python "pythondir=/usr/lib/$4" DESTDIR="$tmp/$2" >"$tmp/log" 2>&1
		verdict $? "install-python into $4"
	}
	rm -rf "$tmp/$2/usr/share/doc" # packages have their own lists of documents
	(cd "$tmp/$2" && find . ! -type d | sed 's|^\./||' | sort) >"$tmp/$2.files"
}
# fits PATTERN: the files of the list that it names.
fits() {
	(cd "$1" && for f in $2; do [ ! -e "$f" ] || find "$f" ! -type d; done)
}
one_package() {
	cp "$tmp/$1.patterns" "$tmp/patterns"
	: >"$tmp/found"
	while read -r pattern; do
		fits "$tmp/$1" "$pattern" >"$tmp/fitting"
		[ -s "$tmp/fitting" ] || { echo "nothing fits $pattern"; return 1; }
		cat "$tmp/fitting" >>"$tmp/found"
	done <"$tmp/patterns"
	sort "$tmp/found" | diff "$tmp/$1.files" -
}
python=${PYTHON:-/usr/bin/python3}
for module in pip setuptools wheel; do
	[ -z "$python" ] || $python -c "import $module" 2>/dev/null || {
		skip "files of the Python package" "no $module for $python (package python3-$module)"
		python=
	}
done
place lib/any debian vendor-completions python3/dist-packages
cat "$debian"/*.install >"$tmp/debian.patterns"
[ -n "$python" ] || sed -i '/python3/d' "$tmp/debian.patterns"
check "each file is in one Debian package" one_package debian
place lib64 rpm site-functions python3.x/site-packages
sed -n '/^%files/,/^%changelog/p' "$tmp/out/rpm/cstrace.spec" | sed -n '/^%{/p' | sort -u |
	sed -e 's|%{_libdir}|usr/lib64|' -e 's|%{_bindir}|usr/bin|' -e 's|%{_includedir}|usr/include|' -e 's|%{_mandir}|usr/share/man|' \
		-e 's|%{bash_completions_dir}|usr/share/bash-completion/completions|' -e 's|%{_datadir}|usr/share|' \
		-e 's|%{zsh_completions_dir}|usr/share/zsh/site-functions|' \
		-e 's|%{fish_completions_dir}|usr/share/fish/vendor_completions.d|' \
		-e "s|%{python3_sitelib}|${python:+usr/lib/python3.x/site-packages}|" -e '\|^/|d' >"$tmp/rpm.patterns"
check "each file is in one package of the spec" one_package rpm
check "live finds the drop-in in Debian's folder" sh -c "
	multiarch=\$(${CC:-gcc} -print-multiarch) && [ -n \"\$multiarch\" ] || exit 0
	mv '$tmp/debian/usr/lib/any' '$tmp/debian/usr/lib/'\$multiarch &&
	[ \"\$(realpath \"\$('$tmp/debian/usr/bin/perf-cstrace' live --where)\")\" = \"\$(realpath '$tmp/debian')/usr/lib/\$multiarch/cstrace\" ]"
mk uninstall prefix=/usr libdir=/usr/lib64 DESTDIR="$tmp/rpm" >/dev/null
check "uninstall removes the sample" test ! -e "$tmp/rpm/usr/share/perf-cstrace/sample"
finish
