import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streamVariables } from '@supplier/lib/events/event-bus';
import { readEnvironment } from '@supplier/lib/runtime/config';
import { natsVariables } from '@supplier/lib/runtime/nats-access';
import { readConfig as readAccount } from '../../../services/account/src/config.ts';
import { readConfig as readBilling } from '../../../services/billing/src/config.ts';
import { readConfig as readConsole } from '../../../services/console/src/config.ts';
import { readConfig as readDocument } from '../../../services/document/src/config.ts';
import { readScannerConfig } from '../../../services/document/src/scan/scanner-config.ts';
import { readConfig as readGateway } from '../../../services/gateway/src/config.ts';
import { readConfig as readSubmission } from '../../../services/submission/src/config.ts';
import { readConfig as readWebhook } from '../../../services/webhook/src/config.ts';
import { localCertificates } from '../identity/certificates.ts';
import { consoleSettings } from './testing/console-settings.ts';
import { type Changes, type Loose, plain, unverified } from './testing/loose-settings.ts';

const checkout = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'deployment-switch-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const issuers = (jwksUri: string) => [{ issuer: 'https://id.example', jwksUri, roleClaim: 'roles' }];
const s3Credentials = file('s3.json', { accessKeyId: 'k', secretAccessKey: 's' });
const { authority } = await localCertificates(folder);

type Env = Readonly<Record<string, string>>;
/** The settings of every internal service, complete as outside a local stack. */
const everyService: Env = {
  SSS_HOST: '0.0.0.0',
  SSS_RPC_PORT: '1',
  SSS_PRIVATE_PORT: '2',
  SSS_TLS_CERTIFICATE_FILE: '/tls/own.pem',
  SSS_TLS_KEY_FILE: '/tls/own-key.pem',
  SSS_TLS_CA_FILE: '/tls/ca.pem',
  SSS_TLS_CLIENT_CA_FILE: '/tls/ca.pem',
  SSS_DATABASE_URL: 'postgresql://db/x?sslmode=verify-full',
  SSS_DATABASE_POOL: '10',
  SSS_NATS_URL: 'tls://nats:4222',
  SSS_NATS_CA_FILE: authority,
  SSS_NATS_TLS_FIRST: 'true',
  SSS_NATS_CREDENTIALS_FILE: '/nats.json',
  SSS_ISSUERS_FILE: file('issuers.json', issuers('https://id.example/keys')),
  SSS_SERVICE_TOKEN_DIR: '/tokens',
  SSS_KEY_RING_FILE: '/ring.json',
  SSS_EVENT_RETENTION_DAYS: '7',
  SSS_STAFF_CALLS_IN_FLIGHT: '4',
  SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON: '2',
  SSS_STAFF_CALL_WAIT_SECONDS: '5',
  SSS_TOKEN_CLOCK_TOLERANCE_SECONDS: '30',
  SSS_LOG_LEVEL: 'info',
};
const eventKeys: Env = { SSS_EVENT_KEYS_DIR: '/event-keys' };
const looseInEveryService: readonly Loose[] = [
  [
    'SSS_TLS_CERTIFICATE_FILE',
    undefined,
    'is missing, so that RPC is answered without TLS',
    {
      SSS_TLS_KEY_FILE: undefined,
      SSS_TLS_CLIENT_CA_FILE: undefined,
      SSS_RPC_PORT: undefined,
      SSS_PRIVATE_PORT: undefined,
      SSS_RPC_HTTP1_PORT: '1',
      SSS_RPC_H2C_PORT: '2',
    },
  ],
  ...unverified('SSS_DATABASE_URL'),
  plain('SSS_NATS_URL', 'nats:'),
  ['SSS_NATS_CREDENTIALS_FILE', undefined, 'is missing'],
  [
    'SSS_ISSUERS_FILE',
    file('plain-issuers.json', issuers('http://id.example/keys')),
    'has an issuer whose keys are fetched from a plain http: address',
  ],
  [
    'SSS_ISSUERS_FILE',
    file('loud-issuers.json', [
      ...issuers('https://other.example/keys'),
      { ...issuers('HTTP:id.example/keys')[0], issuer: 'b' },
    ]),
    'has an issuer whose keys are fetched from a plain http: address',
  ],
];

