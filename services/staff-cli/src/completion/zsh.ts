import type { Node, Word } from './words.ts';

/** Returns the completion script for zsh, for `source` after compinit or a folder in fpath. */
export function zshScript(nodes: readonly Node[]): string {
  return `#compdef sss
# sss completion for zsh: source <(sss completion zsh)
_sss() {
  local current=\${words[CURRENT]} before=\${words[CURRENT-1]} at_path='' at
  local -a found
  for ((at = 2; at < CURRENT && at < 4; at++)); do
    [[ \${words[at]} == -* ]] && break
    at_path=\${at_path:+$at_path }\${words[at]}
  done
  case "$at_path $before" in
${valueCases(nodes).join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $at_path in
${nodes.map(({ path, flags }) => `      '${path}') found=(${described(flags)}) ;;`).join('\n')}
    esac
  else
    case $at_path in
${nodes.map(({ path, words }) => `      '${path}') found=(${described(words)}) ;;`).join('\n')}
    esac
  fi
  if ((\${#found})); then _describe 'sss' found; else _files; fi
}
if [[ \${funcstack[1]-} == _sss ]]; then _sss "$@"; else compdef _sss sss; fi
`;
}

const described = (words: readonly Word[]) =>
  words.map(({ word, help }) => `'${word}:${help.replaceAll(':', ' ')}'`).join(' ');

function valueCases(nodes: readonly Node[]): string[] {
  return nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, takesValue, choices }) => {
      if (!takesValue) return [];
      const then = choices.length > 0 ? `compadd -- ${choices.join(' ')}` : '_files';
      return [`    '${path} ${word}') ${then}; return ;;`];
    }),
  );
}
