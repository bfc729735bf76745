import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../api/api.ts';
import type { Claim } from '../api/objects.ts';
import { watch } from '../api/watched.ts';

interface Options {
  readonly api: Api;
  readonly folder: string;
  readonly signal: AbortSignal;
  log(line: string): void;
}

/** Makes a volume of a folder for each claim that has none; the controllers bind the two. It goes with its claim. */
export async function startClaims({ api, folder, signal, log }: Options) {
  const nameOf = ({ metadata }: Claim) => `claim-${metadata.uid}`;
  const pathOf = (claim: Claim) => join(folder, nameOf(claim));

  async function provide(claim: Claim): Promise<void> {
    const { namespace, name, uid } = claim.metadata;
    mkdirSync(pathOf(claim), { recursive: true });
    await api.create('/api/v1/persistentvolumes', {
      ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: nameOf(claim) } },
      spec: {
        capacity: claim.spec?.resources?.requests,
        ...{ accessModes: claim.spec?.accessModes, storageClassName: claim.spec?.storageClassName ?? '' },
        ...{ persistentVolumeReclaimPolicy: 'Retain', hostPath: { path: pathOf(claim) } },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      },
    });
  }

  async function release(claim: Claim): Promise<void> {
    await api.delete(`/api/v1/persistentvolumes/${nameOf(claim)}`);
    rmSync(pathOf(claim), { recursive: true, force: true });
  }

  const provided = new Set<string>();
  function changed(claim: Claim, gone: boolean): void {
    const { uid, name } = claim.metadata;
    const failed = (error: unknown) => log(`claim ${name}: ${error}`);
    if (gone) {
      if (provided.delete(uid)) void release(claim).catch(failed);
    } else if (claim.spec?.volumeName === undefined && !provided.has(uid)) {
      provided.add(uid);
      void provide(claim).catch(failed);
    }
  }

  await watch<Claim>({ api, signal, log, path: '/api/v1/persistentvolumeclaims', changed }).listed;
  return { folderOf: async (claim: Claim) => pathOf(claim) };
}