const trial: Env = { SSS_DEPLOYMENT: 'trial', SSS_STORE: 'local', SSS_STORE_DIR: '/documents' };
const s3: Env = {
  SSS_STORE: 's3',
  SSS_S3_ENDPOINT: 'https://s3.example',
  SSS_S3_PUBLIC_URL: 'https://files.example',
  SSS_S3_REGION: 'eu-west-2',
  ...{ SSS_S3_QUARANTINE_BUCKET: 'quarantine', SSS_S3_CLEAN_BUCKET: 'clean' },
  SSS_S3_QUARANTINE_CREDENTIALS_FILE: s3Credentials,
  SSS_S3_CLEAN_CREDENTIALS_FILE: s3Credentials,
};
const byRole: Changes = {
  ...{ SSS_S3_QUARANTINE_CREDENTIALS_FILE: undefined, SSS_S3_CLEAN_CREDENTIALS_FILE: undefined },
  ...{ SSS_S3_ROLE: 'arn:aws:iam::123456789012:role/leads', SSS_S3_ROLE_TOKEN_FILE: '/tokens/s3' },
};
const looseInS3: readonly Loose[] = [
  ...['SSS_S3_ENDPOINT', 'SSS_S3_PUBLIC_URL'].map((name) => plain(name)),
  ['SSS_S3_STS_URL', 'http://somewhere:1', 'is a plain http: address', byRole],
];

const documents: Env = {
  ...everyService,
  SSS_SUBMISSION_URL: 'https://submission:1',
  SSS_MAX_DOCUMENT_BYTES: '1000',
  SSS_DOCUMENT_CONTENT_TYPES: 'application/pdf',
  SSS_DOCUMENTS_PER_REFERENCE: '20',
  SSS_ACCOUNT_DOCUMENT_BYTES: '1000',
  SSS_UPLOAD_MINUTES: '15',
  SSS_UNFINALIZED_HOURS: '24',
  SSS_DOCUMENT_RETENTION_DAYS: '2190',
  SSS_UNACCEPTED_DOCUMENT_DAYS: '365',
  SSS_REFUSED_DOCUMENT_DAYS: '30',
};
const { SSS_KEY_RING_FILE: _, ...everyProcess } = everyService;
const scanner: Env = {
  ...everyProcess,
  SSS_CLAMD: 'tcp://clamd:3310',
  SSS_CONTENT_SOCKET: '/run/content/socket',
  SSS_SIGNATURE_MAX_AGE_DAYS: '7',
  SSS_SCAN_WITH_ANY_SIGNATURES: 'false',
  SSS_REFUSE_PDF_ACTIONS: 'true',
};

