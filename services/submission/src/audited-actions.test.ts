import { runInContext } from '@supplier/lib/runtime/request-context';
import { actionsOfStaff, forAllTests, inProcessClient } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { PreUnderwritingState, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { otherServices } from '../testing/other-services.ts';
import { releaseTexts } from '../testing/release-policies.ts';
import { openTestService } from '../testing/test-service.ts';

const service = forAllTests(() => openTestService({ others: otherServices() }));
beforeEach(() => service.at('2026-11-20T10:00:00Z'));

const { OVERDUE_FILINGS } = ReturnReasonCategory;
const { CLEARED, NOT_CLEARED } = PreUnderwritingState;
const REASON = 'trading record seen, case 24';
const audit = () =>
  inProcessClient(AuditService, service.routes(), {
    caller: { subject: 'ada', issuer: 'test', roles: ['staff:admin'] },
  });
/** Returns the audit entries of one request. */
async function entriesOf(act: () => Promise<unknown>) {
  const requestId = newId();
  await runInContext({ requestId, traceParent: '' }, act);
  return (await audit().listAudit({ requestId })).entries;
}

const accepted = async () => (await service.submit()).id;
const awaiting = async () => (await service.submit({ terms: { decisionMode: DecisionMode.STAFF } })).id;
async function failed() {
  const { id } = await service.submit({
    enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjCount: 1 } },
    terms: { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF },
  });
  expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
  return id;
}
async function expiredFailure() {
  const id = await failed();
  service.at('2027-01-20T10:00:00Z');
  return id;
}
const decision = (submissionId: string) => ({ submissionId, decision: Status.REJECTED, reason: REASON });
const text = JSON.stringify({ ...JSON.parse(releaseTexts()[PolicyKind.DECISION]), version: 'audited' });
const olga = { subject: 'olga', issuer: 'https://login.test', roles: ['staff:operator'] };

interface Action {
  readonly of: () => Promise<SubmissionId>;
  readonly act: (id: SubmissionId) => Promise<unknown>;
  readonly actor?: string;
  /** Expected fields of the listed entry. */
  readonly fields: object;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  DecideSubmission: {
    of: awaiting,
    act: (id) => service.staff.decideSubmission(decision(id)),
    fields: { reason: REASON },
  },
  DecideSubmissions: {
    of: awaiting,
    act: (id) => service.staff.decideSubmissions({ decisions: [decision(id)] }),
    fields: { reason: REASON },
  },
  ReturnSubmission: {
    of: accepted,
    act: (submissionId) => service.staff.returnSubmission({ submissionId, reasonCategory: OVERDUE_FILINGS }),
    fields: { afterJson: expect.stringContaining('OVERDUE_FILINGS') },
  },
  ReturnSubmissions: {
    of: accepted,
    act: (submissionId) =>
      service.staff.returnSubmissions({ returns: [{ submissionId, reasonCategory: OVERDUE_FILINGS }] }),
    fields: { afterJson: expect.stringContaining('OVERDUE_FILINGS') },
  },
  CompletePreUnderwriting: {
    of: expiredFailure,
    act: (submissionId) =>
      service.staff.completePreUnderwriting({ submissionId, outcome: NOT_CLEARED, closeReason: REASON }),
    fields: { reason: REASON, afterJson: expect.stringContaining('closed') },
  },
  'CompletePreUnderwriting, returned': {
    of: failed,
    act: (submissionId) =>
      service.staff.completePreUnderwriting({
        submissionId,
        outcome: NOT_CLEARED,
        returnReason: OVERDUE_FILINGS,
      }),
    fields: { reason: '', afterJson: expect.stringContaining('OVERDUE_FILINGS') },
  },
  CompletePreUnderwritings: {
    of: failed,
    act: (submissionId) =>
      service.staff.completePreUnderwritings({ completions: [{ submissionId, outcome: CLEARED }] }),
    fields: { reason: '', afterJson: expect.stringContaining('cleared') },
  },
  RestateSubmission: {
    of: accepted,
    act: (submissionId) =>
      service
        .as('webhook')
        .restateSubmission({ submissionId, reason: RestatementReason.TEST, requester: olga }),
    actor: 'olga',
    fields: {
      issuer: olga.issuer,
      roles: olga.roles,
      afterJson: expect.stringMatching(/TEST.*webhook|webhook.*TEST/),
    },
  },
  'RestateSubmission, of the service itself': {
    of: accepted,
    act: (submissionId) =>
      service.as('webhook').restateSubmission({ submissionId, reason: RestatementReason.REDELIVERY }),
    actor: 'webhook',
    fields: { afterJson: expect.not.stringContaining('calledBy') },
  },
  ReadEnquiry: {
    of: accepted,
    act: (submissionId) => service.staff.readEnquiry({ submissionId, purpose: REASON }),
    fields: { purpose: REASON },
  },
  GetApplication: {
    of: accepted,
    act: (submissionId) => service.staff.getApplication({ submissionId, purpose: REASON }),
    fields: { purpose: REASON },
  },
  GetDecisionFacts: {
    of: accepted,
    act: (submissionId) => service.staff.getDecisionFacts({ submissionId, purpose: REASON }),
    fields: { purpose: REASON },
  },
  HoldSubmissions: {
    of: accepted,
    act: (id) => service.privacy.holdSubmissions({ submissionIds: [id], purpose: REASON }),
    actor: 'pat',
    fields: { purpose: REASON },
  },
  ExportSubmission: {
    of: accepted,
    act: (submissionId) => service.privacy.exportSubmission({ submissionId, purpose: REASON }),
    actor: 'pat',
    fields: { purpose: REASON },
  },
  RequestErasure: {
    of: accepted,
    act: (id) => service.privacy.requestErasure({ submissionIds: [id], purpose: REASON }),
    actor: 'pat',
    fields: { purpose: REASON },
  },
  StorePolicy: {
    of: accepted,
    act: () => service.policies().storePolicy({ kind: PolicyKind.DECISION, text, note: REASON }),
    actor: 'ada',
    fields: { target: 'decision/audited', afterJson: expect.stringContaining(REASON) },
  },
  ActivatePolicy: {
    of: accepted,
    act: () =>
      service.policies().activatePolicy({ kind: PolicyKind.DECISION, version: 'audited', purpose: REASON }),
    actor: 'ada',
    fields: { target: 'decision/audited', purpose: REASON },
  },
};

