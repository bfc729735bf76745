import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Settings {
  /** SSS_STACK: path of a local stack's description. */
  readonly stackFile: string | undefined;
  /** SSS_CONTEXT: name of a context in the configuration file. */
  readonly context: string | undefined;
  /** SSS_TOKEN: the token to call with. */
  readonly token: string | undefined;
  /** Folder of the configuration and the tokens of `sss login`. */
  readonly folder: string;
}

/** Reads the environment. An empty variable counts as unset. */
export function readSettings(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): Settings {
  const value = (name: string) => env[name] || undefined;
  return {
    stackFile: value('SSS_STACK'),
    context: value('SSS_CONTEXT'),
    token: value('SSS_TOKEN'),
    folder: value('SSS_CONFIG_DIR') ?? join(value('XDG_CONFIG_HOME') ?? join(home, '.config'), 'sss'),
  };
}
