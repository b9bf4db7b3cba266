# zsh -f offers.zsh FOLDER WORD...: what zsh would offer for the last of these words after dp2dp, one a line.
# FOLDER holds _dp2dp, and takes the answer. A shell of its own runs at a pseudo-terminal, since completion
# needs an editor; the terminal repeats what is typed, so that nothing but the editor's start is read from it.
zmodload zsh/zpty
folder=$1
answer=$folder/answer
shift

zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PROMPT= RPROMPT= fpath=(${(q)folder} \$fpath) answer=${(q)answer}"
zpty -w shell 'autoload -Uz compinit && compinit -u -D; setopt extended_glob'
# Every match passes through compadd; calls that only fill arrays are not matches.
zpty -w shell 'compadd() {
    local -a found
    if [[ ${@[1,(i)(-|--)]} != *-[a-zA-Z]#[OAD]\ * ]]; then
        builtin compadd -O found "$@"
        (( ! $#found )) || print -rl -- $found >>$answer
    fi
    builtin compadd "$@"
}'
zpty -w shell 'finish() { exit }; comppostfuncs=(finish)'
zpty -w shell 'zle-line-init() { print -r -- the-"start" }; zle -N zle-line-init'
zpty -r shell seen '*the-start*' || exit 1
: >$answer
zpty -w -n shell "dp2dp${(j::)@[1,-2]/#/ } ${@[-1]}"$'\t'
while zpty -r shell seen; do :; done
LC_ALL=C sort -u $answer
zpty -d shell
