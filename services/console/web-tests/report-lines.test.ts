import './browser-storage.ts';
import type { Outcomes, Value } from '../web/src/figures.ts';
import {
  columnsOf,
  linesOf,
  othersOf,
  reportFile,
  totalOf,
} from '../web/src/screens/reports/report-lines.ts';

const outcomes = (accepted: bigint, more: Partial<Outcomes> = {}): Outcomes => ({
  ...{ accepted, duplicates: 0n, rejected: 0n, returned: 0n, undecided: 0n },
  ...more,
});
const value = (chargedPence: bigint, more: Partial<Value> = {}): Value => ({
  ...{ billableSubmissions: 0n, credits: 0n, chargedPence, creditedPence: 0n, unpriced: 0n },
  ...more,
});

const DAYS = linesOf(
  [
    { key: '2026-10-01', ...outcomes(6n, { duplicates: 1n, rejected: 2n, returned: 1n, undecided: 4n }) },
    { key: '2026-10-02', ...outcomes(2n) },
  ],
  [
    { key: '2026-10-01', ...value(5_000n, { billableSubmissions: 2n, credits: 1n, creditedPence: 1_250n }) },
    { key: '2026-10-02', ...value(2_500n) },
  ],
);

describe('a report', () => {
  it('shows each figure of a line, and accepted ones as a share of those decided', () => {
    const [first] = DAYS;
    const shown = Object.fromEntries(columnsOf(DAYS).map(({ head, text }) => [head, first && text(first)]));
    expect(shown).toEqual({
      ...{ Received: '14', Accepted: '6', 'Accepted of decided': '60%', Duplicate: '1', Rejected: '2' },
      ...{
        Returned: '1',
        Undecided: '4',
        Billable: '2',
        Charged: '£50.00',
        Credited: '£12.50',
        Net: '£37.50',
      },
    });
  });

  it('adds up the lines', () => {
    expect(totalOf(DAYS)).toEqual({
      key: '',
      outcomes: outcomes(8n, { duplicates: 1n, rejected: 2n, returned: 1n, undecided: 4n }),
      value: value(7_500n, { billableSubmissions: 2n, credits: 1n, creditedPence: 1_250n }),
    });
  });

  it('has a line for a supplier that has only submissions or only charges', () => {
    expect(linesOf([{ key: 'a', ...outcomes(1n) }], [{ key: 'b', ...value(3n) }])).toMatchObject([
      { key: 'a', outcomes: { accepted: 1n }, value: { chargedPence: 0n } },
      { key: 'b', outcomes: { accepted: 0n }, value: { chargedPence: 3n } },
    ]);
  });

  it('has a line for the suppliers that the services leave out, so that the total is right', () => {
    const listed = linesOf(
      [{ key: 'a', ...outcomes(7n, { undecided: 4n }) }],
      [{ key: 'a', ...value(7_500n) }],
    );
    expect(othersOf(totalOf(DAYS), listed)).toMatchObject({
      key: '',
      outcomes: { accepted: 1n, duplicates: 1n, rejected: 2n, returned: 1n, undecided: 0n },
      value: { chargedPence: 0n, billableSubmissions: 2n, creditedPence: 1_250n },
    });
    expect(othersOf(totalOf(DAYS), DAYS)).toBeUndefined();
    expect(othersOf(totalOf([]), [])).toBeUndefined();
  });

  it('has no columns for figures that the person may not read or that could not be loaded', () => {
    const heads = (lines: Parameters<typeof columnsOf>[0]) => columnsOf(lines).map(({ head }) => head);
    const counted = linesOf([{ key: 'a', ...outcomes(1n) }], undefined);
    expect(heads(counted)).toEqual(expect.arrayContaining(['Received', 'Returned']));
    expect(heads(counted)).not.toContain('Charged');
    expect(totalOf(counted).value).toBeUndefined();
    expect(othersOf(totalOf(counted), counted)).toBeUndefined();
    expect(heads(linesOf(undefined, [{ key: 'a', ...value(1n) }]))).toEqual([
      ...['Billable', 'Charged', 'Credited', 'Net'],
    ]);
  });

  it('counts lines without a price only if there are any', () => {
    const lines = linesOf(undefined, [{ key: 'a', ...value(1n, { unpriced: 2n }) }]);
    expect(columnsOf(lines).at(-1)?.head).toBe('Unpriced');
  });

  it('is a file with whole numbers and pence, without the total', () => {
    expect(reportFile(['day'], DAYS, ({ key }) => [key])).toEqual([
      'day,received,accepted,duplicates,rejected,returned,undecided,billable_submissions,charged_pence,credited_pence,net_pence\r\n',
      '2026-10-01,14,6,1,2,1,4,2,5000,1250,3750\r\n',
      '2026-10-02,2,2,0,0,0,0,0,2500,0,2500\r\n',
    ]);
  });

  it('names suppliers in a file without letting a spreadsheet run their names', () => {
    const lines = linesOf(undefined, [{ key: 'a', ...value(1n) }]);
    expect(reportFile(['account_id', 'supplier'], lines, ({ key }) => [key, '=HYPERLINK("x")'])[1]).toBe(
      'a,"\'=HYPERLINK(""x"")",0,1,0,1\r\n',
    );
  });
});
