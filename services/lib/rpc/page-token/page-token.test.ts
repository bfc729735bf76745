import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, type ConnectError } from '@connectrpc/connect';
import { ListParkedWorkRequestSchema } from '@supplier/proto/submission/v1/parked_work';
import { ListEndpointEventsRequestSchema } from '@supplier/proto/webhook/v1/webhook';
import { refusalOf } from '../refusal/index.ts';
import { boundedPage, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, requestedPage } from './index.ts';

const QUERY = { accountId: '0199a000-0000-7000-8000-000000000001', states: [2, 3] };

function page(request: MessageInitShape<typeof ListEndpointEventsRequestSchema> = {}, parse = number) {
  const message = create(ListEndpointEventsRequestSchema, { ...QUERY, ...request });
  return requestedPage(ListEndpointEventsRequestSchema, message, parse);
}
const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined);

/** Returns the rejected fields, each with its message. */
function refused(ask: () => unknown) {
  try {
    ask();
  } catch (error) {
    expect((error as ConnectError).code).toBe(Code.InvalidArgument);
    return refusalOf(error)?.violations.map(({ path, message }) => `${path} ${message}`);
  }
  return undefined;
}
const NOT_OURS = ['page_token must be the next_page_token of a previous page of this query'];

describe('page size', () => {
  it('defaults to 50 and can be up to 200', () => {
    expect(page().size).toBe(DEFAULT_PAGE_SIZE);
    expect(page({ pageSize: 1 }).size).toBe(1);
    expect(page({ pageSize: MAX_PAGE_SIZE }).size).toBe(200);
  });

  it.each([-1, 201, 2_147_483_647])('is rejected when it is %d', (pageSize) => {
    expect(refused(() => page({ pageSize }))).toEqual(['page_size must be from 0 to 200']);
  });
});

describe('page token', () => {
  const token = page().tokenAfter('17');

  it('continues the same query with any page size', () => {
    expect(page().after).toBeUndefined();
    expect(page({ pageToken: token }).after).toBe(17);
    expect(page({ pageToken: token, pageSize: 7 }).after).toBe(17);
    expect(page({ pageToken: token }).tokenAfter('17')).toBe(token);
  });

  it('is empty when there is no further page', () => {
    expect(page().tokenAfter(undefined)).toBe('');
  });

  it.each([
    { states: [2] },
    { states: [3, 2] },
    { accountId: '0199a000-0000-7000-8000-000000000002' },
    { recordedSince: { seconds: 1n } },
  ])('is rejected by another query: %j', (other) => {
    expect(refused(() => page({ ...other, pageToken: token }))).toEqual(NOT_OURS);
  });

  it('is rejected by another kind of query with equal fields', () => {
    const empty = create(ListEndpointEventsRequestSchema, {});
    const given = requestedPage(ListEndpointEventsRequestSchema, empty, number).tokenAfter('17');
    const other = create(ListParkedWorkRequestSchema, { pageToken: given });
    expect(refused(() => requestedPage(ListParkedWorkRequestSchema, other, number))).toEqual(NOT_OURS);
  });

  it('is rejected after any change, truncation or addition', () => {
    const garbled = [
      ...[...token].map((sign, at) => token.slice(0, at) + (sign === 'A' ? 'B' : 'A') + token.slice(at + 1)),
      ...[token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, ` ${token}`, `${token}\n`],
      ...[
        'x',
        '!',
        'null',
        'A'.repeat(21),
        'A'.repeat(200),
        'A'.repeat(100_000),
        Buffer.from('17').toString('base64url'),
      ],
    ];
    for (const pageToken of garbled) expect(refused(() => page({ pageToken }))).toEqual(NOT_OURS);
  });

  it('is rejected when the list cannot parse its position', () => {
    expect(refused(() => page({ pageToken: page().tokenAfter('seventeen') }))).toEqual(NOT_OURS);
  });

  it('never exceeds the length that requests allow', () => {
    expect(page().tokenAfter('x'.repeat(120)).length).toBeLessThanOrEqual(200);
    expect(() => page().tokenAfter('x'.repeat(121))).toThrow('invariant violated');
  });
});

describe('boundedPage', () => {
  const row = (n: number, matches = true, is_last = false) => ({ n, matches, is_last });

  it.each([
    ['ends with the list', [row(1), row(2)], [1, 2], undefined],
    ['continues after its own last row when there are more', [row(1), row(2), row(3)], [1, 2], 2],
    ['continues after the last examined row when it is short', [row(1), row(9, false, true)], [1], 9],
    ['continues after the last examined row when it is empty', [row(9, false, true)], [], 9],
    ['includes the last examined row when it matches', [row(1), row(9, true, true)], [1, 9], 9],
    ['leaves rows that do not fit to the next page', [row(1), row(2), row(9, true, true)], [1, 2], 2],
  ])('%s', (_, rows, page, next) => {
    const found = boundedPage(rows, 2);
    expect(found.page.map(({ n }) => n)).toEqual(page);
    expect(found.next?.n).toBe(next);
  });
});