const gateway: Env = {
  SSS_HOST: '0.0.0.0',
  SSS_HTTP_PORT: '1',
  SSS_PAGES_PORT: '2',
  SSS_PRIVATE_PORT: '3',
  SSS_ENVIRONMENT: 'production',
  SSS_PRODUCTION_ENABLED: 'true',
  SSS_ACCOUNT_URL: 'https://account:1',
  SSS_SUBMISSION_URL: 'https://submission:1',
  SSS_DOCUMENT_URL: 'https://document:1',
  SSS_NATS_URL: 'tls://nats:4222',
  SSS_NATS_CA_FILE: authority,
  SSS_NATS_TLS_FIRST: 'true',
  SSS_NATS_CREDENTIALS_FILE: '/nats.json',
  SSS_SERVICE_TOKEN_DIR: '/tokens',
  SSS_TLS_CERTIFICATE_FILE: '/tls/own.pem',
  SSS_TLS_KEY_FILE: '/tls/own-key.pem',
  SSS_TLS_CA_FILE: '/tls/ca.pem',
  SSS_CREDENTIAL_PREFIX: 'sss',
  SSS_SCREENING_PROVIDER: 'provider',
  SSS_TRUSTED_PROXIES:
    '10.0.0.0/8,100.64.0.0/10,8.0.0.0/9,::1/128,fc00::/7,2400:cb00::/19,::ffff:8.1.0.0/112',
  SSS_JOURNEY_URL: 'https://journey.example/start',
  SSS_SANDBOX_URL: 'https://sandbox.example',
  SSS_PRODUCTION_URL: 'https://api.example',
  SSS_PAGES_URL: 'https://pages.example',
  SSS_SUPPORT: 'suppliers@example.com',
  SSS_LIMITS_DATABASE_URL: 'postgresql://db/limits?sslmode=verify-full',
  SSS_WRITES_PER_MINUTE: '120',
  SSS_READS_PER_MINUTE: '300',
  SSS_ADDRESS_PER_MINUTE: '6000',
  SSS_FAILED_AUTHENTICATIONS: '10',
  SSS_CONNECTIONS_PER_ADDRESS: '200',
  SSS_HSTS_MAX_AGE_SECONDS: '31536000',
  SSS_LOG_LEVEL: 'info',
};
const anyProxy: readonly Loose[] = [
  '10.0.0.0/8,0.0.0.0/0',
  '::/00',
  '0.0.0.0/1,128.0.0.0/1',
  '2.0.0.0/7',
  '8.0.0.0/9,8.128.0.0/9,9.9.9.9/32',
  '::/1,8000::/1',
  '2000::/3',
  '2a00::/18',
  '2a00::/20,2a00:1000::/20,2a00:2000::/32',
  '::ffff:0:0/97,::ffff:128.0.0.0/97',
  '10.0.0.0/8,10.0.0.0/6',
  '64:ff9b::/96',
  '64:ff9b::/97,64:ff9b::128.0.0.0/97',
  '64:ff9b:1::/48',
  '64:ff9b:1:8::/64',
  '::/96',
  '8.0.0.0/8,64:ff9b::9.9.9.9/128',
].map((ranges): Loose => ['SSS_TRUSTED_PROXIES', ranges, 'allows anyone to claim any address']);
const looseInGateway: readonly Loose[] = [
  ...['127.0.0.1', '127.8.8.8', '::1', 'localhost', undefined].map(
    (host): Loose => ['SSS_HOST', host, 'is a local address of a production gateway'],
  ),
  plain('SSS_ACCOUNT_URL'),
  plain('SSS_SUBMISSION_URL'),
  plain('SSS_DOCUMENT_URL'),
  plain('SSS_JOURNEY_URL'),
  plain('SSS_NATS_URL', 'nats:'),
  ['SSS_NATS_CREDENTIALS_FILE', undefined, 'is missing'],
  ...anyProxy,
  ...unverified('SSS_LIMITS_DATABASE_URL'),
  ['SSS_LIMITS_DATABASE_URL', undefined, 'is missing, so that each process counts by itself'],
];

interface Process {
  readonly read: (env: Env) => unknown;
  readonly strict: Env;
  readonly loose: readonly Loose[];
}

