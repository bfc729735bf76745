import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { MatchKey } from '@supplier/proto/submission/v1/timeline';
import { NO_HASHES } from './match-hashes.ts';
import { Customers, type Matchable } from './matching.ts';

const WINDOW_DAYS = 90;
const NOW = new Date('2026-11-20T10:00:00.000Z');
const ACCOUNT = newId<AccountId>();
const before = (ms: number) => new Date(NOW.getTime() - ms);
const hash = (byte: number) => new Uint8Array(32).fill(byte);

const submission = (facts: Partial<Matchable>): Matchable => ({
  id: newId<SubmissionId>(),
  accountId: ACCOUNT,
  environment: Environment.PRODUCTION,
  receivedAt: NOW,
  ...NO_HASHES,
  ...facts,
});

/** Returns the match of a submission among the earlier ones. */
function found(earlier: readonly Partial<Matchable>[], facts: Partial<Matchable>) {
  const customers = new Customers(WINDOW_DAYS);
  const known = earlier.map(submission);
  for (const one of known) customers.add(one);
  const match = customers.find(submission(facts));
  return match && { which: known.findIndex(({ id }) => id === match.id), key: match.key };
}

const COMPANY = { companyHash: hash(1) };
const TELEPHONE = { telephoneHash: hash(2) };
const EMAIL = { emailHash: hash(3) };
const OTHER_COMPANY = { companyHash: hash(4) };

describe('two submissions', () => {
  it.each([
    ['company', COMPANY, MatchKey.COMPANY_NUMBER],
    ['telephone', TELEPHONE, MatchKey.TELEPHONE],
    ['email', EMAIL, MatchKey.EMAIL],
  ])('match when they share a %s', (_what, shared, key) => {
    expect(found([shared], shared)).toEqual({ which: 0, key });
  });

  it('match when they name one company, even with different telephone numbers', () => {
    const match = { which: 0, key: MatchKey.COMPANY_NUMBER };
    expect(found([{ ...COMPANY, ...TELEPHONE }], { ...COMPANY, telephoneHash: hash(9) })).toEqual(match);
  });

  it.each([
    ['the earlier', {}, COMPANY],
    ['the later', COMPANY, {}],
  ])('match when they share a telephone or email and %s names no company', (_which, earlier, later) => {
    expect(found([{ ...TELEPHONE, ...earlier }], { ...TELEPHONE, ...later })?.key).toBe(MatchKey.TELEPHONE);
    expect(found([{ ...EMAIL, ...earlier }], { ...EMAIL, ...later })?.key).toBe(MatchKey.EMAIL);
  });

  it('do not match when they name two companies, even if they share a telephone and email', () => {
    const shared = { ...TELEPHONE, ...EMAIL };
    expect(found([{ ...COMPANY, ...shared }], { ...OTHER_COMPANY, ...shared })).toBeUndefined();
  });

  it('do not match when they share nothing, or only a digest of a different kind of key', () => {
    expect(found([TELEPHONE], EMAIL)).toBeUndefined();
    expect(found([{}], {})).toBeUndefined();
    expect(found([{ telephoneHash: hash(5) }], { emailHash: hash(5) })).toBeUndefined();
  });
});

describe('the scope of a match', () => {
  const other = { accountId: newId<AccountId>() };
  const sandbox = { environment: Environment.SANDBOX };

  it('covers all accounts in production, and one account in the sandbox', () => {
    expect(found([EMAIL], { ...EMAIL, ...other })).toBeDefined();
    expect(found([{ ...EMAIL, ...sandbox }], { ...EMAIL, ...sandbox })).toBeDefined();
    expect(found([{ ...EMAIL, ...sandbox }], { ...EMAIL, ...sandbox, ...other })).toBeUndefined();
  });

  it('covers one environment', () => {
    expect(found([{ ...EMAIL, ...sandbox }], EMAIL)).toBeUndefined();
    expect(found([EMAIL], { ...EMAIL, ...sandbox })).toBeUndefined();
  });

  it('covers the window before the receipt, to the millisecond, and any time after it', () => {
    const windowMs = WINDOW_DAYS * 86_400_000;
    for (const shared of [COMPANY, TELEPHONE]) {
      expect(found([{ ...shared, receivedAt: before(windowMs) }], shared)).toBeDefined();
      expect(found([{ ...shared, receivedAt: before(windowMs + 1) }], shared)).toBeUndefined();
      expect(found([{ ...shared, receivedAt: before(-1) }], shared)).toBeDefined();
    }
  });

  it('continues past a submission that does not match', () => {
    const old = { ...EMAIL, receivedAt: new Date(0) };
    const others = [old, { ...EMAIL, ...OTHER_COMPANY }];
    const later = { ...EMAIL, ...COMPANY };
    expect(found([...others, EMAIL], later)).toEqual({ which: 2, key: MatchKey.EMAIL });
    expect(found([EMAIL, ...others], later)).toEqual({ which: 0, key: MatchKey.EMAIL });
  });
});
