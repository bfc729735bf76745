import { newAccount } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH, call } from '../../harness/http.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const alpha = supplier('alpha');
const [prefix = '', kind = '', publicId = '', secret = ''] = alpha.credential.split('_');
const otherEnd = secret.endsWith('a') ? 'b' : 'a';
const betaSecret = supplier('beta').credential.split('_')[3];

describe('create 401', () => {
  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['a scheme without a credential', 'Bearer'],
    ['a credential without a scheme', alpha.credential],
    ['another scheme', `Basic ${Buffer.from(`${alpha.credential}:`).toString('base64')}`],
    ['two credentials', `Bearer ${alpha.credential}, Bearer ${alpha.credential}`],
    ['text after the credential', `Bearer ${alpha.credential} x`],
    ['a token of another kind', 'Bearer eyJhbGciOiJub25lIn0.e30.'],
    ['another secret', `Bearer ${prefix}_${kind}_${publicId}_${secret.slice(0, -1)}${otherEnd}`],
    ['no secret', `Bearer ${prefix}_${kind}_${publicId}_`],
    ['the secret of another supplier', `Bearer ${prefix}_${kind}_${publicId}_${betaSecret}`],
    ['an unknown public id', `Bearer ${prefix}_${kind}_${'0'.repeat(16)}_${secret}`],
    ['another prefix', `Bearer other_${kind}_${publicId}_${secret}`],
    ['the other environment in its name', `Bearer ${prefix}_live_${publicId}_${secret}`],
    ['hyphens in place of underscores', `Bearer ${alpha.credential.replaceAll('_', '-')}`],
    ['a live credential', `Bearer ${supplier('alpha', 'production').credential}`],
    ['a very long credential', `Bearer ${alpha.credential}${'x'.repeat(6000)}`],
  ])('returns 401 with %s', async (_, authorization) => {
    const body = enquiry();
    const answer = await call(originOf('sandbox'), {
      method: 'POST',
      path: CREATE_PATH,
      body,
      headers: { authorization },
    });
    expect(refusalOf(answer, 401).code).toBe('unauthorized');
    refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });

  it('returns 401 with a test credential in production', async () => {
    const answer = await supplier('alpha', 'production').create(enquiry(), { credential: alpha.credential });
    refusalOf(answer, 401);
  });

  it('returns 401 before it reports anything about the body', async () => {
    const anonymous = { credential: `${alpha.credential}x` };
    refusalOf(await alpha.create('{', anonymous), 401);
    refusalOf(await alpha.create({}, anonymous), 401);
    refusalOf(await alpha.create('x'.repeat(70_000), anonymous), 401);
    refusalOf(await alpha.create('x', { ...anonymous, headers: { 'content-type': 'text/plain' } }), 401);
  });

  it('returns the same response for every kind of invalid credential', async () => {
    const texts = await Promise.all(
      [
        'x',
        `${prefix}_${kind}_${'0'.repeat(16)}_${secret}`,
        alpha.credential.replace('_test_', '_live_'),
      ].map(async (credential) => (await alpha.create(enquiry(), { credential })).text),
    );
    expect(new Set(texts).size).toBe(1);
  });

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

  it('returns 401 once the credential has expired', async () => {
    const api = await (await newAccount()).issue({ expiresAt: new Date(Date.now() + 1500) });
    submissionOf(await api.create(enquiry()), 202);
    await waitFor(
      'the expired credential to be refused',
      async () => {
        const answer = await api.create(enquiry());
        if (answer.status !== 401) throw new NotYet(`${answer.status}`);
      },
      { withinMs: 3000 },
    );
  });
});
