import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** What the services run from. */
export type CodeSource = 'sources' | 'watched' | 'bundles';

/** Reads the flags of the local stack. Throws with one line for a flag that doesn't exist or doesn't fit. */
export function readOptions(args: readonly string[], root: string) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      state: { type: 'string', default: '.run' },
      fresh: { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      'no-demo': { type: 'boolean', default: false },
      secure: { type: 'boolean', default: false },
      traced: { type: 'boolean', default: false },
      bundled: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      unsynced: { type: 'boolean', default: false },
      'stores-only': { type: 'boolean', default: false },
    },
  });
  if (values.once && values['no-demo'])
    throw new Error('--once ends after the demonstration, so it needs one');
  if (values.bundled && values.watch)
    throw new Error('--bundled makes bundles once, so there is nothing to --watch');
  if (values.unsynced && !values.fresh)
    throw new Error('--unsynced keeps no databases for a next time, so it needs --fresh');
  return {
    /** Absolute path of the folder with everything that the stack remembers. */
    state: resolve(root, values.state),
    fresh: values.fresh,
    once: values.once,
    demonstrate: !values['no-demo'],
    secure: values.secure,
    traced: values.traced,
    /** Whether databases and streams wait for the disk. */
    synced: !values.unsynced,
    /** Whether only PostgreSQL and NATS are started. */
    storesOnly: values['stores-only'],
    from: (values.bundled ? 'bundles' : values.watch ? 'watched' : 'sources') as CodeSource,
  };
}
export type Options = ReturnType<typeof readOptions>;
