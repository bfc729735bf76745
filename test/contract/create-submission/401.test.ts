import { newAccount } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

describe('create 401', () => {
  it('returns 401 within a second of the credential’s revocation', async () => {
    const { credentialId, ...api } = await (await newAccount()).issue();
    submissionOf(await api.create(enquiry()), 202);
    await staff.account().revokeCredential({ credentialId });
    await waitFor(
      'the revoked credential to be refused',
      async () => {
        const answer = await api.create(enquiry());
        if (answer.status !== 401) throw new NotYet(`${answer.status}`);
      },
      { withinMs: 1000 },
    );
  });
});
