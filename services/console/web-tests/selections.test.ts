import './browser-storage.ts';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { ListedSubmissionSchema } from '@supplier/proto/submission/v1/list_submissions';
import { MAX_SELECTED, selectMore } from '../web/src/components/selected-keys.ts';
import { startOfDay, timestampIn } from '../web/src/dates.ts';
import { quoted } from '../web/src/format.ts';
import { lastEnvironment } from '../web/src/preferences.ts';
import { deciderOf, requesterOf } from '../web/src/screens/approvals/people-of.ts';
import { deliveriesOf, MAX_EVENTS } from '../web/src/screens/data-requests/deliveries-of.ts';
import { requestOf } from '../web/src/screens/submissions/request-of.ts';
import { countOf, environmentOf, suppliersOf } from '../web/src/screens/submissions/selected-counts.ts';
import { billingSearch, reportsSearch, rootSearch, submissionsSearch } from '../web/src/searches.ts';

const at = (time: string) => timestampFromDate(new Date(time));
afterEach(() => jest.useRealTimers());

describe('a day and a time', () => {
  it.each([
    ['2026-11-20', 0, '2026-11-20T00:00:00Z'],
    ['2026-10-25', 1, '2026-10-26T00:00:00Z'],
    ['2026-12-31', 1, '2027-01-01T00:00:00Z'],
  ])('of %p and %p days later are in UTC', (day, later, time) => {
    expect(startOfDay(day, later)).toEqual(at(time));
  });

  it('are nothing without a valid time', () => {
    expect(timestampIn('2026-11-20T09:30')).toEqual(at('2026-11-20T09:30:00Z'));
    expect(timestampIn('')).toBeUndefined();
  });
});

describe('the parameters of a URL', () => {
  it.each([
    ['a number of an enum', { level: '1' }, { level: 1 }],
    ['no unspecified value', { level: '0' }, {}],
    ['each value once', { status: ['1', '2', '1', '99'] }, { status: [1, 2] }],
    ['both environments', { both: 'yes' }, { both: 'yes' }],
    ['a day', { since: '2026-11-20', until: '2026-11-2' }, { since: '2026-11-20' }],
    ['no longer text than allowed', { reference: 'x'.repeat(129), request: 'x' }, { request: 'x' }],
    ['nothing unknown', { other: '1' }, {}],
  ])('contain %s', (_, given, found) => expect(submissionsSearch(given)).toEqual(found));

  it('contain the environment, or the one that was shown last', () => {
    const given = [{ environment: '1' }, { environment: 2 }, { environment: 0 }, {}];
    lastEnvironment.set('sandbox');
    expect(given.map((one) => rootSearch(one).environment)).toEqual([1, 2, 1, 1]);
    lastEnvironment.set('production');
    expect(given.map((one) => rootSearch(one).environment)).toEqual([1, 2, 2, 2]);
  });

  it('contain offered periods only', () => {
    expect([{ days: '30' }, { days: 31 }].map(reportsSearch)).toEqual([{ days: 30 }, {}]);
  });

  it('contain no month after this one', () => {
    jest.useFakeTimers({ now: new Date('2026-11-30T23:30:00Z') });
    const months = ['2026-11', '2026-12', '2026-13'];
    expect(months.map((month) => billingSearch({ month }))).toEqual([{ month: '2026-11' }, {}, {}]);
  });
});

describe('the request for submissions', () => {
  it('has all filters, and includes the last day', () => {
    const search = {
      status: [Status.ACCEPTED],
      billing: 2,
      queue: [3],
      level: 1,
      account: 'a',
      reference: 'r',
      request: 'q',
      since: '2026-10-31',
      until: '2026-10-31',
    };
    expect(requestOf(search)).toEqual({
      statuses: [Status.ACCEPTED],
      billingStatus: 2,
      queues: [3],
      // A queue begins with what has waited longest.
      oldestFirst: true,
      level: 1,
      accountId: 'a',
      referencePrefix: 'r',
      requestId: 'q',
      receivedSince: at('2026-10-31T00:00:00Z'),
      receivedUntil: at('2026-11-01T00:00:00Z'),
    });
  });

  it('has none without filters', () => {
    expect(requestOf({})).toEqual({
      statuses: [],
      billingStatus: 0,
      queues: [],
      oldestFirst: false,
      level: 0,
    });
  });
});

describe('selected submissions', () => {
  const { PRODUCTION, SANDBOX } = Environment;
  const selected = (...environments: Environment[]) =>
    environments.map((environment, place) =>
      create(ListedSubmissionSchema, { environment, accountId: place < 2 ? 'a' : 'b' }),
    );

  it.each([
    [[PRODUCTION], PRODUCTION, '1 submission in PRODUCTION', 'one supplier'],
    [[SANDBOX, SANDBOX], SANDBOX, '2 submissions in the sandbox', 'one supplier'],
    [
      [PRODUCTION, SANDBOX, SANDBOX],
      'both',
      '3 submissions, 1 in PRODUCTION and 2 in the sandbox',
      '2 suppliers',
    ],
  ])('in %p are counted by environment and supplier', (environments, environment, count, suppliers) => {
    const rows = selected(...environments);
    expect([environmentOf(rows), countOf(rows), suppliersOf(rows)]).toEqual([environment, count, suppliers]);
  });
});

describe('a word of a command', () => {
  it.each([
    ['plain', "'plain'"],
    ["it's", "'it'\\''s'"],
  ])('of %p is quoted', (text, word) => expect(quoted(text)).toBe(word));
});

describe('a selection of rows', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, n) => `row ${n}`);

  it('grows to the maximum, keeps what was selected before, and counts no row twice', () => {
    expect(selectMore(new Set(['a']), ['b', 'a', 'c'])).toEqual(new Set(['a', 'b', 'c']));
    const full = selectMore(new Set(['a', 'row 0']), keys(MAX_SELECTED + 1));
    expect([...full]).toEqual(['a', ...keys(MAX_SELECTED - 1)]);
  });
});

describe('the deliveries in an export', () => {
  const events = Array.from({ length: MAX_EVENTS + 1 }, (_, n) => n);

  it('are all up to the maximum', () => {
    const all = events.slice(0, MAX_EVENTS);
    expect(deliveriesOf('one', all)).toEqual({ included: all, leftOut: [] });
  });

  it('are named as incomplete beyond it', () => {
    const leftOut = ['all but 200 deliveries of submission one'];
    expect(deliveriesOf('one', events)).toEqual({ included: events.slice(0, MAX_EVENTS), leftOut });
  });
});

it('the people of an approval are named with the issuer of each', () => {
  const approval = create(ApprovalSchema, {
    requestedBy: 'ada',
    requestedIssuer: 'https://one.example',
    decidedBy: 'bob',
    decidedIssuer: 'https://other.example',
  });
  expect(requesterOf(approval)).toBe('ada (issuer https://one.example)');
  expect(deciderOf(approval)).toBe('bob (issuer https://other.example)');
});
