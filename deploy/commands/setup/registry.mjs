import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';

const ANSWER_MS = 5_000;

/** Prints a line if the registry of packages can't be reached, because npm reports that only after a minute. */
export async function warnIfOffline() {
  const { env } = process;
  // npm would connect to the proxy.
  if (env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy) return;
  const asked = await promisify(execFile)('npm', ['config', 'get', 'registry']).catch(() => undefined);
  const fault = asked && (await unreachable(asked.stdout.trim()));
  if (fault)
    console.error(`${fault}: packages that are not in the caches of npm and pnpm can't be installed`);
}

/** Resolves to why a server can't be reached; undefined if it can. */
export function unreachable(url) {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) || (protocol === 'http:' ? 80 : 443) });
    const finish = (fault) => {
      socket.destroy();
      resolve(fault && `cannot reach ${hostname} (${fault})`);
    };
    socket.setTimeout(ANSWER_MS, () => finish('no response'));
    socket.once('error', ({ code }) => finish(code));
    socket.once('connect', () => finish());
  });
}
