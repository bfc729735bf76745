import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../deploy/local/identity/make-certificates.ts';

/**
 * Hosts outside the cluster: the webhook receiver, the identity provider of staff, and the S3 store of the production
 * install. Their addresses are public, so that webhooks may be sent there, from a block that has no other use (RFC 7535).
 */
export const OUTSIDE = {
  receiver: { host: 'receiver.example', address: '192.31.196.10' },
  login: { host: 'login.example', address: '192.31.196.11' },
  store: { host: 's3.example', address: '192.31.196.12' },
} as const;
type OutsideName = keyof typeof OUTSIDE;
export type OutsideCertificates = Readonly<Record<OutsideName, Certificates>>;

/** Serves HTTPS for a host, on its address, which this adds to the loopback device. */
export async function serveOutside(
  name: OutsideName,
  { certificate, key }: Certificates,
  listener: RequestListener,
): Promise<void> {
  const { address } = OUTSIDE[name];
  execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  const options = { cert: readFileSync(certificate), key: readFileSync(key), keepAliveTimeout: 120_000 };
  const server = createServer(options, listener);
  server.listen(443, address);
  await once(server, 'listening');
}

/** Creates certificates of the outside hosts, from one authority, as files in `folder`. */
export async function outsideCertificates(folder: string): Promise<OutsideCertificates> {
  const at = (name: string) => join(folder, `outside-${name}.pem`);
  const authority = at('authority');
  const filesOf = (name: string) => ({ authority, certificate: at(name), key: at(`${name}-key`) });
  const orders = Object.entries(OUTSIDE).map(([name, { host }]) => ({
    ...{ name: host, asClient: false },
    files: filesOf(name),
  }));
  await makeCertificates('outside', authority, orders);
  return { receiver: filesOf('receiver'), login: filesOf('login'), store: filesOf('store') };
}
