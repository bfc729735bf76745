import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';

/** The processes that answer RPCs. */
export type ServiceName = 'account' | 'submission' | 'document' | 'billing' | 'webhook';

export interface SeededSupplier {
  readonly accountId: string;
  readonly credential: string;
  readonly liveCredential: string;
  readonly webhookSecret?: string;
  readonly liveWebhookSecret?: string;
}

/** What the local stack says about itself. */
export interface Stack {
  readonly gateway: string;
  readonly production: string;
  readonly pages: string;
  /** Health and metrics of each process. */
  readonly private: Readonly<Record<ServiceName | 'gateway' | 'production', string>>;
  /** Pages of metrics of every process that runs; the scanner's only where there is clamd. */
  readonly metrics: Readonly<Record<ServiceName | 'gateway' | 'production', string>> & {
    readonly scanner?: string;
  };
  readonly rpc: Readonly<Record<ServiceName, string>>;
  readonly rpcHttp1: Readonly<Record<ServiceName, string>>;
  /** Where the parts talk over TLS: paths of what is believed and presented, PEM. */
  readonly tls?: { readonly authority: string; readonly certificate: string; readonly key: string };
  readonly staffToken: string;
  /** The staff's console, where it was started. */
  readonly console?: string;
  readonly suppliers: Readonly<Record<string, SeededSupplier>>;
  readonly receiver: { readonly url: string; readonly events: string };
  readonly postgres: string;
  /** The database of each service, by the role that migrates it. */
  readonly databases: Readonly<Record<ServiceName, string>>;
  readonly nats: string;
  readonly pids: Readonly<Record<string, number>>;
  /** Where the processes trace: the file of their spans. */
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
    // A process that is down at the moment has no number.
    pids: { type: 'object', additionalProperties: { type: 'integer', minimum: 2 } },
    spans: { type: 'string', minLength: 1 },
  },
});

/** Where the running stack's description lies: STACK_FILE, else where `npm start` writes it. */
export const stackFile = (): string =>
  process.env.STACK_FILE ?? fileURLToPath(new URL('../../.run/stack.json', import.meta.url));

/**
 * Reads the description of the running stack, again each time: tokens are refreshed and processes restarted while it
 * runs. Throws when there is none or when it is not what the tests were written for.
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

/** What a caller from outside believes and presents, where the parts talk over TLS; PEM. */
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
