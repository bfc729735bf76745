import { readStack } from '../../harness/stack.ts';
import { supplier } from '../../harness/suppliers.ts';
import { put, requestUpload } from '../../harness/uploads.ts';

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
});
