import { readFileSync } from 'node:fs';
import { create, toJson } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import {
  AccountService,
  type IssueCredentialRequest,
  IssueCredentialRequestSchema,
} from '@supplier/proto/account/v1/account';
import { ApprovalService, ApprovalState } from '@supplier/proto/approval/v1/approval';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';
import { RefusalCode, refuse } from '../../rpc/refusal/index.ts';
import { callerKey } from '../../rpc/rpc-server/index.ts';
import { createTestDatabase, inProcessClient, type TestDatabase } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { approvableAction, type FourEyes, factLines, openApprovals } from './index.ts';

const sql = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const START = new Date('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;

const GONE = newId();

let now = START;
/** The fact that the act is judged by. */
let state = 'active';
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: sql('../audit/audit.sql') + sql('approvals.sql') });
});
afterAll(() => database?.close());
beforeEach(() => {
  now = START;
  state = 'active';
});

const approvable = approvableAction<typeof IssueCredentialRequestSchema, pg.PoolClient>(
  AccountService.method.issueCredential,
  async (_session, { accountId, environment }) => {
    if (accountId === GONE) throw refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
    return {
      target: accountId,
      reasons: environment === Environment.PRODUCTION ? ['a credential for production'] : [],
      further: factLines({ 'account.state': state }),
    };
  },
);
const approvals = (fourEyes: FourEyes = 'required') =>
  openApprovals({
    pool: database.pool,
    transact: <Result>(work: (session: pg.PoolClient) => Promise<Result>) =>
      inTransaction(database.pool, work),
    clock: { now: () => now },
    fourEyes,
  });

const person = (subject: string, role = 'staff:admin', issuer = 'people') => ({
  subject,
  issuer,
  roles: [role],
  tokenEndsAt: Number.POSITIVE_INFINITY,
});
const ADA = person('ada');
const BOB = person('bob');
const as = (caller: ReturnType<typeof person>) =>
  inProcessClient(ApprovalService, (router) => approvals().routes(router, [approvable]), { caller });

type Overrides = Partial<Pick<IssueCredentialRequest, 'accountId' | 'environment' | 'scopes' | 'expiresAt'>>;
const requestWith = (more: Overrides = {}) =>
  create(IssueCredentialRequestSchema, {
    accountId: newId(),
    environment: Environment.PRODUCTION,
    scopes: [Scope.READ],
    ...more,
  });
type Request = ReturnType<typeof requestWith>;

const ask = (request: Request, caller = ADA) =>
  as(caller).requestApproval({
    action: 'IssueCredential',
    argumentsJson: JSON.stringify(toJson(IssueCredentialRequestSchema, request)),
    purpose: 'go-live of a supplier',
  });

/** Takes the approval as an act does, in a separate transaction. */
const use = (request: Request, approvalId: string, { by = ADA, fourEyes = 'required' as FourEyes } = {}) =>
  inTransaction(database.pool, (tx) =>
    approvals(fourEyes).take(
      tx,
      approvable,
      { ...request, approvalId },
      { values: createContextValues().set(callerKey, by) },
    ),
  );

async function approved(request: Request): Promise<string> {
  const { approvalId } = await ask(request);
  await as(BOB).approveRequest({ approvalId });
  return approvalId;
}

async function refusal(call: Promise<unknown>): Promise<{ code: Code; message: string }> {
  try {
    await call;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { code, message: rawMessage };
  }
  throw new Error('the call was expected to be refused, and was not');
}

/** Returns the state whose list contains it; 0 unless exactly one does. */
const stateOf = async (approvalId: string) => {
  const listed = [1, 2, 3, 4, 5].map((state) => as(ADA).listApprovals({ state, pageSize: 200 }));
  const all = (await Promise.all(listed)).map((list) => list.approvals.map((one) => one.approvalId));
  const isIn = (ids: string[]) => ids.includes(approvalId);
  return all.filter(isIn).length === 1 ? 1 + all.findIndex(isIn) : 0;
};

