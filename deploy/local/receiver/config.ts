import { readJsonIfPresent } from '../state/private-file.ts';

/** What the receiver needs to know. Ports are on the loopback address, the rest are paths of files. */
export interface ReceiverConfig {
  readonly endpointPort: number;
  readonly eventsPort: number;
  readonly certificate: string;
  readonly key: string;
  readonly secrets: string;
  readonly suppliers: readonly string[];
  /** Of the page on which staff log in, and the folder of the issuer that it asks. */
  readonly loginPort: number;
  readonly identity: string;
}

/** Reads the configuration that the stack wrote. Throws when it is not one. */
export function readReceiverConfig(path: string): ReceiverConfig {
  const value = readJsonIfPresent(path);
  if (!isConfig(value)) throw new Error(`${path || 'the first argument'} is not a receiver's configuration`);
  return value;
}

function isConfig(value: unknown): value is ReceiverConfig {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Record<string, unknown> = { ...value };
  const ports = [fields.endpointPort, fields.eventsPort, fields.loginPort];
  const paths = [fields.certificate, fields.key, fields.secrets, fields.identity];
  const suppliers = fields.suppliers;
  return (
    ports.every((port) => Number.isInteger(port)) &&
    paths.every((path) => typeof path === 'string') &&
    Array.isArray(suppliers) &&
    suppliers.every((name) => typeof name === 'string')
  );
}
