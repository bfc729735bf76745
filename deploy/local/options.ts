import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CannotStart } from './terminal.ts';

/**
 * The code to run: sources, sources whose changes restart the processes that load them, bundles made at startup, or the
 * folder of existing bundles.
 */
export type CodeSource = 'sources' | 'watched' | 'bundles' | { readonly bundles: string };

/** Parses the flags of the local stack. Throws with a one-line message for an unknown or invalid flag. */
export function readOptions(args: readonly string[], root: string) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      state: { type: 'string', default: '.run' },
      fresh: { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      background: { type: 'boolean', default: false },
      'no-demo': { type: 'boolean', default: false },
      'sample-data': { type: 'boolean', default: false },
      secure: { type: 'boolean', default: false },
      traced: { type: 'boolean', default: false },
      bundled: { type: 'boolean', default: false },
      bundles: { type: 'string' },
      watch: { type: 'boolean', default: false },
      unsynced: { type: 'boolean', default: false },
      'stores-only': { type: 'boolean', default: false },
    },
  });
  const demonstrate = !values['no-demo'] && !values['sample-data'] && !values.background;
  if (values.once && values.background)
    throw new CannotStart('--once ends the stack, so it cannot be combined with --background');
  if (values.once && values['no-demo']) throw new CannotStart('--once cannot be combined with --no-demo');
  if ([values.bundled, values.watch, values.bundles !== undefined].filter(Boolean).length > 1)
    throw new CannotStart('--bundled, --bundles and --watch exclude each other');
  if (values.unsynced && !values.fresh)
    throw new CannotStart('--unsynced does not keep databases, so it requires --fresh');
  return {
    /** Absolute path of the folder with the stack's entire state. */
    state: resolve(root, values.state),
    fresh: values.fresh,
    once: values.once,
    /** Whether the stack outlives the process that started it. */
    background: values.background,
    demonstrate,
    sampleData: values['sample-data'],
    secure: values.secure,
    traced: values.traced,
    /** Whether databases and streams sync to disk. */
    synced: !values.unsynced,
    /** Whether only PostgreSQL and NATS are started. */
    storesOnly: values['stores-only'],
    from: sourceOf(values, root),
  };
}
export type Options = ReturnType<typeof readOptions>;

function sourceOf(
  { bundled, bundles, watch }: { bundled: boolean; bundles?: string | undefined; watch: boolean },
  root: string,
): CodeSource {
  if (bundles !== undefined) return { bundles: resolve(root, bundles) };
  return bundled ? 'bundles' : watch ? 'watched' : 'sources';
}
