import { Registry } from '@supplier/lib/runtime/metrics';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService, type SubmitOptions, type TestService } from '../../testing/test-service.ts';
import { submissionCounts } from './submission-counts.ts';

let service: TestService;
let registry: Registry;
beforeEach(async () => {
  registry = new Registry();
  service = await openTestService({ counts: submissionCounts(registry) });
});
afterEach(() => service.close());

/** Returns the counts that are not zero. */
async function counted(): Promise<string[]> {
  const page = await registry.metrics();
  return page.split('\n').filter((line) => /^sss_\w+_(?:total|sum)\{.* (?!0$)/.test(line));
}
const staffed = { terms: { decisionMode: DecisionMode.STAFF } };
const basic: SubmitOptions = { level: Level.BASIC, environment: Environment.SANDBOX };

it('counts of receipts and decisions start at zero', async () => {
  const page = await registry.metrics();
  for (const labels of [
    'environment="production",level="basic",decision="duplicate_not_accepted",decided_by="staff"',
    'environment="sandbox",level="application",decision="accepted",decided_by="policy"',
  ])
    expect(page).toContain(`sss_decisions_total{${labels}} 0`);
  expect(await counted()).toEqual([]);
});

it('a submission is counted on receipt and when the worker decides, with the time between', async () => {
  const enquiry = { accountId: newId<AccountId>(), externalReference: 'once', body: Buffer.alloc(32) };
  const { id } = await service.submitUndecided(enquiry);
  // Sends the same submission again.
  expect(await service.submit(enquiry)).toMatchObject({ id, created: false });
  service.at('2026-11-20T10:00:03Z');
  await service.work();
  expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
  expect(await counted()).toEqual([
    'sss_submissions_received_total{environment="production",level="application"} 1',
    'sss_decisions_total{environment="production",level="application",decision="accepted",decided_by="policy"} 1',
    'sss_received_to_decided_seconds_sum{level="application"} 3',
  ]);
});

it('a basic submission is counted once, though receipt and decision are one commit', async () => {
  await service.submit(basic);
  await service.work();
  expect(await counted()).toEqual([
    'sss_submissions_received_total{environment="sandbox",level="basic"} 1',
    'sss_decisions_total{environment="sandbox",level="basic",decision="accepted",decided_by="policy"} 1',
  ]);
  expect(await registry.metrics()).toContain('sss_received_to_decided_seconds_count{level="basic"} 1');
});

it('decisions by staff are counted separately, without their duration', async () => {
  const { id } = await service.submit(staffed);
  service.at('2026-11-21T10:00:00Z');
  await service.staff.decideSubmission({ submissionId: id, decision: Status.REJECTED, reason: 'Because.' });
  expect(await counted()).toEqual([
    'sss_submissions_received_total{environment="production",level="application"} 1',
    'sss_decisions_total{environment="production",level="application",decision="rejected",decided_by="staff"} 1',
  ]);
});

it('a decision that waited for a usable contact is counted without its duration', async () => {
  const production = { accountId: newId<AccountId>(), environment: Environment.PRODUCTION } as const;
  const nobody = { telephone: 'n/a', email: 'n/a' };
  const { id } = await service.submit({ ...production, level: Level.BASIC, enquiry: nobody });
  service.at('2026-11-21T10:00:00Z');
  await basicSubmissions(service).correct({ id, ...production }, 0, { email: 'ada@example.test' });
  expect(await counted()).toEqual([
    'sss_submissions_received_total{environment="production",level="basic"} 1',
    'sss_decisions_total{environment="production",level="basic",decision="accepted",decided_by="policy"} 1',
  ]);
});
