import { createHash } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import { refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BusinessSector } from '@supplier/proto/common/v1/enquiry';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { DryRunPolicyResponse } from '@supplier/proto/submission/v1/policy_effects';
import { releaseTexts } from '../../testing/release-policies.ts';
import {
  hangingThread,
  openTestService,
  type SubmitOptions,
  type TestService,
} from '../../testing/test-service.ts';
import { PolicyChecks } from './policy-checks.ts';

const PURPOSE = 'the new minimum';

let policies: ReturnType<TestService['policies']>;
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  policies = service.policies();
});

type Rule = { rule: string; when: string; outcome: string; reason: string };

/** Returns the shipped policy with a different version and an additional first rule. */
function withRule(rule: Partial<Rule>): string {
  const { rules } = JSON.parse(releaseTexts()[PolicyKind.DECISION]);
  const first = { rule: 'tried', when: 'false', outcome: 'rejected', reason: 'It is tried.', ...rule };
  return JSON.stringify({ version: 'tried', rules: [first, ...rules] });
}

const decided = async (options: SubmitOptions) => {
  const { id } = await service.submit(options);
  await service.decide(id);
  return id;
};

async function dryRun(request: Parameters<typeof policies.dryRunPolicy>[0], who = policies) {
  const messages: DryRunPolicyResponse[] = [];
  for await (const message of who.dryRunPolicy({ purpose: PURPOSE, ...request })) messages.push(message);
  const last = messages.at(-1);
  if (!last?.finished) throw new Error('the dry run did not finish');
  return last;
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  );

