import { ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { Status } from '@supplier/proto/common/v1/status';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { releaseTexts } from '../../testing/release-policies.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

const KIND = PolicyKind.DECISION;
const PURPOSE = 'the new sector list';

let policies: ReturnType<TestService['policies']>;
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  policies = service.policies();
});

const rejectingAll = (version: string, reason = 'All are.') =>
  JSON.stringify({
    version,
    rules: [{ rule: 'all', when: 'true', outcome: 'rejected', reason }],
  });
const store = (version: string, reason?: string) =>
  policies.storePolicy({ kind: KIND, text: rejectingAll(version, reason), note: 'as a trial' });
const refused = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ({ message: ConnectError.from(error).rawMessage, ...refusalOf(error) }),
  );
const entriesAbout = async (target: string) => {
  const where = { target };
  return service.context.db.auditEntry.findMany({ where, orderBy: { sequence: 'asc' } });
};

describe('StorePolicy', () => {
  it('stores a version with its author, time and note, audits it, and activates nothing', async () => {
    const stored = await store('s1');
    expect(stored).toMatchObject({
      kind: KIND,
      version: 's1',
      author: 'ada',
      note: 'as a trial',
      active: false,
    });
    expect(stored.activatedAt).toBeUndefined();
    const read = await policies.getPolicy({ kind: KIND, version: 's1' });
    expect(read).toMatchObject({
      policy: stored,
      text: rejectingAll('s1'),
      rules: [{ rule: 'all', condition: 'true', outcome: 'rejected', reason: 'All are.' }],
    });
    expect(await entriesAbout('decision/s1')).toMatchObject([
      { actor: 'ada', action: 'StorePolicy', after: { sha256: stored.sha256, note: 'as a trial' } },
    ]);
  });

  it('returns the same when repeated, and changes nothing', async () => {
    const first = await store('s2');
    expect(
      await service.policies('bob').storePolicy({ kind: KIND, text: rejectingAll('s2'), note: 'other' }),
    ).toEqual(first);
    expect(await entriesAbout('decision/s2')).toHaveLength(1);
  });

  it('rejects a different text for a stored version', async () => {
    await store('s3');
    expect(await refused(store('s3', 'Another reason.'))).toMatchObject({ code: RefusalCode.ALREADY_EXISTS });
    const { text } = await policies.getPolicy({ kind: KIND, version: 's3' });
    expect(text).toBe(rejectingAll('s3'));
  });

  it('rejects an unusable text with each violation, and stores nothing', async () => {
    const text = rejectingAll('s4').replace('"true"', '"enquiry.fundng_amount > 1"');
    expect(await refused(policies.storePolicy({ kind: KIND, text, note: 'a typo' }))).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'text', message: 'rule 1, condition: Enquiry has no field "fundng_amount".' }],
    });
    expect(await refused(policies.getPolicy({ kind: KIND, version: 's4' }))).toMatchObject({
      code: RefusalCode.NOT_FOUND,
    });
  });
});

describe('ValidatePolicy', () => {
  it('reports nothing for shipped policies and the faults of other texts, without storing them', async () => {
    const good = releaseTexts()[KIND];
    expect((await policies.validatePolicy({ kind: KIND, text: good })).violations).toEqual([]);
    const { violations } = await policies.validatePolicy({
      kind: KIND,
      text: good.replace('funding_amount <', 'funding <'),
    });
    expect(violations).toMatchObject([
      { rule: 'amount-too-small', place: 'rule 4, condition', message: 'Enquiry has no field "funding".' },
    ]);
    const { policies: stored } = await policies.listPolicies({});
    expect(stored.map(({ version }) => version)).not.toContain(JSON.parse(good).version);
  });

  it('rejects an unknown kind', async () => {
    expect(await refused(policies.validatePolicy({ kind: 9 as PolicyKind, text: '{}' }))).toMatchObject({
      violations: [{ path: 'kind' }],
    });
  });
});

