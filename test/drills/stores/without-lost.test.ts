import { goodHistory, item, NOON } from '../faults/good-history.ts';
import { violations } from '../faults/rules.ts';
import { withoutLost } from './without-lost.ts';

/** The first submission of the history is acknowledged at NOON + 10 ms. */
const LOSS = { from: NOON + 5, until: NOON + 20 };

/** A history in which the first submission is lost with everything about it, and its reference is unknown afterwards. */
function history() {
  const evidence = goodHistory();
  const lost = evidence.submissions.shift()?.id ?? '';
  const isKept = ({ submissionId }: { submissionId: string }) => submissionId !== lost;
  for (const name of ['applications', 'changes', 'events', 'ledger'] as const)
    Object.assign(evidence, { [name]: evidence[name].filter(isKept) });
  evidence.deliveries = evidence.deliveries.filter(({ seen }) => isKept(seen));
  item(evidence.statements, { charges: 2 }).charges = 1;
  const read = item(evidence.requests, { reference: lost, kind: 'read' });
  Object.assign(read, { answer: 404, seen: null });
  // Repeated until the services were back.
  evidence.requests.unshift({ ...read, answer: 503, sentAt: NOON + 30, answeredAt: NOON + 40 });
  Object.assign(item(evidence.requests, { reference: lost, kind: 'changed' }), { answer: 202 });
  // Its duplicate is decided again.
  Object.assign(item(evidence.submissions, { duplicateOf: lost }), { duplicateOf: null });
  return evidence;
}
const EARLIEST = 'the earliest submission of a customer is the accepted one';
const brokenBy = (losses: Parameters<typeof withoutLost>[1]) =>
  [...violations(withoutLost(history(), losses)).keys()].filter((rule) => rule !== EARLIEST);

it('a failover may lose a submission that was acknowledged in its period', () => {
  expect(brokenBy([LOSS])).toEqual([]);
});

it('a failover may not lose a submission that was acknowledged before or after its period', () => {
  const broken = brokenBy([]);
  expect(broken).toContain('every acknowledged submission exists once, under the id in its response');
  expect(brokenBy([{ from: NOON + 11, until: NOON + 20 }])).toEqual(broken);
  expect(brokenBy([{ from: NOON - 3_000, until: NOON - 2_000 }])).toEqual(broken);
});

it('a failover may lose the rotation of a secret and an event that it delivered in its period', () => {
  const evidence = goodHistory();
  const delivery = item(evidence.deliveries, { eventId: 'a1' });
  delivery.at = NOON + 100_000;
  const rotated = { from: NOON + 50_000, until: NOON + 70_000 };
  const signed = 'every delivery is signed with a secret in force';
  expect([...violations(withoutLost(evidence, [])).keys()]).toContain(signed);
  evidence.secrets.push({ accountId: delivery.accountId, secret: '', from: NOON, until: NOON + 60_000 });
  expect([...violations(withoutLost(evidence, [rotated])).keys()]).not.toContain(signed);
  expect([...violations(withoutLost(evidence, [rotated])).keys()]).not.toContain(
    'every request is answered in the end',
  );
  evidence.deliveries.push({ ...delivery, eventId: 'unknown', at: NOON + 60_000 });
  const equal = 'a delivery equals the change with its event id';
  expect([...violations(withoutLost(evidence, [])).keys()]).toContain(equal);
  expect([...violations(withoutLost(evidence, [rotated])).keys()]).not.toContain(equal);
});
