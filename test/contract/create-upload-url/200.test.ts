import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { readStack } from '../../harness/stack.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { finalize, put, requestSubmissionUpload, requestUpload } from '../../harness/uploads.ts';

const alpha = supplier('alpha');
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('request an upload URL', () => {
  it.each([
    ['application/pdf', 'bank_statements', 1],
    ['image/jpeg', 'accounts', 26_214_400],
    ['image/png', 'id', 1024],
    ['text/csv', 'bank_statements', 1024],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'accounts', 1024],
  ])('accepts %s about %s of %s bytes', async (content_type, category, byte_size) => {
    const { documentId } = await requestUpload(alpha, { content_type, category, byte_size });
    expect(documentId).toMatch(UUID);
  });

  it.each(['Application/PDF', 'text/csv; charset=utf-8', 'Text/CSV;charset="UTF-8"'])(
    'accepts the media type %j, and its file can be finalized',
    async (content_type) => {
      const document = await requestSubmissionUpload(alpha, { content_type });
      expect((await put(document)).status).toBe(200);
      expect((await finalize(alpha, document)).status).toBe(200);
    },
  );

  it('returns 200 whether or not the submission exists yet, in both environments', async () => {
    const production = supplier('alpha', 'production');
    for (const api of [alpha, production]) {
      const { external_reference } = await created(api, enquiry());
      await requestUpload(api, { external_reference });
      await requestUpload(api);
    }
  });

  it('returns a URL outside the gateway, which handles no bytes of a file', async () => {
    const { gateway, production, pages } = readStack();
    const { url } = await requestUpload(alpha);
    for (const origin of [gateway, production, pages]) expect(new URL(url).origin).not.toBe(origin);
    const { pathname, search } = new URL(url);
    for (const origin of [gateway, production]) {
      const elsewhere = {
        url: `${origin}${pathname}${search}`,
        byteSize: 1024,
        contentType: 'application/pdf',
      };
      expect((await put(elsewhere)).status).toBe(404);
    }
  });

  it('returns a different id and URL each time, even for one reference', async () => {
    const external_reference = newReference();
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => requestUpload(alpha, { external_reference })));
    expect(new Set(all.map(({ documentId }) => documentId)).size).toBe(5);
    expect(new Set(all.map(({ url }) => url)).size).toBe(5);
  });

  it.each([
    ['a path', '../../../etc/passwd'],
    ['a path of another operating system', '..\\..\\boot.ini'],
    ['right-to-left marks', 'statement\u202efdp.exe'],
    ['line ends', 'a\r\nContent-Type: text/html'],
    ['255 characters', 'x'.repeat(255)],
    ['255 characters outside the basic plane', '😀'.repeat(255)],
    ['only a space', ' '],
    ['quotes', `'"; DROP TABLE document; --`],
  ])('accepts a file name of %s, and includes none of it in the URL', async (_, filename) => {
    const document = await requestUpload(alpha, { filename });
    for (const spelling of [filename, encodeURIComponent(filename)])
      if (spelling.length > 5) expect(document.url).not.toContain(spelling);
    expect((await put(document)).status).toBe(200);
  });

  it('counts documents separately for each supplier', async () => {
    const external_reference = newReference();
    const [one, other] = [await newSupplier(), await newSupplier()];
    for (let n = 0; n < 20; n += 1) await requestUpload(one, { external_reference });
    await requestUpload(other, { external_reference });
  });
});
