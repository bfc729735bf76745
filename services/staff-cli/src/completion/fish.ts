import type { Node } from './words.ts';

/** Returns the completion script for fish 3 and later. */
export function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words, flags }) => {
    const condition = `-n '__sss_at "${path}"'`;
    return [
      ...words.map(({ word, help }) => `complete -c sss -f ${condition} -a ${word} -d '${help}'`),
      ...flags.map(({ word, help, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : '';
        return `complete -c sss ${condition} -l ${word.slice(2)}${value} -d '${help}'`;
      }),
    ];
  });
  return `# sss completion for fish: sss completion fish | source
function __sss_at
  set -l said (commandline -opc)
  set -e said[1]
  set -l path
  for word in $said
    string match -q -- '-*' $word; and break
    test (count $path) -eq 2; and break
    set -a path $word
  end
  test "$path" = "$argv[1]"
end
complete -c sss -f -n '__sss_at ""'
${lines.join('\n')}
`;
}
