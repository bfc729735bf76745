import { partCertificates } from '../../../deploy/local/identity/certificates.ts';
import { prepareCluster } from '../../../deploy/local/postgres/cluster.ts';
import { readJsonIfPresent } from '../../../deploy/local/state/private-file.ts';
import type { Stage } from '../stage.ts';
import { type PostgresBackup, putBaseBackup, recovering } from './base-backup.ts';

/** Recovers the cluster to `until` and then serves only the restoring operator. Resolves to the superuser's URL. */
export async function recoverCluster(
  { state, secure, supervisor }: Stage,
  backup: PostgresBackup,
  until: string,
): Promise<string> {
  putBaseBackup(state, backup);
  const { postgres: port } = (readJsonIfPresent(state.ports) ?? {}) as { postgres?: number };
  if (port === undefined) throw new Error('the stack was never started');
  const certificates = secure ? (await partCertificates(state.certificates)).postgres : undefined;
  const cluster = await prepareCluster(state, port, certificates, recovering(backup, until));
  await supervisor().start(cluster.program);
  return cluster.url('postgres');
}
