import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { BillingStatus, Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { otherServices } from '../../testing/other-services.ts';
import { openTestService } from '../../testing/test-service.ts';
import { renewedTables } from '../store/renewed-match-keys.sql.ts';

const service = forAllTests(() => openTestService({ others: otherServices() }));
const submissions = basicSubmissions(service);
/** A telephone and an email that name nobody. */
const NOBODY = { telephone: 'n/a', email: 'some.one(at)customer.example' };
const LEVELS = [Level.BASIC, Level.APPLICATION] as const;

const rowOf = (id: SubmissionId) => service.context.db.submission.findUniqueOrThrow({ where: { id } });
const inQueue = async (queue: Queue, accountId: AccountId) =>
  (await service.staff.listSubmissions({ accountId, queues: [queue] })).submissions.map(
    ({ submissionId }) => submissionId,
  );
const receiptOf = async (id: SubmissionId) => {
  const { entries } = await service.staff.getTimeline({ submissionId: id });
  return entries.find(({ what }) => what.case === 'received')?.what.value;
};
let number = 0;
/** A contact that no other test uses. */
function someContact() {
  number += 1;
  return {
    telephone: `0161 496 ${String(number).padStart(4, '0')}`,
    email: `caller-${number}@customer.example`,
  };
}

describe('a submission under several references', () => {
  const SPELLINGS = [
    { telephone: '0161 555 77 B8', email: 'some.one @customer.example' },
    { telephone: '0161 555 7 7 b 8', email: 'Some One <some.one@customer.example>' },
    { telephone: '+44+161555778', email: '"some.one"@customer.example' },
    { telephone: '00044 161 555 778', email: 'some.one@customer.example.' },
    { telephone: '161555778.0', email: 'mailto:some.one@customer.example' },
    { telephone: '٠١٦١٥٥٥٧٧٨', email: 'some.one\u200b＠customer.example;' },
  ];

  it('is billable once, however its contact is written', async () => {
    const statuses: Status[] = [];
    for (const enquiry of SPELLINGS) statuses.push((await submissions.submit({ enquiry })).submission.status);
    expect(statuses).toEqual([Status.ACCEPTED, ...Array(5).fill(Status.DUPLICATE_NOT_ACCEPTED)]);
  });

  it('is billable once when all of them arrive together, with either half of the contact', async () => {
    const { telephone, email } = someContact();
    const spelled = [
      { telephone, email },
      { telephone: `${telephone.slice(0, -1)}b${telephone.slice(-1)}`, email: `Sam <${email}>` },
      { telephone: `+44+${telephone.slice(1)}`, email: `<${email.toUpperCase()}>` },
      { telephone: `${telephone} ext 3`, email: `${email};` },
      { telephone: `00044${telephone.slice(1)}`, email: email.replace('@', ' ＠') },
      { telephone: 'n/a', email: `mailto:${email}` },
    ];
    const all = await Promise.all(spelled.map((enquiry) => submissions.submit({ enquiry })));
    const billable = all.filter(
      ({ submission }) => submission.billing?.billingStatus === BillingStatus.BILLABLE,
    );
    expect(billable).toHaveLength(1);
  });

  it.each(LEVELS)(
    'is never billable without a decision by staff if nothing identifies the customer, at level %s',
    async (level) => {
      const accountId = newId<AccountId>();
      const ids: SubmissionId[] = [];
      for (let time = 0; time < 6; time += 1)
        ids.push((await service.submit({ accountId, level, enquiry: NOBODY })).id);
      await service.work();
      for (const id of ids) {
        expect(await rowOf(id)).toMatchObject({
          status: Status.RECEIVED,
          awaitsStaff: true,
          billableAt: null,
        });
        expect(await receiptOf(id)).toMatchObject({ forStaff: true, noUsableContact: true });
        expect(await service.eventsOf(id)).toEqual([]);
      }
      expect((await inQueue(Queue.NO_USABLE_CONTACT, accountId)).toSorted()).toEqual(ids.toSorted());
      expect((await inQueue(Queue.STAFF_DECISION, accountId)).toSorted()).toEqual(ids.toSorted());
      expect(await inQueue(Queue.DECISION, accountId)).toEqual([]);
    },
  );
});

it('a submission that awaits staff for its account is not in the queue of unusable contacts', async () => {
  const accountId = newId<AccountId>();
  const { id } = await submissions.submit({ accountId, terms: { decisionMode: DecisionMode.STAFF } });
  expect(await inQueue(Queue.NO_USABLE_CONTACT, accountId)).toEqual([]);
  expect(await receiptOf(id)).toMatchObject({ forStaff: true, noUsableContact: false });
});

it('in the sandbox, a submission without a usable contact is decided by policy', async () => {
  const { id, submission } = await submissions.submit({ environment: Environment.SANDBOX, enquiry: NOBODY });
  expect(submission.status).toBe(Status.ACCEPTED);
  expect(await receiptOf(id)).toMatchObject({ forStaff: false, noUsableContact: false });
});

it('staff decide a submission without a usable contact, which leaves its queue', async () => {
  const accountId = newId<AccountId>();
  const { id } = await submissions.submit({ accountId, enquiry: NOBODY });
  const decided = await service.staff.decideSubmission({
    submissionId: id,
    decision: Status.ACCEPTED,
    reason: 'called',
  });
  expect(decided).toMatchObject({
    status: Status.ACCEPTED,
    billing: { billingStatus: BillingStatus.BILLABLE },
  });
  expect(await inQueue(Queue.NO_USABLE_CONTACT, accountId)).toEqual([]);
  expect(await receiptOf(id)).toMatchObject({ noUsableContact: true });
});

describe('a correction that brings a usable contact', () => {
  it('lets policy decide the submission at once, which the response and one event say', async () => {
    const submitted = await submissions.submit({ enquiry: NOBODY });
    expect(submitted.submission.status).toBe(Status.RECEIVED);
    expect(await submissions.correct(submitted, 0, { firstName: 'Grace' })).toMatchObject({
      status: Status.RECEIVED,
    });
    const corrected = await submissions.correct(submitted, 1, { email: someContact().email });
    expect(corrected).toMatchObject({ status: Status.ACCEPTED });
    expect(await service.eventsOf(submitted.id)).toEqual(['SubmissionStatusChanged']);
    expect(await inQueue(Queue.NO_USABLE_CONTACT, submitted.accountId)).toEqual([]);
    expect(await receiptOf(submitted.id)).toMatchObject({ noUsableContact: true });
  });

  it('compares the submission with those of other suppliers, before and after', async () => {
    const [one, other] = [someContact(), someContact()];
    await submissions.submit({ enquiry: one });
    const late = await submissions.submit({ enquiry: NOBODY });
    expect(await submissions.correct(late, 0, { telephone: one.telephone })).toMatchObject({
      status: Status.DUPLICATE_NOT_ACCEPTED,
    });
    const early = await submissions.submit({ enquiry: NOBODY });
    await submissions.correct(early, 0, { email: other.email });
    const { submission } = await submissions.submit({ enquiry: other });
    expect(submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
  });

  it('is billable once when the contact arrives in a create at the same time', async () => {
    const contact = someContact();
    const waiting = await Promise.all([1, 2, 3].map(() => submissions.submit({ enquiry: NOBODY })));
    const statuses = await Promise.all([
      ...waiting.map((submitted) => submissions.correct(submitted, 0, { email: contact.email })),
      submissions.submit({ enquiry: contact }).then(({ submission }) => submission),
    ]);
    expect(statuses.filter(({ status }) => status === Status.ACCEPTED)).toHaveLength(1);
    expect(statuses.filter(({ status }) => status === Status.DUPLICATE_NOT_ACCEPTED)).toHaveLength(3);
  });

  it('holds the customer for good: later corrections and renewed keys do not free it', async () => {
    const contact = someContact();
    const submitted = await submissions.submit({ enquiry: NOBODY });
    await submissions.correct(submitted, 0, { email: contact.email });
    await submissions.correct(submitted, 1, { email: someContact().email });
    const { pool } = service.context;
    await pool.query(`UPDATE submission SET match_rule = '4' WHERE id = $1`, [submitted.id]);
    for (const table of renewedTables(pool, service.context))
      await table.renew({ renewed: () => {}, failed: (where) => expect(where).toBeUndefined() });
    const again = await submissions.submit({ enquiry: { ...NOBODY, email: contact.email } });
    expect(again.submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
  });

  it('leaves the decision to staff where they decide for the account, who see the duplicate despite later corrections', async () => {
    const contact = someContact();
    await submissions.submit({ enquiry: contact });
    const terms = { decisionMode: DecisionMode.STAFF };
    const submitted = await submissions.submit({ enquiry: NOBODY, terms });
    expect(await submissions.correct(submitted, 0, { email: contact.email })).toMatchObject({
      status: Status.RECEIVED,
    });
    expect(await inQueue(Queue.NO_USABLE_CONTACT, submitted.accountId)).toEqual([]);
    expect(await inQueue(Queue.STAFF_DECISION, submitted.accountId)).toEqual([submitted.id]);
    await submissions.correct(submitted, 1, { email: someContact().email });
    const accept = { submissionId: submitted.id, decision: Status.ACCEPTED, reason: 'called' };
    await expect(service.staff.decideSubmission(accept)).rejects.toThrow(/has been accepted/);
  });

  it('is erased with its applicant', async () => {
    const submitted = await submissions.submit({ enquiry: NOBODY });
    await submissions.correct(submitted, 0, { email: someContact().email });
    expect((await rowOf(submitted.id)).identifying).not.toBeNull();
    await service.work();
    await service.privacy.requestErasure({ submissionIds: [submitted.id], purpose: 'claim 19' });
    await service.erase();
    expect(await rowOf(submitted.id)).toMatchObject({ identifying: null, emailHash: null, enquiry: null });
  });

  it('changes no keys of a submission that staff have accepted without any', async () => {
    const submitted = await submissions.submit({ enquiry: NOBODY });
    await service.staff.decideSubmission({
      submissionId: submitted.id,
      decision: Status.ACCEPTED,
      reason: 'called',
    });
    await submissions.correct(submitted, 0, { email: someContact().email });
    expect(await rowOf(submitted.id)).toMatchObject({ emailHash: null, identifying: null });
  });
});
