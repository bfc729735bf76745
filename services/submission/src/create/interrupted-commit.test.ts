import { randomBytes } from 'node:crypto';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { BillingModel, Level, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import type pg from 'pg';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';

type Statement = string | { readonly name?: string; readonly text?: string };
const nameOf = (statement: Statement) =>
  typeof statement === 'string' ? statement : (statement.name ?? statement.text ?? '');

/** Names of the statements executed by the act under test; the connection is lost before the one at this index. */
let seen: string[] | undefined;
let lostAt: number | undefined;

const service = forAllTests(() => openTestService({ through: intercepted }));

/** Wraps the pool: connections record their statements and lose their server process before one of them. */
function intercepted(pool: pg.Pool): pg.Pool {
  const connect = async () => {
    const client = await pool.connect();
    client.on('error', () => {});
    const { query, release } = client;
    const send = (...given: readonly unknown[]) => Reflect.apply(query, client, given);
    return Object.assign(client, {
      query(...given: readonly [Statement, ...unknown[]]) {
        if (seen) {
          if (seen.length === lostAt) send('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
          seen.push(nameOf(given[0]));
        }
        return send(...given);
      },
      release(broken?: Error) {
        Object.assign(client, { query, release });
        client.release(broken);
      },
    });
  };
  return Object.assign(Object.create(pool), { connect, query: pool.query.bind(pool) });
}

/** Runs the act and loses its connection before statement `at`, if given. Resolves to the names of its statements. */
async function statementsOf(act: () => Promise<unknown>, at?: number): Promise<string[]> {
  [seen, lostAt] = [[], at];
  const done = await act().then(
    () => true,
    () => false,
  );
  const names = seen;
  seen = undefined;
  expect(done).toBe(at === undefined || at >= names.length);
  return names;
}

interface Case {
  readonly prepare: () => Promise<{ readonly id?: SubmissionId; readonly act: () => Promise<unknown> }>;
}

const ON_PROMOTION = {
  billingModel: BillingModel.APPLICATION_CREATED,
  applicationMinting: ApplicationMinting.ON_PROMOTION,
};
const pending = () => basicSubmissions(service).submit({ terms: ON_PROMOTION });

const CASES: Readonly<Record<string, Case>> = {
  create: {
    async prepare() {
      const accountId = newId<AccountId>();
      const request = {
        externalReference: newId(),
        level: Level.APPLICATION,
        enquiry: sampleEnquiry(),
        bodyFingerprint: randomBytes(32),
      };
      return { act: () => service.onBehalfOf({ accountId }).createSubmission(request) };
    },
  },
  promotion: {
    async prepare() {
      const submission = await pending();
      const promotion = { key: newId(), body: randomBytes(32) };
      return { id: submission.id, act: () => basicSubmissions(service).promote(submission, promotion) };
    },
  },
  return: {
    async prepare() {
      const { id } = await service.submit();
      const request = { submissionId: id, reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS };
      return { id, act: () => service.staff.returnSubmission(request) };
    },
  },
  close: {
    async prepare() {
      const { id } = await pending();
      const request = { submissionId: id, closeReason: CloseReason.OTHER };
      return { id, act: () => service.staff.closePendingBilling(request) };
    },
  },
};

/** Returns all submission data that the acts write. */
async function tables(): Promise<string> {
  const { rows } = await service.context.pool.query<{ state: string }>(`
    SELECT concat_ws('/',
      (SELECT md5(string_agg(concat_ws(',', id, status, billing_status, billable_at, version), ' ' ORDER BY id)) FROM submission),
      (SELECT count(*) FROM application), (SELECT count(*) FROM outbox),
      (SELECT count(*) FROM audit_entry), (SELECT count(*) FROM acceptance_count)) AS state`);
  return rows[0]?.state ?? '';
}

describe.each(Object.entries(CASES))('losing the connection during a %s', (_, { prepare }) => {
  it('changes nothing before any of its statements, and a retry succeeds', async () => {
    const whole = await prepare();
    const names = await statementsOf(whole.act);
    expect(names).toEqual(expect.arrayContaining(['COMMIT']));
    for (let at = 0; at < names.length; at += 1) {
      const { act } = await prepare();
      const before = await tables();
      await statementsOf(act, at);
      expect({ at, name: names[at], state: await tables() }).toEqual({ at, name: names[at], state: before });
      await act();
      expect(await tables()).not.toBe(before);
    }
  });
});
