import { equals } from '@bufbuild/protobuf';
import {
  eventually,
  forAllTests,
  startTestProcess,
  startTestRpcServer,
  type TestRpcServer,
} from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { LinkMoment, type Timeline, TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import { openTestService, seeingStatements } from '../../testing/test-service.ts';
import { WATCH_BOUNDS, type WatchBounds } from '../model/watch-bounds.ts';

/** Another replica, on the same database. */
const beside = forAllTests(() => openTestService({ clock: 'real' }));

interface Served {
  readonly server: TestRpcServer<typeof SubmissionService>;
  /** The number of submissions read by each poll. */
  readonly looks: number[];
  /** Makes polls fail as without a database. */
  away: boolean;
  /** Sets its clock. */
  at(time: string): void;
  stop(): Promise<void>;
}

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function serve(bounds: Partial<WatchBounds> = {}): Promise<Served> {
  const served = { away: false, looks: [] as number[] };
  const through = seeingStatements(({ name, values }) => {
    if (name !== 'timeline-marks') return;
    served.looks.push([values?.[0]].flat().length);
    if (served.away) throw Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' });
  });
  const process = startTestProcess('submission');
  const service = await openTestService({ beside, through });
  service.at(new Date().toISOString());
  const context = {
    ...service.context,
    stopping: process.stopping,
    watchBounds: { ...WATCH_BOUNDS, ...bounds },
  };
  const server = await startTestRpcServer('submission', SubmissionService, service.routes(context), process);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= process.stop();
    return stopped;
  };
  opened.push(async () => {
    await server.close();
    await service.context.db.$disconnect();
  });
  return Object.assign(served, { server, stop, at: service.at });
}

const viewer = ({ server }: Served) => server.overGrpcAs('vic', 'staff:viewer');
const watched = (served: Served, submissionId: string, signal?: AbortSignal) =>
  viewer(served)
    .watchTimeline({ submissionId }, signal ? { signal } : {})
    [Symbol.asyncIterator]();
const casesIn = (line: Timeline | undefined) => line?.entries.map(({ what }) => what.case) ?? [];
const linkMoments = (line: Timeline | undefined) =>
  line?.entries.flatMap(({ what }) => (what.case === 'journeyLink' ? [what.value.moment] : []));
const momentsOf = async (line: ReturnType<typeof watched>) => linkMoments((await line.next()).value);
const waiting = () => beside.submit({ terms: { decisionMode: 2 } });
const decide = (submissionId: string) =>
  beside.staff.decideSubmission({ submissionId, decision: Status.ACCEPTED, reason: 'seen' });

describe('WatchTimeline', () => {
  it('sends the current state, and then changes made by another replica, to all watchers', async () => {
    const served = await serve();
    const { id } = await waiting();
    const lines = [watched(served, id), watched(served, id)];
    for (const line of lines) {
      const { value } = await line.next();
      expect(value).toEqual(await beside.staff.getTimeline({ submissionId: id }));
    }
    await decide(id);
    for (const line of lines) {
      const { value } = await line.next();
      expect(value).toMatchObject({ status: Status.ACCEPTED });
      expect(casesIn(value)).toContain('decided');
    }
  });

  it('sends nothing when rows are written without a change, and polls once for all watchers', async () => {
    const served = await serve();
    const [one, other] = [await waiting(), await waiting()];
    const line = watched(served, one.id);
    await line.next();
    const second = watched(served, other.id);
    await second.next();
    const next = line.next();
    const before = served.looks.length;
    await beside.context.pool.query('UPDATE submission SET work_due_at = now() WHERE id = $1', [one.id]);
    await eventually('it has looked twice', () => served.looks.length >= before + 2);
    expect(served.looks.at(-1)).toBe(2);
    await decide(other.id);
    await second.next();
    await decide(one.id);
    expect(casesIn((await next).value)).toContain('decided');
  });

  it('sends a used link, and an expired one, which changes no row', async () => {
    const served = await serve();
    const { id } = await beside.submit({ level: 2, terms: { enrolments: { documentFirst: true } } });
    await beside.decide(id);
    const other = await beside.submit({ level: 2, terms: { enrolments: { documentFirst: true } } });
    await beside.decide(other.id);
    const [line, expiring] = [watched(served, id), watched(served, other.id)];
    expect([await momentsOf(line), await momentsOf(expiring)]).toEqual([
      [LinkMoment.ISSUED],
      [LinkMoment.ISSUED],
    ]);
    await beside.context.pool.query('UPDATE journey_link SET used_at = now() WHERE submission_id = $1', [id]);
    expect(await momentsOf(line)).toEqual([LinkMoment.ISSUED, LinkMoment.USED]);
    served.at(new Date(Date.now() + 80 * 3_600_000).toISOString());
    expect(await momentsOf(expiring)).toEqual([LinkMoment.ISSUED, LinkMoment.EXPIRED]);
  });

  it('sends an entry that replaces another', async () => {
    const served = await serve();
    const { id } = await beside.submit({ level: 2, terms: { enrolments: { documentFirst: true } } });
    await beside.decide(id);
    served.at(new Date(Date.now() + 80 * 3_600_000).toISOString());
    const line = watched(served, id);
    expect(await momentsOf(line)).toEqual([LinkMoment.ISSUED, LinkMoment.EXPIRED]);
    const next = line.next();
    await beside.context.pool.query('UPDATE journey_link SET ended_at = now() WHERE submission_id = $1', [
      id,
    ]);
    const before = served.looks.length;
    await eventually('it has polled twice', () => served.looks.length >= before + 2);
    await beside.staff.readEnquiry({ submissionId: id, purpose: 'adds an entry' });
    const { value } = await next;
    expect(linkMoments(value)).toEqual([LinkMoment.ISSUED, LinkMoment.ENDED]);
    expect(casesIn(value)).not.toContain('staffAction');
  });

  it.each([
    [newId(), 'not_found'],
    ['x', 'invalid_argument'],
  ])('rejects %s', async (submissionId, code) => {
    const served = await serve();
    await expect(watched(served, submissionId).next()).rejects.toThrow(`[${code}]`);
  });

  it('returns an erased submission like GetTimeline, to existing watchers too', async () => {
    const served = await serve();
    const { id } = await waiting();
    const line = watched(served, id);
    await line.next();
    let next = line.next();
    await beside.privacy.requestErasure({ submissionIds: [id], purpose: 'asked for' });
    await beside.erase();
    const erased = await beside.staff.getTimeline({ submissionId: id });
    while (!equals(TimelineSchema, (await next).value, erased)) next = line.next();
  });

  it('ends as unavailable while the database is unavailable, and can be reopened once it recovers', async () => {
    const served = await serve();
    const { id } = await waiting();
    const line = watched(served, id);
    await line.next();
    served.away = true;
    await expect(line.next()).rejects.toThrow('[unavailable] The service is temporarily unavailable.');
    await expect(watched(served, id).next()).rejects.toThrow('[unavailable]');
    served.away = false;
    expect((await watched(served, id).next()).value).toMatchObject({ submissionId: id });
  });
});
