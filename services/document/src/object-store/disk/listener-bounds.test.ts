import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@supplier/lib/testing';
import { inSeconds, newKey } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore, type TestDiskStore } from '../../../testing/test-disk-store.ts';
import { exchange, upload } from '../../../testing/transfer.ts';
import type { ListenerBounds } from './upload-listener.ts';

jest.setTimeout(60_000);

const TYPE = 'text/csv';

let disk: TestDiskStore;
afterEach(() => disk.close());

async function open(
  bounds: Partial<ListenerBounds> = {},
  trustedProxies: readonly string[] = [],
): Promise<void> {
  disk = await openTestDiskStore({ bounds, trustedProxies });
}

function urlOf(byteSize: number, owner?: string): Promise<string> {
  const admitted = { key: newKey(), contentType: TYPE, byteSize, expiresAt: inSeconds(60) };
  return disk.store.uploadUrl(owner === undefined ? admitted : { ...admitted, owner });
}

/** Starts an upload, waits until `count` are in progress, and leaves it open. */
async function begin(
  url: string,
  byteSize: number,
  count: number,
  more: http.OutgoingHttpHeaders = {},
): Promise<{ cancel(): void; finish(rest: string): void; ended: Promise<unknown> }> {
  const headers = { 'content-type': TYPE, 'content-length': byteSize, ...more };
  const request = http.request(url, { method: 'PUT', headers, agent: false });
  const ended = new Promise((resolve) => request.once('close', resolve));
  request.on('error', () => {});
  request.write('x');
  await eventually('the upload has begun', async () => (await disk.leftovers()).length === count);
  return { cancel: () => request.destroy(), finish: (rest) => request.end(rest), ended };
}

async function answerTo(
  url: string,
  headers: http.OutgoingHttpHeaders = {},
): Promise<[number, string | undefined]> {
  const { status, body } = await upload(url, Buffer.from('abc'), TYPE, headers);
  return [status, body.length > 0 ? JSON.parse(body.toString()).error.code : undefined];
}

