import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@supplier/lib/testing';
import { StoreUnavailable } from '../object-store.ts';
import type { S3StoreConfig } from '../store-config.ts';
import type { S3CredentialSource } from './role-credentials.ts';
import { roleCredentials } from './role-credentials.ts';
import { s3Store } from './s3-store.ts';

const MINUTE = 60_000;
const ROLE = 'arn:aws:iam::123456789012:role/leads-document';
const folder = mkdtempSync(join(tmpdir(), 'role-'));
const tokenFile = join(folder, 'token');

/** A security token service and a store, served by one test server. */
let server: Server;
let url: string;
let asked: URLSearchParams[];
let stored: IncomingMessage[];
let answer: (given: number, response: ServerResponse) => void;
let now: Date;
const clock = { now: () => now };
let source: S3CredentialSource;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      asked.push(new URLSearchParams(await text(request)));
      answer(asked.length, response);
    } else {
      stored.push(request);
      response.end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
  stored = [];
  answer = session;
  now = new Date('2026-03-02T09:00:00Z');
  writeFileSync(tokenFile, 'first-token\n');
  source = roleCredentials({ kind: 'role', role: ROLE, tokenFile, stsUrl: url }, clock);
});

const after = (minutes: number) => new Date(now.getTime() + minutes * MINUTE);
const pass = (minutes: number) => {
  now = after(minutes);
};

/** The response format of AWS; other services may write the offset of their time zone. */
function session(given: number, response: ServerResponse): void {
  const expires = given % 2 ? after(60).toISOString() : after(120).toISOString().replace('Z', '+01:00');
  response.end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
    <AssumeRoleWithWebIdentityResult><Credentials>
      <AccessKeyId>ASIA${given}</AccessKeyId><SecretAccessKey>secret/${given}+=</SecretAccessKey>
      <SessionToken>session/${given}+==</SessionToken><Expiration>${expires}</Expiration>
    </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`);
}

const refusal = (_: number, response: ServerResponse) =>
  response
    .writeHead(403)
    .end(
      '<ErrorResponse><Error><Code>AccessDenied</Code><Message>first-token</Message></Error></ErrorResponse>',
    );

describe('roleCredentials', () => {
  it('sends one request with the token from the file for any number of concurrent callers', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => source.goodUntil()));
    expect(new Set(all.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['ASIA1']));
    expect(all[0]).toEqual({
      accessKeyId: 'ASIA1',
      secretAccessKey: 'secret/1+=',
      sessionToken: 'session/1+==',
    });
    expect(asked.map((form) => Object.fromEntries(form))).toEqual([
      {
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        DurationSeconds: '3600',
        RoleArn: ROLE,
        RoleSessionName: 'supplier-submissions',
        WebIdentityToken: 'first-token',
      },
    ]);
  });

  it('renews in time for a link of half an hour, with the current token', async () => {
    await source.goodUntil();
    pass(24);
    await source.goodUntil(after(30));
    expect(asked).toHaveLength(1);
    pass(2);
    writeFileSync(tokenFile, 'second-token');
    await eventually(
      'others are there',
      async () => (await source.goodUntil(after(30))).accessKeyId === 'ASIA2',
    );
    expect(asked.map((form) => form.get('WebIdentityToken'))).toEqual(['first-token', 'second-token']);
  });

  it('uses the current credentials while renewal fails, but never for a link that would outlive them', async () => {
    await source.goodUntil();
    // An unanswered renewal must not delay callers that the current credentials serve.
    answer = () => undefined;
    pass(26);
    expect(await source.goodUntil(after(30))).toMatchObject({ accessKeyId: 'ASIA1' });
    await eventually('others are asked for', () => asked.length === 2);
    server.closeAllConnections();
    answer = refusal;
    pass(19);
    expect(await source.goodUntil()).toMatchObject({ accessKeyId: 'ASIA1' });
    await expect(source.goodUntil(after(30))).rejects.toThrow('cannot assume its role');
    const refused = asked.length;
    await source.goodUntil();
    // Does not retry immediately while the current credentials suffice.
    expect(asked).toHaveLength(refused);
    pass(15);
    await expect(source.goodUntil()).rejects.toThrow('cannot assume its role');
    answer = session;
    expect((await source.goodUntil(after(30))).accessKeyId).toMatch(/^ASIA/);
  });

  it.each([
    ['a refusal', refusal, 'responded 403 AccessDenied'],
    [
      'no credentials',
      (_: number, response: ServerResponse) => response.end('<Credentials/>'),
      'cannot read the credentials',
    ],
    [
      'an endless response',
      (_: number, response: ServerResponse) => response.end('<AccessKeyId>'.padEnd(70_000, 'a')),
      'larger than 65536 bytes',
    ],
    [
      'a redirect, which it does not follow,',
      (given: number, response: ServerResponse) =>
        given === 1 ? response.writeHead(307, { location: url }).end() : session(given, response),
      'fetch failed',
    ],
  ])('rejects after %s with an error that reveals no secret', async (_, answered, why) => {
    answer = answered;
    const error = await source.goodUntil().then(
      () => undefined,
      (caught: StoreUnavailable) => caught,
    );
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error?.cause)).toContain(why);
    expect(`${error} ${error?.cause}`).not.toContain('first-token');
    expect(asked).toHaveLength(1);
  });
});

describe('store with role credentials', () => {
  const config = (): S3StoreConfig => ({
    ...{ kind: 's3', endpoint: url, publicUrl: 'https://files.example.com', region: 'eu-west-2' },
    ...{ quarantineBucket: 'quarantine', cleanBucket: 'clean' },
    access: { kind: 'role', role: ROLE, tokenFile, stsUrl: url },
  });

  it('signs requests and links with the session of the role', async () => {
    const store = s3Store(config(), clock);
    await store.remove('held', 'a'.repeat(64));
    const [request] = stored;
    expect(request?.headers['x-amz-security-token']).toBe('session/1+==');
    expect(request?.headers.authorization).toMatch(
      /Credential=ASIA1\/.*SignedHeaders=[^,]*x-amz-security-token/,
    );
    const link = await store.downloadUrl({
      ...{ key: 'b'.repeat(64), filename: 'a.pdf', contentType: 'application/pdf' },
      expiresAt: after(15),
    });
    expect(new URL(link).searchParams.get('X-Amz-Security-Token')).toBe('session/1+==');
    expect(asked).toHaveLength(1);
  });
});
