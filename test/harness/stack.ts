import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';

/** The processes that serve RPCs. */
export type ServiceName = 'account' | 'submission' | 'document' | 'billing' | 'webhook';

export interface SeededSupplier {
  readonly accountId: string;
  readonly credential: string;
  readonly liveCredential: string;
  readonly webhookSecret?: string;
  readonly liveWebhookSecret?: string;
}

/** The local stack's description of itself. */
export interface Stack {
  readonly gateway: string;
  readonly production: string;
  readonly pages: string;
  /** Health and metrics of each process. */
  readonly private: Readonly<Record<ServiceName | 'gateway' | 'production', string>>;
  /** Metrics URLs of every running process; the scanner's only where clamd runs. */
  readonly metrics: Readonly<Record<ServiceName | 'gateway' | 'production', string>> & {
    readonly scanner?: string;
  };
  readonly rpc: Readonly<Record<ServiceName, string>>;
  readonly rpcHttp1: Readonly<Record<ServiceName, string>>;
  /** Where the parts use TLS: paths of the CA, the client certificate and its key, PEM. */
  readonly tls?: { readonly authority: string; readonly certificate: string; readonly key: string };
  readonly staffToken: string;
  /** The staff console, if it was started. */
  readonly console?: string;
  readonly suppliers: Readonly<Record<string, SeededSupplier>>;
  readonly receiver: { readonly url: string; readonly events: string };
  readonly postgres: string;
  /** The database URL of each service, for the role that migrates it. */
  readonly databases: Readonly<Record<ServiceName, string>>;
  readonly nats: string;
  readonly pids: Readonly<Record<string, number>>;
  /** The file that holds the spans, where the processes trace. */
  readonly spans?: string;
}

const url = { type: 'string', pattern: '^[a-z]+://.+' };
const perService = {
  type: 'object',
  required: ['account', 'submission', 'document', 'billing', 'webhook'],
  additionalProperties: url,
};
const SUPPLIERS = ['alpha', 'beta', 'journey', 'staffed', 'promoting', 'reader'];
const supplier = {
  type: 'object',
  required: ['accountId', 'credential', 'liveCredential'],
  properties: {
    accountId: { type: 'string', pattern: '^[0-9a-f-]{36}$' },
    credential: { type: 'string', pattern: '^[a-z0-9]+_test_' },
    liveCredential: { type: 'string', pattern: '^[a-z0-9]+_live_' },
    webhookSecret: { type: 'string', pattern: '^whsec_' },
    liveWebhookSecret: { type: 'string', pattern: '^whsec_' },
  },
};
const isStack = new Ajv({ allErrors: true }).compile<Stack>({
  type: 'object',
  required: [
    'gateway',
    'production',
    'pages',
    'private',
    'metrics',
    'rpc',
    'rpcHttp1',
    'staffToken',
    'suppliers',
    'receiver',
    'postgres',
    'databases',
    'nats',
    'pids',
  ],
  properties: {
    gateway: url,
    production: url,
    pages: url,
    private: { ...perService, required: [...perService.required, 'gateway', 'production'] },
    metrics: { ...perService, required: [...perService.required, 'gateway', 'production'] },
    rpc: perService,
    rpcHttp1: perService,
    tls: { type: 'object', required: ['authority', 'certificate', 'key'] },
    staffToken: { type: 'string', minLength: 1 },
    console: url,
    suppliers: { type: 'object', required: SUPPLIERS, additionalProperties: supplier },
    receiver: { type: 'object', required: ['url', 'events'], properties: { url, events: url } },
    postgres: url,
    databases: perService,
    nats: url,
    // A process that is down has no process number.
    pids: { type: 'object', additionalProperties: { type: 'integer', minimum: 2 } },
    spans: { type: 'string', minLength: 1 },
  },
});

/** Returns the path of the running stack's description: STACK_FILE, else where `npm start` writes it. */
export const stackFile = (): string =>
  process.env.STACK_FILE ?? fileURLToPath(new URL('../../.run/stack.json', import.meta.url));

/**
 * Reads the running stack's description again for each call, because tokens are refreshed and processes restarted while
 * it runs. Throws if there is none or if the tests don't support it.
 */
export function readStack(): Stack {
  const file = stackFile();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`No stack is described at ${file}: start one (npm start), or set STACK_FILE.`);
  }
  const stack: unknown = JSON.parse(text);
  if (!isStack(stack)) {
    const why = (isStack.errors ?? []).map((e) => `${e.instancePath || '/'} ${e.message}`).join('; ');
    throw new Error(`${file} does not describe a stack: ${why}`);
  }
  return stack;
}

/** Returns the CA, certificate and key of an outside caller, where the parts use TLS; PEM. */
export function tlsOfCaller(): { ca: Buffer; cert: Buffer; key: Buffer } | undefined {
  const { tls } = readStack();
  return (
    tls && {
      ca: readFileSync(tls.authority),
      cert: readFileSync(tls.certificate),
      key: readFileSync(tls.key),
    }
  );
}
