# SPDX-License-Identifier: GPL-2.0-only
# Completion for fish: commands and options as the program itself lists them (perf-cstrace help completion), with their help.

# The words before the one that is completed, without the program.
function __perf_cstrace_before
    set -l words (commandline -opc)
    test (count $words) -lt 2; or printf '%s\n' $words[2..-1]
end

function __perf_cstrace_at_command
    test (count (__perf_cstrace_before)) -eq 0
end

function __perf_cstrace_command_is
    contains -- (__perf_cstrace_before)[1] $argv
end

# The options of the command, a line each, as the program prints them.
function __perf_cstrace_table
    perf-cstrace help completion (__perf_cstrace_before)[1] 2>/dev/null
end

function __perf_cstrace_options
    string match -q -- '-*' (commandline -ct); or return
    __perf_cstrace_table | while read -l -d \t name letter kind arg help
        printf '%s\t%s\n' $name $help
        test $letter = -; or printf '%s\t%s\n' $letter $help
    end
end

function __perf_cstrace_wants_folder
    set -l option (__perf_cstrace_before)[-1]
    string match -q -- '-*' $option; or return
    __perf_cstrace_table | while read -l -d \t name letter kind arg help
        contains -- $option $name $letter; and test $kind = folder; and return 0
    end
    return 1
end

complete -c perf-cstrace -n __perf_cstrace_at_command -f -a '(perf-cstrace help completion 2>/dev/null)'
complete -c perf-cstrace -n __perf_cstrace_at_command -f -l help -d 'show the commands'
complete -c perf-cstrace -n __perf_cstrace_at_command -f -l version -d 'show the version'
complete -c perf-cstrace -n '__perf_cstrace_command_is help' -f -a 'options (perf-cstrace help completion 2>/dev/null)'
complete -c perf-cstrace -n 'not __perf_cstrace_at_command; and not __perf_cstrace_command_is help' -a '(__perf_cstrace_options)'
complete -c perf-cstrace -n 'not __perf_cstrace_at_command; and __perf_cstrace_wants_folder' -f \
    -a '(__fish_complete_directories (commandline -ct))'
