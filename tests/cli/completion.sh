#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash, zsh and fish: each command and each option is offered, and nothing that the program refuses.
. tests/cli/tap.sh
tool=$(realpath "$PERF_CSTRACE")
. perf-plugin/completion/perf-cstrace

# offered WORDS...: what is offered for the last word, one in each line.
offered() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_perf_cstrace
	printf '%s\n' "${COMPREPLY[@]}"
}

# same_lines A B: the same words in any order.
same_lines() {
	diff <(tr ' ' '\n' <<<"$1" | grep . | sort) <(tr ' ' '\n' <<<"$2" | grep . | sort)
}

# The lines that shells read are those of the program's own lists; a line has all of its fields.
tables() {
	"$tool" help completion >"$tmp/commands" && same_lines "$(cut -f 1 "$tmp/commands")" "$("$tool" --list-cmds)" || return 1
	for command in $(cut -f 1 "$tmp/commands"); do
		[ "$command" != help ] || continue
		"$tool" help completion "$command" >"$tmp/table" || return 1
		same_lines "$(cut -f 1 "$tmp/table")" "$("$tool" "$command" --list-opts) --help" || return 1
		awk -F '\t' 'NF != 5 || $2 !~ /^-[a-zA-Z]?$/ || $3 !~ /^(flag|value|file|folder|optional)$/ || $4 == "" || $5 == "" ||
			($3 == "flag") != ($4 == "-") { print; bad = 1 } END { exit bad }' "$tmp/table" || return 1
	done
	[ -z "$("$tool" help completion help)" ] && ! "$tool" help completion nonsense
}
check "the tables of all commands" tables

commands=$("$tool" --list-cmds)
all_commands() {
	same_lines "$(offered "$tool" "")" "$commands --help --version"
}
check "all commands" all_commands
begun() {
	same_lines "$(offered "$tool" pro)" profile && same_lines "$(offered "$tool" --ver)" --version &&
		same_lines "$(offered "$tool" help con)" convert && same_lines "$(offered "$tool" info -i x --sym)" --symfs &&
		same_lines "$(offered "$tool" help op)" options
}
check "a word that is begun" begun
options() {
	same_lines "$(offered "$tool" "$1" -)" "$("$tool" "$1" --list-opts) --help"
}
for command in $commands; do
	[ "$command" = help ] || check "options of $command" options "$command"
done
nothing() {
	[ -z "$(offered "$tool" profile -i "")" ] && [ -z "$(offered "$tool" nonsense --)" ]
}
check "file names elsewhere" nothing
folders() {
	[ "$(offered "$tool" info --symfs tests/da)" = tests/data ] && [ "$(offered "$tool" dump -s tests/da)" = tests/data ]
}
check "folders behind an option that takes one" folders
interactive() {
	[ "$(complete -p perf-cstrace)" = "complete -o default -F _perf_cstrace perf-cstrace" ] &&
		[ "$(complete -p perf)" = "complete -o bashdefault -o default -F _perf_with_cstrace perf" ]
}
check "bash knows the program" interactive

# perf cstrace: the program is found on the PATH; other commands are left to perf's own completion, here to one of the test.
mkdir "$tmp/bin"
ln -s "$tool" "$tmp/bin/perf-cstrace"
PATH=$tmp/bin:$PATH
offered_perf() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_perf_with_cstrace
	printf '%s\n' "${COMPREPLY[@]}"
}
below_perf() {
	same_lines "$(offered_perf perf cstrace "")" "$commands --help --version" &&
		same_lines "$(offered_perf perf cstrace inject --)" "$("$tool" inject --list-opts) --help" &&
		same_lines "$(offered_perf perf cstrace help conv)" convert
}
check "perf cstrace" below_perf
beside_perf() {
	_perf() {
		COMPREPLY=("${COMP_WORDS[@]}")
	}
	same_lines "$(offered_perf perf cst)" "perf cst cstrace" && same_lines "$(offered_perf perf record --ev)" "perf record --ev" &&
		same_lines "$(offered_perf perf info cstrace)" "perf info cstrace"
	rc=$?
	unset -f _perf
	return $rc
}
check "perf: its other commands" beside_perf
# In a shell of its own: perf's completion sets words that separate.
perf_own() {
	[ -r /usr/share/bash-completion/completions/perf ] && command -v perf >/dev/null || return 77
	bash -c '. perf-plugin/completion/perf-cstrace
		COMP_WORDS=(perf rep) COMP_CWORD=1 COMP_LINE="perf rep" COMP_POINT=8
		_perf_with_cstrace; printf "%s\n" "${COMPREPLY[@]}"; complete -p perf' >"$tmp/perf"
	printf '%s\n' report "complete -o bashdefault -o default -F _perf_with_cstrace perf" | diff - "$tmp/perf"
}
if perf_own >"$tmp/own" 2>&1; then
	ok "perf: the completion that perf has"
elif [ $? -eq 77 ]; then
	skip "perf: the completion that perf has" "perf or its completion is not installed"
else
	not_ok "perf: the completion that perf has" "$(cat "$tmp/own")"
fi

# shells NAME: what another shell offers, of the same tables. offered_NAME LINE prints a word a line.
short_and_long() {
	"$tool" help completion "$1" | cut -f 1-2 | tr '\t' '\n' | grep -vx -- -
}
offered_zsh() {
	timeout 60 zsh -f tests/cli/completion.zsh perf-plugin/completion "$1" "$tmp/offered" && sort -u "$tmp/offered"
}
offered_fish() {
	HOME=$tmp timeout 60 fish --no-config -c 'source perf-plugin/completion/perf-cstrace.fish; complete -C $argv[1]' -- "$1" |
		cut -f 1
}
shell_commands() {
	same_lines "$(offered_$1 "perf-cstrace ")" "$commands" && same_lines "$(offered_$1 "perf-cstrace inj")" inject &&
		same_lines "$(offered_$1 "perf-cstrace --v")" --version && same_lines "$(offered_$1 "perf-cstrace help op")" options
}
shell_options() {
	same_lines "$(offered_$1 "perf-cstrace $2 -")" "$(short_and_long "$2")"
}
shell_values() {
	same_lines "$(offered_$1 "perf-cstrace info -i x --sy")" --symfs &&
		[ "$(offered_$1 "perf-cstrace info -i READ")" = README.md ] &&
		offered_$1 "perf-cstrace info --symfs te" | grep -qx 'tests/*' || return 1
	# zsh shows files where no folder fits
	[ $1 = zsh ] || [ -z "$(offered_$1 "perf-cstrace info --symfs READ")" ]
}
# In make check a few commands: each is asked in a shell of its own.
few="inject info merge"
[ -z "${CSTRACE_NIGHTLY:-}" ] || few=$commands
for shell in zsh fish; do
	if ! command -v $shell >/dev/null; then
		skip "$shell" "it is not installed"
		continue
	fi
	check "$shell: commands" shell_commands $shell
	check "$shell: values" shell_values $shell
	for command in $few; do
		[ "$command" = help ] || check "$shell: options of $command" shell_options $shell "$command"
	done
done
finish