describe('concurrent uploads', () => {
  it('are limited per URL without affecting others', async () => {
    await open({ maxOfKey: 1 });
    const url = await urlOf(3);
    const first = await begin(url, 3, 1);
    expect(await answerTo(url)).toEqual([503, 'busy']);
    expect(await answerTo(await urlOf(3))).toEqual([200, undefined]);
    first.cancel();
    await eventually('the first is gone', async () => (await disk.leftovers()).length === 0);
    expect(await answerTo(url)).toEqual([200, undefined]);
  });

  it('are limited per account without affecting others', async () => {
    await open({ maxOfOwner: 2 });
    const uploads = [await begin(await urlOf(3, 'one'), 3, 1), await begin(await urlOf(3, 'one'), 3, 2)];
    expect(await answerTo(await urlOf(3, 'one'))).toEqual([503, 'busy']);
    expect(await answerTo(await urlOf(3, 'two'))).toEqual([200, undefined]);
    for (const { cancel } of uploads) cancel();
    await eventually('they are gone', async () => (await disk.leftovers()).length === 0);
    expect(await answerTo(await urlOf(3, 'one'))).toEqual([200, undefined]);
  });

  it('are limited per address', async () => {
    await open({ maxOfAddress: 1 });
    const first = await begin(await urlOf(3), 3, 1);
    expect(await answerTo(await urlOf(3))).toEqual([503, 'busy']);
    // Another loopback address.
    const other = http.request(await urlOf(3), {
      method: 'PUT',
      headers: { 'content-type': TYPE, 'content-length': 3 },
      localAddress: '127.0.0.2',
      agent: false,
    });
    other.end('abc');
    const [response] = (await once(other, 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(200);
    await buffer(response);
    first.cancel();
  });

  it('are counted by forwarded address behind a trusted proxy, whose connections are not limited', async () => {
    await open({ maxOfAddress: 1, maxConnectionsOfAddress: 1 }, ['127.0.0.0/8']);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const first = await begin(await urlOf(3), 3, 1, from('192.0.2.1'));
    expect(await answerTo(await urlOf(3), from('192.0.2.1'))).toEqual([503, 'busy']);
    expect(await answerTo(await urlOf(3), from('198.51.100.9, ::ffff:192.0.2.1'))).toEqual([503, 'busy']);
    expect(await answerTo(await urlOf(3), from('192.0.2.2'))).toEqual([200, undefined]);
    // A client with one IPv6 address controls its whole network.
    const second = await begin(await urlOf(3), 3, 2, from('2001:db8::1'));
    expect(await answerTo(await urlOf(3), from('2001:db8::2'))).toEqual([503, 'busy']);
    first.cancel();
    second.cancel();
  });

  it('are counted by connection when no proxy is trusted, regardless of their headers', async () => {
    await open({ maxOfAddress: 1 });
    const first = await begin(await urlOf(3), 3, 1);
    const answer = await answerTo(await urlOf(3), { 'x-forwarded-for': '192.0.2.1' });
    expect(answer).toEqual([503, 'busy']);
    first.cancel();
  });

  it('take no slot without a valid URL', async () => {
    await open({ maxOfKey: 1, maxOfOwner: 1 });
    const url = await urlOf(3, 'one');
    for (let count = 0; count < 5; count += 1)
      expect(await answerTo(url.replace('size=3', 'size=4'))).toEqual([403, 'forged']);
    expect(await answerTo(url)).toEqual([200, undefined]);
  });
});

it('are logged with their duration, measured by the injected clock', async () => {
  await open();
  const beginsAt = performance.now();
  const { ended, finish } = await begin(await urlOf(2), 2, 1);
  const begunAt = performance.now();
  await delay(250);
  const finishedAt = performance.now();
  finish('y');
  await ended;
  const line = await eventually('it is logged', () =>
    disk.process.lines.find(({ msg }) => msg === 'transfer'),
  );
  expect(line).toMatchObject({ outcome: 'done' });
  expect(line.duration_ms).toBeGreaterThanOrEqual(Math.floor(finishedAt - begunAt));
  expect(line.duration_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - beginsAt));
});

describe('slow transfer', () => {
  it('is cut despite a constant trickle of bytes, and leaves nothing', async () => {
    await open({ minBytesPerSecond: 10_000, windowMs: 300 });
    const { ended, cancel } = await begin(await urlOf(100_000), 100_000, 1);
    const late = setTimeout(cancel, 30_000);
    await ended;
    clearTimeout(late);
    await eventually('nothing is left', async () => (await disk.leftovers()).length === 0);
    const [line] = disk.process.lines.filter(({ msg }) => msg === 'transfer');
    expect(line).toMatchObject({ outcome: 'cut' });
    expect(Number(line?.duration_ms)).toBeLessThan(30_000);
  });

  it('is not cut when it is fast enough', async () => {
    await open({ minBytesPerSecond: 1_000, windowMs: 100 });
    const bytes = Buffer.alloc(500_000);
    expect((await upload(await urlOf(bytes.length), bytes, TYPE)).status).toBe(200);
  });
});

describe('upload URL', () => {
  it.each([
    ['a parameter more', (url: string) => `${url}&x=1`],
    ['a parameter twice', (url: string) => url.replace('size=3', 'size=3&size=3')],
    ['its parameters in another order', (url: string) => url.replace(/\?(size=3)&(.*)$/, '?$2&$1')],
    ['another spelling of a letter', (url: string) => url.replace('type=text', 'type=%74ext')],
    ['another spelling of the size', (url: string) => url.replace('size=3', 'size=3.0')],
    ['a second query', (url: string) => `${url}?x=1`],
    ['an empty parameter', (url: string) => `${url}&`],
  ])('is refused with %s', async (_what, change) => {
    await open();
    const url = await urlOf(3);
    expect(change(url)).not.toBe(url);
    expect(await answerTo(change(url))).toEqual([403, 'forged']);
    expect(await answerTo(url)).toEqual([200, undefined]);
  });

  it.each([
    ['content-encoding', 'gzip'],
    ['content-encoding', 'identity'],
    ['content-range', 'bytes 0-2/3'],
  ])('does not admit a body with %s: %s', async (name, value) => {
    await open();
    expect(await answerTo(await urlOf(3), { [name]: value })).toEqual([400, 'not_as_it_is']);
  });
});

describe('download URL', () => {
  it('does not reveal the filename, which the response contains', async () => {
    await open();
    const link = { key: newKey(), filename: 'jo-bloggs.csv', contentType: TYPE, expiresAt: inSeconds(60) };
    const url = await disk.store.downloadUrl(link);
    expect(decodeURIComponent(url)).not.toMatch(/bloggs|am8tYmxvZ2dz/);
    const put = await urlOf(3);
    const key = new URL(put).pathname.split('/').at(-1) ?? '';
    await upload(put, Buffer.from('abc'), TYPE);
    const etag = (await disk.store.stat('incoming', key))?.etag ?? '';
    await disk.store.copy({ area: 'incoming', key, etag }, { area: 'clean', key: link.key });
    expect((await exchange(url, {})).headers['content-disposition']).toContain('jo-bloggs.csv');
  });
});

describe('raw sockets', () => {
  const dial = async (): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(disk.url).port) });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  /** Returns everything received until the listener disconnects. */
  const answered = async (text: string): Promise<string> => {
    const socket = await dial();
    socket.write(text);
    return (await buffer(socket)).toString();
  };

  it.each([
    ['CONNECT', 'CONNECT files:443 HTTP/1.1\r\nHost: files\r\n\r\n'],
    ['a broken length', 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
    ['two lengths', 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01'],
  ])('are closed when they send %s', async (_what, text) => {
    await open();
    expect(await answered(text)).not.toMatch(/^HTTP\/1\.1 [123]/);
    expect(await answerTo(await urlOf(3))).toEqual([200, undefined]);
  });

  it('that request an upgrade are answered as if they had not', async () => {
    await open();
    const headers = { connection: 'Upgrade', upgrade: 'h2c' };
    expect(await answerTo(await urlOf(3), headers)).toEqual([200, undefined]);
  });

  it('that are reset after any byte neither end the process nor hold resources', async () => {
    await open({ maxTransfers: 4, maxConnectionsOfAddress: 8 });
    const { pathname, search, host } = new URL(await urlOf(3));
    const heads = [
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${TYPE}\r\nContent-Length: 3\r\n\r\nab`,
      `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\nabc`,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nabc`,
      `PUT / HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n`,
    ];
    for (const head of heads)
      for (let end = 1; end <= head.length; end += 5) {
        const socket = await dial();
        await new Promise<void>((resolve) => socket.write(head.slice(0, end), () => resolve()));
        const closed = once(socket, 'close');
        socket.resetAndDestroy();
        await closed;
      }
    await eventually(
      'every place is free again',
      async () => (await answerTo(await urlOf(3)))[0] === 200,
      20_000,
    );
    await eventually('nothing is left', async () => (await disk.leftovers()).length === 0);
  });

  it('are limited per address', async () => {
    await open({ maxConnectionsOfAddress: 2 });
    const held = [await dial(), await dial()];
    const third = await dial();
    await once(third.resume(), 'close');
    for (const socket of held) socket.destroy();
    await eventually('there is room again', async () => {
      const status = await answerTo(await urlOf(3)).then(
        ([code]) => code,
        () => 0,
      );
      return status === 200;
    });
  });
});
