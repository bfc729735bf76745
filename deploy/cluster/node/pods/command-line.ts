import type { Container } from '../api/objects.ts';
import type { ImageFiles } from '../options.ts';
import { expand } from './environment.ts';

/** What a container runs: `command` takes the place of the image's entrypoint and command, `args` of its command alone. */
export function commandLine(
  container: Container,
  image: ImageFiles,
  variables: ReadonlyMap<string, string>,
): string[] {
  const own = (words: readonly string[]) => words.map((word) => expand(word, variables));
  const { command = [], args = [] } = container;
  if (command.length > 0) return [...own(command), ...own(args)];
  return [...image.entrypoint, ...(args.length > 0 ? own(args) : image.command)];
}
