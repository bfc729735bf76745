import { type AccountId, newId } from '@supplier/lib/text/ids';
import { accountKey, admit, type ReservationRequest, referenceKey } from './admission.ts';

const accountId = newId<AccountId>();
const request = (changes: Partial<ReservationRequest> = {}): ReservationRequest => ({
  accountId,
  environment: 'sandbox',
  externalReference: 'ref',
  byteSize: 10n,
  ...changes,
});
const NOTHING = { bytes: new Map(), documents: new Map(), erased: new Set<string>() };
const used = (bytes: bigint, documents: number) => ({
  bytes: new Map([[accountKey(request()), bytes]]),
  documents: new Map([[referenceKey(request()), documents]]),
  erased: new Set<string>(),
});

describe('document quotas', () => {
  it.each([
    [90n, 1, 'reserved'],
    [91n, 1, 'accountBytes'],
    [90n, 2, 'perReference'],
    [0n, 0, 'reserved'],
    [100n, 0, 'accountBytes'],
  ])('with %s bytes and %s documents used of 100 and 2, the result is: %s', (bytes, documents, expected) => {
    const quotas = { accountBytes: 100, perReference: 2 };
    expect(admit([request()], used(bytes, documents), quotas)).toEqual([expected]);
  });

  it('count documents admitted earlier in the same call, but not refused ones', () => {
    const sizes = [60n, 50n, 40n, 1n];
    const all = sizes.map((byteSize, n) => request({ byteSize, externalReference: `ref-${n}` }));
    expect(admit(all, NOTHING, { accountBytes: 100, perReference: 9 })).toEqual([
      'reserved',
      'accountBytes',
      'reserved',
      'accountBytes',
    ]);
    const same = [request(), request(), request({ externalReference: 'other' }), request()];
    expect(admit(same, NOTHING, { accountBytes: 100, perReference: 2 })).toEqual([
      'reserved',
      'reserved',
      'reserved',
      'perReference',
    ]);
  });

  it('are not used by a document for an erased reference', () => {
    const erased = new Set([referenceKey(request())]);
    const all = [request(), request({ externalReference: 'other' })];
    expect(admit(all, { ...NOTHING, erased }, { accountBytes: 10, perReference: 1 })).toEqual([
      'erased',
      'reserved',
    ]);
  });

  it('apply to one account in one environment', () => {
    const others = [
      request(),
      request({ environment: 'production' }),
      request({ accountId: newId<AccountId>() }),
    ];
    const quotas = { accountBytes: 10, perReference: 1 };
    expect(admit(others, NOTHING, quotas)).toEqual(['reserved', 'reserved', 'reserved']);
  });
});
