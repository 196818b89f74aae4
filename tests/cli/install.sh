#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `make install` puts where, also in folders of other names; that a program can be built with it; that uninstall leaves
# nothing.
. tests/cli/tap.sh
mk() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$BUILD" "$@"
}
cc=${CC:-gcc}

check "install" mk install prefix=/usr DESTDIR="$tmp/dest"
for f in bin/perf-cstrace lib/libcstrace.a lib/libcstrace.so lib/libcstrace.so.0 include/cstrace/cstrace.h \
	lib/libcstrace-files.a lib/libcstrace-files.so lib/libcstrace-files.so.0 include/cstrace/files/files.h lib/pkgconfig/cstrace-files.pc \
	lib/libcstrace-perf.so lib/libcstrace-perf.so.0 include/cstrace/perf/recording.h lib/pkgconfig/cstrace-perf.pc \
	lib/cstrace/libopencsd_c_api.so.1 \
	lib/pkgconfig/cstrace.pc share/man/man1/perf-cstrace.1 share/man/man5/cstrace-package.5 share/man/man5/cstrace-profile.5 \
	share/doc/cstrace/README.md share/doc/cstrace/LICENSES/GPL-2.0-only.txt \
	share/man/man7/cstrace-recording.7 share/man/man1/cstrace-profile-many.1 share/man/man1/cstrace-pgo-example.1 \
	bin/cstrace-profile-many bin/cstrace-pgo-example share/perf-cstrace/pgo.c share/perf-cstrace/collect-target share/doc/cstrace/LICENSE share/doc/cstrace/Kconfig-notes.md \
	share/zsh/site-functions/_perf-cstrace share/fish/vendor_completions.d/perf-cstrace.fish \
	share/bash-completion/completions/perf-cstrace; do
	check "$f" test -e "$tmp/dest/usr/$f"
done

cat >"$tmp/use.c" <<'EOF'
#include <cstrace/cstrace.h>
#include <stdio.h>
int main(void)
{
	struct cst_tree *tree = NULL;

	if (cst_tree_new(&tree, CST_TREE_RAW, 0))
		return 1;
	cst_tree_free(tree);
	puts("used");
	return 0;
}
EOF
check "compiles with the installed headers" $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$tmp/dest/usr/include" \
	-c -o "$tmp/use.o" "$tmp/use.c"
if command -v g++ >/dev/null; then
	cp "$tmp/use.c" "$tmp/use.cc"
	check "compiles as C++" g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$tmp/dest/usr/include" -c -o "$tmp/usecc.o" "$tmp/use.cc"
