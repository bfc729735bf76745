/** Kubernetes, etcd and CoreDNS as one program, built from Go's module proxy. As a program: builds it unless it is there. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areThere, obtainedOnce } from '../../../programs/obtained-once.ts';
import { findGo } from '../../../programs/on-path.ts';
import { runGo } from '../../../programs/run-go.ts';

/** Kubernetes without its major version, which its published parts have in common. */
const KUBERNETES = '35.4';
const ETCD = '3.6.7';
const COREDNS = '1.13.1';
const NAME = `kubernetes-1.${KUBERNETES}-${ETCD}-${COREDNS}`;
/** Ten minutes on two cores that do nothing else. */
const TRY_MS = 3_600_000;
const BUILD_MS = 2 * TRY_MS;

export const isBuilt = (): boolean => areThere({ name: NAME });
/** Whether the program is there, or what it takes to build it. */
export const canBeHad = (): boolean => isBuilt() || findGo() !== undefined;

/** The path of the program, which is built unless it is there; of several that ask, one builds. See main.go. */
export async function obtainKubernetes(): Promise<string> {
  return join(await obtainedOnce({ name: NAME, withinMs: BUILD_MS, obtain: build }), 'kubernetes');
}

async function build(folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const env = {
    ...process.env,
    GOFLAGS: `-mod=mod ${process.env.GOFLAGS ?? ''}`.trim(),
    GOWORK: 'off',
    CGO_ENABLED: '0',
  };
  const call = (...args: string[]) =>
    runGo(args, { what: `Kubernetes 1.${KUBERNETES}`, cwd: work, env, withinMs: TRY_MS });
  try {
    const stdout = await call('mod', 'download', '-json', `k8s.io/kubernetes@v1.${KUBERNETES}`);
    const { GoMod } = JSON.parse(stdout) as { GoMod: string };
    writeFileSync(join(work, 'go.mod'), moduleFile(readFileSync(GoMod, 'utf8')));
    copyFileSync(join(import.meta.dirname, 'main.go'), join(work, 'main.go'));
    const version = 'k8s.io/component-base/version';
    const [minor] = KUBERNETES.split('.');
    // Without it the API server calls itself v0.0.0, and charts with a kubeVersion refuse that.
    const says = `-X ${version}.gitVersion=v1.${KUBERNETES} -X ${version}.gitMajor=1 -X ${version}.gitMinor=${minor}`;
    await call('build', '-trimpath', '-ldflags', `-s -w ${says}`, '-o', join(folder, 'kubernetes'), '.');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Kubernetes replaces the parts that it publishes by folders, and modules that replace others cannot be installed. This one
 * replaces them by their published versions.
 */
function moduleFile(ofKubernetes: string): string {
  const parts = [...ofKubernetes.matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\/src\//gm)];
  return [
    'module kubernetes',
    'go 1.25.0',
    `require k8s.io/kubernetes v1.${KUBERNETES}`,
    `require go.etcd.io/etcd/server/v3 v${ETCD}`,
    `require github.com/coredns/coredns v${COREDNS}`,
    ...parts.map(([, part]) => `replace ${part} => ${part} v0.${KUBERNETES}`),
    '',
  ].join('\n');
}

if (import.meta.main) {
  console.log(`Kubernetes 1.${KUBERNETES}, etcd ${ETCD} and CoreDNS ${COREDNS} …`);
  await obtainKubernetes();
}