describe('ActivatePolicy', () => {
  const activate = (version: string, who = policies) =>
    who.activatePolicy({ kind: KIND, version, purpose: PURPOSE });
  const decided = async () => {
    const { id } = await service.submit();
    await service.decide(id);
    return service.context.db.submission.findUniqueOrThrow({ where: { id } });
  };

  it('applies to the next submission, and so does reactivating the previous version', async () => {
    await store('a1');
    await policies.storePolicy({ kind: KIND, text: releaseTexts()[KIND], note: 'as shipped' });
    const shipped = JSON.parse(releaseTexts()[KIND]).version;
    await activate('a1');
    expect(await decided()).toMatchObject({
      status: Status.REJECTED,
      decisionPolicy: 'a1',
      decisionRule: 'all',
    });
    expect(await activate(shipped)).toMatchObject({ version: shipped, active: true, activatedBy: 'ada' });
    expect(await decided()).toMatchObject({ status: Status.ACCEPTED, decisionPolicy: shipped });
  });

  it('is audited with the previous version and its purpose; once, when repeated', async () => {
    await store('a2');
    await store('a3');
    await activate('a2');
    await activate('a3');
    await activate('a3', service.policies('bob'));
    const [, ...entries] = await entriesAbout('decision/a3');
    expect(entries).toMatchObject([
      {
        actor: 'ada',
        action: 'ActivatePolicy',
        before: { version: 'a2' },
        after: { version: 'a3' },
        purpose: PURPOSE,
      },
    ]);
    const { policies: stored } = await policies.listPolicies({ kind: KIND, pageSize: 200 });
    expect(stored.filter(({ active }) => active).map(({ version }) => version)).toEqual(['a3']);
  });

  it('rejects an unknown version, an unusable version, and a request without a purpose', async () => {
    expect(await refused(activate('never'))).toMatchObject({ code: RefusalCode.NOT_FOUND });
    await service.context.pool.query(
      `INSERT INTO policy_version (kind, version, text, sha256, author, issuer, note, created_at)
       VALUES (1, 'broken', '{}', 'x', 'mo', '', '', now())`,
    );
    expect(await refused(activate('broken'))).toMatchObject({ code: RefusalCode.WRONG_STATE });
    await store('a4');
    const idle = policies.activatePolicy({ kind: KIND, version: 'a4', purpose: '   ' });
    expect(await refused(idle)).toMatchObject({ violations: [{ path: 'purpose' }] });
    expect((await policies.getPolicy({ kind: KIND, version: 'a4' })).policy?.active).toBe(false);
  });
});

describe('ListPolicies', () => {
  it('lists versions of one kind or of both, newest first, in pages', async () => {
    for (const version of ['l1', 'l2', 'l3']) await store(version);
    await policies.storePolicy({
      kind: PolicyKind.PRE_UNDERWRITING,
      text: releaseTexts()[PolicyKind.PRE_UNDERWRITING],
      note: 'as shipped',
    });
    const first = await policies.listPolicies({ kind: KIND, pageSize: 2 });
    expect(first.policies.map(({ version }) => version)).toEqual(['l3', 'l2']);
    const next = await policies.listPolicies({ kind: KIND, pageSize: 2, pageToken: first.nextPageToken });
    expect(next.policies[0]?.version).toBe('l1');
    const both = await policies.listPolicies({});
    expect(new Set(both.policies.map(({ kind }) => kind))).toEqual(new Set([1, 2]));
  });
});

