# SPDX-License-Identifier: BSD-3-Clause
# completion.zsh FOLDER LINE OUT: writes into OUT what zsh offers at the end of a command line, a word each. FOLDER has the
# completion. A shell on a terminal of its own completes; a compadd in place of zsh's notes the words.
zmodload zsh/zpty || exit 1
setup=$(mktemp) || exit 1
trap 'rm -f $setup' EXIT
cat >$setup <<END
fpath=(${(q)1} \$fpath) PS1= TERM=dumb LISTMAX=10000
autoload -Uz compinit && compinit -u -D
compadd() {
	local -a offered
	if [[ -z \${(M)@:#-[OAD]} ]]; then
		builtin compadd -O offered "\$@"
		(( ! \$#offered )) || print -rl -- \$offered >>${(q)3}
	fi
	builtin compadd "\$@"
}
say-done() { print '<done>' }
zle -N say-done
bindkey '^X' say-done
bindkey '^I' list-choices
print '<ready>'
END
: >$3
zpty shell zsh -f -i || exit 1
zpty -w shell ". ${(q)setup}"
zpty -r shell none '*<ready>*' && zpty -w -n shell "$2"$'\t\x18' && zpty -r shell none '*<done>*'
zpty -d shell