const processes: Readonly<Record<string, Process>> = {
  account: {
    read: readAccount,
    strict: { ...everyService, SSS_CREDENTIAL_PREFIX: 'sss', SSS_FOUR_EYES: 'required' },
    loose: looseInEveryService,
  },
  submission: {
    read: readSubmission,
    strict: {
      ...{ ...everyService, ...eventKeys },
      SSS_DOCUMENT_URL: 'https://document:1',
      SSS_WEBHOOK_URL: 'https://webhook:1',
      SSS_WORK_POOL: '8',
      SSS_DUPLICATE_WINDOW_DAYS: '90',
      SSS_IGNORED_MATCH_VALUES: 'email:leads@broker.example',
      SSS_RETURN_WINDOW_DAYS: '30',
      SSS_PAGES_URL: 'https://pages.example',
      SSS_PRODUCTION_PAGES_URL: 'https://live.example',
      SSS_ARRIVAL_LINK_HOURS: '24',
      SSS_HANDOFF_LINK_HOURS: '72',
      SSS_ACCEPTED_RETENTION_DAYS: '2190',
      SSS_NOT_ACCEPTED_RETENTION_DAYS: '365',
      SSS_FOUR_EYES: 'required',
    },
    loose: [
      ...looseInEveryService,
      plain('SSS_DOCUMENT_URL'),
      plain('SSS_WEBHOOK_URL'),
      plain('SSS_PAGES_URL'),
      plain('SSS_PRODUCTION_PAGES_URL'),
    ],
  },
  billing: {
    read: readBilling,
    strict: {
      ...{ ...everyService, ...eventKeys },
      SSS_ACCOUNT_URL: 'https://account:1',
      SSS_SUBMISSION_URL: 'https://submission:1',
    },
    loose: [...looseInEveryService, plain('SSS_ACCOUNT_URL'), plain('SSS_SUBMISSION_URL')],
  },
  webhook: {
    read: readWebhook,
    strict: {
      ...{ ...everyService, ...eventKeys },
      SSS_STREAM_MAX_AGE_DAYS: '7',
      SSS_ACCOUNT_URL: 'https://account:1',
      SSS_SUBMISSION_URL: 'https://submission:1',
      SSS_RETENTION_DAYS: '30',
      SSS_RECONCILE_MINUTES: '10',
      SSS_PAUSED_DELIVERY_HOURS: '24',
      SSS_NAT64_PREFIXES: '2a01:db8:122:344::/64',
    },
    loose: [
      ...looseInEveryService,
      plain('SSS_ACCOUNT_URL'),
      plain('SSS_SUBMISSION_URL'),
      ['SSS_ALLOWED_CIDRS', '10.0.0.0/8', 'allows webhooks to non-public addresses'],
      ['SSS_EXTRA_CA_FILE', authority, 'trusts an additional certificate authority for receivers'],
    ],
  },
  'document in a trial install': {
    read: readDocument,
    strict: {
      ...documents,
      ...trial,
      SSS_UPLOAD_HOST: '0.0.0.0',
      SSS_UPLOAD_PORT: '3',
      SSS_UPLOAD_URL: 'https://files.example',
    },
    loose: [...looseInEveryService, plain('SSS_SUBMISSION_URL'), plain('SSS_UPLOAD_URL')],
  },
  'document on S3': {
    read: readDocument,
    strict: { ...documents, ...s3 },
    loose: [...looseInEveryService, plain('SSS_SUBMISSION_URL'), ...looseInS3],
  },
  'scanner in a trial install': {
    read: readScannerConfig,
    strict: { ...scanner, ...trial },
    loose: [
      ...looseInEveryService,
      ['SSS_SCAN_WITH_ANY_SIGNATURES', 'true', 'accepts documents scanned with old or unofficial signatures'],
    ],
  },
  'scanner on S3': {
    read: readScannerConfig,
    strict: { ...scanner, ...s3 },
    loose: [...looseInEveryService, ...looseInS3],
  },
  'configure-streams': {
    read: (env) => readEnvironment({ ...natsVariables, ...streamVariables }, env),
    strict: {
      SSS_NATS_URL: 'tls://nats:4222',
      SSS_NATS_CREDENTIALS_FILE: '/nats.json',
      ...{ SSS_STREAM_REPLICAS: '3', SSS_STREAM_MAX_AGE_DAYS: '7', SSS_STREAM_MAX_BYTES: '0' },
    },
    loose: [plain('SSS_NATS_URL', 'nats:'), ['SSS_NATS_CREDENTIALS_FILE', undefined, 'is missing']],
  },
  gateway: { read: readGateway, strict: gateway, loose: looseInGateway },
  console: { read: readConsole, ...consoleSettings(file('client-secret', 'secret')) },
};

