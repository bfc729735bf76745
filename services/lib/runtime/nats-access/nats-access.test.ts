import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { connectBus } from '../../events/event-bus/index.ts';
import { eventually, startTestProcess } from '../../testing/index.ts';
import { openCredentialsFile } from './credentials.ts';
import { natsConnectOptions } from './index.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nats-access-'));
  file = join(folder, 'credentials');
});
afterAll(() => rmSync(folder, { recursive: true }));

const refuse = () => {
  throw new Error('credentials file reported as unreadable');
};
const opened = (text: string, onUnreadable: (error: Error) => void = refuse) => {
  writeFileSync(file, text);
  return openCredentialsFile(file, onUnreadable);
};

describe('a tls: address', () => {
  let server: Server;
  let received: string;
  let connections: number;
  beforeEach(async () => {
    [received, connections] = ['', 0];
    server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
      });
      const info = { server_id: 'S', version: '2.12.3', proto: 1, headers: true, max_payload: 1_048_576 };
      socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    writeFileSync(file, JSON.stringify({ user: 'account', password: 'open sesame' }));
  });
  afterEach(() => server.close());

  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

  it('is never used in plain text: a server without TLS receives nothing', async () => {
    const options = natsConnectOptions('account', { url: `tls://${address()}`, credentialsFile: file });
    await expect(connect(options)).rejects.toThrow('tls');
    expect(connections).toBe(1);
    expect(received).toBe('');
    // The same server accepts an address without TLS, which shows that its greeting was understood.
    const plain = connect({
      ...natsConnectOptions('account', { url: `nats://${address()}` }),
      timeout: 1_000,
    });
    await expect(plain).rejects.toThrow();
    expect(received).toContain('CONNECT {');
  });

  it('makes the process retry, and logs the reason once', async () => {
    const process = startTestProcess('account');
    const bus = connectBus(process, { url: `tls://${address()}` });
    await eventually('it was tried several times', () => connections > 3);
    expect(bus.connection()).toBeUndefined();
    await process.stop();
    const said = process.lines.filter(({ msg }) => msg === 'NATS connection failed');
    expect(said).toMatchObject([{ level: 'warn', reason: expect.stringContaining('tls') }]);
    expect(received).toBe('');
  });
});

describe('a credentials file', () => {
  it('may contain a user and password, a seed, or a .creds file from nsc', () => {
    const user = nkeys.createUser();
    const seed = new TextDecoder().decode(user.getSeed());
    const creds = `-----BEGIN NATS USER JWT-----\neyJ0.e30.c2ln\n------END NATS USER JWT------\n
-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
    expect(opened('{"user": "account", "password": "pass"}')()).toEqual({ user: 'account', pass: 'pass' });
    expect(opened(`${seed}\n`)('nonce')).toMatchObject({
      nkey: user.getPublicKey(),
      sig: expect.any(String),
    });
    expect(opened(creds)('nonce')).toMatchObject({ jwt: 'eyJ0.e30.c2ln', nkey: user.getPublicKey() });
  });

  it.each([
    ['{"user": "account"}'],
    ['{"user": "", "password": "s3cret"}'],
    ['{"user": "account", "password": "s3cret"'],
    ['SUs3cret'],
    ['s3cret'],
    [''],
  ])('stops the start with one line that repeats none of its content when malformed: %j', (text) => {
    expect(() => opened(text)).toThrow(/^SSS_NATS_CREDENTIALS_FILE must have [^\n]*$/);
    expect(() => opened(text)).not.toThrow('s3cret');
  });

  it('stops the start when it is missing', () => {
    expect(() => openCredentialsFile(join(folder, 'none'), refuse)).toThrow(
      'SSS_NATS_CREDENTIALS_FILE must name a readable file',
    );
  });

  it('is read again for every connection, and an unreadable file leaves the credentials unchanged', () => {
    const errors: Error[] = [];
    const authenticate = opened('{"user": "account", "password": "old"}', (error) => errors.push(error));
    writeFileSync(file, '{"user": "account", "password": "new"}');
    expect(authenticate()).toEqual({ user: 'account', pass: 'new' });
    writeFileSync(file, '{"user": "acc');
    expect(authenticate()).toEqual({ user: 'account', pass: 'new' });
    expect(errors).toHaveLength(1);
  });
});