describe('DryRunPolicy', () => {
  it('reports how many decisions would differ, from and to which outcome, by which rules, with ids only', async () => {
    const accountId = newId<AccountId>();
    const small = await decided({ accountId, enquiry: { fundingAmount: 5_000 } });
    await decided({ accountId, enquiry: { fundingAmount: 90_000 } });
    const { text } = { text: withRule({ when: 'enquiry.funding_amount < 10000' }) };
    const result = await dryRun({ text, accountId });
    expect(result).toMatchObject({
      total: 2n,
      lookedAt: 2n,
      unchanged: 1n,
      changed: 1n,
      passedOver: 0n,
      failed: 0n,
    });
    expect(result.changes).toMatchObject([
      { from: Status.ACCEPTED, to: Status.REJECTED, fromRule: 'accepted', toRule: 'tried', count: 1n },
    ]);
    expect(result.examples).toMatchObject([
      {
        submissionId: small,
        from: Status.ACCEPTED,
        to: Status.REJECTED,
        toRule: 'tried',
        reason: 'It is tried.',
      },
    ]);
    // Nothing has changed.
    expect(await service.statusOf(small)).toBe(Status.ACCEPTED);
  });

  it('reports no changes for the active policy, including duplicates and rejections', async () => {
    const accountId = newId<AccountId>();
    const enquiry = { telephone: '07700 900123', email: 'one@example.test', companyNumber: '01234567' };
    await decided({ accountId, enquiry });
    await decided({ accountId, enquiry });
    await decided({
      accountId,
      enquiry: { businessSector: BusinessSector.MANUFACTURING },
      terms: { thresholds: { excludedSectors: [BusinessSector.MANUFACTURING] } },
    });
    const { text } = { text: releaseTexts()[PolicyKind.DECISION] };
    expect(await dryRun({ text, accountId })).toMatchObject({
      total: 3n,
      unchanged: 3n,
      changed: 0n,
      changes: [],
    });
  });

  it('skips erased submissions and those no policy decided', async () => {
    const accountId = newId<AccountId>();
    await service.submitUndecided({ accountId });
    const environment = Environment.SANDBOX;
    await decided({ accountId, environment, enquiry: { businessName: 'Sandbox Accept Ltd' } });
    const erased = await decided({ accountId });
    await service.context.pool.query('UPDATE submission SET enquiry = NULL WHERE id = $1', [erased]);
    const result = await dryRun({
      text: withRule({ when: 'true' }).replace(/,\{"rule":"duplicate".*(?=\]\})/s, ''),
      accountId,
    });
    expect(result).toMatchObject({ lookedAt: 3n, passedOver: 3n, changed: 0n });
  });

  it('examines no more submissions than it counted, even if one arrives meanwhile', async () => {
    const accountId = newId<AccountId>();
    await decided({ accountId });
    const between = await decided({ accountId: newId<AccountId>() });
    await decided({ accountId });
    const { pool, workPool } = service.context;
    const { query } = workPool;
    const afterCounting = async (...asked: Parameters<typeof query>) => {
      const answer = await query.apply(workPool, asked);
      if (String(asked[0]).includes('count(*)'))
        await pool.query('UPDATE submission SET account_id = $1 WHERE id = $2', [accountId, between]);
      return answer;
    };
    workPool.query = afterCounting as unknown as typeof query;
    try {
      const text = withRule({});
      expect(await dryRun({ text, accountId })).toMatchObject({ total: 2n, lookedAt: 2n, unchanged: 2n });
    } finally {
      workPool.query = query;
    }
    expect(await dryRun({ text: withRule({}), accountId })).toMatchObject({ total: 3n, lookedAt: 3n });
  });

  it('examines only the latest submissions, in several batches, and reports progress', async () => {
    const accountId = newId<AccountId>();
    for (let n = 0; n < 3; n += 1) await decided({ accountId });
    expect(await dryRun({ text: withRule({}), accountId, last: 2 })).toMatchObject({
      total: 2n,
      lookedAt: 2n,
    });
  });

  const auditedOf = (accountId: AccountId) =>
    service.context.db.auditEntry.findMany({
      where: { action: 'DryRunPolicy', accountId },
      orderBy: { sequence: 'asc' },
    });

  it('is audited with purpose, text and filter before reading data, and with the ids before returning them', async () => {
    const accountId = newId<AccountId>();
    const shown = await decided({ accountId, environment: Environment.SANDBOX });
    const tried = withRule({ when: 'enquiry.funding_amount > 0' });
    await dryRun({ text: tried, accountId, last: 5, environment: Environment.SANDBOX });
    const sha256 = createHash('sha256').update(tried).digest('hex');
    const by = { actor: 'ada', target: 'decision/tried', purpose: PURPOSE };
    expect(await auditedOf(accountId)).toMatchObject([
      { ...by, after: { sha256, text: tried, last: 5, environment: Environment.SANDBOX } },
      { ...by, after: { sha256, shown: [shown] } },
    ]);
  });

  it('records the examined submissions in the audit log, even if the result shows none', async () => {
    const accountId = newId<AccountId>();
    const [older, newer] = [await decided({ accountId }), await decided({ accountId })];
    const run = {
      text: withRule({ when: 'enquiry.funding_amount <= 31337', outcome: 'accepted' }),
      accountId,
    };
    expect(await dryRun({ ...run, last: 1 })).toMatchObject({ examples: [], lookedAt: 1n });
    await dryRun(run);
    expect((await auditedOf(accountId)).map(({ after }) => after)).toMatchObject([
      { lookedAt: { count: 1, submissions: [newer] } },
      { lookedAt: { count: 2, submissions: [older, newer] } },
    ]);
  });

  it('accepts a stored version, and is audited with its digest', async () => {
    const { sha256 } = await policies.storePolicy({
      kind: PolicyKind.DECISION,
      text: withRule({}),
      note: 'to be tried',
    });
    const accountId = newId<AccountId>();
    await dryRun({ version: 'tried', accountId });
    expect((await auditedOf(accountId)).map(({ after }) => after)).toEqual([
      { sha256, last: 10_000, environment: 0, lookedAt: { count: 0 } },
    ]);
  });

  it('never returns applicant data, for any request', async () => {
    const accountId = newId<AccountId>();
    await decided({ accountId });
    const asked = [
      'enquiry.first_name != "" && {"a": true}[enquiry.first_name + "|" + enquiry.email]',
      'enquiry.last_name == "Sample"',
      '"Sample" == enquiry["last_name"]',
      'enquiry.funding_amount > 0 && 1 / (enquiry.funding_amount - 25000) > 0',
    ];
    const answers: string[] = [];
    for (const when of asked)
      answers.push(
        await dryRun({ text: withRule({ when }), accountId }).then(
          ({ examples }) => JSON.stringify(examples),
          (error: unknown) => JSON.stringify(refusalOf(error)?.violations),
        ),
      );
    for (const answer of answers) expect(answer).not.toMatch(/Ada|Sample|customer-|25000|divide/);
    expect(answers[1]).toContain('A condition must not use enquiry.last_name: it identifies a person.');
    expect(answers[3]).toContain('the condition of rule tried fails: division_by_zero');
  });

  it('stops with an error when its policy blocks the thread', async () => {
    const accountId = newId<AccountId>();
    await decided({ accountId });
    const checks = new PolicyChecks(service.context.log, () => hangingThread('trySubmissions'));
    const held = await openTestService({
      beside: service,
      keyRing: service.context.keyRing,
      policyChecks: checks,
    });
    const refused = dryRun({ text: withRule({}), accountId }, held.policies());
    await expect(refused).rejects.toMatchObject({ code: Code.InvalidArgument });
    // The next dry run may start.
    await expect(dryRun({ text: withRule({}), accountId }, held.policies())).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
  });

  it('rejects a concurrent second run, and allows the next after the caller disconnects', async () => {
    const accountId = newId<AccountId>();
    for (let n = 0; n < 2; n += 1) await decided({ accountId });
    const hangUp = new AbortController();
    const first = policies.dryRunPolicy(
      { text: withRule({}), accountId, purpose: PURPOSE },
      { signal: hangUp.signal },
    );
    const running = first[Symbol.asyncIterator]();
    const started = running.next();
    const second = await codeOf(dryRun({ text: withRule({}), accountId }));
    hangUp.abort();
    await started.catch(() => {});
    expect(second).toBe(Code.FailedPrecondition);
    await expect(dryRun({ text: withRule({}), accountId })).resolves.toMatchObject({ finished: true });
  });

  it.each([
    [{}, Code.InvalidArgument],
    [{ text: '{}', version: 'x' }, Code.InvalidArgument],
    [{ text: '{}' }, Code.InvalidArgument],
    [{ version: 'never' }, Code.NotFound],
    [{ version: 'never', accountId: 'nonsense' }, Code.NotFound],
  ])('rejects %j', async (request, code) => {
    expect(await codeOf(dryRun(request))).toBe(code);
  });
});

describe('GetRuleEffect', () => {
  it('counts the decisions of a rule since a time, by version', async () => {
    const since = toTimestamp(new Date('2020-01-01T00:00:00Z'));
    const before = await policies.getRuleEffect({ rule: 'amount-too-small', since });
    const terms = { thresholds: { minimumFundingAmount: 10_000 } };
    for (let n = 0; n < 2; n += 1) await decided({ terms, enquiry: { fundingAmount: 5_000 } });
    const after = await policies.getRuleEffect({ rule: 'amount-too-small', since });
    expect(after.decided - before.decided).toBe(2n);
    expect(after).toMatchObject({
      complete: true,
      versions: [
        { version: JSON.parse(releaseTexts()[PolicyKind.DECISION]).version, decided: after.decided },
      ],
    });
    const later = toTimestamp(new Date(Date.now() + 3_600_000));
    expect(await policies.getRuleEffect({ rule: 'amount-too-small', since: later })).toMatchObject({
      decided: 0n,
      lookedAt: 0n,
      complete: true,
    });
  });
});
