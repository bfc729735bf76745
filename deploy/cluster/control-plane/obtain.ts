/** A control plane of Kubernetes, built from Go's module proxy. As a program: builds what is not there yet. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areBuilt, builtOnce, goOnPath } from '../../go-programs/built-once.ts';

const run = promisify(execFile);

/** Kubernetes without its major version, which its published parts have in common. */
const KUBERNETES = '35.4';
const ETCD = '3.6.7';
const NAME = `control-plane-1.${KUBERNETES}-${ETCD}`;
const LANGUAGE = '1.25.0';
/** Nine minutes on two cores that do nothing else. */
const BUILD_MS = 3_600_000;
const LARGEST_OUTPUT = 32 << 20;

export interface ControlPlanePrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
}

/** Whether the programs are there, or what it takes to build them. */
export const canBeHad = (): boolean => areBuilt({ name: NAME }) || goOnPath() !== undefined;
export const isBuilt = (): boolean => areBuilt({ name: NAME });

/** Builds etcd, kube-apiserver and kube-controller-manager unless they are there; of several that ask, one builds. */
export async function obtainControlPlane(): Promise<ControlPlanePrograms> {
  const folder = await builtOnce({ name: NAME, withinMs: BUILD_MS, build });
  return {
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    controllerManager: join(folder, 'kube-controller-manager'),
  };
}

async function build(go: string, folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'control-plane-'));
  try {
    await buildKubernetes(go, join(work, 'kubernetes'), folder);
    await buildEtcd(go, join(work, 'etcd'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * `go install` refuses modules that replace others, as Kubernetes does with the parts that it publishes. A module of our
 * own says what they are replaced with: their published versions.
 */
async function buildKubernetes(go: string, work: string, folder: string): Promise<void> {
  mkdirSync(work);
  const { stdout } = await call(go, work, ['mod', 'download', '-json', `k8s.io/kubernetes@v1.${KUBERNETES}`]);
  const { GoMod } = JSON.parse(stdout) as { GoMod: string };
  const parts = [...readFileSync(GoMod, 'utf8').matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\/src\//gm)];
  writeFileSync(
    join(work, 'go.mod'),
    [
      'module control-plane',
      `go ${LANGUAGE}`,
      `require k8s.io/kubernetes v1.${KUBERNETES}`,
      ...parts.map(([, part]) => `replace ${part} => ${part} v0.${KUBERNETES}`),
      '',
    ].join('\n'),
  );
  const version = 'k8s.io/component-base/version';
  const says = [
    // Without it the API server calls itself v0.0.0, and charts with a kubeVersion refuse that.
    `-X ${version}.gitVersion=v1.${KUBERNETES}`,
    `-X ${version}.gitMajor=1 -X ${version}.gitMinor=${KUBERNETES.split('.')[0]}`,
  ];
  for (const name of ['kube-apiserver', 'kube-controller-manager'])
    await compile(go, work, says.join(' '), join(folder, name), `k8s.io/kubernetes/cmd/${name}`);
}

/** Its own command lies in a module that replaces others, too; this is all that it does. */
async function buildEtcd(go: string, work: string, folder: string): Promise<void> {
  mkdirSync(work);
  writeFileSync(
    join(work, 'go.mod'),
    `module etcd\n\ngo ${LANGUAGE}\n\nrequire go.etcd.io/etcd/server/v3 v${ETCD}\n`,
  );
  writeFileSync(
    join(work, 'main.go'),
    'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n',
  );
  await compile(go, work, '', join(folder, 'etcd'), '.');
}

async function compile(go: string, cwd: string, says: string, out: string, source: string): Promise<void> {
  await call(go, cwd, ['build', '-trimpath', '-ldflags', `-s -w ${says}`, '-o', out, source]);
}

function call(go: string, cwd: string, args: readonly string[]) {
  const env = {
    ...process.env,
    GOFLAGS: `-mod=mod ${process.env.GOFLAGS ?? ''}`.trim(),
    GOWORK: 'off',
    CGO_ENABLED: '0',
  };
  return run(go, [...args], { cwd, env, timeout: BUILD_MS, maxBuffer: LARGEST_OUTPUT });
}

if (import.meta.main) {
  console.log(`Kubernetes 1.${KUBERNETES} and etcd ${ETCD} …`);
  await obtainControlPlane();
}
