import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { connectBus, STREAMS } from '@supplier/lib/events/event-bus';
import { eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { startTestNatsServer, type TestNatsServer } from './testing/test-server.ts';

jest.setTimeout(120_000);

const COMMAND = join(
  import.meta.dirname,
  '../../../services/lib/events/configure-streams/configure-streams.ts',
);

let nats: TestNatsServer;
let administrator: TestProcess;
let call: (method: string, body?: object) => Promise<Record<string, unknown>>;
beforeAll(async () => {
  nats = await startTestNatsServer();
  administrator = startTestProcess('administrator');
  const bus = connectBus(administrator, nats.administrator);
  const connection = await eventually('the administrator is connected', () => bus.connection());
  call = async (method, body) => {
    const answer = await connection.request(`$JS.API.${method}`, body && JSON.stringify(body));
    return answer.json<Record<string, unknown>>();
  };
}, 300_000);
afterAll(async () => {
  await administrator?.stop();
  await nats?.close();
});

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}, user = 'streams') {
  const { url, caFile = '', credentialsFile = '' } = nats.accessOf(user);
  const access = {
    ...{ SSS_NATS_URL: url, SSS_NATS_CA_FILE: caFile },
    SSS_NATS_CREDENTIALS_FILE: credentialsFile,
  };
  return new Promise<Run>((resolve) => {
    const given = { env: { PATH: process.env.PATH, ...access, ...env } };
    execFile(process.execPath, [COMMAND, ...args], given, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

describe('configure-streams', () => {
  it('creates every stream and consumer, and changes nothing when it is repeated', async () => {
    const first = await run();
    expect(first).toMatchObject({ code: 0, err: '' });
    for (const stream of Object.values(STREAMS)) expect(first.out).toContain(`${stream}: created\n`);
    expect(first.out).toContain('SUBMISSION/billing: created\n');
    expect(await run()).toEqual({ code: 0, out: 'nothing to change\n', err: '' });
  });

  it('follows changed settings', async () => {
    const { code, out } = await run([], { SSS_STREAM_MAX_AGE_DAYS: '3' });
    expect({ code, out }).toEqual({
      code: 0,
      out: Object.values(STREAMS)
        .map((stream) => `${stream}: updated: max_age\n`)
        .join(''),
    });
    await run();
  });

  it('repairs what was changed and says so', async () => {
    const { config } = await call('STREAM.INFO.ACCOUNT');
    const republish = { src: 'supplier.account.x', dest: 'supplier.submission.x.lead' };
    await call('STREAM.UPDATE.ACCOUNT', { ...(config as object), republish });
    await call('CONSUMER.DELETE.SUBMISSION.webhook');
    const { code, out } = await run();
    expect({ code, out }).toEqual({
      code: 0,
      out: 'ACCOUNT: updated: republish\nSUBMISSION/webhook: created\n',
    });
    expect((await call('STREAM.INFO.ACCOUNT')).config).toEqual(config);
  });

  it('fails and names what it cannot achieve', async () => {
    const { code, err } = await run([], { SSS_STREAM_MAX_BYTES: '900000000000000' });
    expect(code).not.toBe(0);
    expect(err).toMatch(/^configure-streams: not as expected: ACCOUNT: max_bytes; /);
  });

  it('fails as any other user, and while NATS is away', async () => {
    expect((await run([], {}, 'account')).code).not.toBe(0);
    expect((await run(['--wait', '0'], { SSS_NATS_URL: 'tls://127.0.0.1:9' })).code).not.toBe(0);
  });

  it('explains itself, and refuses unknown flags', async () => {
    const { code, out } = await run(['--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^usage: configure-streams/) });
    expect((await run(['--forever'])).code).toBe(78);
  });
});
