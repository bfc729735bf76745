// The suppliers' webhook receiver and the staff login of a local stack, and its scanner where there is no clamd, in one
// process because none is busy. Takes the path of its configuration as its argument.
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { scanForEicar } from '../clamav/eicar-scanner.ts';
import { loginUrl } from '../login/clients.ts';
import { readJsonIfPresent } from '../state/private-file.ts';
import type { ReceiverConfig } from './program.ts';
import { createReceiver } from './receiver.ts';

/** Longer than clients keep an idle connection, so that none is closed under a request. */
const keepAliveTimeout = 120_000;

const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ReceiverConfig;
const { webhooks, control } = createReceiver({
  suppliers: config.suppliers,
  // Read for each request, because secrets are rotated while it runs.
  secretOf: (supplier, environment) =>
    (readJsonIfPresent(config.secrets) as Record<string, Record<string, string>> | undefined)?.[supplier]?.[
      environment
    ],
  max: { events: 20_000, bytes: 64 * 1024 * 1024 },
});
let openedLogin: Promise<RequestListener> | undefined;
const [cert, key] = [readFileSync(config.certificate), readFileSync(config.key)];
listen(createHttpsServer({ cert, key, keepAliveTimeout }, webhooks), config.endpointPort);
listen(createServer({ keepAliveTimeout }, control), config.eventsPort);
listen(createServer(login), config.loginPort);
if (config.clamdPort !== undefined)
  listen(createTcpServer({ allowHalfOpen: true }, scanForEicar), config.clamdPort);

for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(signal, () => process.exit(0));

function listen(server: Server, port: number): void {
  server.on('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  server.listen(port, '127.0.0.1');
}

/** Loaded on the first request, because few stacks get one. */
async function login(...exchange: Parameters<RequestListener>): Promise<void> {
  openedLogin ??= import('../login/login.ts').then(({ openLogin }) =>
    openLogin(loginUrl(config.loginPort), config.identity),
  );
  (await openedLogin)(...exchange);
}
