import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GO, program, runGo } from '../program.ts';

/** Kubernetes without its major version, which its published modules share. */
const KUBERNETES = '35.4';
const ETCD = '3.6.7';
const COREDNS = '1.13.1';
/** Ten minutes on two idle cores. */
const BUILD_MS = 7_200_000;

/** Kubernetes, etcd and CoreDNS as one program; see main.go. */
export const kubernetes = program({
  name: `kubernetes-1.${KUBERNETES}-${ETCD}-${COREDNS}`,
  file: 'kubernetes',
  withinMs: BUILD_MS,
  needs: GO,
  async obtain(folder) {
    const cwd = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    const env = { GOFLAGS: `-mod=mod ${process.env.GOFLAGS ?? ''}`.trim(), GOWORK: 'off' };
    const go = (...args: string[]) => runGo(args, { cwd, env, withinMs: BUILD_MS });
    try {
      const downloaded = await go('mod', 'download', '-json', `k8s.io/kubernetes@v1.${KUBERNETES}`);
      const { GoMod } = JSON.parse(downloaded) as { GoMod: string };
      writeFileSync(join(cwd, 'go.mod'), moduleFile(readFileSync(GoMod, 'utf8')));
      copyFileSync(join(import.meta.dirname, 'main.go'), join(cwd, 'main.go'));
      const version = 'k8s.io/component-base/version';
      const [minor] = KUBERNETES.split('.');
      // Otherwise the API server calls itself v0.0.0, which charts with a kubeVersion refuse.
      const flags = `-X ${version}.gitVersion=v1.${KUBERNETES} -X ${version}.gitMajor=1 -X ${version}.gitMinor=${minor}`;
      await go('build', '-trimpath', '-ldflags', `-s -w ${flags}`, '-o', join(folder, 'kubernetes'), '.');
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  },
});

/** Modules with replacements can't be installed, so this one replaces Kubernetes' local folders by their published versions. */
function moduleFile(ofKubernetes: string): string {
  const modules = [...ofKubernetes.matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\/src\//gm)];
  return [
    'module kubernetes',
    'go 1.25.0',
    `require k8s.io/kubernetes v1.${KUBERNETES}`,
    `require go.etcd.io/etcd/server/v3 v${ETCD}`,
    `require github.com/coredns/coredns v${COREDNS}`,
    ...modules.map(([, name]) => `replace ${name} => ${name} v0.${KUBERNETES}`),
    '',
  ].join('\n');
}
