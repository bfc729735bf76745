import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { keptConnections } from './index.ts';

const FACTS = {
  address: '127.0.0.1',
  asksForCertificate: false,
  tlsVersion: 'TLSv1.3',
  dnsMs: undefined,
  connectMs: 1,
  tlsMs: 1,
};
const LONG_MS = 60_000;

const connection = () => ({ socket: new TLSSocket(new Socket()).on('error', () => {}), facts: FACTS });

describe('kept connection', () => {
  it('is taken once, the most recently used first, and only under its key', async () => {
    const kept = keptConnections(2);
    const [first, second] = [connection(), connection()];
    kept.keep('a', first, LONG_MS);
    kept.keep('a', second, LONG_MS);
    expect(await kept.take('b')).toBeUndefined();
    expect(await kept.take('a')).toBe(second);
    expect(await kept.take('a')).toBe(first);
    expect(await kept.take('a')).toBeUndefined();
  });

  it('is not taken when earlier bytes are read only while it is taken', async () => {
    const kept = keptConnections(1);
    const one = connection();
    kept.keep('a', one, LONG_MS);
    // In the next turn, as the poll phase of the event loop reads them.
    setImmediate(() => one.socket.push('HTTP/1.1 200 OK'));
    expect(await kept.take('a')).toBeUndefined();
    expect(one.socket.destroyed).toBe(true);
  });

  it.each([
    ['is taken', 'has been sent since', 0, true],
    ['is closed', 'is not sent yet', 1, false],
  ])('%s when a request that was answered early %s', async (_, __, unsent, isTaken) => {
    const kept = keptConnections(1);
    const one = connection();
    const leaveUnsent = (bytes: number) =>
      Object.defineProperty(one.socket, 'writableLength', { value: bytes, configurable: true });
    leaveUnsent(1);
    kept.keep('a', one, LONG_MS);
    leaveUnsent(unsent);
    expect((await kept.take('a')) === one).toBe(isTaken);
    expect(one.socket.destroyed).toBe(!isTaken);
  });

  it.each(['end', 'close', 'error'])('is not taken after %s', async (event) => {
    const kept = keptConnections(1);
    const one = connection();
    kept.keep('a', one, LONG_MS);
    one.socket.emit(event, new Error('on purpose'));
    expect(await kept.take('a')).toBeUndefined();
  });

  it('is closed once its time is over', async () => {
    const kept = keptConnections(2);
    const [over, lasting] = [connection(), connection()];
    kept.keep('a', over, 0);
    kept.keep('a', lasting, LONG_MS);
    kept.prune();
    expect([over.socket.destroyed, lasting.socket.destroyed]).toEqual([true, false]);
    expect(await kept.take('a')).toBe(lasting);
    kept.keep('a', over, 0);
    expect(await kept.take('a')).toBeUndefined();
  });

  it('is closed when its key has enough, and when connections are no longer kept', () => {
    const kept = keptConnections(1);
    const [first, second, third] = [connection(), connection(), connection()];
    kept.keep('a', first, LONG_MS);
    kept.keep('a', second, LONG_MS);
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([false, true]);
    kept.close();
    expect(first.socket.destroyed).toBe(true);
    kept.keep('a', third, LONG_MS);
    expect(third.socket.destroyed).toBe(true);
  });
});
