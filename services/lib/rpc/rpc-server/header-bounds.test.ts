import http2 from 'node:http2';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { create, type MessageInitShape, toBinary, type UnknownField } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { CallsService, type CallTogetherResponse } from '@supplier/proto/calls/v1/calls';
import { type Principal, PrincipalSchema } from '@supplier/proto/common/v1/principal';
import { GetSubmissionRequestSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import {
  startTestProcess,
  startTestRpcServer,
  type TestProcess,
  type TestRpcServer,
} from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { rememberedPrincipals } from './read-principal.ts';

const RPC = 'supplier.submission.v1.SubmissionService/GetSubmission';
const KiB = 1024;
const MiB = 1024 * KiB;
const READ = 3;
const CORRECT = 4;

let process: TestProcess;
let server: TestRpcServer<typeof SubmissionService>;
let seen: Headers[];

beforeAll(async () => {
  process = startTestProcess('submission');
  server = await startTestRpcServer(
    'submission',
    SubmissionService,
    (router) =>
      router.service(SubmissionService, {
        getSubmission: (_, { requestHeader }) => {
          seen.push(requestHeader);
          return {};
        },
      }),
    process,
  );
});
beforeEach(() => {
  seen = [];
});
afterAll(() => server.close());

type PrincipalInit = Exclude<MessageInitShape<typeof PrincipalSchema>, Principal>;
const principalOf = (changes: PrincipalInit = {}): Principal =>
  create(PrincipalSchema, {
    accountId: newId(),
    credentialId: newId(),
    environment: 1,
    scopes: [READ],
    terms: {},
    ...changes,
  });
const headerOf = (principal: Principal) =>
  Buffer.from(toBinary(PrincipalSchema, principal)).toString('base64url');
const message = () =>
  toBinary(GetSubmissionRequestSchema, create(GetSubmissionRequestSchema, { submissionId: newId() }));
const good = () => ({ 'x-supplier-principal': headerOf(principalOf()) });

type Headers64 = readonly Record<string, string>[];

/** The ways to send an exchange: the fast path, and those through Connect's own handlers. */
const WAYS = ['binary', 'JSON', 'gRPC'] as const;

/** Sends one exchange as a compromised gateway would, and returns the codes of its calls. */
async function exchange(headers: Headers64, way: (typeof WAYS)[number] = 'binary'): Promise<string[]> {
  const authorization = `Bearer ${await server.tokenOf('tester', 'service:gateway')}`;
  const options = { baseUrl: server.baseUrl, httpVersion: '1.1' as const, useBinaryFormat: way === 'binary' };
  const transport =
    way === 'gRPC' ? createGrpcTransport({ baseUrl: server.h2cUrl }) : createConnectTransport(options);
  const answers: CallTogetherResponse['answers'] = [];
  const calls = headers.map((own) => ({ rpc: RPC, headers: own, message: message() }));
  const stream = createClient(CallsService, transport).callTogether(
    { calls },
    { headers: { authorization } },
  );
  for await (const part of stream) answers.push(...part.answers);
  return answers
    .toSorted((a, b) => a.call - b.call)
    .map(({ status, body }) => (status === 200 ? 'OK' : JSON.parse(Buffer.from(body).toString()).code));
}

describe('a batched call', () => {
  const filler = (bytes: number) => 'a'.repeat(bytes);

  it.each(WAYS)('is rejected on its own when its headers exceed the HTTP limit (%s)', async (way) => {
    const codes = await exchange(
      [
        good(),
        { ...good(), 'x-large': filler(16 * KiB) },
        { ...good(), [filler(16 * KiB)]: 'x' },
        { ...good(), ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, filler(KiB)])) },
        { ...good(), ...Object.fromEntries(Array.from({ length: 128 }, (_, n) => [`x-${n}`, 'x'])) },
        { ...good(), 'x-large': filler(15 * KiB) },
      ],
      way,
    );
    const refused = 'resource_exhausted';
    expect(codes).toEqual(['OK', refused, refused, refused, refused, 'OK']);
    expect(seen).toHaveLength(2);
  });

  it('may have exactly 16 KiB of headers, as HTTP/1.1 writes them', async () => {
    const own = good();
    const [value] = Object.values(own);
    const left = 16 * KiB - 'x-supplier-principal: \r\n'.length - (value?.length ?? 0) - 'x: \r\n'.length;
    expect(await exchange([{ ...own, x: filler(left) }])).toEqual(['OK']);
    expect(await exchange([{ ...own, x: filler(left + 1) }])).toEqual(['resource_exhausted']);
  });

  it.each([
    ['a name in capitals, which would add to that of the exchange', { Authorization: 'Bearer x' }],
    ['a name with a space', { 'x y': 'z' }],
    ['an empty name', { '': 'z' }],
    ['a name of two lines', { 'x\r\ny': 'z' }],
    ['a name that is not ASCII', { ü: 'z' }],
    ['a value of two lines', { 'x-request-id': 'a\r\nb' }],
    ['a value with NUL', { 'x-request-id': '\u0000' }],
    ['a value that HTTP cannot carry', { 'x-request-id': '\u20ac' }],
  ])('is rejected on its own with %s', async (_what, bad) => {
    for (const way of WAYS)
      expect(await exchange([good(), { ...good(), ...bad }], way)).toEqual(['OK', 'invalid_argument']);
    expect(seen).toHaveLength(WAYS.length);
  });

  it('always carries the token of its exchange', async () => {
    expect(await exchange([{ ...good(), authorization: 'Bearer x' }])).toEqual(['OK']);
    expect(seen[0]?.get('authorization')).toMatch(/^Bearer ey/);
  });

  it('logs only a valid request id and trace', async () => {
    const traceparent = filler(10 * KiB);
    const [code] = await exchange([
      { ...good(), 'x-request-id': filler(129), traceparent, 'connect-timeout-ms': filler(KiB) },
    ]);
    expect(code).toBe('invalid_argument');
    expect(JSON.stringify(process.lines)).not.toContain('aaaa');
  });
});

