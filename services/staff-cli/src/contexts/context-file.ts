import type { Settings } from '../config.ts';
import { type ConfigFile, readConfigFile, writeConfigFile } from '../connection/config-file.ts';
import { CONTEXT_NAME } from '../connection/context-schema.ts';
import { endpointsOf } from '../connection/endpoints.ts';
import { forgetToken } from '../connection/token-store.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { type ContextFlags, editContext } from './edit-context.ts';

const read = ({ folder }: Settings): ConfigFile => readConfigFile(folder) ?? { contexts: {} };

const unknown = (name: string, { contexts }: ConfigFile) =>
  new CommandFailure(exitCodes.usage, `unknown context "${name}"`, [
    `contexts: ${Object.keys(contexts).join(', ') || 'none'} (\`sss contexts add\` adds one)`,
  ]);

/** Adds a context, or changes the given settings of one. Returns a description of the change. Throws CommandFailure. */
export function addContext(name: string, flags: ContextFlags, settings: Settings): string {
  if (!CONTEXT_NAME.test(name))
    throw new CommandFailure(
      exitCodes.usage,
      `invalid context name "${name}": use lower-case letters, digits and hyphens`,
    );
  const config = read(settings);
  const before = Object.hasOwn(config.contexts, name) ? config.contexts[name] : undefined;
  const entry = editContext(before ?? { services: {} }, flags);
  if (!entry.kube && entry.url === undefined && Object.keys(entry.services).length === 0)
    throw new CommandFailure(exitCodes.usage, 'give --url, or --kube CONTEXT/NAMESPACE');
  const isFirst = Object.keys(config.contexts).length === 0;
  const current = config.current ?? (isFirst ? name : undefined);
  const changed = {
    ...(current !== undefined && { current }),
    contexts: { ...config.contexts, [name]: entry },
  };
  writeConfigFile(settings.folder, changed, () => endpointsOf(entry, settings.folder, entry.kube));
  const what = before ? `changed context ${name}` : `added context ${name}`;
  return current === name ? `${what} (current)` : what;
}

export function useContext(name: string, settings: Settings): void {
  const config = read(settings);
  if (!Object.hasOwn(config.contexts, name)) throw unknown(name, config);
  writeConfigFile(settings.folder, { ...config, current: name });
}

/** Removes a context and its `sss login` token. Throws CommandFailure. */
export function removeContext(name: string, settings: Settings): void {
  const config = read(settings);
  if (!Object.hasOwn(config.contexts, name)) throw unknown(name, config);
  const { [name]: _, ...contexts } = config.contexts;
  const { current, ...rest } = config;
  writeConfigFile(settings.folder, {
    ...rest,
    ...(current !== undefined && current !== name && { current }),
    contexts,
  });
  forgetToken(settings.folder, name);
}

export interface ListedContext {
  readonly context: string;
  readonly current: boolean;
  readonly address: string;
}

export function listContexts(settings: Settings): readonly ListedContext[] {
  const { current, contexts } = read(settings);
  return Object.entries(contexts).map(([context, { kube, url, services }]) => ({
    context,
    current: context === current,
    address: kube
      ? `${kube.release} in ${kube.context}/${kube.namespace}`
      : (url ?? Object.values(services).find((one) => one?.url !== undefined)?.url ?? 'nowhere'),
  }));
}
