import './browser-storage.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptSchema,
  DeliveryState,
  EventSchema,
  ListedEndpointSchema,
} from '@supplier/proto/webhook/v1/webhook';
import {
  barWidth,
  causeOf,
  colorOf,
  durationOf,
  formatAttempt,
  formatPhases,
  resultOf,
} from '../web/src/screens/webhooks/attempt.ts';
import {
  healthOf,
  isUndelivered,
  lastFailureOf,
  pendingCountOf,
  pendingOf,
  rateOf,
  undeliveredOf,
} from '../web/src/screens/webhooks/endpoint-health.ts';

const NOW = Date.parse('2026-11-25T12:30:00Z');
const at = (time: string) => timestampFromDate(new Date(time));
/** An attempt that ended a second after it started, unless it is still running. */
const attempt = (startedAt: string, more: MessageInitShape<typeof AttemptSchema> = {}) =>
  create(AttemptSchema, {
    startedAt: at(startedAt),
    endedAt: timestampFromDate(new Date(Date.parse(startedAt) + 1_000)),
    ...more,
  });
const failed = { errorClass: 'timeout' };

describe('the health of an endpoint', () => {
  const events = [
    create(EventSchema, {
      state: DeliveryState.EXHAUSTED,
      attempts: [
        attempt('2026-11-25T12:29:00Z', failed),
        attempt('2026-11-25T12:00:00Z'),
        attempt('2026-11-25T11:59:59Z', failed),
      ],
    }),
    create(EventSchema, { attempts: [attempt('2026-11-24T13:00:00Z'), attempt('2026-11-24T12:59:59Z')] }),
    create(EventSchema, {
      attempts: [create(AttemptSchema, { startedAt: at('2026-11-25T12:29:30Z') })],
    }),
  ];
  const { hours, lastSuccess, ...counts } = healthOf(events, NOW);

  it('counts the attempts that ended', () => {
    expect(counts).toEqual({ attempts: 5, failed: 2, failedEvents: 1 });
  });

  it('has the last 24 hours, the present one last', () => {
    expect(hours).toHaveLength(24);
    const starts = hours.map(({ startsAt }) => timestampDate(startsAt).toISOString());
    expect([starts[0], starts.at(-1)]).toEqual(['2026-11-24T13:00:00.000Z', '2026-11-25T12:00:00.000Z']);
    const figures = hours.map((hour) => [hour.succeeded, hour.failed]);
    expect([figures[0], figures[1], figures.at(-2), figures.at(-1)]).toEqual([
      [1, 0],
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
  });

  it('knows the latest success of all events', () => {
    expect(lastSuccess).toEqual(at('2026-11-25T12:00:01Z'));
    expect(healthOf([], NOW).lastSuccess).toBeUndefined();
  });

  it.each([
    [8, 2, false, '2 of 8 attempts failed (25%)'],
    [8, 0, true, '0 of 8 attempts failed (0%), latest 200 events'],
    [0, 0, false, 'No attempts'],
  ])('of %p attempts with %p failed is their share', (attempts, failures, isCut, text) => {
    expect(rateOf({ ...healthOf([], NOW), attempts, failed: failures, isCut })).toBe(text);
  });
});

describe('a failed event', () => {
  it.each([
    [DeliveryState.EXHAUSTED, '', true],
    [DeliveryState.EXPIRED, '', true],
    [DeliveryState.EXHAUSTED, 'another', false],
    [DeliveryState.DELIVERED, '', false],
    [DeliveryState.PENDING, '', false],
  ])('in state %p, redelivered as %p, is undelivered: %p', (state, redeliveredAs, expected) => {
    expect(isUndelivered(create(EventSchema, { state, redeliveredAs }))).toBe(expected);
  });
});

describe('the undelivered events of an endpoint', () => {
  const refused = attempt('2026-11-25T12:00:00Z', { statusCode: 404, errorClass: 'status' });
  const earlier = attempt('2026-11-25T11:00:00Z', failed);
  const untried = create(EventSchema, { eventId: 'untried', state: DeliveryState.PENDING });
  const retried = create(EventSchema, {
    ...{ eventId: 'retried', state: DeliveryState.PENDING },
    attempts: [refused, create(AttemptSchema, { startedAt: at('2026-11-25T12:30:00Z') })],
  });
  const exhausted = create(EventSchema, { state: DeliveryState.EXHAUSTED, attempts: [earlier] });
  const redelivered = create(EventSchema, { state: DeliveryState.EXHAUSTED, redeliveredAs: 'another' });
  const delivered = create(EventSchema, {
    ...{ state: DeliveryState.DELIVERED, attempts: [attempt('2026-11-25T12:29:00Z')] },
  });

  it('are those that failed or are pending, attempted ones first', () => {
    expect(undeliveredOf([untried, redelivered, delivered, retried, exhausted])).toEqual([
      retried,
      exhausted,
      untried,
    ]);
  });

  it('have the latest failed attempt as the cause', () => {
    const last = lastFailureOf([untried, retried, exhausted, delivered]);
    expect(last).toEqual(refused);
    expect(causeOf(refused)).toBe('HTTP 404');
    expect(causeOf(earlier)).toBe('Timed out');
    expect(lastFailureOf([untried, delivered])).toBeUndefined();
  });
});

describe('pending events', () => {
  it.each([
    [0, '0', '0 pending events'],
    [1, '1', '1 pending event'],
    [99, '99', '99 pending events'],
    [100, '100+', '100+ pending events'],
  ])('of %p are counted', (waiting, count, words) => {
    const listed = create(ListedEndpointSchema, { waiting });
    expect([pendingCountOf(listed), pendingOf(listed)]).toEqual([count, words]);
  });
});

describe('an attempt', () => {
  it.each([
    ['a status code', { statusCode: 503, ...failed }, '503'],
    ['an error', failed, 'Timed out'],
    ['an error of a newer release', { errorClass: 'other' }, 'other'],
  ])('shows %s', (_, more, result) => {
    expect(resultOf(attempt('2026-11-25T12:00:00Z', more))).toBe(result);
  });

  it('has the colour of its outcome, and a bar to the scale of the longest', () => {
    const started = '2026-11-25T12:00:00Z';
    expect(colorOf(attempt(started, { statusCode: 503, ...failed }))).toBe('red');
    expect(colorOf(attempt(started, { statusCode: 200 }))).toBe('green');
    const inProgress = create(AttemptSchema, { startedAt: at(started), dnsMs: 1, connectMs: 12 });
    expect(colorOf(inProgress)).toBe('gray');
    expect(durationOf(inProgress)).toBe(13);
    const ended = timestampFromDate(new Date('2026-11-25T12:00:00.171Z'));
    expect(durationOf({ ...inProgress, endedAt: ended })).toBe(171);
    expect([1, 13, 171].map((ms) => barWidth(ms, 171, 100))).toEqual([2, 8, 100]);
    expect(barWidth(0, 0, 100)).toBe(0);
  });

  it('is in progress until it ends', () => {
    expect(resultOf(create(AttemptSchema, { startedAt: at('2026-11-25T12:00:00Z') }))).toBe('In progress');
  });

  it('lists the phases that it reached with their durations', () => {
    expect(formatPhases(attempt('2026-11-25T12:00:00Z', { connectMs: 12, statusMs: 5 }))).toBe(
      'connect 12 ms, response 5 ms',
    );
    const more = {
      statusCode: 200,
      resolvedIp: '192.0.2.1',
      dnsMs: 0,
      connectMs: 12,
      tlsMs: 34,
      statusMs: 1_500,
    };
    expect(formatAttempt(attempt('2026-11-25T12:00:00Z', more))).toBe(
      '200, 192.0.2.1, 25 Nov 2026, 12:00:00 UTC: DNS 0 ms, connect 12 ms, TLS 34 ms, response 1.5 s',
    );
  });
});
