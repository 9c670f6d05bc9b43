# Bash completion of run_model: its verbs, and the flags that `run_model VERB --help` lists.

_run_model() {
  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[0]} verb=run verbs
  verbs=$("$command" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  [[ " ${verbs//$'\n'/ } " == *" ${COMP_WORDS[1]} "* ]] && verb=${COMP_WORDS[1]}
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$("$command" "$verb" --help | grep -oE '^ +(-[a-z],)?--[a-z0-9-]+' -i | tr , '\n')" -- "$cur"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$cur") $(compgen -f -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}

complete -o filenames -F _run_model run_model
