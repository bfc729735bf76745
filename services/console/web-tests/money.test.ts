import './browser-storage.ts';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EntryKind, StatementLineSchema, StatementSchema } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { isUsed, statementKeys } from '../web/src/screens/billing/statement-keys.ts';
import { CSV_HEAD, csvLine } from '../web/src/screens/statement/csv-line.ts';
import { penceOf, priceSet } from '../web/src/screens/statement/price.ts';
import { isSame } from '../web/src/screens/statement/totals.ts';

afterEach(() => jest.useRealTimers());

describe('a price', () => {
  it.each([
    ['45', 4_500],
    ['45.50', 4_550],
    ['52.5', 5_250],
    [' 0.05 ', 5],
    ['10000', 1_000_000],
    ['10000.01', undefined],
    ['99999', undefined],
    ['45.', undefined],
    ['45.505', undefined],
    ['-45', undefined],
    ['£45', undefined],
    ['4 5', undefined],
    ['1,000', undefined],
    ['', undefined],
  ])('of %p pounds is %p pence', (pounds, pence) => expect(penceOf(pounds)).toBe(pence));
});

describe('a price that was set', () => {
  beforeEach(() => jest.useFakeTimers({ now: new Date('2026-11-29T12:00:00Z') }));

  it.each([
    ['', 2, 'Price set. Applied to 2 lines.'],
    ['2026-11-29', 1, 'Price set. Applied to 1 line.'],
    ['2026-11-30', 0, 'Price set. It applies from 30 November 2026 (UTC).'],
  ])('from %p says when it applies', (from, lines, text) => expect(priceSet(from, lines)).toBe(text));
});

describe('the totals that a person read', () => {
  const READ = {
    charges: 3n,
    chargedPence: 900n,
    credits: 1n,
    creditedPence: 300n,
    netPence: 600n,
    unpriced: 1n,
  };
  const totals = (changes = {}) => create(StatementSchema, { totals: { ...READ, ...changes } }).totals;

  it('are the same if nothing changed', () => expect(isSame(totals(), totals())).toBe(true));

  it.each([
    ['another net', { netPence: 601n }],
    ['another unpriced line', { unpriced: 2n }],
    ['a line that got a price', { unpriced: 0n }],
    ['lines that add up to nothing', { charges: 4n, credits: 2n }],
    ['another charge', { charges: 4n }],
    ['another credit', { credits: 2n }],
  ])('are not the same with %s', (_, changes) => expect(isSame(totals(), totals(changes))).toBe(false));

  it('are not the same as none', () => expect(isSame(totals(), undefined)).toBe(false));
});

describe('the statements on the billing screen', () => {
  beforeEach(() => jest.useFakeTimers({ now: new Date('2026-01-31T23:30:00Z') }));

  it.each([
    [
      'this month of suppliers with lines',
      {},
      [
        ['a', '2026-01'],
        ['b', '2026-01'],
      ],
    ],
    [
      'another month of suppliers with lines',
      { month: '2025-11' },
      [
        ['a', '2025-11'],
        ['b', '2025-11'],
      ],
    ],
    ['a month of a supplier', { month: '2025-11', account: 'c' }, [['c', '2025-11']]],
  ])('are those of %s', (_, selected: { month?: string; account?: string }, expected) => {
    const keys = statementKeys({ month: selected.month, account: selected.account }, [
      { accountId: 'a' },
      { accountId: 'b' },
    ]);
    expect(keys.map(({ accountId, month }) => [accountId, month])).toEqual(expected);
  });

  it('are the latest twelve of a supplier', () => {
    const months = statementKeys({ month: undefined, account: 'c' }, []).map(({ month }) => month);
    expect(months).toHaveLength(12);
    expect([months[0], months[1], months.at(-1)]).toEqual(['2026-01', '2025-12', '2025-02']);
  });

  it.each([
    ['this month', { month: '2026-01' }, true],
    ['last month', { month: '2025-12' }, true],
    ['an older month', { month: '2025-11' }, false],
    ['an older month with a charge', { month: '2025-11', totals: { charges: 1n } }, true],
    ['an older month with a credit', { month: '2025-11', totals: { credits: 1n } }, true],
    ['an older month that is closed', { month: '2025-11', closedAt: timestampFromDate(new Date()) }, true],
  ])('include %s: %p', (_, statement, isIncluded) => {
    expect(isUsed(create(StatementSchema, statement))).toBe(isIncluded);
  });
});

describe('a line of the CSV file', () => {
  it('has a time in UTC, and whole pence', () => {
    const line = create(StatementLineSchema, {
      entryId: 'e',
      submissionId: 's',
      externalReference: '=1+1',
      kind: EntryKind.CREDIT,
      billingModel: BillingModel.ACCEPTED_SUBMISSION,
      occurredAt: timestampFromDate(new Date('2026-10-31T23:59:59.999Z')),
      pence: 4_550,
      netPence: -4_550,
    });
    const cells = csvLine(line).trim().split(',');
    expect(cells).toHaveLength(CSV_HEAD.split(',').length);
    expect(cells.slice(3)).toEqual([
      'credit',
      'accepted_submission',
      '2026-10-31 23:59:59Z',
      '4550',
      '-4550',
    ]);
    expect(cells[2]).not.toMatch(/^=/);
  });

  it('leaves out what is not known', () => {
    expect(csvLine(create(StatementLineSchema, { entryId: 'e' })).trim()).toBe('e,,,,,,,');
  });
});
