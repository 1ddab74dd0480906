# Completion of fardel for bash, from what `fardel --complete` answers.

_fardel() {
    local current=${COMP_WORDS[COMP_CWORD]} words=() joins= line word
    # Bash breaks words at = and :, which belong to them.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((${#words[@]})) && [[ $word == [=:] || -n $joins ]]; then words[-1]+=$word; else words+=("$word"); fi
        joins=
        [[ $word != [=:] ]] || joins=yes
    done
    [[ $current != [=:] ]] || current=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
            :folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
        [[ $line != :* ]] || compopt -o filenames 2>/dev/null
    done < <("$1" --complete "${words[@]}" 2>/dev/null)
}
complete -F _fardel fardel
