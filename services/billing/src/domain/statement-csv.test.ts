import type { LedgerEntryId, SubmissionId } from '@supplier/lib/ids';
import type { StatementLine } from './statement.ts';
import { csvRecord, statementCsvHeader, statementCsvRecord } from './statement-csv.ts';

const LINE: StatementLine = {
  entryId: '0199a000-0000-7000-8000-000000000001' as LedgerEntryId,
  submissionId: '0199a000-0000-7000-8000-000000000002' as SubmissionId,
  kind: 'charge',
  billingModel: 'accepted_submission',
  occurredAt: new Date('2026-11-01T10:00:00.111Z'),
  pence: 2500,
};

describe('a statement as CSV', () => {
  it('has a header and a record for each line, ended by CR LF', () => {
    expect(statementCsvHeader).toBe(
      'entry_id,submission_id,kind,billing_model,occurred_at,amount_pence,currency\r\n',
    );
    expect(statementCsvRecord(LINE)).toBe(
      `${LINE.entryId},${LINE.submissionId},charge,accepted_submission,2026-11-01T10:00:00.111Z,2500,GBP\r\n`,
    );
  });

  it.each([
    [{ kind: 'credit', pence: 2500 }, '-2500'],
    [{ kind: 'credit', pence: 0 }, '0'],
    [{ pence: 0 }, '0'],
    [{ pence: null }, ''],
    [{ kind: 'credit', pence: null }, ''],
  ] as const)('writes the amount of %j as "%s"', (line, amount) => {
    expect(statementCsvRecord({ ...LINE, ...line }).split(',')[5]).toBe(amount);
  });
});

describe('a record of CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['two\r\nlines', '"two\r\nlines"'],
  ])('quotes %j as RFC 4180 says', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1+1', '\u00a0=1', '\t=1'])(
    'never gives a spreadsheet %j to run',
    (text) => {
      expect(csvRecord([text])).toBe(`'${text}\r\n`);
    },
  );

  it('quotes a formula that hides behind a line end, too', () => {
    expect(csvRecord(['\r=1'])).toBe(`"'\r=1"\r\n`);
    expect(csvRecord(['\n=1'])).toBe(`"'\n=1"\r\n`);
  });

  it('leaves numbers as they are, below zero too', () => {
    expect(csvRecord([-5, 12])).toBe('-5,12\r\n');
  });
});
