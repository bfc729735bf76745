import { statSync } from 'node:fs';
import { readJsonIfPresent, writePrivateJson } from '../state/private-file.ts';
import type { ReceivedEnvironment } from './event-log.ts';

/** Signing secrets by supplier and environment. */
export type EndpointSecrets = Readonly<
  Record<string, Readonly<Partial<Record<ReceivedEnvironment, string>>>>
>;

export function writeEndpointSecrets(path: string, secrets: EndpointSecrets): void {
  writePrivateJson(path, secrets);
}

/** Finds secrets in a file that is read again whenever it has changed. */
export function endpointSecrets(
  path: string,
): (supplier: string, environment: ReceivedEnvironment) => string[] {
  let secrets: unknown;
  let version = '';
  return (supplier, environment) => {
    const { mtimeMs, ino } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, ino: 0 };
    if (`${ino}:${mtimeMs}` !== version) {
      secrets = readJsonIfPresent(path);
      version = `${ino}:${mtimeMs}`;
    }
    const secret = property(property(secrets, supplier), environment);
    return typeof secret === 'string' ? [secret] : [];
  };
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