describe('ActivatePolicy with required approval', () => {
  let two: TestService;
  beforeAll(async () => {
    two = await openTestService({ fourEyes: 'required' });
    await two.policies('ada').storePolicy({ kind: KIND, text: rejectingAll('t1'), note: 'as a trial' });
  });
  afterAll(() => two?.close());

  const storeFor = (version: string, reason?: string) =>
    two.policies('ada').storePolicy({ kind: KIND, text: rejectingAll(version, reason), note: 'as a trial' });
  const ask = (more = {}, version = 't1') =>
    two.approvals('ada').requestApproval({
      action: 'ActivatePolicy',
      argumentsJson: JSON.stringify({ kind: 'POLICY_KIND_DECISION', version, purpose: PURPOSE, ...more }),
      purpose: PURPOSE,
    });
  const approved = async (version: string) => {
    const { approvalId } = await ask({}, version);
    await two.approvals('bob').approveRequest({ approvalId });
    return approvalId;
  };
  const request = { kind: KIND, version: 't1', purpose: PURPOSE };
  const activate = (approvalId: string, version = 't1') =>
    two.policies('ada').activatePolicy({ ...request, version, approvalId });
  const inForce = async () => (await two.policies().getPolicy({ kind: KIND })).policy?.version;

  it('is rejected without an approval or with one for another purpose; its audit entry names the approval', async () => {
    expect(await refused(two.policies('ada').activatePolicy(request))).toMatchObject({
      code: RefusalCode.WRONG_STATE,
      message: expect.stringContaining("This requires a second person's approval"),
    });
    const other = await ask({ purpose: 'something else' });
    await two.approvals('bob').approveRequest({ approvalId: other.approvalId });
    expect(await refused(activate(other.approvalId))).toMatchObject({ code: RefusalCode.WRONG_STATE });
    const { approvalId, target } = await ask();
    expect(target).toBe('decision/t1');
    await two.approvals('bob').approveRequest({ approvalId });
    expect(await activate(approvalId)).toMatchObject({ version: 't1', active: true });
    const entries = await two.context.db.auditEntry.findMany({ where: { action: 'ActivatePolicy' } });
    expect(entries).toMatchObject([{ actor: 'ada', after: { version: 't1', approvalId } }]);
  });

  it('cannot be requested before the text is stored, when it is active already, or when it is unusable', async () => {
    expect(await refused(ask({}, 'none-yet'))).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(await refused(ask())).toMatchObject({ violations: [{ path: 'arguments_json' }] });
    await two.context.pool.query(
      `INSERT INTO policy_version (kind, version, text, sha256, author, issuer, note, created_at)
       VALUES (1, 'broken', '{}', 'x', 'mo', '', '', now())`,
    );
    expect(await refused(ask({}, 'broken'))).toMatchObject({ code: RefusalCode.WRONG_STATE });
  });

  it('shows the approver the digest of the text, the version it replaces, and each changed rule', async () => {
    const { sha256 } = await storeFor('t2', 'None are.');
    const { approvalId } = await ask({}, 't2');
    const { lines } = await two.approvals('bob').getApproval({ approvalId });
    const before = await two.policies().getPolicy({ kind: KIND });
    const shown = Object.fromEntries(lines.map((line) => [line.name, [line.before, line.after]]));
    expect(shown).toMatchObject({
      'policy.version': ['t1', 't2'],
      'policy.sha256': [before.policy?.sha256, sha256],
      'rules.all': ['if true: rejected (All are.)', 'if true: rejected (None are.)'],
      note: ['as a trial', undefined],
    });
    expect(shown).not.toHaveProperty('rules');
  });

  it('is rejected when the text differs from the approved one', async () => {
    await storeFor('t3');
    const approvalId = await approved('t3');
    const other = rejectingAll('t3', 'Something else.');
    // Only the owner of the database can do this.
    await two.context.pool.query(`BEGIN; ALTER TABLE policy_version DISABLE TRIGGER policy_version_append_only;
      UPDATE policy_version SET text = '${other}' WHERE version = 't3';
      ALTER TABLE policy_version ENABLE TRIGGER policy_version_append_only; COMMIT`);
    expect(await refused(activate(approvalId, 't3'))).toMatchObject({ code: RefusalCode.WRONG_STATE });
    expect(await inForce()).toBe('t1');
  });

  it('is rejected when another version was activated since the request, even if that was reverted', async () => {
    await storeFor('t4');
    await storeFor('t5');
    const approvalId = await approved('t4');
    await activate(await approved('t5'), 't5');
    const { code, message } = (await refused(activate(approvalId, 't4'))) ?? {};
    expect(code).toBe(RefusalCode.WRONG_STATE);
    expect(message).toMatch(/policy\.version.*Request a new approval/);
    await activate(await approved('t1'));
    expect(await refused(activate(approvalId, 't4'))).toMatchObject({ code: RefusalCode.WRONG_STATE });
    expect(await inForce()).toBe('t1');
  });

  it('shows the approver the order of the rules, exchanged, with one more and with one less', async () => {
    const ruleOf = (rule: string) => ({
      rule,
      when: 'facts.duplicate',
      outcome: 'rejected',
      reason: 'It is.',
    });
    const last = { rule: 'all', when: 'true', outcome: 'rejected', reason: 'All are.' };
    const ordered = async (version: string, ...names: string[]) => {
      const text = JSON.stringify({ version, rules: [...names.map(ruleOf), last] });
      await two.policies('ada').storePolicy({ kind: KIND, text, note: 'as a trial' });
      const { approvalId } = await ask({}, version);
      const { lines } = await two.approvals('bob').getApproval({ approvalId });
      await two.approvals('bob').approveRequest({ approvalId });
      await activate(approvalId, version);
      return lines.find(({ name }) => name === 'rules')?.after;
    };
    expect(await ordered('o1', 'one', 'two')).toBe('one, two, all');
    expect(await ordered('o2', 'two', 'one')).toBe('two, one, all');
    expect(await ordered('o3', 'two', 'three', 'one')).toBe('two, three, one, all');
    expect(await ordered('o4', 'three', 'one')).toBe('three, one, all');
    expect(await ordered('o5', 'three', 'one')).toBeUndefined();
  });
});
