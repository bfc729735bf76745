import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** What the flags of the local stack say. */
export interface Options {
  /** Absolute path of the folder that holds everything the stack remembers. */
  readonly state: string;
  readonly fresh: boolean;
  readonly once: boolean;
  readonly demonstrate: boolean;
  /** Whether the parts talk to each other as they do outside a local stack: over TLS, each with rights of its own. */
  readonly secure: boolean;
  /** Whether the processes trace, and a collector of the stack's own keeps their spans. */
  readonly traced: boolean;
  /**
   * Whether databases and streams wait for the disk. Without it a killed process loses nothing, a machine that is cut does,
   * and the databases end with the stack.
   */
  readonly synced: boolean;
  /** Whether only PostgreSQL and NATS are started. */
  readonly storesOnly: boolean;
  /** What the services run from. */
  readonly from: CodeSource;
}

/** Sources, sources whose changes restart the processes that load them, or bundles that are made at the start. */
export type CodeSource = 'sources' | 'watched' | 'bundles';

/** Reads the flags. Throws an Error with one line for a flag that does not exist or does not fit. */
export function readOptions(args: readonly string[], root: string): Options {
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
    state: resolve(root, values.state),
    fresh: values.fresh,
    once: values.once,
    demonstrate: !values['no-demo'],
    secure: values.secure,
    traced: values.traced,
    synced: !values.unsynced,
    storesOnly: values['stores-only'],
    from: values.bundled ? 'bundles' : values.watch ? 'watched' : 'sources',
  };
}
