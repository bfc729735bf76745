import type { TLSSocket } from 'node:tls';
import { type EndpointId, newId } from '@supplier/lib/text/ids';
import { guardedClientTests, postTo, resolvingTo } from '../../testing/guarded-client-tests.ts';
import { httpsReceiver, tlsReceiver, trap } from '../../testing/receivers.ts';
import { addressPolicy } from '../model/address-policy.ts';

const { credentials, clientWith, receiving } = guardedClientTests();

describe('the guard', () => {
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
    'judges the literal %s as what it is',
    async (host) => {
      const client = clientWith({ policy: addressPolicy([]) });
      expect(await postTo(client, `https://${host}:1/`)).toMatchObject({ error: 'address_refused' });
    },
  );
});

/**
 * Names whose answers change. 127.0.0.1 plays the public address, the only one that is allowed here; 127.0.0.2 plays the
 * private one, where somebody listens on the same port and counts.
 */
describe('a name that leads elsewhere the second time', () => {
  const PUBLIC = '127.0.0.1';
  const PRIVATE = '127.0.0.2';

  /** A receiver at the public address, a trap at the private one, and a client for a name with these answers in turn. */
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
  /** Answers once and closes, without having said so. */
  const closeAfter = (status: string) => (socket: TLSSocket) =>
    void socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));

  it('is asked once for each connection, and the answer that was checked is the one connected to', async () => {
    const { post, asked, connections } = await rebinding(keepOpen, [PUBLIC], [PRIVATE]);
    expect(await post()).toMatchObject({ error: undefined, resolvedIp: PUBLIC });
    expect(asked()).toBe(1);
    expect(connections()).toEqual({ public: 1, private: 0 });
  });

  it('is not asked again while its connection is kept alive', async () => {
    const { post, asked, connections } = await rebinding(keepOpen, [PUBLIC], [PRIVATE]);
    for (let round = 0; round < 3; round += 1) {
      expect(await post()).toMatchObject({ error: undefined, resolvedIp: PUBLIC });
    }
    expect(asked()).toBe(1);
    expect(connections()).toEqual({ public: 1, private: 0 });
  });

  it.each(['200 OK', '500 Internal Server Error'])(
    'is refused when the connection has to be opened again after a %s',
    async (status) => {
      const { post, asked, connections } = await rebinding(closeAfter(status), [PUBLIC], [PRIVATE]);
      await post();
      expect(await post()).toMatchObject({ error: 'address_refused', resolvedIp: PRIVATE });
      expect(asked()).toBe(2);
      expect(connections()).toEqual({ public: 1, private: 0 });
    },
  );

  it('is refused when the connection breaks before it is used and is opened again in the same attempt', async () => {
    const broken = (socket: TLSSocket) => void socket.destroy();
    const { post, asked, connections } = await rebinding(broken, [PUBLIC], [PRIVATE]);
    const { error, statusCode } = await post();
    // Whether the break is seen before or after the request is written is not ours to say; where nothing goes, is.
    expect(['address_refused', 'reset']).toContain(error);
    expect(statusCode).toBeUndefined();
    expect(asked()).toBe(error === 'reset' ? 1 : 2);
    expect(connections()).toEqual({ public: 1, private: 0 });
    expect(await post()).toMatchObject({ error: 'address_refused', resolvedIp: PRIVATE });
    expect(connections()).toEqual({ public: 1, private: 0 });
  });

  it('is refused again at every further attempt, and served again once it leads where it may', async () => {
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
    ['one beyond those that are tried', [PUBLIC, PUBLIC, PUBLIC, PUBLIC, PUBLIC, PRIVATE]],
    ['one dressed as IPv6', [PUBLIC, `::ffff:${PRIVATE}`]],
    ['the public one dressed as IPv6', [`::ffff:${PUBLIC}`]],
    ['one with a zone', [PUBLIC, 'fe80::1%lo']],
    ['one that is no address', [PUBLIC, 'localhost']],
  ])(
    'is refused when %s of its addresses may not be connected to, and connected to at none',
    async (_w, all) => {
      const { post, connections } = await rebinding(keepOpen, all);
      expect(await post()).toMatchObject({ error: 'address_refused', resolvedIp: expect.any(String) });
      expect(connections()).toEqual({ public: 0, private: 0 });
    },
  );
});

describe('a name in a network with DNS64', () => {
  it('is not refused for the synthesised form of its public address', async () => {
    // The last one is not public, so that nothing is sent.
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

describe('a name made for reaching private addresses', () => {
  it.each([
    ['127.0.0.1.nip.io', '127.0.0.1'],
    ['10-0-0-1.sslip.io', '10.0.0.1'],
    ['metadata.nip.io', '169.254.169.254'],
    ['mapped.example.com', '::ffff:10.0.0.1'],
    ['nat64.example.com', '64:ff9b::a00:1'],
    ['sixtofour.example.com', '2002:a00:1::1'],
  ])('%s is refused when it is connected to', async (host, address) => {
    const client = clientWith({ policy: addressPolicy([]), resolve: resolvingTo(address) });
    expect(await postTo(client, `https://${host}/`)).toMatchObject({
      error: 'address_refused',
      resolvedIp: address,
    });
  });
});
