import { once } from 'node:events';
import { connect } from 'node:net';
import { waitUntil } from '../../../deploy/local/wait-until.ts';

const ROUTED_MS = 60_000;

/** Waits until these addresses accept connections: nodes route to ready pods a moment after Helm has finished. */
export async function untilRouted(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const { hostname, port, protocol } = new URL(url);
    const routed = await waitUntil(
      async () => {
        const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname);
        const connected = await once(socket, 'connect').catch(() => undefined);
        socket.destroy();
        return connected;
      },
      { withinMs: ROUTED_MS, everyMs: 100 },
    );
    if (!routed) throw new Error(`${url} accepts no connections after ${ROUTED_MS} ms`);
  }
}
