import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CredentialSchema, ListCredentialsResponseSchema } from '@supplier/proto/account/v1/account';
import { Scope, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { AttemptSchema, PreflightEndpointResponseSchema } from '@supplier/proto/webhook/v1/webhook';
import { testRuntime } from '../../testing/test-runtime.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { formatAt, formatPence } from './format-value.ts';
import { tableLines, widthOf } from './table.ts';
import { viewLines } from './view.ts';
import { csvLine, valueAt, writeAnswer } from './write-answer.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000001';
const credential = create(CredentialSchema, {
  credentialId: ID,
  environment: Environment.SANDBOX,
  scopes: [Scope.READ, Scope.CREATE_BASIC],
  createdAt: timestampFromDate(new Date('2026-11-20T09:30:00.900Z')),
});

describe('a value formatted for people', () => {
  it.each([
    ['environment', 'sandbox'],
    ['scopes', 'read, create:basic'],
    ['created_at', '2026-11-20 09:30:00Z'],
    ['expires_at', '-'],
    ['public_id', '-'],
  ])('shows %s as %s', (path, text) => expect(formatAt(credential, CredentialSchema, path)).toBe(text));

  it('is money where the contract declares it', () => {
    const thresholds = create(ThresholdsSchema, { minimumFundingAmount: 25_000 });
    expect(formatAt(thresholds, ThresholdsSchema, 'minimum_funding_amount')).toBe('£25,000');
    expect(formatAt(thresholds, ThresholdsSchema, 'maximum_funding_amount')).toBe('-');
    expect([123_456n, 5n, -5n, 0n].map(formatPence)).toEqual(['£1,234.56', '£0.05', '−£0.05', '£0.00']);
  });

  it('is hex for bytes that are not text', () => {
    const attempt = create(AttemptSchema, { answerHead: Uint8Array.of(0xff, 0x00, 0x10) });
    expect(formatAt(attempt, AttemptSchema, 'answer_head')).toBe('ff0010');
  });
});

describe('a table', () => {
  const table = { heads: ['ID', 'NOTE'], rows: [[ID, 'a long note about nothing in particular']] };

  it('is not truncated when the output is not a terminal', () => {
    expect(tableLines(table, undefined)[1]).toContain('in particular');
  });

  it.each([
    ['ids', ID],
    ['times', '2026-11-20 09:30:00Z'],
  ])('fits the terminal by truncating texts, never %s', (_, whole) => {
    const width = whole.length + 16;
    const lines = tableLines({ heads: ['WHOLE', 'NOTE'], rows: [[whole, 'a note of 18 chars']] }, width);
    expect(lines[1]).toMatch(new RegExp(`^${whole}  a note.*…$`));
    expect(lines.every((line) => widthOf(line) <= width)).toBe(true);
  });

  it('inside of an answer fits as well', () => {
    const addresses = ['192.0.2.1', 'a long text about nothing in particular'].map((address) => ({
      address,
    }));
    const answer = create(PreflightEndpointResponseSchema, { addresses });
    const lines = viewLines(PreflightEndpointResponseSchema, answer, 30).slice(-2);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(30);
    expect(lines[1]).toContain('…');
  });

  it('becomes a block for each row if it cannot fit', () => {
    expect(tableLines(table, 30)).toEqual([`ID    ${ID}`, 'NOTE  a long note about nothing in particular']);
  });

  it('counts wide characters as two columns, and combining marks as none', () => {
    expect([widthOf('漢字'), widthOf('e\u0301'), widthOf('abc')]).toEqual([4, 1, 3]);
  });
});

it('a CSV record is quoted as RFC 4180 specifies, and contains no formulas', () => {
  expect(csvLine(['a,b', 'c"d', '=1+1', '+44', '-12', '-', ' =1', '\u00a0-1+1', '@x'])).toBe(
    '"a,b","c""d",\'=1+1,\'+44,-12,,\' =1,\'\u00a0-1+1,\'@x\r\n',
  );
});

it.each([
  ['a tab before a formula', '\t=1', "'\\t=1"],
  ['a carriage return at the start', '\rx', "'\\rx"],
  ['full-width operators', '\uff1dSUM(A1)', "'\uff1dSUM(A1)"],
  ['a full-width at sign', '\uff20x', "'\uff20x"],
  ['a formula after a semicolon', 'Ltd; =1+1', '"Ltd;\' =1+1"'],
  ['a formula after a quote', 'a"=1', '"a""\'=1"'],
  ['ordinary text that contains operators', 'a-b@c.example', 'a-b@c.example'],
  ['only a semicolon', 'a; b', '"a; b"'],
])('a CSV cell runs no formula in any spreadsheet: %s', (_, cell, written) =>
  expect(csvLine([cell])).toBe(`${written}\r\n`),
);

it('money is a number in CSV, in pence or pounds as its column is named', () => {
  expect(csvLine(['£1,234.56', '−£0.05', '−£1,000.00', '£0.00', '£850,000'])).toBe(
    '123456,-5,-100000,0,850000\r\n',
  );
});

describe('an answer', () => {
  const answer = create(ListCredentialsResponseSchema, { credentials: [credential] });
  const written = (format: Parameters<typeof writeAnswer>[3]) => {
    const { runtime, stdout } = testRuntime();
    writeAnswer(
      ListCredentialsResponseSchema,
      answer,
      { columns: ['credential_id', 'environment'] },
      format,
      runtime.terminal,
    );
    return stdout.join('');
  };

  it('is written as a table, one JSON document, or CSV', () => {
    expect(written({ kind: 'text', get: undefined })).toContain(`CREDENTIAL_ID`);
    expect(JSON.parse(written({ kind: 'json', get: undefined }))).toMatchObject({
      credentials: [{ credentialId: ID, publicId: '' }],
    });
    expect(written({ kind: 'csv', get: undefined })).toBe(`credential_id,environment\r\n${ID},sandbox\r\n`);
  });

  it("gives one value by the contract's or JSON's field names", () => {
    expect(written({ kind: 'text', get: 'credentials.0.credential_id' })).toBe(`${ID}\n`);
    for (const path of [
      'credentials.0.credentialId',
      'credentials[0].credential_id',
      '.credentials[0].credentialId',
    ])
      expect(valueAt({ credentials: [{ credentialId: 'x' }] }, path)).toBe('x');
    try {
      written({ kind: 'text', get: 'credentials.1.credential_id' });
      throw new Error('it was expected to fail');
    } catch (error) {
      expect(error).toBeInstanceOf(CommandFailure);
      expect((error as CommandFailure).exitCode).toBe(exitCodes.notFound);
    }
  });
});
