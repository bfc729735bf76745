import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { post } from './post.ts';
import { makeSlot } from './slots.ts';

const LIMITS = { statusMs: 500, answerMs: 500 };
const REQUEST = { path: '/', headers: {}, body: Buffer.from('{}') };
const FACTS = { address: '127.0.0.1', tlsVersion: 'TLSv1.3', dnsMs: undefined, connectMs: 1, tlsMs: 1 };

describe('a slot', () => {
  it('gives up, instead of connecting for ever, when connections break before they can be used', async () => {
    let openings = 0;
    const slot = makeSlot(new URL('https://receiver.test/'), async () => {
      openings += 1;
      const socket = new TLSSocket(new Socket());
      socket.on('error', () => {}).destroy();
      return { socket, facts: FACTS };
    });
    const { result, reusable } = await post(slot, REQUEST, LIMITS, new AbortController().signal);
    expect(result).toMatchObject({ error: 'reset', statusCode: undefined });
    expect(reusable).toBe(false);
    expect(openings).toBe(2);
  });

  it('stops opening a connection as soon as it is destroyed', async () => {
    const aborted = Promise.withResolvers<void>();
    const slot = makeSlot(new URL('https://receiver.test/'), (_target, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => {});
    });
    const { result } = await post(slot, REQUEST, { ...LIMITS, statusMs: 20 }, new AbortController().signal);
    expect(result).toMatchObject({ error: 'timeout' });
    await aborted.promise;
  });
});
