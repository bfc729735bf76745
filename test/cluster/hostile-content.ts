import type { Cluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { hostOf, type Installation, NAMESPACE } from './installation.ts';
import type { Node } from './node/node.ts';
import type { Facts } from './progress.ts';
import type { Pod } from './workloads.ts';

const SEEN_MS = 120_000;
const DEBUGGER = 9229;

/** Prints what a check that was taken over can do, one JSON object: without the restrictions of Node's permissions. */
const attack = (hosts: readonly (readonly [string, number])[]) => `
const found = (name) => { try { return fs.readFileSync(name, 'utf8') } catch ({ code }) { return code } };
const pids = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
const written = ['/app/x', '/tmp/x', '/x'].filter((path) => {
  try { fs.writeFileSync(path, ''); return true } catch { return false }
});
const reached = ([host, port]) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 5_000 });
  for (const end of ['connect', 'error', 'timeout'])
    socket.once(end, () => { socket.destroy(); resolve(end === 'connect' ? host + ':' + port : undefined) });
});
(async () => {
  // The debugger of whatever process it can signal, before the ports are tried.
  for (const pid of pids) try { if (pid !== String(process.pid)) process.kill(pid, 'SIGUSR1') } catch {}
  await new Promise((resolve) => setTimeout(resolve, 500));
  console.log(JSON.stringify({
    user: process.getuid(),
    commands: pids.map((pid) => found('/proc/' + pid + '/cmdline').split('\\0').find((word) => word.endsWith('.mjs'))),
    settings: Object.keys(process.env).filter((name) => /^(SSS_|PG|OTEL_)/.test(name)),
    folders: ['/etc/supplier-submissions', '/var/run/secrets', '/var/lib/supplier-submissions'].filter(fs.existsSync),
    written,
    capabilities: /^CapPrm:\\t(.*)$/m.exec(found('/proc/self/status'))[1],
    reached: (await Promise.all(${JSON.stringify(hosts)}.map(reached))).filter(Boolean),
  }));
})()`;

interface Loot {
  readonly user: number;
  readonly commands: readonly (string | null)[];
  readonly settings: readonly string[];
  readonly folders: readonly string[];
  readonly written: readonly string[];
  readonly capabilities: string;
  readonly reached: readonly string[];
}

/**
 * Attacks the scanner, and what it reaches, from the container that checks content. Rejects if that gains anything, or
 * if the scanner isn't ready again after the container was killed.
 */
export async function attackedByContent(
  { kubectl, node }: Cluster,
  { workloads }: Installation,
): Promise<Facts> {
  const [pod] = await workloads.podsOf('scanner');
  const exec = (container: string, script: string) => {
    const where = ['--namespace', NAMESPACE, pod.metadata.name, '--container', container];
    return kubectl('exec', ...where, '--', 'node', '--disable-sigusr1', '--eval', script);
  };
  const stores = ['postgresql', 'nats', 'clamd'].map((name) => hostOf(`throw-away-${name}`));
  const hosts = [
    ...[9090, 8443, DEBUGGER].map((port) => ['127.0.0.1', port] as const),
    ...[5432, 4222, 3310].map((port, index) => [stores[index] ?? '', port] as const),
  ];
  const loot = JSON.parse(await exec('content', attack(hosts))) as Loot;
  const gained = [
    ...(loot.user === 65_533 ? [] : [`user ${loot.user}`]),
    ...loot.commands.filter((command) => command?.endsWith('main.mjs')),
    ...[...loot.settings, ...loot.folders, ...loot.written],
    ...(/^0+$/.test(loot.capabilities) ? [] : [`capabilities ${loot.capabilities}`]),
    // Only nodes of ours have the profile; elsewhere the containers of a pod share its network.
    ...loot.reached.filter((address) => node !== undefined || address.endsWith(`:${DEBUGGER}`)),
  ];
  if (gained.length > 0) throw new Error(`the content container has ${gained.join(', ')}`);
  await exec('scanner', `process.kill(1, 'SIGUSR1')`);
  const debuggers = await exec('scanner', COUNT_DEBUGGERS);
  if (debuggers.trim() !== '0') throw new Error('SIGUSR1 opened the debugger of the scanner');
  if (node) await killed(pod, node, workloads);
  return { 'processes seen': loot.commands.length, 'addresses tried': hosts.length };
}

/** Sockets that listen on the debugger's port, in the pod's network. */
const COUNT_DEBUGGERS = `setTimeout(() => console.log(
  fs.readFileSync('/proc/net/tcp', 'utf8').split('\\n').filter((line) => / 0100007F:240D .* 0A /.test(line)).length,
), 500)`;

/** Kills the content container. Rejects unless it restarts without the scanner, and the scanner is ready again. */
async function killed(pod: Pod, node: Node, { podsOf, settled }: Installation['workloads']): Promise<void> {
  const contentOf = ({ status }: Pod) => status.initContainerStatuses?.find(({ name }) => name === 'content');
  const before = contentOf(pod);
  process.kill(node.processOf(before?.containerID ?? ''), 'SIGKILL');
  await eventually(SEEN_MS, async () => {
    const now = (await podsOf('scanner')).find(({ metadata }) => metadata.name === pod.metadata.name);
    if (!now || (contentOf(now)?.restartCount ?? 0) <= (before?.restartCount ?? 0))
      throw new Error('the content container was not restarted');
    if (now.status.containerStatuses?.[0]?.restartCount !== pod.status.containerStatuses?.[0]?.restartCount)
      throw new Error('the scanner was restarted');
  });
  await settled();
}
