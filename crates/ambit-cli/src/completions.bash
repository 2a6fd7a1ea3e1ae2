_ambit() {
    # Bash parts words at ':' and '=' too: what stands together on the line is one word.
    local line=$COMP_LINE words=() word last i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ $i -eq 0 || $line == [[:space:]]* ]] && words+=("")
        last=$((${#words[@]} - 1))
        line=${line#"${line%%[![:space:]]*}"}
        line=${line#"$word"}
        [[ $i -lt $COMP_CWORD ]] && words[last]+=${word//[\\\"\']/}
    done
    # The word itself, up to the cursor; what stands before it in one piece is left as it is.
    local front=${words[last]} quote=${word:0:1}
    words[last]+=${2//[\\\"\']/}
    COMPREPLY=()
    while IFS= read -r word; do
        word=${word#"$front"}
        case $quote in
            [\"\']) [[ $word == *[\\\"\'\$\`!]* ]] && continue ;;
            *) printf -v word %q "$word" ;;
        esac
        COMPREPLY+=("$word")
    done < <(AMBIT_COMPLETE=bash ambit -- "${words[@]}" 2> /dev/null)
    [[ ${COMPREPLY-} == *[=/] ]] && compopt -o nospace 2> /dev/null
    return 0
}
complete -o bashdefault -F _ambit ambit