fi
# Every function that the headers declare, by its address: the library must have it under its C name.
{
	echo '#include <cstrace/cstrace.h>'
	echo '#include <cstrace/files/files.h>'
	echo '#include <cstdio>'
	echo 'typedef void (*fn)();'
	echo 'static const fn all[] = {'
	cat "$tmp"/dest/usr/include/cstrace/*.h "$tmp"/dest/usr/include/cstrace/files/*.h | tr '\n' ' ' | grep -oE 'CST_API [^;(]*\<cst_[a-z0-9_]+\(' |
		sed -E 's/.*\<(cst_[a-z0-9_]+)\($/	(fn)\1,/' | sort -u
	echo '};'
	echo 'int main() { for (fn f : all) if (!f) return 1; std::puts(cst_strerror(1)); return sizeof(all) < 150 * sizeof(all[0]); }'
} >"$tmp/all.cc"
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	check "all functions link from C++ ($cxx)" $cxx -std=c++11 -Wall -Wextra -Wno-cast-function-type -Werror \
		-I"$tmp/dest/usr/include" -o "$tmp/all-$cxx" "$tmp/all.cc" "$tmp/dest/usr/lib/libcstrace-files.a" \
		"$tmp/dest/usr/lib/libcstrace.a"
	check "runs ($cxx)" "$tmp/all-$cxx"
done
alone() {
	for h in $(cd "$tmp/dest/usr/include" && ls cstrace/*.h cstrace/files/*.h cstrace/perf/*.h); do
		echo "#include <$h>" >"$tmp/alone.c"
		$cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$tmp/dest/usr/include" -fsyntax-only "$tmp/alone.c" || return 1
		for cxx in g++ clang++; do
			! command -v $cxx >/dev/null || $cxx -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror \
				-I"$tmp/dest/usr/include" -fsyntax-only "$tmp/alone.c" || return 1
		done
	done
}
check "each header stands alone, in C and in C++" alone
check "the pkg-config file names the prefix" grep -qx 'prefix=/usr' "$tmp/dest/usr/lib/pkgconfig/cstrace.pc"
if command -v pkg-config >/dev/null; then
	flags() {
		PKG_CONFIG_LIBDIR="$tmp/dest/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/dest" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
			PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" cstrace
	}
	check "pkg-config finds headers and library" sh -c "$cc -std=c11 -o '$tmp/use-pc' '$tmp/use.c' $(flags --cflags --libs)"
	check "runs as pkg-config linked it" env LD_LIBRARY_PATH="$tmp/dest/usr/lib" "$tmp/use-pc"
fi

# A program that decodes recordings: it counts what perf-cstrace counts, and its report() gets all messages.
recording() {
	LD_LIBRARY_PATH="$tmp/dest/usr/lib" "$tmp/recording" "$@" >"$tmp/out" 2>"$tmp/err"
	[ ! -s "$tmp/err" ] || { cat "$tmp/err"; return 1; }
}
same_counts() {
	recording "tests/data/$1.perf.data" tests/data/symfs || return 1
	"$PERF_CSTRACE" script -i "tests/data/$1.perf.data" --symfs tests/data/symfs --itrace=b -F ip 2>&1 >"$tmp/none" |
		tr -d , | sed -n 's/.* bytes \([0-9]* instructions\) \([0-9]* branches\) .*/: \1, \2/p' >"$tmp/counts"
	[ -s "$tmp/counts" ] && sed 's/^[^:]*//' "$tmp/out" | cmp - "$tmp/counts"
}
says_losses() {
	recording tests/data/sample.perf.data /nonexistent && grep -q '^lost: [0-9]* places whose file was not found: .* -> copy' "$tmp/out"
}
says_why() {
	recording Makefile && grep -q '^message: cstrace: Makefile: offset 0x0: found "# SPDX' "$tmp/out"
}
check "a program with libcstrace-perf" $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$tmp/dest/usr/include" -o "$tmp/recording" \
	tests/examples/recording.c -L"$tmp/dest/usr/lib" -lcstrace-perf -lcstrace -Wl,-rpath-link,"$tmp/dest/usr/lib"
for name in sample sample-trbe sample-ptm sample-etmv3; do
	check "libcstrace-perf: $name" same_counts "$name"
done
check "libcstrace-perf: losses" says_losses
check "libcstrace-perf: a file that is none" says_why
check "links with the static library" $cc -o "$tmp/use-a" "$tmp/use.o" "$tmp/dest/usr/lib/libcstrace.a"
check "runs" "$tmp/use-a"
check "links with the shared library" $cc -o "$tmp/use-so" "$tmp/use.o" -L"$tmp/dest/usr/lib" -lcstrace
check "runs with the shared library" env LD_LIBRARY_PATH="$tmp/dest/usr/lib" "$tmp/use-so"

only_libc() {
	for so in libcstrace libcstrace-files; do
		objdump -p "$tmp/dest/usr/lib/$so.so.0" | awk -v so=$so '$1 == "NEEDED" && $2 !~ /^libc\.so/ &&
			!(so == "libcstrace-files" && $2 ~ /^libcstrace\.so/) { print; bad = 1 } END { exit bad }' || return 1
	done
}
check "the shared libraries need the C library only, and the one of files the decoder" only_libc

# A perf of our own tells what it was given.
cat >"$tmp/perf" <<'EOF_PERF'
#!/bin/sh
echo "$LD_LIBRARY_PATH|$*"
exit 42
EOF_PERF
chmod +x "$tmp/perf"
runs_perf() {
	"$tmp/dest/usr/bin/perf-cstrace" live --perf "$tmp/perf" -- report -i "a b" >"$tmp/live"
	[ $? = 42 ] && [ "$(cat "$tmp/live")" = "$("$tmp/dest/usr/bin/perf-cstrace" live --where)|report -i a b" ]
}
if (unset LD_LIBRARY_PATH && runs_perf); then
	ok "live hands arguments and exit code on"
else
	not_ok "live hands arguments and exit code on" "$(cat "$tmp/live")"
fi

check "uninstall" mk uninstall prefix=/usr DESTDIR="$tmp/dest"
nothing_left() {
	[ -z "$(find "$tmp/dest" ! -type d)" ] || {
		find "$tmp/dest" ! -type d
		return 1
	}
}
check "nothing is left" nothing_left

