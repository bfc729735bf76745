import { parts } from '../identity/certificates.ts';
import { DIFFERENCES } from '../run-stack.ts';
import { stateFolder } from '../state/state-folder.ts';
import { processTable, type Surroundings, scannerProcess } from './process-table.ts';
import { usualPorts } from './usual-ports.ts';

const files = (name: string) => ({
  authority: '/ca.pem',
  certificate: `/${name}.pem`,
  key: `/${name}-key.pem`,
});
const plain: Surroundings = {
  state: stateFolder('/state', '/checkout'),
  ports: { ...usualPorts },
  parts: undefined,
  certificates: files('receiver'),
  nats: { url: '', environmentOf: (user) => ({ SSS_NATS_CREDENTIALS_FILE: `/${user}.json` }) },
  databases: {},
};
const secure: Surroundings = {
  ...plain,
  parts: Object.fromEntries(parts.map((part) => [part, files(part)])) as Surroundings['parts'],
};
const tableOf = (surroundings: Surroundings) => [...processTable(surroundings), scannerProcess(surroundings)];

it("processTable marks every process as part of a local stack when the parts don't use TLS", () => {
  expect(tableOf(plain).map(({ env }) => env.SSS_DEPLOYMENT)).toEqual(Array(8).fill('local'));
});

it("processTable with TLS marks only the processes that a single machine can't run otherwise, and explains why", () => {
  const marked = tableOf(secure).filter(({ env }) => env.SSS_DEPLOYMENT !== undefined);
  expect(marked.map(({ name }) => name).sort()).toEqual([
    'document',
    'production',
    'scanner',
    'submission',
    'webhook',
  ]);
  for (const { loosens } of marked) expect(loosens).toMatch(/^\w.*\w$/);
});

it('npm start says that one person may do everything while any process needs no second person', () => {
  const off = tableOf(secure).filter(({ env }) => env.SSS_FOUR_EYES === 'off');
  const said = DIFFERENCES.filter((line) => line.startsWith('one person may do everything'));
  expect(said).toHaveLength(off.length > 0 ? 1 : 0);
});

it('processTable with TLS gives each process its own certificate, and no port without TLS except a private one', () => {
  const table = tableOf(secure);
  const presented = table.map(({ env }) => env.SSS_TLS_CERTIFICATE_FILE);
  expect(new Set(presented).size).toBe(table.length);
  for (const { env, service, readyPort } of table) {
    expect(env).not.toHaveProperty('SSS_RPC_HTTP1_PORT');
    expect(env).not.toHaveProperty('SSS_RPC_H2C_PORT');
    expect(String(readyPort)).toBe(env.SSS_PRIVATE_PORT);
    if (service !== 'gateway') expect(env.SSS_TLS_CLIENT_CA_FILE).toBe('/ca.pem');
    for (const [name, value] of Object.entries(env))
      if (/^SSS_(?:ACCOUNT|SUBMISSION|DOCUMENT|BILLING)_URL$/.test(name)) expect(value).toMatch(/^https:/);
  }
});
