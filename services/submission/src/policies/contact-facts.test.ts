import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { FactKind } from '@supplier/proto/submission/v1/timeline';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { releaseTexts } from '../../testing/release-policies.ts';
import type { EnquiryInit } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
const kind = PolicyKind.DECISION;

/** Contacts that can be compared, but not used, with the fact that says so. */
const UNUSABLE: readonly (readonly [fact: string, contact: () => EnquiryInit])[] = [
  ['telephone_unusable', () => ({ telephone: '0161 555 77 B8' })],
  ['email_unusable', () => ({ email: `${newId()}@byron` })],
  ['name_unusable', () => ({ firstName: '\u200b' })],
  ['captured_in_future', () => ({ captureTimestamp: timestampFromDate(new Date('2027-11-20T10:00:00Z')) })],
];

function policyOf(fact: string) {
  const released = JSON.parse(releaseTexts()[kind]);
  const version = `rejects-${fact.replaceAll('_', '-')}`;
  const rule = {
    rule: 'unusable',
    when: `facts.${fact}`,
    outcome: 'rejected',
    reason: 'Nobody can be reached.',
  };
  return { version, text: JSON.stringify({ ...released, version, rules: [rule, ...released.rules] }) };
}

it.each(UNUSABLE)('a policy can reject by %s, and no other contact', async (fact, contact) => {
  const accountId = newId<AccountId>();
  const { version, text } = policyOf(fact);
  await service.policies().storePolicy({ kind, text, note: 'as a trial' });
  await service.policies().activatePolicy({ kind, version, purpose: 'a trial of contact facts' });
  const ids: SubmissionId[] = [];
  for (const [, other] of UNUSABLE)
    ids.push((await service.submit({ accountId, level: Level.BASIC, enquiry: other() })).id);
  const later = await service.submitUndecided({ accountId, enquiry: contact() });
  await service.work();
  const rejected = await Promise.all([...ids, later.id].map((id) => service.statusOf(id)));
  expect(rejected.map((status) => status === Status.REJECTED)).toEqual([
    ...UNUSABLE.map(([one]) => one === fact),
    true,
  ]);
  const { entries } = await service.staff.getTimeline({ submissionId: later.id });
  const stated = Object.values(contact()).filter((value) => typeof value === 'string' && value.length > 1);
  const facts = await service.staff.getDecisionFacts({ submissionId: later.id, purpose: 'case 1042' });
  expect(facts.decision).toContain(fact);
  const shown = JSON.stringify([entries, facts], (_key, part) =>
    typeof part === 'bigint' ? String(part) : part,
  );
  for (const value of stated) expect(shown).not.toContain(value);
  expect(entries.find(({ what }) => what.case === 'decided')?.what.value).toMatchObject({
    rule: 'unusable',
    comparedKinds: [fact === 'captured_in_future' ? FactKind.CAPTURE_TIME : FactKind.CONTACT],
  });
  // A dry run sees the same facts.
  let last: { unchanged: bigint; changed: bigint } | undefined;
  for await (const progress of service
    .policies()
    .dryRunPolicy({ text, accountId, purpose: 'the same rules' }))
    last = progress;
  expect(last).toMatchObject({ changed: 0n, unchanged: 5n });
});

it('a policy decides a corrected submission by its corrected contact', async () => {
  const submissions = basicSubmissions(service);
  const { version, text } = policyOf('email_unusable');
  await service.policies().activatePolicy({ kind, version, purpose: 'a trial of contact facts' });
  expect(text).toContain(version);
  const submitted = await submissions.submit({ enquiry: { telephone: 'n/a', email: 'n/a' } });
  const { status } = await submissions.correct(submitted, 0, { email: `${newId()}@example.test` });
  expect(status).toBe(Status.ACCEPTED);
});
