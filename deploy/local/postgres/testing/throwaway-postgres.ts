import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificates } from '../../identity/make-certificates.ts';
import { prepareCluster, unsynced } from '../../postgres/cluster.ts';
import { portClaims } from '../../state/port-claims.ts';
import { choosePorts } from '../../state/ports.ts';
import { prepareStateFolder, stateFolder } from '../../state/state-folder.ts';
import { createSupervisor } from '../../supervisor/supervisor.ts';
import type { Terminal } from '../../terminal.ts';

/** No stack uses it by default. */
const USUAL_PORT = 19_432;

/** Runs `work` with an empty PostgreSQL in a temporary folder, with TLS if there are `certificates`. Throws CannotStart. */
export async function withThrowawayPostgres<Result>(
  checkout: string,
  warn: Terminal['warn'],
  work: (url: (database: string) => string) => Promise<Result>,
  certificates?: Certificates,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
  const state = stateFolder(folder, checkout);
  prepareStateFolder(state, { fresh: false });
  const claims = portClaims();
  const supervisor = createSupervisor(state, { say: () => {}, warn }, () => {});
  try {
    const ports = await choosePorts({ postgres: USUAL_PORT }, {}, claims.claim);
    const cluster = await prepareCluster(state, ports.postgres, certificates, unsynced);
    await supervisor.start(cluster.program);
    return await work(cluster.url);
  } finally {
    await supervisor.stop([['postgres']]);
    claims.release();
    rmSync(folder, { recursive: true, force: true });
  }
}
