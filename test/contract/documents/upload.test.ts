import { randomBytes } from 'node:crypto';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { documentOf, finalize, put, requestSubmissionUpload, requestUpload } from '../../harness/uploads.ts';

const alpha = supplier('alpha');

describe('an upload URL', () => {
  it('accepts the largest file, repeatedly', async () => {
    const document = await requestSubmissionUpload(alpha, { byte_size: 26_214_400 });
    for (const _ of [1, 2]) expect((await put(document)).status).toBe(200);
    documentOf(await finalize(alpha, document));
  });

  it('accepts 50 concurrent uploads without a failure', async () => {
    const documents = await Promise.all(
      Array.from({ length: 50 }, () => requestUpload(alpha, { byte_size: 65_536 })),
    );
    const answers = await Promise.all(documents.map((document) => put(document)));
    expect(answers.map(({ status }) => status)).toEqual(documents.map(() => 200));
  });

  it('is invalid once one letter of it is changed', async () => {
    const document = await requestSubmissionUpload(alpha);
    const { origin, pathname, searchParams } = new URL(document.url);
    const tampered = [...searchParams.keys()].map((name) => {
      const changed = new URL(document.url);
      const value = searchParams.get(name) ?? '';
      const last = value.at(-1);
      changed.searchParams.set(name, `${value.slice(0, -1)}${last === '1' ? '2' : '1'}`);
      return changed.href;
    });
    const without = [...searchParams.keys()].map((name) => {
      const changed = new URL(document.url);
      changed.searchParams.delete(name);
      return changed.href;
    });
    const otherKey = `${pathname.slice(0, -1)}${pathname.endsWith('0') ? '1' : '0'}`;
    const refused = [...tampered, ...without, `${origin}${otherKey}?${searchParams}`, `${origin}${pathname}`];
    expect(refused.length).toBeGreaterThan(5);
    for (const url of refused) {
      const { status } = await put({ ...document, url });
      expect([400, 403, 404]).toContain(status);
    }
    expect(pathsOf(await finalize(alpha, document))).toEqual(['document_id']);
    expect((await put(document)).status).toBe(200);
  });

  it('cannot have its expiry extended', async () => {
    const document = await requestUpload(alpha);
    const later = new URL(document.url);
    for (const [name, value] of later.searchParams)
      if (/expires|date/i.test(name)) later.searchParams.set(name, value.replace(/\d/, '9'));
    expect(later.href).not.toBe(document.url);
    expect((await put({ ...document, url: later.href })).status).toBe(403);
  });

  it('is valid for one object: its signature works for no other', async () => {
    const [one, other] = [await requestUpload(alpha), await requestUpload(supplier('beta'))];
    const swapped = new URL(one.url);
    swapped.pathname = new URL(other.url).pathname;
    expect((await put({ ...one, url: swapped.href })).status).toBe(403);
  });

  it('cannot be used to download', async () => {
    const document = await requestUpload(alpha);
    const bytes = randomBytes(1024);
    await put(document, { bytes });
    const { status, text } = await put(document, { method: 'GET' });
    expect([403, 404, 405]).toContain(status);
    expect(text).not.toContain(bytes.toString('latin1').slice(0, 20));
  });
});
