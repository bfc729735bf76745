import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from '@supplier/lib/runtime/metrics';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { submissionCounts } from './submission-counts.ts';

/** Delays of the decision and of each database commit. */
const WAIT_MS = 400;
const COMMIT_MS = 300;
/** Times are stored in whole milliseconds. */
const ROUNDING_MS = 2;
/** Percentiles are up to a tenth too high, because times are stored in classes. */
const CLASS = 1.1;

let service: TestService;
let registry: Registry;
beforeEach(async () => {
  registry = new Registry();
  service = await openTestService({ clock: 'real', counts: submissionCounts(registry) });
  await service.context.pool.query(`
    CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(${COMMIT_MS / 1_000}); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT OR UPDATE ON submission DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.status = ${Status.ACCEPTED}) EXECUTE FUNCTION commit_slowly()`);
});
afterEach(() => service.close());

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Expects the only decision so far to have taken from `atLeastMs` to `atMostMs`, with or without its commit. */
async function expectDecisionTime(accountId: AccountId, from: number, atLeastMs: number, atMostMs: number) {
  const sum = /^sss_received_to_decided_seconds_sum\{[^}]*\} (?!0$)(\S+)$/m.exec(await registry.metrics());
  const untilCommitMs = 1_000 * Number(sum?.[1]);
  expect(untilCommitMs).toBeGreaterThanOrEqual(atLeastMs + COMMIT_MS - ROUNDING_MS);
  expect(untilCommitMs).toBeLessThanOrEqual(atMostMs + ROUNDING_MS);

  const range = { fromDay: dayOf(from), untilDay: dayOf(Date.now()), environment: Environment.PRODUCTION };
  const { decisionP50Ms, decisionP95Ms, days } = await service.staff.getIntake({ ...range, accountId });
  const decided = days.find(({ accepted }) => accepted === 1n);
  for (const ms of [decisionP50Ms, decisionP95Ms, decided?.decisionP50Ms, decided?.decisionP95Ms]) {
    expect(Number(ms)).toBeGreaterThanOrEqual(atLeastMs - ROUNDING_MS);
    expect(Number(ms)).toBeLessThanOrEqual(CLASS * (atMostMs - COMMIT_MS) + ROUNDING_MS);
  }
}

it.each<[string, (id: SubmissionId) => Promise<void>]>([
  ['when the workers reach it', (id) => service.decide(id)],
  ['by woken workers', () => service.work()],
])('the reported time of a decision %s agrees with the clock of its caller', async (_how, decide) => {
  const accountId = newId<AccountId>();
  const sentAt = Date.now();
  const { id } = await service.submitUndecided({ accountId });
  const receivedAt = Date.now();
  await delay(WAIT_MS);
  const decidingAt = Date.now();
  await decide(id);
  const decidedAt = Date.now();
  expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
  await expectDecisionTime(accountId, sentAt, decidingAt - receivedAt, decidedAt - sentAt);
});

it('the reported time of a decision within the create agrees with the clock of its caller', async () => {
  const accountId = newId<AccountId>();
  const sentAt = Date.now();
  await service.submit({ accountId, level: Level.BASIC });
  await expectDecisionTime(accountId, sentAt, 0, Date.now() - sentAt);
});
