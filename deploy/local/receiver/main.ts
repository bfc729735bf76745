// A supplier's webhook receiver, for this machine only: keeps what arrives and shows it to tests and to the
// demonstration; and the page on which staff log in. Takes the path of its configuration as its one argument.
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { loginServer } from '../login/login-server.ts';
import { readReceiverConfig } from './config.ts';
import { endpointSecrets } from './endpoint-secrets.ts';
import { createEventLog } from './event-log.ts';
import { eventsEndpoint } from './events-endpoint.ts';
import { createRespondControl } from './respond-control.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

/** Longer than any client of ours keeps an idle connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 120_000;

const config = readReceiverConfig(process.argv[2] ?? '');
const events = createEventLog({ events: 20_000, characters: 48 * 1024 * 1024 });
const control = createRespondControl();

const endpoint = createHttpsServer(
  { cert: readFileSync(config.certificate), key: readFileSync(config.key), keepAliveTimeout: KEEP_ALIVE_MS },
  guarded(webhookEndpoint({ events, control, secretsOf: endpointSecrets(config.secrets) })),
);
const controlServer = createHttpServer(
  { keepAliveTimeout: KEEP_ALIVE_MS },
  guarded(eventsEndpoint({ events, control, suppliers: config.suppliers })),
);

listen(endpoint, config.endpointPort);
listen(controlServer, config.eventsPort);
listen(loginServer(config.loginPort, config.identity), config.loginPort);

process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => process.exit(0));
process.on('disconnect', () => process.exit(0));

function listen(server: Pick<Server, 'listen' | 'on'>, port: number): void {
  server.on('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  server.listen(port, '127.0.0.1');
}

/** A client that goes away in the middle of its request must not end the process. */
function guarded(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  return (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      response.destroy();
    });
  };
}
