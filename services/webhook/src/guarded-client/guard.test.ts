import type { TLSSocket } from 'node:tls';
import { type EndpointId, newId } from '@supplier/lib/text/ids';
import { guardedClientTests, postTo, resolvingTo } from '../../testing/guarded-client-tests.ts';
import { httpsReceiver, tlsReceiver, trap } from '../../testing/receivers.ts';
import { addressPolicy } from '../model/address-policy.ts';

const { credentials, clientWith, receiving } = guardedClientTests();

describe('address guard', () => {
  it('refuses a private address without an allow-list, and connects to nothing', async () => {
    const receiver = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const client = clientWith({ policy: addressPolicy([]) });
    expect(await postTo(client, `https://127.0.0.1:${receiver.port}/`)).toMatchObject({
      error: 'address_refused',
      resolvedIp: '127.0.0.1',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('refuses a name when any of its addresses is refused', async () => {
    const receiver = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const client = clientWith({ resolve: resolvingTo('127.0.0.1', '10.0.0.1') });
    expect(await postTo(client, `https://receiver.test:${receiver.port}/`)).toMatchObject({
      error: 'address_refused',
      resolvedIp: '10.0.0.1',
    });
    expect(receiver.connections()).toBe(0);
  });

  it.each(['[::1]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '2130706433', '0x7f.1'])(
    'checks the literal %s as the address it denotes',
    async (host) => {
      const client = clientWith({ policy: addressPolicy([]) });
      expect(await postTo(client, `https://${host}:1/`)).toMatchObject({ error: 'address_refused' });
    },
  );
});

/**
 * Names whose answers change. 127.0.0.1 represents the public address, the only one that is allowed here; 127.0.0.2
 * represents the private one, where a trap on the same port counts connections.
 */
describe('name that resolves differently the second time', () => {
  const PUBLIC = '127.0.0.1';
  const PRIVATE = '127.0.0.2';

  /**
   * Starts a receiver at the public address, a trap at the private one, and a client for a name with these answers in
   * turn.
   */
  async function rebinding(talk: Parameters<typeof tlsReceiver>[1], ...answers: string[][]) {
    const receiver = await receiving(tlsReceiver(credentials(), talk));
    const hidden = await receiving(trap({ host: PRIVATE, port: receiver.port }));
    let asked = 0;
    const client = clientWith({
      policy: addressPolicy([`${PUBLIC}/32`]),
      resolve: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
    });
    const endpointId = newId<EndpointId>();
    return {
      post: () => postTo(client, `https://receiver.test:${receiver.port}/`, endpointId),
      asked: () => asked,
      connections: () => ({ public: receiver.connections(), private: hidden.connections() }),
    };
  }

  /** Answers every request on the connection, which stays open. */
  const keepOpen = (socket: TLSSocket) =>
    void socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  /** Answers once and closes without announcing it. */
  const closeAfter = (status: string) => (socket: TLSSocket) =>
    void socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));

  it('is resolved once for each connection, which uses the answer that was checked', async () => {
    const { post, asked, connections } = await rebinding(keepOpen, [PUBLIC], [PRIVATE]);
    expect(await post()).toMatchObject({ error: undefined, resolvedIp: PUBLIC });
    expect(asked()).toBe(1);
    expect(connections()).toEqual({ public: 1, private: 0 });
  });

  it('is not resolved again while its connection is kept alive', async () => {
    const { post, asked, connections } = await rebinding(keepOpen, [PUBLIC], [PRIVATE]);
    for (let round = 0; round < 3; round += 1) {
      expect(await post()).toMatchObject({ error: undefined, resolvedIp: PUBLIC });
    }
    expect(asked()).toBe(1);
    expect(connections()).toEqual({ public: 1, private: 0 });
  });

  it.each(['200 OK', '500 Internal Server Error'])(
    'is refused when the connection must be reopened after a %s',
    async (status) => {
      const { post, asked, connections } = await rebinding(closeAfter(status), [PUBLIC], [PRIVATE]);
      await post();
      expect(await post()).toMatchObject({ error: 'address_refused', resolvedIp: PRIVATE });
      expect(asked()).toBe(2);
      expect(connections()).toEqual({ public: 1, private: 0 });
    },
  );

  it('is refused when the connection breaks before use and is reopened in the same attempt', async () => {
    const broken = (socket: TLSSocket) => void socket.destroy();
    const { post, asked, connections } = await rebinding(broken, [PUBLIC], [PRIVATE]);
    const { error, statusCode } = await post();
    // Whether the break is noticed before or after the request is written varies; the test is that nothing reaches the
    // trap.
    expect(['address_refused', 'reset']).toContain(error);
    expect(statusCode).toBeUndefined();
    expect(asked()).toBe(error === 'reset' ? 1 : 2);
    expect(connections()).toEqual({ public: 1, private: 0 });
    expect(await post()).toMatchObject({ error: 'address_refused', resolvedIp: PRIVATE });
    expect(connections()).toEqual({ public: 1, private: 0 });
  });

  it('is refused in every further attempt, and accepted again once it resolves to an allowed address', async () => {
    const { post, connections } = await rebinding(
      closeAfter('200 OK'),
      [PUBLIC],
      [PRIVATE],
      [PRIVATE],
      [PUBLIC],
    );
    const errors: unknown[] = [];
    for (let round = 0; round < 4; round += 1) errors.push((await post()).error);
    expect(errors).toEqual([undefined, 'address_refused', 'address_refused', undefined]);
    expect(connections()).toEqual({ public: 2, private: 0 });
  });

  it.each([
    ['the last', [PUBLIC, PRIVATE]],
    ['the first', [PRIVATE, PUBLIC]],
    ['one after those that are tried', [PUBLIC, PUBLIC, PUBLIC, PUBLIC, PUBLIC, PRIVATE]],
    ['one written as IPv6', [PUBLIC, `::ffff:${PRIVATE}`]],
    ['the public one written as IPv6', [`::ffff:${PUBLIC}`]],
    ['one with a zone', [PUBLIC, 'fe80::1%lo']],
    ['one that is not an address', [PUBLIC, 'localhost']],
  ])('is refused without any connection when its addresses include a forbidden one: %s', async (_w, all) => {
    const { post, connections } = await rebinding(keepOpen, all);
    expect(await post()).toMatchObject({ error: 'address_refused', resolvedIp: expect.any(String) });
    expect(connections()).toEqual({ public: 0, private: 0 });
  });
});

describe('name in a network with DNS64', () => {
  it('is not refused for the synthesised form of its public address', async () => {
    // The last address is not public, so that nothing is sent.
    const client = clientWith({
      policy: addressPolicy([]),
      resolve: resolvingTo('8.8.8.8', '64:ff9b::808:808', '64:ff9b::c000:201'),
    });
    expect(await postTo(client, 'https://receiver.test/')).toMatchObject({
      error: 'address_refused',
      resolvedIp: '64:ff9b::c000:201',
    });
  });
});

describe('name that resolves to a private address', () => {
  it.each([
    ['127.0.0.1.nip.io', '127.0.0.1'],
    ['10-0-0-1.sslip.io', '10.0.0.1'],
    ['metadata.nip.io', '169.254.169.254'],
    ['mapped.example.com', '::ffff:10.0.0.1'],
    ['nat64.example.com', '64:ff9b::a00:1'],
    ['sixtofour.example.com', '2002:a00:1::1'],
  ])('%s is refused on connection', async (host, address) => {
    const client = clientWith({ policy: addressPolicy([]), resolve: resolvingTo(address) });
    expect(await postTo(client, `https://${host}/`)).toMatchObject({
      error: 'address_refused',
      resolvedIp: address,
    });
  });
});
