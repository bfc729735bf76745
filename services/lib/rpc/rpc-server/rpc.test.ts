import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Environment } from '@supplier/proto/common/v1/status';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@supplier/proto/grpc/health';
import { ServerReflection } from '@supplier/proto/grpc/reflection';
import { ServerReflection as ServerReflectionAlpha } from '@supplier/proto/grpc/reflection_v1alpha';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { currentContext, runInContext } from '../../runtime/request-context/index.ts';
import { ANY_PORTS, startTestProcess, type TestProcess, testConfig } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { callOptions, createRpcClient, serviceTokens } from '../rpc-client/index.ts';
import { principalOf, type SupplierPrincipal, startRpcServer } from './index.ts';
import type { OpenPorts } from './listen.ts';

const submissionId = newId();
let dir: string;
let key: CryptoKey;
let service: TestProcess;
let ports: OpenPorts;
let ready = true;
let seen: { requestId: string | undefined; principal: SupplierPrincipal | undefined };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rpc-test-'));
  const pair = await generateKeyPair('EdDSA');
  key = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), alg: 'EdDSA', kid: 'k' };
  writeFileSync(
    join(dir, 'issuers.json'),
    JSON.stringify([
      {
        issuer: 'test',
        jwks: { keys: [jwk] },
        roleClaim: 'roles',
        roles: ['staff:*'],
        services: Object.fromEntries(
          ['gateway', 'submission', 'webhook'].map((name) => [`service:${name}`, ['tester']]),
        ),
        maxTokenMinutes: 60,
      },
    ]),
  );
  const config = { ...testConfig(ANY_PORTS, join(dir, 'issuers.json')), serviceTokenDir: dir };
  service = startTestProcess('billing');
  ports = await startRpcServer(service, {
    config,
    services: [BillingService],
    ready: () => (ready ? Promise.resolve() : Promise.reject(new Error('away'))),
    routes: (router) =>
      router.service(BillingService, {
        async getSubmissionLedger(request, context) {
          seen = { requestId: currentContext()?.requestId, principal: principalOf(context) };
          if (request.submissionId === submissionId) return { submissionId };
          throw refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
        },
      }),
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(dir, { recursive: true });
});

it('an RPC server keeps a request id that can be echoed and replaces any other', async () => {
  const client = createClient(BillingService, createGrpcTransport({ baseUrl: url(ports.http2Port) }));
  const call = async (requestId: string) => {
    const headers = { authorization: `Bearer ${await token({})}`, 'x-request-id': requestId };
    await client.getSubmissionLedger({ submissionId }, { headers });
  };
  await call('mine');
  expect(seen.requestId).toBe('mine');
  await call('a'.repeat(129));
  expect(seen.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

it('an RPC server serves health without a token', async () => {
  const health = createClient(Health, createGrpcTransport({ baseUrl: url(ports.http2Port) }));
  expect((await health.check({})).status).toBe(Serving.SERVING);
  ready = false;
  expect((await health.check({ service: BillingService.typeName })).status).toBe(Serving.NOT_SERVING);
  ready = true;
  await expect(health.check({ service: 'nobody' })).rejects.toMatchObject({ code: Code.NotFound });
});

it.each([
  ServerReflection,
  // Many tools still use it; its messages have the same shape.
  ServerReflectionAlpha as unknown as typeof ServerReflection,
])('an RPC server lists its services and their files by reflection: $typeName', async (version) => {
  const client = createClient(version, createGrpcTransport({ baseUrl: url(ports.http2Port) }));
  const headers = { authorization: `Bearer ${await token({ roles: ['staff:viewer'] })}` };
  async function* requests() {
    yield { messageRequest: { case: 'listServices' as const, value: '' } };
    yield {
      messageRequest: {
        case: 'fileContainingSymbol' as const,
        value: 'supplier.billing.v1.BillingService.GetSubmissionLedger',
      },
    };
    yield { messageRequest: { case: 'fileByFilename' as const, value: 'nothing.proto' } };
  }
  const answers = [];
  for await (const { messageResponse } of client.serverReflectionInfo(requests(), { headers }))
    answers.push(messageResponse);
  expect(answers[0]).toMatchObject({
    value: {
      service: [
        { name: BillingService.typeName },
        { name: 'grpc.health.v1.Health' },
        { name: 'grpc.reflection.v1.ServerReflection' },
        { name: 'grpc.reflection.v1alpha.ServerReflection' },
      ],
    },
  });
  expect(answers[1]?.case).toBe('fileDescriptorResponse');
  expect(answers[2]?.case).toBe('errorResponse');
});

it('an RPC server accepts a principal only from the gateway', async () => {
  const principal = {
    accountId: newId(),
    credentialId: newId(),
    environment: Environment.SANDBOX,
    scopes: [],
    terms: {},
  };
  const call = async (role: string) => {
    writeFileSync(join(dir, `audience-${role}`), await token({ roles: [role, 'staff:viewer'] }));
    const client = createRpcClient(BillingService, {
      baseUrl: url(ports.http1Port),
      audience: `audience-${role}`,
      tokens: serviceTokens(dir),
    });
    await runInContext({ requestId: 'from-the-edge', traceParent: '' }, () =>
      client.getSubmissionLedger({ submissionId }, callOptions(principal)),
    );
  };
  await call('service:webhook');
  expect(seen).toMatchObject({ requestId: 'from-the-edge', principal: undefined });
  await call('service:gateway');
  expect(seen.principal).toMatchObject({ accountId: principal.accountId, environment: Environment.SANDBOX });
});

it('an RPC server responds to probes over HTTP/1.1', async () => {
  expect((await fetch(`${url(ports.http1Port)}/livez`)).status).toBe(200);
  ready = false;
  expect((await fetch(`${url(ports.http1Port)}/readyz`)).status).toBe(503);
  expect((await fetch(`${url(ports.http1Port)}/livez`)).status).toBe(200);
  ready = true;
  expect((await fetch(`${url(ports.http1Port)}/readyz`)).status).toBe(200);
  expect((await fetch(`${url(ports.http1Port)}/other`)).status).toBe(404);
});

it('an RPC server serves its metrics over HTTP/1.1, with the duration of calls by method and code', async () => {
  const client = createClient(
    BillingService,
    createConnectTransport({ baseUrl: url(ports.http1Port), httpVersion: '1.1' }),
  );
  const headers = { authorization: `Bearer ${await token({})}` };
  await client.getSubmissionLedger({ submissionId }, { headers });
  await client.getSubmissionLedger({ submissionId: `${newId().slice(0, -1)}1` }, { headers }).catch(() => {});
  await fetch(`${url(ports.http1Port)}/supplier.billing.v1.BillingService/MadeUp`, { method: 'POST' });

  const answer = await fetch(`${url(ports.http1Port)}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const page = await answer.text();
  const count = (code: string) =>
    `sss_rpc_duration_seconds_count{rpc="supplier.billing.v1.BillingService/GetSubmissionLedger",code="${code}"}`;
  expect(page).toContain(count('OK'));
  expect(page).toContain(count('NotFound'));
  expect(page).not.toContain('MadeUp');
  expect(page).not.toContain(submissionId);
});

const url = (port: number) => `http://127.0.0.1:${port}`;

async function token({ roles = ['staff:viewer'] }): Promise<string> {
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
    .setIssuer('test')
    .setAudience('billing')
    .setSubject('tester')
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(key);
}