describe('a supplier principal', () => {
  const unknown = (count: number): UnknownField[] =>
    Array.from({ length: count }, () => ({ no: 100, wireType: 0, data: new Uint8Array([1]) }));

  it.each<[string, () => string]>([
    ['longer than any valid one', () => headerOf(principalOf({ accountId: newId() + 'x'.repeat(4 * KiB) }))],
    [
      'with spaces between',
      () => headerOf(principalOf()).replace(/^.{8}/, (start) => `${start}${' '.repeat(5 * KiB)}`),
    ],
    ['with more scopes than exist', () => headerOf(principalOf({ scopes: new Array(101).fill(READ) }))],
    [
      'with more sectors than exist',
      () => headerOf(principalOf({ terms: { thresholds: { excludedSectors: new Array(101).fill(1) } } })),
    ],
    ['with many unknown fields', () => headerOf({ ...principalOf(), $unknown: unknown(101) })],
  ])('is rejected and not cached: %s', async (_what, header) => {
    const before = rememberedPrincipals.size;
    expect(await exchange([{ 'x-supplier-principal': header() }])).toEqual(['invalid_argument']);
    expect(rememberedPrincipals.size).toBe(before);
  });

  it('is accepted with a few fields of a newer gateway', async () => {
    const newer = headerOf({ ...principalOf(), $unknown: unknown(20) });
    expect(await exchange([{ 'x-supplier-principal': newer }])).toEqual(['OK']);
  });

  it('is cached only by admitted calls', async () => {
    const before = rememberedPrincipals.size;
    const without = headerOf(principalOf({ scopes: [CORRECT] }));
    expect(await exchange([{ 'x-supplier-principal': without }])).toEqual(['permission_denied']);
    expect(rememberedPrincipals.size).toBe(before);
    const admitted = good();
    expect(await exchange([admitted, admitted])).toEqual(['OK', 'OK']);
    expect(rememberedPrincipals.size).toBe(before + 1);
  });
});

describe('a compromised gateway', () => {
  setFlagsFromString('--expose-gc');
  const collectOnce = runInNewContext('gc') as () => void;
  /** Weakly held objects are collected in the second round. */
  const collect = async () => {
    for (let round = 0; round < 3; round += 1) {
      await new Promise(setImmediate);
      collectOnce();
    }
  };
  const heapOf = async (work: () => Promise<void>) => {
    await collect();
    const before = global.process.memoryUsage();
    await work();
    await collect();
    const after = global.process.memoryUsage();
    return after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  };

  it.each<[string, string, (number: number) => Record<string, string>]>([
    [
      'principals with padding, which decoders skip',
      'invalid_argument',
      (n) => ({
        'x-supplier-principal': headerOf(principalOf()).padEnd(15 * KiB + (n % 7), '!'),
      }),
    ],
    [
      'large request ids and traces',
      'OK',
      (n) => ({
        ...good(),
        'x-request-id': `${n}`.padEnd(7 * KiB, 'a'),
        traceparent: `${n}`.padEnd(7 * KiB, 'a'),
      }),
    ],
    [
      'the largest accepted principals',
      'OK',
      () => {
        const principal = principalOf({
          scopes: new Array(100).fill(READ),
          terms: { thresholds: { excludedSectors: new Array(100).fill(1) } },
        });
        const data = new Uint8Array(20).fill(19, 0, 1);
        const fields = Array.from({ length: 100 }, () => ({ no: 100, wireType: 2, data }));
        return { 'x-supplier-principal': headerOf({ ...principal, $unknown: fields }) };
      },
    ],
  ])('cannot make the service keep more than its bounds: %s', async (_what, code, headers) => {
    const codes: string[] = [];
    const grown = await heapOf(async () => {
      for (let time = 0; time < 25; time += 1)
        codes.push(...(await exchange(Array.from({ length: 64 }, (_, n) => headers(64 * time + n)))));
      process.lines.length = 0;
      seen = [];
    });
    expect(rememberedPrincipals.bytes).toBeLessThanOrEqual(4 * MiB);
    expect(grown).toBeLessThan(12 * MiB);
    expect(new Set(codes)).toEqual(new Set([code]));
  });
});

describe('HTTP/2', () => {
  it('accepts no more headers than HTTP/1.1', async () => {
    const authorization = `Bearer ${await server.tokenOf('tester', 'service:gateway')}`;
    const session = http2.connect(server.h2cUrl);
    const statusOf = (bytes: number) =>
      new Promise((resolve) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': `/${RPC}`,
          'content-type': 'application/grpc',
          authorization,
          ...good(),
          'x-large': 'a'.repeat(bytes),
        });
        stream.on('response', (headers) => resolve(headers[':status']));
        stream.on('error', () => resolve('refused'));
        stream.end(Buffer.alloc(5));
      });
    expect(await statusOf(12 * KiB)).toBe(200);
    expect(await statusOf(20 * KiB)).toBe('refused');
    session.destroy();
  });
});
