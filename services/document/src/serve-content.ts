/** Command: checks documents for a scanner in another container. `node src/serve-content.ts --socket PATH` */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { FLAG, runCommand } from '@supplier/lib/runtime/command';
import { ConfigError } from '@supplier/lib/runtime/config';
import { HEADER_BYTES } from './content/connect-content.ts';
import { canCheckContent, startContentProcess } from './content/index.ts';
import { type OpenContent, spawnContent } from './content/open-content.ts';

const USAGE = `usage: serve-content --socket PATH [--check]
Listens on a Unix socket, and checks one document for each connection.
  --check  checks a harmless document at the running server instead; exits with 1 if that fails`;

/** The scans of a scanner, and two checks of harmless documents. */
const MAX_CONNECTIONS = 4;
const HEADER_MS = 10_000;
const SIGN_OF_LIFE_MS = 1_000;

const flags = { socket: { type: 'string' }, check: FLAG } as const;

runCommand('serve-content', { usage: USAGE, flags }, async ({ socket, check }) => {
  if (socket === undefined) throw new ConfigError(USAGE);
  if (!check) return serve(socket);
  const policy = { refusePdfActions: true };
  const works = await canCheckContent((type) => startContentProcess(type, policy, { socket }));
  if (!works) throw new Error('content cannot be checked');
});

/** Resolves when it was stopped and the checks in progress have ended. */
async function serve(path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void checkFor(socket));
  // Others are closed, and the scanner retries.
  server.maxConnections = MAX_CONNECTIONS;
  // Of an earlier container.
  rmSync(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  // The scanner is another user.
  chmodSync(path, 0o666);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => server.close());
  await once(server, 'close');
}

async function checkFor(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  let check: OpenContent | undefined;
  try {
    check = spawnContent(await readHeader(socket));
    const { close, input, answer } = check;
    socket.once('close', close);
    // A scanner that has sent everything may be gone, and only writing shows that.
    const signs = setInterval(() => socket.write('\n'), SIGN_OF_LIFE_MS);
    socket.once('close', () => clearInterval(signs));
    socket.write('started\n');
    socket.pipe(input);
    const text = await answer;
    socket.end(`answered ${JSON.stringify(text)}\n`);
  } catch (error) {
    if (check) socket.end(`failed ${JSON.stringify((error as Error).message)}\n`);
    else socket.destroy();
  } finally {
    // The scanner may still be sending to a program that has ended.
    socket.unpipe().resume();
  }
}

/** Resolves to the arguments of the program. Rejects unless they arrive in time. */
async function readHeader(socket: Socket): Promise<string[]> {
  const end = new AbortController();
  socket.once('end', () => end.abort());
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(HEADER_MS)]);
  for (;;) {
    const header: Buffer | null = socket.read(HEADER_BYTES);
    if (header) return (JSON.parse(header.toString()) as unknown[]).map(String);
    await once(socket, 'readable', { signal });
  }
}
