import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESS } from './configuration.ts';

/** Eight times the default share. */
const CPU_SHARE = { 'cpu.shares': '8192', 'cpu.weight': '800' };
const OWN = ['/run', '/var/log', '/var/lib'] as const;
const CGROUPS = '/sys/fs/cgroup';

/** Redirects system folders into `folder`. */
export function ownFolders(folder: string): void {
  for (const path of OWN) {
    const own = join(folder, path);
    mkdirSync(own, { recursive: true });
    execFileSync('mount', ['--bind', own, path]);
  }
}

/** Creates a bridge with the node's address, and a default route that leads nowhere. */
export function ownNetwork(): void {
  const ip = (...args: string[]) => execFileSync('ip', args);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'node0', 'type', 'bridge');
  ip('address', 'add', `${ADDRESS}/24`, 'dev', 'node0');
  ip('link', 'set', 'node0', 'up');
  ip('route', 'add', 'default', 'dev', 'node0');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

/** Creates the control group in every hierarchy. Where CPU is shared out, this process joins it: otherwise it would get next to nothing. */
export function makeCgroup(name: string): void {
  const isOne = existsSync(join(CGROUPS, 'cgroup.controllers'));
  const hierarchies = isOne ? [CGROUPS] : readdirSync(CGROUPS).map((one) => join(CGROUPS, one));
  for (const hierarchy of hierarchies) {
    const group = join(hierarchy, name);
    mkdirSync(group, { recursive: true });
    for (const [file, share] of Object.entries(CPU_SHARE)) {
      if (!existsSync(join(group, file))) continue;
      writeFileSync(join(group, file), share);
      const own = join(group, 'system');
      mkdirSync(own);
      writeFileSync(join(own, 'cgroup.procs'), String(process.pid));
    }
  }
}

/** Kills all pods of the control group, and containerd's shims. */
export function killPods(cgroup: string): void {
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one)))
    try {
      const read = (file: string) => readFileSync(`/proc/${name}/${file}`, 'utf8');
      if (read('cgroup').includes(`${cgroup}/kubepods`) || read('comm').startsWith('containerd-shim'))
        process.kill(Number(name), 'SIGKILL');
    } catch {
      // The process has ended.
    }
}
