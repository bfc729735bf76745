// For node.test.ts: runs a node with a pod until it is told to stop. Arguments: the program, a folder, and, inside the
// namespaces, the word `inside`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { runInOwnNamespaces } from '../namespaces.ts';
import { startNode } from '../node.ts';
import { PAUSE } from '../pause-image.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'trial' },
  spec: { containers: [{ name: 'trial', image: PAUSE, imagePullPolicy: 'Never' }] },
};

async function inside(program: string, folder: string): Promise<void> {
  const node = await startNode({ program, folder, images: [], hosts: {} });
  const kubectl = (...args: string[]) =>
    execFileSync(program, ['kubectl', '--kubeconfig', node.kubeconfig, ...args], {
      input: JSON.stringify(POD),
    });
  kubectl('create', '-f', '-');
  kubectl('wait', 'pod/trial', '--for=condition=Ready', '--timeout=60s');
  // Including the networks of pods.
  const networks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readlinkSync(`/proc/${pid}/ns/net`)];
      } catch {
        return [];
      }
    });
  console.log(JSON.stringify([...new Set(networks)]));
  process.stdin.once('data', () => process.exit(0));
}

const [program = '', folder = '', isInside] = process.argv.slice(2);
if (isInside) await inside(program, folder);
else
  process.exitCode = await runInOwnNamespaces([
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
    'inside',
  ]);