# ---- other folders ----
# The folders that have files of ours, without those below them.
folders() {
	(cd "$tmp/dest" && find . ! -type d | sed 's|^\./||; s|/[^/]*$||' | sort -u)
}
rm -rf "$tmp/dest"
check "install with PREFIX" mk install PREFIX=/opt/cst DESTDIR="$tmp/dest"
all_below() {
	folders >"$tmp/folders"
	[ "$(grep -c . "$tmp/folders")" -ge 10 ] && ! grep -v '^opt/cst/' "$tmp/folders"
}
check "everything is below it" all_below
check "uninstall with PREFIX" mk uninstall PREFIX=/opt/cst DESTDIR="$tmp/dest"
check "nothing is left there" nothing_left
check "install with prefix and PREFIX" mk install-lib prefix=/usr PREFIX=/opt DESTDIR="$tmp/dest"
prefix_counts() {
	folders >"$tmp/folders"
	grep -qx usr/lib "$tmp/folders" && ! grep -v '^usr/' "$tmp/folders"
}
check "prefix counts" prefix_counts

rm -rf "$tmp/dest"
set -- prefix=/usr exec_prefix=/usr/exec libdir=/usr/lib/triplet includedir=/usr/inc datarootdir=/usr/data docdir=/usr/docs \
	man5dir=/usr/pages/five completiondir=/etc/complete pkgconfigdir=/usr/pc DESTDIR="$tmp/dest"
check "install with a name for each folder" mk install "$@"
folders >"$tmp/folders"
printf '%s\n' etc/complete usr/data/perf-cstrace usr/data/fish/vendor_completions.d usr/data/man/man1 usr/data/man/man7 \
	usr/data/zsh/site-functions usr/docs usr/docs/LICENSES usr/exec/bin usr/inc/cstrace usr/inc/cstrace/files usr/inc/cstrace/perf \
	usr/lib/triplet usr/lib/triplet/cmake/cstrace usr/lib/triplet/cstrace usr/lib/triplet/cstrace/pkgconfig usr/pages/five usr/pc \
	$(cd include && find opencsd -name '*.h' | sed 's|^|usr/inc/cstrace-opencsd/|; s|/[^/]*$||') | sort -u >"$tmp/want"
check "these folders have files, and no other" diff "$tmp/want" "$tmp/folders"
names() {
	grep -qx 'libdir=/usr/lib/triplet' "$tmp/dest/usr/pc/$1.pc" && grep -qx 'includedir=/usr/inc' "$tmp/dest/usr/pc/$1.pc"
}
for pc in cstrace cstrace-files cstrace-perf; do
	check "$pc.pc names them" names $pc
done
check "the program runs from there" "$tmp/dest/usr/exec/bin/perf-cstrace" --version
umask_is_kept_out() {
	rm -rf "$tmp/dest"
	(umask 077 && mk install "$@") && [ -z "$(find "$tmp/dest/usr" "$tmp/dest/etc" ! -type l ! -perm -044)" ]
}
check "modes do not depend on the umask" umask_is_kept_out "$@"
stripped() {
	readelf -S "$tmp/dest/usr/$1" | grep -q '\.symtab\|\.debug_info' && { echo "$1 has symbols"; return 1; }
	return 0
}
check "install-strip" mk install-strip "$@"
for file in exec/bin/perf-cstrace lib/triplet/libcstrace.so.0 lib/triplet/libcstrace-files.so.0 lib/triplet/libcstrace-perf.so.0 \
	lib/triplet/cstrace/libopencsd_c_api.so.1; do
	check "$file is stripped" stripped "$file"
done
check "the archive keeps its symbols" $cc -o "$tmp/use-stripped" "$tmp/use.o" "$tmp/dest/usr/lib/triplet/libcstrace.a"
check "uninstall from these folders" mk uninstall "$@"
check "nothing is left in them" nothing_left
rm -rf "$tmp/dest"
check "a folder with a space" mk install prefix=/opt/my\ tools DESTDIR="$tmp/dest/a b"
check "has the program" test -x "$tmp/dest/a b/opt/my tools/bin/perf-cstrace"
check "uninstall from it" mk uninstall prefix=/opt/my\ tools DESTDIR="$tmp/dest/a b"
check "nothing is left in it" nothing_left
finish
