import { once } from 'node:events';
import { connect } from 'node:net';
import { waitUntil } from '../../../deploy/local/wait-until.ts';

const ROUTED_MS = 60_000;
const POLL_MS = 100;

/** Waits until connections to these addresses are taken: nodes hear of pods that are ready a moment later than Helm. */
export async function untilRouted(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const routed = await waitUntil(async () => (await isTaken(url)) || undefined, {
      withinMs: ROUTED_MS,
      everyMs: POLL_MS,
    });
    if (!routed) throw new Error(`${url} takes no connections after ${ROUTED_MS} ms`);
  }
}

async function isTaken(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
