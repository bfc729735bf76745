// For node.test.ts: runs a node with a pod until it is told to stop. Arguments: the program, a folder, and, inside the
// namespaces, the word `inside`.
import { execFileSync } from 'node:child_process';
import { runInOwnNamespaces } from '../namespaces.ts';
import { startNode } from '../node.ts';
import { PAUSE } from '../pause-image.ts';
import { networksOfProcesses } from './networks.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'trial' },
  spec: { containers: [{ name: 'trial', image: PAUSE, imagePullPolicy: 'Never' }] },
};

async function inside(program: string, folder: string): Promise<void> {
  const node = await startNode({ program, folder, images: [], hosts: {}, seccomp: {} });
  const kubectl = (...args: string[]) =>
    execFileSync(program, ['kubectl', '--kubeconfig', node.kubeconfig, ...args], {
      input: JSON.stringify(POD),
    });
  kubectl('create', '-f', '-');
  kubectl('wait', 'pod/trial', '--for=condition=Ready', '--timeout=60s');
  // Including the networks of pods.
  console.log(JSON.stringify([...new Set(networksOfProcesses())]));
  process.stdin.once('data', () => process.exit(0));
}

const [program = '', folder = '', isInside] = process.argv.slice(2);
if (isInside) await inside(program, folder);
else {
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.exitCode = await runInOwnNamespaces([...self, 'inside']);
}
