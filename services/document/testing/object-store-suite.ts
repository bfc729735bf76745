import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@supplier/lib/testing';
import {
  type Area,
  type ListedObject,
  ObjectChanged,
  type ObjectStore,
  StoreUnavailable,
  type Upload,
} from '../src/object-store/object-store.ts';
import { exchange, upload, uploadAndVanish } from './transfer.ts';

jest.setTimeout(60_000);

const MIB = 1024 * 1024;
const TYPE = 'application/pdf';
const AREAS: Area[] = ['incoming', 'held', 'clean'];

export interface StoreUnderTest {
  readonly store: ObjectStore;
  /** A store of the same kind that is unavailable. */
  readonly unavailable: ObjectStore;
  /** Leftovers of unfinished writes, if the store can list them. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

/** Tests the behaviour required of every object store. Uploads and downloads use HTTP. */
export function describeObjectStore(open: () => Promise<StoreUnderTest>): void {
  let under: StoreUnderTest;
  let store: ObjectStore;
  beforeAll(async () => {
    under = await open();
    store = under.store;
  });
  afterAll(async () => {
    await under?.close();
  });

  const admit = async (bytes: Buffer, other: Partial<Upload> = {}) => {
    const key = newKey();
    const expiresAt = inSeconds(60);
    const url = await store.uploadUrl({
      key,
      contentType: TYPE,
      byteSize: bytes.length,
      expiresAt,
      ...other,
    });
    return { key, url };
  };
  const put = async (bytes: Buffer) => {
    const { key, url } = await admit(bytes);
    expect((await upload(url, bytes, TYPE)).status).toBe(200);
    const etag = (await store.stat('incoming', key))?.etag ?? '';
    return { key, url, etag };
  };
  const putInto = async (area: Area, bytes: Buffer) => {
    const { key, etag } = await put(bytes);
    return { key, etag: await store.copy({ area: 'incoming', key, etag }, { area, key }) };
  };
  const bytesIn = async (area: Area, key: string, etag: string) => buffer(await store.read(area, key, etag));
  const nothingAt = async (key: string) => {
    expect(await store.stat('incoming', key)).toBeUndefined();
    expect(await under.leftovers()).toEqual([]);
  };

  describe('upload', () => {
    it.each([1, 64 * 1024, MIB + 1, 25 * MIB])('of %d bytes is kept intact, with its type', async (size) => {
      const bytes = randomBytes(size);
      const { key, etag } = await put(bytes);
      expect(await store.stat('incoming', key)).toEqual({ byteSize: size, contentType: TYPE, etag });
      expect((await bytesIn('incoming', key, etag)).equals(bytes)).toBe(true);
      expect(await under.leftovers()).toEqual([]);
    });

    it.each(['text/csv; charset=utf-8', 'Text/CSV;charset="UTF-8"'])(
      'is stored with the content type %j, as signed',
      async (contentType) => {
        const { key, url } = await admit(Buffer.from('a,b'), { contentType });
        expect((await upload(url, Buffer.from('a,b'), contentType)).status).toBe(200);
        expect(await store.stat('incoming', key)).toMatchObject({ contentType });
      },
    );

    it('can be repeated until its URL expires, and the last one counts', async () => {
      const { key, url, etag } = await put(Buffer.from('first'));
      expect((await upload(url, Buffer.from('other'), TYPE)).status).toBe(200);
      const now = await store.stat('incoming', key);
      expect(now?.etag).not.toBe(etag);
      expect((await bytesIn('incoming', key, now?.etag ?? '')).toString()).toBe('other');
    });

    it.each<[string, { size?: number; headers?: OutgoingHttpHeaders }]>([
      ['one byte more than signed', { size: 1 }],
      ['one byte less than signed', { size: -1 }],
      ['no byte', { size: -100 }],
      ['another type', { headers: { 'content-type': 'text/html' } }],
      ['the type with a parameter', { headers: { 'content-type': `${TYPE}; charset=utf-8` } }],
      ['chunks instead of a length', { headers: { 'content-length': undefined } }],
    ])('of %s is refused and leaves nothing', async (_what, { size = 0, headers = {} }) => {
      const { key, url } = await admit(randomBytes(100));
      const body = randomBytes(100 + size);
      const head = { 'content-type': TYPE, 'content-length': body.length, ...headers };
      expect(refusing(await exchange(url, { method: 'PUT', headers: head, body }))).toBe(true);
      await nothingAt(key);
    });

    it('is refused for a URL with any part changed', async () => {
      const bytes = randomBytes(10);
      const { key, url } = await admit(bytes);
      const names = [...new URL(url).searchParams.keys()];
      expect(names.length).toBeGreaterThanOrEqual(4);
      for (const name of names) {
        const tampered = new URL(url);
        tampered.searchParams.set(name, changed(tampered.searchParams.get(name) ?? ''));
        expect([name, refusing(await upload(tampered.href, bytes, TYPE))]).toEqual([name, true]);
        tampered.searchParams.delete(name);
        expect([name, refusing(await upload(tampered.href, bytes, TYPE))]).toEqual([name, true]);
      }
      await nothingAt(key);
    });

    it('to a key other than the signed one is refused', async () => {
      const bytes = randomBytes(10);
      const [one, other] = [await admit(bytes), await admit(bytes)];
      const swapped = one.url.replace(one.key, other.key);
      expect(refusing(await upload(swapped, bytes, TYPE))).toBe(true);
      await nothingAt(one.key);
      await nothingAt(other.key);
    });

    it.each(['GET', 'HEAD', 'POST', 'DELETE'])('with %s is refused', async (method) => {
      const { key, url } = await put(Buffer.from('kept'));
      expect(refusing(await exchange(url, { method }))).toBe(true);
      expect(await store.stat('incoming', key)).toBeDefined();
    });

    it('is refused once its URL has expired', async () => {
      const bytes = randomBytes(10);
      const { key, url } = await admit(bytes, { expiresAt: inSeconds(1) });
      await delay(2_200);
      expect(refusing(await upload(url, bytes, TYPE))).toBe(true);
      await nothingAt(key);
    });

    it('that is truncated leaves nothing', async () => {
      const { key, url } = await admit(randomBytes(2 * MIB));
      await uploadAndVanish(url, 2 * MIB, randomBytes(MIB), TYPE);
      await eventually('nothing is left', async () => (await under.leftovers()).length === 0);
      await nothingAt(key);
    });

    it('succeeds for each of 20 concurrent uploads', async () => {
      const bytes = randomBytes(MIB / 2);
      const admitted = await Promise.all(Array.from({ length: 20 }, () => admit(bytes)));
      const answers = await Promise.all(admitted.map(({ url }) => upload(url, bytes, TYPE)));
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      const found = await Promise.all(admitted.map(({ key }) => store.stat('incoming', key)));
      expect(new Set(found.map((object) => object?.etag)).size).toBe(1);
      await Promise.all(admitted.map(({ key }) => store.remove('incoming', key)));
    });
  });

  describe('copy', () => {
    it('has the same bytes, size and type', async () => {
      const bytes = randomBytes(MIB);
      const { key, etag } = await putInto('held', bytes);
      expect(await store.stat('held', key)).toEqual({ byteSize: MIB, contentType: TYPE, etag });
      expect((await bytesIn('held', key, etag)).equals(bytes)).toBe(true);
    });

    it('is unchanged when the incoming object is uploaded again or removed', async () => {
      const { key, url, etag } = await put(Buffer.from('scan me'));
      const held = newKey();
      const copied = await store.copy({ area: 'incoming', key, etag }, { area: 'held', key: held });
      expect((await upload(url, Buffer.from('or me! '), TYPE)).status).toBe(200);
      expect((await bytesIn('held', held, copied)).toString()).toBe('scan me');
      await store.remove('incoming', key);
      expect((await bytesIn('held', held, copied)).toString()).toBe('scan me');
    });

    it('is not made of an object that was replaced', async () => {
      const { key, url, etag } = await put(Buffer.from('before'));
      expect((await upload(url, Buffer.from('after!'), TYPE)).status).toBe(200);
      for (const area of ['held', 'clean'] as const) {
        await expect(store.copy({ area: 'incoming', key, etag }, { area, key })).rejects.toThrow(
          ObjectChanged,
        );
        expect(await store.stat(area, key)).toBeUndefined();
      }
      expect(await under.leftovers()).toEqual([]);
    });

    it('is not made of an object that is gone', async () => {
      const { key, etag } = await put(Buffer.from('gone'));
      await store.remove('incoming', key);
      const copying = store.copy({ area: 'incoming', key, etag }, { area: 'held', key });
      await expect(copying).rejects.toThrow(ObjectChanged);
    });

    it('can be repeated, over itself or over another', async () => {
      const from = { area: 'incoming', ...(await put(Buffer.from('same'))) } as const;
      const to = { area: 'held', key: newKey() } as const;
      const first = await store.copy(from, to);
      expect(await store.copy(from, to)).toBe(first);
      const other = { area: 'incoming', ...(await put(Buffer.from('else'))) } as const;
      const second = await store.copy(other, to);
      expect((await bytesIn('held', to.key, second)).toString()).toBe('else');
      expect(await under.leftovers()).toEqual([]);
    });
  });

  describe('reading', () => {
    it('is refused when the object was replaced or is gone', async () => {
      const { key, url, etag } = await put(Buffer.from('before'));
      expect((await upload(url, Buffer.from('after!'), TYPE)).status).toBe(200);
      await expect(store.read('incoming', key, etag)).rejects.toThrow(ObjectChanged);
      await store.remove('incoming', key);
      await expect(store.read('incoming', key, etag)).rejects.toThrow(ObjectChanged);
    });

    it('can be abandoned before or after the first byte', async () => {
      const { key, etag } = await put(randomBytes(4 * MIB));
      for (let round = 0; round < 10; round += 1) {
        const bytes = await store.read('incoming', key, etag);
        if (round % 2) await once(bytes, 'readable');
        bytes.destroy();
      }
      expect((await store.stat('incoming', key))?.byteSize).toBe(4 * MIB);
    });
  });

  it.each(AREAS)(
    'an object that was never stored in %s does not exist, and removing it succeeds',
    async (area) => {
      const key = newKey();
      expect(await store.stat(area, key)).toBeUndefined();
      await expect(store.remove(area, key)).resolves.toBeUndefined();
    },
  );

  it.each(['held', 'clean'] as const)('an object that was removed from %s is gone', async (area) => {
    const { key } = await putInto(area, Buffer.from('remove me'));
    await store.remove(area, key);
    await store.remove(area, key);
    expect(await store.stat(area, key)).toBeUndefined();
    expect(await store.stat('incoming', key)).toBeDefined();
  });

  it('every object is listed only in its own area, with its size and age', async () => {
    const stored = { held: (await putInto('held', randomBytes(3))).key, clean: '', incoming: '' };
    stored.clean = (await putInto('clean', randomBytes(4))).key;
    stored.incoming = (await put(randomBytes(5))).key;
    for (const [area, key, byteSize] of [
      ['held', stored.held, 3],
      ['clean', stored.clean, 4],
      ['incoming', stored.incoming, 5],
    ] as const) {
      const listed = await all(store.list(area));
      const found = listed.filter((object) => object.key === key);
      expect(found).toMatchObject([{ key, byteSize }]);
      expect(Math.abs(Date.now() - Number(found[0]?.storedAt))).toBeLessThan(60_000);
    }
    const clean = await all(store.list('clean'));
    expect(clean.map(({ key }) => key)).not.toContain(stored.held);
  });

  it('check succeeds for an available store', async () => {
    await expect(store.check()).resolves.toBeUndefined();
  });

  describe('download', () => {
    const link = (key: string, filename = 'accounts.pdf', seconds = 60) =>
      store.downloadUrl({ key, filename, contentType: TYPE, expiresAt: inSeconds(seconds) });

    it('serves exactly the clean bytes, as an attachment', async () => {
      const bytes = randomBytes(2 * MIB + 3);
      const { key } = await putInto('clean', bytes);
      const answer = await exchange(await link(key), {});
      expect(answer.status).toBe(200);
      expect(answer.body.equals(bytes)).toBe(true);
      expect(answer.headers).toMatchObject({
        'content-type': TYPE,
        'content-length': String(bytes.length),
        'content-disposition': `attachment; filename="accounts.pdf"; filename*=UTF-8''accounts.pdf`,
        'cache-control': 'no-store',
      });
    });

    it.each([
      ['a quote', 'a".pdf', 'a".pdf'],
      ['lines of a header', 'a\r\nset-cookie: b=c\r\n\r\n<script>', 'a__set-cookie: b=c____<script>'],
      ['NUL', 'a\0.exe\0.pdf', 'a_.exe_.pdf'],
      ['a path', '../../etc/passwd', '.._.._etc_passwd'],
      ['a path of Windows', '..\\..\\a.exe', '.._.._a.exe'],
      ['direction marks', 'invoice\u202Efdp.exe', 'invoice_fdp.exe'],
      ['half a character', 'a\uD800.pdf', 'a\uFFFD.pdf'],
      ['every script', 'Žluťoučký 帳簿 📄.pdf', 'Žluťoučký 帳簿 📄.pdf'],
      ['special characters of URLs and of the header', `a%22&b=;*'()+#?.pdf`, `a%22&b=;*'()+#?.pdf`],
      ['255 characters', 'ä'.repeat(251), 'ä'.repeat(251)],
    ])('has one well-formed header for a name with %s', async (_what, filename, saved) => {
      const { key } = await putInto('clean', Buffer.from('named'));
      const answer = await exchange(await link(key, filename), {});
      expect([answer.status, answer.body.toString()]).toEqual([200, 'named']);
      expect(answer.headers['set-cookie']).toBeUndefined();
      const header = answer.headers['content-disposition'] ?? '';
      const [, plain, extended = ''] =
        /^attachment; filename="([\w .()-]+)"; filename\*=UTF-8''([\w.%!#$&+^`|~-]+)$/.exec(header) ?? [];
      expect(plain).toBeDefined();
      expect(decodeURIComponent(extended)).toBe(saved);
    });

    it('is refused for a URL with any part changed', async () => {
      const { key } = await putInto('clean', Buffer.from('clean'));
      const url = await link(key);
      for (const name of new URL(url).searchParams.keys()) {
        const tampered = new URL(url);
        tampered.searchParams.set(name, changed(tampered.searchParams.get(name) ?? ''));
        expect([name, refusing(await exchange(tampered.href, {}))]).toEqual([name, true]);
      }
    });

    it.each(['incoming', 'held'] as const)('of an object in %s is refused, with any URL', async (area) => {
      const bytes = Buffer.from('not scanned');
      const { key } = area === 'incoming' ? await put(bytes) : await putInto(area, bytes);
      await store.remove('clean', key);
      const urls = [await link(key), (await link(key)).replace(key, `${area}/${key}`)];
      for (const url of urls) {
        const answer = await exchange(url, {});
        expect(refusing(answer)).toBe(true);
        expect(answer.body.toString()).not.toContain('not scanned');
      }
    });

    it.each(['PUT', 'DELETE', 'POST'])('with %s is refused', async (method) => {
      const { key, etag } = await putInto('clean', Buffer.from('clean'));
      const body = Buffer.from('dirty');
      const headers = method === 'PUT' ? { 'content-length': 5, 'content-type': TYPE } : {};
      const sent = await exchange(await link(key), {
        method,
        headers,
        ...(method === 'PUT' ? { body } : {}),
      });
      expect(refusing(sent)).toBe(true);
      expect((await store.stat('clean', key))?.etag).toBe(etag);
    });

    it('is refused once its URL has expired', async () => {
      const { key } = await putInto('clean', Buffer.from('clean'));
      const url = await link(key, 'a.pdf', 1);
      await delay(2_200);
      expect(refusing(await exchange(url, {}))).toBe(true);
    });
  });

  describe('unavailable store', () => {
    const from = { area: 'incoming', key: newKey(), etag: 'a'.repeat(32) } as const;
    it.each<[string, (broken: ObjectStore) => Promise<unknown>]>([
      ['stat', (broken) => broken.stat('incoming', from.key)],
      ['read', (broken) => broken.read('held', from.key, from.etag)],
      ['copy', (broken) => broken.copy(from, { area: 'clean', key: from.key })],
      ['remove', (broken) => broken.remove('clean', from.key)],
      ['list', (broken) => all(broken.list('clean'))],
      ['check', (broken) => broken.check()],
    ])('rejects %s with StoreUnavailable', async (_method, call) => {
      await expect(call(under.unavailable)).rejects.toThrow(StoreUnavailable);
    });
  });
}

async function all(objects: AsyncIterable<ListedObject>): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for await (const object of objects) found.push(object);
  return found;
}

export function newKey(): string {
  return randomBytes(32).toString('hex');
}

export function inSeconds(seconds: number): Date {
  return new Date(Date.now() + seconds * 1_000);
}

/** Some servers answer 501 for an unknown method. */
function refusing({ status }: { status: number }): boolean {
  return (status >= 400 && status < 500) || status === 501;
}

/** Returns another value of the same form, with the last letter or digit replaced. */
function changed(value: string): string {
  return value.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (sign) => (sign === '1' ? '2' : '1'));
}
