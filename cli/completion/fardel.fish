# Completion of fardel for fish, from what `fardel --complete` answers.

function __fardel_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r -- '^-[^=]*=' $current)
    set -l value (string replace -r -- '^-[^=]*=' '' $current)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                string replace -r -- '^' "$option" (__fish_complete_path "$value")
            case ':folders'
                string replace -r -- '^' "$option" (__fish_complete_directories "$value")
            case '*'
                echo $line
        end
    end
end
complete -c fardel -f -a '(__fardel_complete)'
