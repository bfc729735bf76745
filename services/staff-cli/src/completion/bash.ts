import type { Node } from './words.ts';

/** Returns the completion script for bash 3.2 and later. It doesn't need the bash-completion library. */
export function bashScript(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, words, flags }) => {
    const all = words.length > 0 ? words.map(({ word }) => word) : [];
    return `    '${path}') words='${all.join(' ')}'; flags='${flags.map(({ word }) => word).join(' ')}' ;;`;
  });
  return `# sss completion for bash: source <(sss completion bash)
_sss() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' flags='' at
  for ((at = 1; at < COMP_CWORD && at < 3; at++)); do
    case \${COMP_WORDS[at]} in -*) break ;; esac
    path=\${path:+$path }\${COMP_WORDS[at]}
  done
  COMPREPLY=()
  case "$path $before" in
${valueCases(nodes).join('\n')}
  esac
  case $path in
${cases.join('\n')}
    *) path=\${path%% *}; words=''; flags='' ;;
  esac
  case $current in
    -*) words=$flags ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
# A colon begins no word of its own: values such as create:basic have one.
COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}
complete -o default -F _sss sss
`;
}

function valueCases(nodes: readonly Node[]): string[] {
  return nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, takesValue, choices }) => {
      if (!takesValue) return [];
      // Without known values, the shell falls back to file names.
      const reply =
        choices.length > 0 ? `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); ` : '';
      return [`    '${path} ${word}') ${reply}return ;;`];
    }),
  );
}
