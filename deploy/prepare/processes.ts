import { createHash } from 'node:crypto';
import { isBundled } from '@supplier/lib/runtime/build';

const CHART = 'supplier-submissions';
const LONGEST = 30;
const CUT = 24;

export const PROCESSES = [
  'gateway-sandbox',
  'gateway-production',
  'account',
  'submission',
  'document',
  'scanner',
  'billing',
  'webhook',
  'console',
] as const;

/** The prefix of a release's objects, as in the chart. */
export function fullNameOf(release: string): string {
  const name = release.includes(CHART) ? release : `${release}-${CHART}`;
  if (name.length <= LONGEST) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 5);
  return `${name.slice(0, CUT).replace(/-$/, '')}-${digest}`;
}

/** DNS names of a process's Service, most used first. */
export function hostsOf(release: string, namespace: string, process: string): readonly [string, ...string[]] {
  const service = `${fullNameOf(release)}-${process}`;
  const host = `${service}.${namespace}.svc`;
  return [host, `${host}.cluster.local`, service];
}

/** The name of this command. */
export const PROGRAM = isBundled ? 'sss-prepare' : 'npm run prepare:install --';