describe('action that requires approval', () => {
  it('is done once by its requester after another person approves it', async () => {
    const request = requestWith();
    const asked = await ask(request);
    expect(asked).toMatchObject({
      action: 'IssueCredential',
      target: request.accountId,
      requestedBy: 'ada',
      purpose: 'go-live of a supplier',
      state: ApprovalState.WAITING,
    });
    expect(JSON.parse(asked.argumentsJson)).toEqual(toJson(IssueCredentialRequestSchema, request));
    const given = await as(BOB).approveRequest({ approvalId: asked.approvalId });
    expect(given).toMatchObject({ state: ApprovalState.APPROVED, decidedBy: 'bob' });
    expect(await use(request, asked.approvalId)).toBe(asked.approvalId);
    expect(await stateOf(asked.approvalId)).toBe(ApprovalState.USED);
    const message = 'The approval has been used. Request a new one.';
    expect(await refusal(use(request, asked.approvalId))).toEqual({ code: Code.FailedPrecondition, message });
    now = new Date(START.getTime() + 24 * HOUR_MS);
    expect(await stateOf(asked.approvalId)).toBe(ApprovalState.USED);
  });

  it('is refused without an approval if approvals are required, and done if they are not', async () => {
    expect(await refusal(use(requestWith(), ''))).toMatchObject({
      code: Code.FailedPrecondition,
      message: expect.stringContaining('Request it with RequestApproval'),
    });
    expect(await use(requestWith(), '', { fourEyes: 'off' })).toBeUndefined();
    expect(await use(requestWith({ environment: Environment.SANDBOX }), '')).toBeUndefined();
  });

  it('is checked against a named approval even if approvals are off', async () => {
    const { approvalId } = await ask(requestWith());
    const { code } = await refusal(use(requestWith(), approvalId, { fourEyes: 'off' }));
    expect(code).toBe(Code.FailedPrecondition);
  });

  it.each<[string, Overrides]>([
    ['another account', { accountId: newId() }],
    ['more scopes', { scopes: [Scope.READ, Scope.PROMOTE] }],
    ['another expiry', { expiresAt: timestampFromMs(4_000_000_000_000) }],
  ])('is refused with %s, and the approval stays valid', async (_what, other) => {
    const request = requestWith();
    const approvalId = await approved(request);
    expect(await refusal(use(requestWith({ ...request, ...other }), approvalId))).toMatchObject({
      code: Code.FailedPrecondition,
      message: expect.stringContaining('covers a different action'),
    });
    expect(await use(request, approvalId)).toBe(approvalId);
  });

  it('is refused when the facts change, and names the changed fact', async () => {
    const request = requestWith();
    const approvalId = await approved(request);
    state = 'suspended';
    expect(await refusal(use(request, approvalId))).toEqual({
      code: Code.FailedPrecondition,
      message: 'The facts have changed since it was requested (account.state). Request a new approval.',
    });
    expect(await stateOf(approvalId)).toBe(ApprovalState.APPROVED);
  });

  it('is the same action regardless of the order of its lists', async () => {
    const request = requestWith({ scopes: [Scope.READ, Scope.PROMOTE] });
    const approvalId = await approved(request);
    expect(await use({ ...request, scopes: [Scope.PROMOTE, Scope.READ] }, approvalId)).toBe(approvalId);
  });

  it('is refused before approval, after refusal, and 24 hours after the request', async () => {
    const request = requestWith();
    const { approvalId } = await ask(request);
    expect((await refusal(use(request, approvalId))).message).toBe('The request has not been approved yet.');
    await as(BOB).refuseRequest({ approvalId, reason: 'not signed yet' });
    expect((await refusal(use(request, approvalId))).message).toBe('The approval was refused.');
    const late = await approved(request);
    now = new Date(START.getTime() + 24 * HOUR_MS);
    expect((await refusal(use(request, late))).message).toBe('The approval has expired. Request a new one.');
    expect(await stateOf(late)).toBe(ApprovalState.EXPIRED);
    expect(await stateOf(approvalId)).toBe(ApprovalState.REFUSED);
  });

  it('is not done by another person with the same approval, including the approver', async () => {
    const request = requestWith();
    const approvalId = await approved(request);
    for (const by of [BOB, person('cleo'), person('ada', 'staff:admin', 'elsewhere')])
      expect((await refusal(use(request, approvalId, { by }))).code).toBe(Code.PermissionDenied);
    expect(await stateOf(approvalId)).toBe(ApprovalState.APPROVED);
  });

  it('is done once by simultaneous uses', async () => {
    const request = requestWith();
    const approvalId = await approved(request);
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => use(request, approvalId)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('leaves its approval valid when it fails', async () => {
    const request = requestWith();
    const approvalId = await approved(request);
    const values = createContextValues().set(callerKey, ADA);
    const failing = inTransaction(database.pool, async (tx) => {
      await approvals().take(tx, approvable, { ...request, approvalId }, { values });
      throw new Error('the act failed');
    });
    await expect(failing).rejects.toThrow('the act failed');
    expect(await use(request, approvalId)).toBe(approvalId);
  });

  it('is refused with an approval that does not exist', async () => {
    expect((await refusal(use(requestWith(), newId()))).code).toBe(Code.NotFound);
    expect((await refusal(use(requestWith(), 'nonsense'))).code).toBe(Code.NotFound);
  });
});

describe('approval', () => {
  it('contains the whole action, its facts and two people, who may share a subject under two issuers', async () => {
    const request = requestWith({ expiresAt: timestampFromMs(1_900_000_000_000) });
    const { approvalId } = await ask(request);
    await as(person('ada', 'staff:admin', 'elsewhere')).approveRequest({ approvalId });
    expect(await as(ADA).getApproval({ approvalId })).toMatchObject({
      ...{ requestedBy: 'ada', requestedIssuer: 'people', decidedBy: 'ada', decidedIssuer: 'elsewhere' },
      reasons: ['a credential for production'],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      lines: [
        { name: 'account_id', after: request.accountId },
        { name: 'environment', after: 'production' },
        { name: 'scopes', after: 'read' },
        { name: 'expires_at', after: '2030-03-17T17:46:40Z' },
        { name: 'account.state', before: 'active' },
      ],
    });
    expect(await refusal(as(ADA).getApproval({ approvalId: newId() }))).toMatchObject({
      code: Code.NotFound,
    });
  });

  it('is listed without its lines if they are long', async () => {
    state = 'x'.repeat(20_000);
    const { approvalId } = await ask(requestWith());
    const { approvals: listed } = await as(ADA).listApprovals({ pageSize: 200 });
    expect(listed.find((one) => one.approvalId === approvalId)?.lines).toEqual([]);
    expect((await as(ADA).getApproval({ approvalId })).lines).toHaveLength(4);
  });

  it('cannot be requested for an action that would be refused', async () => {
    expect(await refusal(ask(requestWith({ accountId: GONE })))).toMatchObject({ code: Code.NotFound });
  });

  it('cannot be given by its requester under the same issuer', async () => {
    const { approvalId } = await ask(requestWith());
    expect(await refusal(as(ADA).approveRequest({ approvalId }))).toEqual({
      code: Code.PermissionDenied,
      message: 'Someone other than the requester must approve it.',
    });
    expect(await stateOf(approvalId)).toBe(ApprovalState.WAITING);
  });

  it('cannot be requested or given by a caller who may not perform the action', async () => {
    const clerk = person('cleo', 'staff:privacy');
    expect((await refusal(ask(requestWith(), clerk))).code).toBe(Code.PermissionDenied);
    const { approvalId } = await ask(requestWith());
    expect((await refusal(as(clerk).approveRequest({ approvalId }))).code).toBe(Code.PermissionDenied);
    const { code } = await refusal(as(clerk).refuseRequest({ approvalId, reason: 'no' }));
    expect(code).toBe(Code.PermissionDenied);
  });

  it('can be withdrawn by its requester and cannot be given afterwards', async () => {
    const { approvalId } = await ask(requestWith());
    await as(ADA).refuseRequest({ approvalId, reason: 'a mistake' });
    expect((await refusal(as(BOB).approveRequest({ approvalId }))).code).toBe(Code.FailedPrecondition);
  });

  it('is decided once: repeating the decision returns it, and another decision is refused', async () => {
    const { approvalId } = await ask(requestWith());
    const first = await as(BOB).approveRequest({ approvalId });
    now = new Date(START.getTime() + HOUR_MS);
    expect(await as(BOB).approveRequest({ approvalId })).toEqual(first);
    for (const other of [person('cleo'), person('bob', 'staff:admin', 'elsewhere')])
      expect((await refusal(as(other).approveRequest({ approvalId }))).code).toBe(Code.FailedPrecondition);
    const { code } = await refusal(as(BOB).refuseRequest({ approvalId, reason: 'no' }));
    expect(code).toBe(Code.FailedPrecondition);
    expect((await refusal(as(BOB).approveRequest({ approvalId: newId() }))).code).toBe(Code.NotFound);
  });

  it('cannot be given after it expires', async () => {
    const { approvalId } = await ask(requestWith());
    now = new Date(START.getTime() + 25 * HOUR_MS);
    expect((await refusal(as(BOB).approveRequest({ approvalId }))).code).toBe(Code.FailedPrecondition);
  });

  it.each([
    ['DoAnything', '{}', 'action'],
    ['IssueCredential', '{"accountID": "x"}', 'arguments_json'],
    ['IssueCredential', 'nonsense', 'arguments_json'],
    ['IssueCredential', '{}', 'arguments_json'],
    [
      'IssueCredential',
      `{"accountId": "${newId()}", "environment": "ENVIRONMENT_SANDBOX", "scopes": ["SCOPE_READ"]}`,
      'arguments_json',
    ],
  ])('cannot be requested for %s with %s', async (action, argumentsJson) => {
    const call = as(ADA).requestApproval({ action, argumentsJson, purpose: 'to try' });
    expect((await refusal(call)).code).toBe(Code.InvalidArgument);
  });

  it('adds an audit entry for each step', async () => {
    const approvalId = await approved(requestWith());
    const { approvalId: refusedId } = await ask(requestWith());
    await as(BOB).refuseRequest({ approvalId: refusedId, reason: 'not signed yet' });
    const { rows } = await database.pool.query(
      'SELECT actor, action, target, purpose FROM audit_entry WHERE target = ANY($1) ORDER BY sequence',
      [[approvalId, refusedId]],
    );
    const purpose = 'go-live of a supplier';
    expect(rows).toEqual([
      { actor: 'ada', action: 'RequestApproval', target: approvalId, purpose },
      { actor: 'bob', action: 'ApproveRequest', target: approvalId, purpose: '' },
      { actor: 'ada', action: 'RequestApproval', target: refusedId, purpose },
      { actor: 'bob', action: 'RefuseRequest', target: refusedId, purpose: 'not signed yet' },
    ]);
  });

  it.each([
    `arguments = '{}'`,
    `lines = '[]'`,
    `sha256 = ''`,
    `requested_by = 'bob'`,
    `decided_by = 'cleo'`,
    'decided_at = NULL, decided_by = NULL, decided_issuer = NULL',
  ])('cannot be rewritten: %s', async (change) => {
    const approvalId = await approved(requestWith());
    const rewriting = database.pool.query(`UPDATE approval SET ${change} WHERE id = $1`, [approvalId]);
    await expect(rewriting).rejects.toThrow('an approval is decided once and used once');
  });

  it('cannot be given by its requester, even by writing the row directly', async () => {
    const { approvalId } = await ask(requestWith());
    const statement = `UPDATE approval SET decided_by = 'ada', decided_issuer = 'people', decided_at = now() WHERE id = $1`;
    await expect(database.pool.query(statement, [approvalId])).rejects.toThrow('approval_two_people_check');
  });
});

describe('listApprovals', () => {
  it('returns pending approvals first, then the newest, page by page, or those in one state', async () => {
    await database.pool.query('TRUNCATE approval');
    const waiting = (await ask(requestWith())).approvalId;
    const given = await approved(requestWith());
    const later = await approved(requestWith());
    const first = await as(BOB).listApprovals({ pageSize: 2 });
    expect(first.approvals.map(({ approvalId }) => approvalId)).toEqual([waiting, later]);
    const next = await as(BOB).listApprovals({ pageSize: 2, pageToken: first.nextPageToken });
    expect(next.approvals.map(({ approvalId }) => approvalId)).toEqual([given]);
    expect(next.nextPageToken).toBe('');
    const ofState = await as(BOB).listApprovals({ state: ApprovalState.WAITING });
    expect(ofState.approvals.map(({ approvalId }) => approvalId)).toEqual([waiting]);
    const unknown = as(BOB).listApprovals({ state: 99 as ApprovalState });
    await expect(unknown).rejects.toMatchObject({ code: Code.InvalidArgument });
  });
});
