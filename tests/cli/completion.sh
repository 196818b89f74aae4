#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash: each command and each option is offered, and nothing that the program refuses.
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

commands=$("$tool" --list-cmds)
all_commands() {
	same_lines "$(offered "$tool" "")" "$commands --help --version"
}
check "all commands" all_commands
begun() {
	same_lines "$(offered "$tool" pro)" profile && same_lines "$(offered "$tool" --ver)" --version &&
		same_lines "$(offered "$tool" help con)" convert && same_lines "$(offered "$tool" info -i x --sym)" --symfs
}
check "a word that is begun" begun
options() {
	same_lines "$(offered "$tool" "$1" -)" "$("$tool" "$1" --list-opts)"
}
for command in $commands; do
	[ "$command" = help ] || check "options of $command" options "$command"
done
nothing() {
	[ -z "$(offered "$tool" profile -i "")" ] && [ -z "$(offered "$tool" nonsense --)" ]
}
check "file names elsewhere" nothing
interactive() {
	[ "$(complete -p perf-cstrace)" = "complete -o default -F _perf_cstrace perf-cstrace" ]
}
check "bash knows the program" interactive
finish
