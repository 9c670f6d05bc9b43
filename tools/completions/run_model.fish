# Fish completion of run_model: its verbs, and the flags that `run_model VERB --help` lists.

function __run_model_verbs
    set -l words (commandline -opc)
    $words[1] --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __run_model_flags
    set -l words (commandline -opc)
    set -l verb run
    contains -- "$words[2]" (__run_model_verbs | cut -f1); and set verb $words[2]
    $words[1] $verb --help | string match -rgi '^ +((?:-[a-z],)?--[a-z0-9-]+)' | string split ,
end

complete -c run_model -n 'test (count (commandline -opc)) -eq 1' -a '(__run_model_verbs)'
complete -c run_model -n 'string match -q -- "-*" (commandline -ct)' -a '(__run_model_flags)'
