import { Code, ConnectError } from '@connectrpc/connect';
import { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import { chargesAndCredits, ledgerOf } from './billing.ts';
import type { Story } from './load.ts';
import { rowsOf } from './processes.ts';
import { submissionOf } from './responses.ts';
import { staff } from './rpc.ts';
import type { StatusObject } from './schemas.ts';
import { isBilled, type SupplierApi } from './suppliers.ts';
import { NotYet, waitFor } from './wait.ts';
import { deliveriesTo, type ReceivedEvent } from './webhooks.ts';

const AT_ONCE = 8;

/**
 * Waits until every submission of a load has been accepted and billed and its last state delivered. Then checks that
 * each has exactly one application, one charge, and one event for its one change.
 */
export async function everythingEndedOnce(
  api: SupplierApi,
  stories: readonly Story[],
  withinMs: number,
): Promise<void> {
  expect(stories.length).toBeGreaterThan(0);
  const deadline = Date.now() + withinMs;
  const left = () => Math.max(0, deadline - Date.now());

  const states = await inTurns(stories, ({ submission }) => accepted(api, submission, left()));
  const since = states.map((s) => s.received_at).sort()[0] ?? '';
  const deliveries = await deliveredToTheEnd(api, states, new Date(since), left());
  for (const state of states) checkEvents(state, deliveries.get(state.submission_id) ?? []);
  await inTurns(states, (state) => checkStaffView(state, left()));
  await checkTables(states.map((state) => state.submission_id));
}

const accepted = (api: SupplierApi, { submission_id }: StatusObject, withinMs: number) =>
  waitFor(
    `submission ${submission_id} to be accepted and billed`,
    async () => {
      const seen = submissionOf(await api.read(submission_id), 200);
      if (seen.status !== 'accepted' || !isBilled(seen)) throw new NotYet(JSON.stringify(seen));
      return seen;
    },
    { withinMs, throughErrors: true },
  );

function deliveredToTheEnd(
  api: SupplierApi,
  states: readonly StatusObject[],
  since: Date,
  withinMs: number,
): Promise<Map<string, ReceivedEvent[]>> {
  return waitFor(
    `the last state of ${states.length} submissions to be delivered`,
    async () => {
      const bySubmission = Map.groupBy(
        await deliveriesTo(api, since),
        (event) => event.envelope.data.submission_id,
      );
      const missing = states.filter(
        (state) => !bySubmission.get(state.submission_id)?.some((e) => isBilled(e.envelope.data)),
      );
      if (missing.length > 0)
        throw new NotYet(`${missing.length} are missing, such as ${missing[0]?.submission_id}`);
      return bySubmission;
    },
    { withinMs, throughErrors: true },
  );
}

/** A delivery may repeat, an event may not: each id identifies one body, one time and one state. */
function checkEvents(state: StatusObject, deliveries: readonly ReceivedEvent[]): void {
  const byId = Map.groupBy(deliveries, (event) => event.envelope.id);
  for (const same of byId.values()) expect(new Set(same.map((event) => event.rawBody)).size).toBe(1);
  const events = [...byId.values()].flatMap((same) => same.slice(0, 1));
  events.sort((a, b) => (a.envelope.occurred_at < b.envelope.occurred_at ? -1 : 1));
  expect(new Set(events.map((event) => event.envelope.occurred_at)).size).toBe(events.length);
  expect(new Set(events.map((event) => JSON.stringify(event.envelope.data))).size).toBe(events.length);
  expect(events.at(-1)?.envelope.data).toEqual(state);
  expect(deliveries.every((event) => event.verified)).toBe(true);
}

async function checkStaffView(state: StatusObject, withinMs: number): Promise<void> {
  const submissionId = state.submission_id;
  // Only "unavailable" is retried: the assertion is about the Application's content, not its immediate availability.
  const application = await waitFor(
    `the Application of ${submissionId} to be read`,
    () =>
      staff
        .submission()
        .getApplication({ purpose: 'read by a test', submissionId })
        .catch((error: unknown) => {
          throw ConnectError.from(error).code === Code.Unavailable ? new NotYet(String(error)) : error;
        }),
    { withinMs },
  );
  expect(application.applicationReference).toBe(state.application_reference);
  expect(chargesAndCredits(await ledgerOf(submissionId))).toEqual(['charge']);
  // Decision, Application and billing are one change.
  const events = await waitFor(
    `the events of ${submissionId} to be settled`,
    async () => {
      const { events: recorded } = await staff.webhook().listEvents({ submissionId });
      const open = recorded.filter(({ state: s }) => s === DeliveryState.PENDING);
      if (open.length > 0)
        throw new NotYet(JSON.stringify(open.map((e) => e.attempts.map((a) => a.errorClass))));
      return recorded;
    },
    { withinMs },
  );
  expect(events.map(({ state: s }) => s)).toEqual([DeliveryState.DELIVERED]);
}

/** Checks for a second row that nothing refers to, which no API call would reveal. */
async function checkTables(ids: readonly string[]): Promise<void> {
  const applications = 'select submission_id from application where submission_id = any($1)';
  expect(await rowsOf('submission', applications, [ids])).toHaveLength(ids.length);
  const changes = `select aggregate_id, count(*) from domain_event
     where aggregate_id = any($1) group by 1 having count(*) <> 1`;
  expect(await rowsOf('submission', changes, [ids])).toEqual([]);
}

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return results;
}
