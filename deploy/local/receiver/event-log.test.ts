import { createEventLog, type ReceivedEvent } from './event-log.ts';

const event = (over: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  supplier: 'alpha',
  environment: 'sandbox',
  headers: {},
  rawBody: '{}',
  receivedAt: '2026-11-20T10:00:00.000Z',
  verified: true,
  ...over,
});

describe('createEventLog', () => {
  it('lists in order of arrival, filtered by supplier and by time of arrival, that time included', () => {
    const log = createEventLog({ events: 10, characters: 1_000 });
    const early = event();
    const late = event({ receivedAt: '2026-11-20T10:00:01.000Z' });
    const other = event({ supplier: 'beta', receivedAt: '2026-11-20T10:00:02.000Z' });
    for (const each of [early, late, other]) log.add(each);
    expect(log.list({})).toEqual([early, late, other]);
    expect(log.list({ supplier: 'alpha' })).toEqual([early, late]);
    expect(log.list({ since: Date.parse('2026-11-20T10:00:01.000Z') })).toEqual([late, other]);
  });

  it('keeps no more than its number of events, the latest ones', () => {
    const log = createEventLog({ events: 3, characters: 1_000_000 });
    for (let index = 0; index < 5_000; index += 1) log.add(event({ rawBody: String(index) }));
    expect(log.list({}).map(({ rawBody }) => rawBody)).toEqual(['4997', '4998', '4999']);
  });

  it('keeps no more characters than its bound', () => {
    const log = createEventLog({ events: 100, characters: 10 });
    for (const rawBody of ['12345', '67890', 'abcde']) log.add(event({ rawBody }));
    expect(log.list({}).map(({ rawBody }) => rawBody)).toEqual(['67890', 'abcde']);
  });
});
