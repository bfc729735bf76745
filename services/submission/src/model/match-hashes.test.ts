import { KeyRing } from '@supplier/lib/data/crypto';
import { Environment } from '@supplier/proto/common/v1/status';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { enquiryHashes, NO_HASHES, statedHashes } from './match-hashes.ts';
import { matchRule } from './match-keys.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
/** Builds a key ring whose primary digest key is the first id. */
const ringOf = (...ids: number[]) =>
  KeyRing.fromJson(
    JSON.stringify({
      primary: 'k1',
      keys: { k1: key(1) },
      primaryDigestKey: `d${ids[0]}`,
      digestKeys: Object.fromEntries(ids.map((id) => [`d${id}`, key(id)])),
    }),
  );
const matchingOf = (...ids: number[]) => ({ keyRing: ringOf(...ids), matchRule: matchRule() });
const CUSTOMER = { companyNumber: '01234567', telephone: '020 7946 0000', email: 'Ada@Example.test' };

describe('match hashes', () => {
  const ring = ringOf(1);
  const hashes = statedHashes(matchingOf(1), CUSTOMER);

  it('are digests of the normal forms of company number, telephone and email, each with a separate purpose', () => {
    expect(hashes).toEqual({
      companyHash: ring.digest('match/company', '01234567'),
      telephoneHash: ring.digest('match/telephone', '+442079460000'),
      emailHash: ring.digest('match/email', 'ada@example.test'),
      hashesUnderOtherKeys: [],
    });
  });

  it('are null for unstated values', () => {
    expect(statedHashes(matchingOf(1), {})).toEqual(NO_HASHES);
    expect(statedHashes(matchingOf(1), { email: CUSTOMER.email })).toEqual({
      ...NO_HASHES,
      emailHash: hashes.emailHash,
    });
  });

  it.each([
    ['of all values', CUSTOMER],
    ['of a single value', { email: CUSTOMER.email }],
  ])('%s are hashed with every digest key during a rotation, the primary one first', (_what, customer) => {
    const [primary, former, oldest] = [2, 1, 3].map((id) => statedHashes(matchingOf(id), customer));
    const { hashesUnderOtherKeys, ...stored } = statedHashes(matchingOf(2, 1, 3), customer);
    const { hashesUnderOtherKeys: _none, ...expected } = primary ?? NO_HASHES;
    expect(stored).toEqual(expected);
    expect(hashesUnderOtherKeys).toEqual(
      [former, oldest].map((one) => ({
        companyHash: one?.companyHash,
        telephoneHash: one?.telephoneHash,
        emailHash: one?.emailHash,
      })),
    );
  });

  it('are made from the enquiry, except that sandbox simulations are never matched', () => {
    const enquiry = sampleEnquiry({ ...CUSTOMER, businessName: 'Sandbox Accept Ltd' });
    expect(enquiryHashes(matchingOf(1), Environment.PRODUCTION, enquiry)).toEqual(hashes);
    expect(enquiryHashes(matchingOf(1), Environment.SANDBOX, enquiry)).toEqual(NO_HASHES);
    const plain = sampleEnquiry(CUSTOMER);
    expect(enquiryHashes(matchingOf(1), Environment.SANDBOX, plain)).toEqual(hashes);
  });
});
