import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { writePrivateJson } from '../state/private-file.ts';
import { seedSuppliers } from './seed-suppliers.ts';
import type { StaffClients } from './staff-clients.ts';

const RECEIVER = 'https://127.0.0.1:8443';
let file = '';
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'seed-')), 'suppliers.json');
});
afterEach(() => rmSync(join(file, '..'), { recursive: true }));

/** Account and webhook services that record the requested creations. */
function services() {
  const accounts: string[] = [];
  const endpoints: string[] = [];
  let credentials = 0;
  const transport = createRouterTransport(({ service }) => {
    service(AccountService, {
      createAccount: ({ name }) => {
        accounts.push(name);
        return { accountId: `${name}-${accounts.length}`, name };
      },
      getAccount: ({ accountId }) => {
        if (!accounts.some((name, index) => accountId === `${name}-${index + 1}`))
          throw new ConnectError('unknown', Code.NotFound);
        return { accountId };
      },
      issueCredential: ({ environment }) => {
        credentials += 1;
        return { bearer: `sss_${environment === 1 ? 'test' : 'live'}_${credentials}` };
      },
    });
    service(WebhookService, {
      createEndpoint: ({ accountId, environment, url }) => {
        const key = `${accountId} ${environment}`;
        if (endpoints.some((known) => known.startsWith(key)))
          throw new ConnectError('exists', Code.AlreadyExists);
        endpoints.push(`${key} ${url}`);
        return { signingSecret: `whsec_${endpoints.length}` };
      },
      getEndpoint: ({ accountId, environment }) => {
        const key = `${accountId} ${environment} `;
        const found = endpoints.find((known) => known.startsWith(key));
        if (found === undefined) throw new ConnectError('unknown', Code.NotFound);
        return { url: found.slice(key.length) };
      },
      updateEndpointUrl: ({ accountId, environment, url }) => {
        const key = `${accountId} ${environment} `;
        endpoints[endpoints.findIndex((known) => known.startsWith(key))] = key + url;
        return { url };
      },
    });
  });
  const staff: StaffClients = {
    account: createClient(AccountService, transport),
    submission: createClient(SubmissionService, transport),
    policies: createClient(PolicyService, transport),
    privacy: createClient(PrivacyService, transport),
    webhook: createClient(WebhookService, transport),
  };
  return { accounts, endpoints, staff };
}

describe('seedSuppliers', () => {
  it('creates six suppliers with a credential per environment, four of them with endpoints at the receiver', async () => {
    const { accounts, endpoints, staff } = services();
    const suppliers = await seedSuppliers({ file, staff, receiver: RECEIVER });
    expect(accounts).toEqual(['alpha', 'beta', 'journey', 'staffed', 'promoting', 'reader']);
    expect(suppliers.beta).toEqual({
      accountId: 'beta-2',
      credential: expect.stringMatching(/^sss_test_/),
      liveCredential: expect.stringMatching(/^sss_live_/),
    });
    expect(Object.keys(suppliers).filter((name) => suppliers[name]?.webhookSecret)).toEqual([
      'alpha',
      'journey',
      'staffed',
      'promoting',
    ]);
    expect(endpoints[1]).toBe(`alpha-1 2 ${RECEIVER}/alpha/production`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('creates nothing twice', async () => {
    const { accounts, endpoints, staff } = services();
    const first = structuredClone(await seedSuppliers({ file, staff, receiver: RECEIVER }));
    expect(await seedSuppliers({ file, staff, receiver: RECEIVER })).toEqual(first);
    expect(accounts).toHaveLength(6);
    expect(endpoints).toHaveLength(8);
  });

  it('starts over for a supplier when it was stopped before all of its secrets were stored', async () => {
    const { staff } = services();
    await seedSuppliers({ file, staff, receiver: RECEIVER });
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    delete stored.suppliers.alpha;
    writePrivateJson(file, stored);
    const again = await seedSuppliers({ file, staff, receiver: RECEIVER });
    expect(again.alpha?.accountId).toBe('alpha-7');
    expect(again.alpha?.liveWebhookSecret).toBeDefined();
    expect(again.journey?.accountId).toBe('journey-3');
  });

  it('creates a supplier again when the file of an earlier version lacks some of its secrets', async () => {
    const { staff } = services();
    await seedSuppliers({ file, staff, receiver: RECEIVER });
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    delete stored.suppliers.alpha.liveWebhookSecret;
    delete stored.suppliers.beta.liveCredential;
    writePrivateJson(file, stored);
    const again = await seedSuppliers({ file, staff, receiver: RECEIVER });
    expect(again.alpha).toMatchObject({ accountId: 'alpha-7', liveWebhookSecret: expect.any(String) });
    expect(again.beta).toMatchObject({ accountId: 'beta-8', liveCredential: expect.any(String) });
    expect(again.journey?.accountId).toBe('journey-3');
  });

  it('creates all suppliers when the file lists none', async () => {
    writePrivateJson(file, { receiver: RECEIVER });
    expect(
      Object.keys(await seedSuppliers({ file, staff: services().staff, receiver: RECEIVER })),
    ).toHaveLength(6);
  });

  it('seeds again when the database no longer has the accounts', async () => {
    await seedSuppliers({ file, staff: services().staff, receiver: RECEIVER });
    const { accounts, staff } = services();
    await seedSuppliers({ file, staff, receiver: 'https://127.0.0.1:9999' });
    expect(accounts).toHaveLength(6);
  });

  it('moves endpoints with the receiver, except those that staff have pointed elsewhere', async () => {
    const { endpoints, staff } = services();
    await seedSuppliers({ file, staff, receiver: RECEIVER });
    const [first = '', ...others] = endpoints;
    const elsewhere = `${first.split(RECEIVER)[0]}https://127.0.0.1:84430/own`;
    endpoints[0] = elsewhere;
    for (const receiver of ['https://127.0.0.1:9999', 'https://127.0.0.1:9998']) {
      await seedSuppliers({ file, staff, receiver });
      expect(endpoints).toEqual([elsewhere, ...others.map((line) => line.replace(RECEIVER, receiver))]);
    }
  });
});