/** Tested beside their RPCs. */
const ELSEWHERE = ['ClosePendingBilling', 'FindPerson', 'ReleaseHold', 'ReleaseParkedWork'];

describe('audit entries', () => {
  it('are tested for every method with which staff change something', () => {
    const methods = [SubmissionService, PrivacyService, PolicyService].flatMap(actionsOfStaff);
    expect([...Object.keys(ACTIONS), ...ELSEWHERE]).toEqual(expect.arrayContaining(methods));
  });

  it.each(Object.entries(ACTIONS))(
    'record the person, the reason and the request: %s',
    async (name, { of, act, actor = 'jo', fields }) => {
      const id = await of();
      const entries = await entriesOf(() => act(id));
      const [action] = name.split(',');
      expect(entries).toMatchObject([
        { action, actor, ...('target' in fields ? {} : { target: id }), ...fields },
      ]);
    },
  );
});

describe('a read of applicant data', () => {
  it.each(['ReadEnquiry', 'GetApplication', 'GetDecisionFacts', 'ExportSubmission'])(
    'by %s is audited with the account and without the data, and returns nothing when it cannot be',
    async (name) => {
      const enquiry = { lastName: 'Unmistakable', businessStructure: 4, annualTurnoverGbp: 48_611 };
      const thresholds = name === 'GetDecisionFacts' ? { minimumAnnualTurnoverGbp: 50_000 } : {};
      const { id } = await service.submit({ enquiry, terms: { thresholds } });
      const { accountId } = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
      const read = () => Promise.resolve(ACTIONS[name]?.act(id));
      const entries = await entriesOf(read);
      expect(entries).toMatchObject([{ accountId }]);
      const shown = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      expect(shown).not.toMatch(/Unmist|\b48,?611\b/);
      const { pool } = service.context;
      await pool.query('ALTER TABLE audit_entry ADD CONSTRAINT broken CHECK (false) NOT VALID');
      try {
        await expect(read()).rejects.toThrow();
      } finally {
        await pool.query('ALTER TABLE audit_entry DROP CONSTRAINT broken');
      }
    },
  );
});

describe('the reason of a decision', () => {
  it('lists the reason and nothing that is sealed', async () => {
    const id = await awaiting();
    await service.staff.decideSubmission(decision(id));
    const { rows } = await service.context.pool.query(
      'SELECT e::text AS text FROM audit_entry e WHERE target = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].text).not.toContain(REASON);
    await expect(audit().listAudit({ target: id })).resolves.toMatchObject({ entries: [{ reason: REASON }] });
  });

  it('removes the reason from the audit log when the applicant is erased', async () => {
    const id = await awaiting();
    await service.staff.decideSubmission(decision(id));
    await service.privacy.requestErasure({ submissionIds: [id], purpose: 'case 25' });
    await service.erase();
    const { entries } = await audit().listAudit({ target: id, action: 'DecideSubmission' });
    expect(entries).toMatchObject([{ actor: 'jo', reason: '' }]);
  });

  it('does not show a policy’s reason as a person’s', async () => {
    const id = await accepted();
    await service.staff.readEnquiry({ submissionId: id, purpose: REASON });
    const { entries } = await audit().listAudit({ target: id });
    expect(entries).toMatchObject([{ action: 'ReadEnquiry', reason: '' }]);
  });
});
