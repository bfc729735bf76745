import { Code, createClient, createRouterTransport } from '@connectrpc/connect';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { documentRoutes } from './index.ts';

const client = createClient(DocumentService, createRouterTransport(documentRoutes()));

describe('the document service', () => {
  it('says plainly that it does not take documents yet', async () => {
    const unimplemented = {
      code: Code.Unimplemented,
      rawMessage: expect.stringMatching(/not offered by this build/),
    };
    await expect(client.createUpload({ externalReference: 'r' })).rejects.toMatchObject(unimplemented);
    await expect(client.finalizeUpload({ externalReference: 'r' })).rejects.toMatchObject(unimplemented);
  });
});
