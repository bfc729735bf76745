import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the environment says to the command line. */
export interface Settings {
  /** SSS_STACK: the file in which a local stack describes itself. */
  readonly stackFile: string | undefined;
  /** SSS_CONTEXT: name of a context of the configuration file. */
  readonly context: string | undefined;
  /** SSS_TOKEN: the token to call with. */
  readonly token: string | undefined;
  /** Where the configuration and the tokens of `sss login` are kept. */
  readonly folder: string;
}

/** Reads the environment, once. An empty variable counts as none. */
export function readSettings(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): Settings {
  const value = (name: string) => env[name] || undefined;
  return {
    stackFile: value('SSS_STACK'),
    context: value('SSS_CONTEXT'),
    token: value('SSS_TOKEN'),
    folder: value('SSS_CONFIG_DIR') ?? join(value('XDG_CONFIG_HOME') ?? join(home, '.config'), 'sss'),
  };
}