function changed(env: Env, changes: Changes): Env {
  const all = Object.entries({ ...env, ...changes });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

describe.each(Object.entries(processes))('%s', (_name, { read, strict, loose }) => {
  it('starts outside a local stack with strict settings', () => {
    expect(() => read(strict)).not.toThrow();
  });

  const cases = loose.map(([name, value, message, instead]) => ({ name, value, message, instead }));

  it.each(cases)('starts with $name = $value only in a local stack, and explains why', (one) => {
    const { name, value, message, instead } = one;
    const env = changed(strict, { [name]: value, ...instead });
    expect(() => read(env)).toThrow(
      `bad configuration: ${name} ${message}, which requires SSS_DEPLOYMENT=local`,
    );
    expect(() => read({ ...env, SSS_DEPLOYMENT: 'local' })).not.toThrow();
  });
});

/** Node's variables, and the message about each. */
const looseNode: readonly (readonly [name: string, value: string, message: string])[] = [
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0', 'NODE_TLS_REJECT_UNAUTHORIZED accepts any certificate'],
  ['NODE_DEBUG', 'http', 'NODE_DEBUG writes traffic, including tokens, to the log'],
  ['NODE_V8_COVERAGE', '/tmp', 'NODE_V8_COVERAGE writes coverage to files'],
  ['OPENSSL_CONF', '/tmp/x.cnf', 'OPENSSL_CONF loads TLS settings and code from a file'],
  ['NODE_OPTIONS', '--inspect=0.0.0.0:9229', 'NODE_OPTIONS allows a debugger to attach by --inspect'],
];

describe.each(Object.entries(processes))('%s', (_name, { read, strict }) => {
  it.each(looseNode)('starts with %s=%s only in a local stack, and explains why', (name, value, message) => {
    const env = { ...strict, [name]: value };
    expect(() => read(env)).toThrow(`bad configuration: ${message}, which requires SSS_DEPLOYMENT=local`);
    expect(() => read({ ...env, SSS_DEPLOYMENT: 'local' })).not.toThrow();
  });
});

it('the table of strict and loose settings covers every setting', () => {
  const sources = globSync('services/**/*.ts', {
    cwd: checkout,
    exclude: (path) => /\/(?:node_modules|testing|generated)(?:\/|$)|\.test\.ts$/.test(String(path)),
  });
  const names = new Set(
    sources.flatMap(
      (path) => readFileSync(join(checkout, path), 'utf8').match(/(?<=^\s*)SSS_[A-Z0-9_]+(?=:)/gm) ?? [],
    ),
  );
  const tabled = Object.values(processes).flatMap(({ strict, loose }) => [
    ...Object.keys(strict).filter((name) => name !== 'SSS_DEPLOYMENT'),
    ...loose.flatMap(([name, , , instead = {}]) => [name, ...Object.keys(instead)]),
  ]);
  expect(names.size).toBeGreaterThan(50);
  expect([...names].sort()).toEqual([...new Set(tabled)].sort());
});

it('a process with loose settings ends with a line for each, without the values', async () => {
  const env = {
    ...gateway,
    SSS_HOST: '127.0.0.1',
    SSS_JOURNEY_URL: 'http://journey.example/?hush',
    SSS_TRUSTED_PROXIES: '0.0.0.0/0',
  };
  const child = spawn(process.execPath, ['services/gateway/src/main.ts'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  expect({ code, lines: said.trimEnd().split('\n') }).toEqual({
    code: 78,
    lines: [
      'gateway: bad configuration: SSS_HOST is a local address of a production gateway, which requires SSS_DEPLOYMENT=local',
      'gateway: bad configuration: SSS_TRUSTED_PROXIES allows anyone to claim any address, which requires SSS_DEPLOYMENT=local',
      'gateway: bad configuration: SSS_JOURNEY_URL is a plain http: address, which requires SSS_DEPLOYMENT=local',
    ],
  });
}, 60_000);
