import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { makeTestAuthority } from '@supplier/lib/testing';

/** A service as in a cluster: it has a certificate for its name there, and requires one from the caller. */
export interface FakeCluster {
  readonly port: number;
  /** Folder with the files that a caller needs: ca.pem, me.pem, me-key.pem. */
  readonly folder: string;
  /** Server names that callers requested. */
  readonly serverNames: string[];
  close(): Promise<void>;
}

/** Starts a service named `host` with these routes on a free port. */
export async function startFakeCluster(
  host: string,
  routes: (router: ConnectRouter) => void,
): Promise<FakeCluster> {
  const authority = await makeTestAuthority();
  const [server, me] = [await authority.issue({ hosts: [host] }), await authority.issue({ hosts: ['me'] })];
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  const files = { 'ca.pem': authority.pem, 'me.pem': me.cert, 'me-key.pem': me.key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const serverNames: string[] = [];
  const sessions = new Set<Http2Session>();
  const tls = { ...server, ca: authority.pem, requestCert: true, rejectUnauthorized: true };
  const listening = createSecureServer(tls, connectNodeAdapter({ routes }))
    .on('secureConnection', ({ servername }) => serverNames.push(String(servername)))
    .on('session', (session) => sessions.add(session));
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (listening.address() as AddressInfo).port,
    folder,
    serverNames,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => {
        listening.close(() => resolve());
      });
      rmSync(folder, { recursive: true });
    },
  };
}
