import { inTransaction } from '@supplier/lib/data/postgres';
import { forAllTests } from '@supplier/lib/testing';
import { type Submission, type SubmissionEvent, submissionOf } from '../../testing/submission-events.ts';
import { openTestService } from '../../testing/test-service.ts';
import { applySubmissionEvents } from './apply-submission-events.ts';

const service = forAllTests(() => openTestService());

/** Statements of the consumer's transaction that posts lines. */
const STATEMENTS = ['BEGIN', 'share-ledgers', 'post-lines', 'COMMIT'];

describe('a set of events on a lost connection', () => {
  it.each(STATEMENTS)(
    'posts nothing when the connection is lost before %s, and everything on retry',
    async (statement) => {
      const { submissions, events } = setOfTwo();
      await expect(deliver(events, losesBefore(statement))).rejects.toThrow();
      expect(await linesOf(submissions)).toBe(0);
      await deliver(events);
      expect(await linesOf(submissions)).toBe(3);
    },
  );

  it('is posted completely when the connection is lost after COMMIT, and the retry changes nothing', async () => {
    const { submissions, events } = setOfTwo();
    await expect(deliver(events, losesTheAnswer)).rejects.toThrow('connection lost');
    expect(await linesOf(submissions)).toBe(3);
    await deliver(events);
    expect(await linesOf(submissions)).toBe(3);
  });

  it('sends no statements other than those tested', async () => {
    const sent: string[] = [];
    await deliver(setOfTwo().events, (statement, send) => {
      sent.push(nameOf(statement));
      return send(statement);
    });
    expect(sent).toEqual(STATEMENTS);
  });
});

type Statement = string | { readonly name: string };
type Send = (statement: Statement) => Promise<unknown>;
type Intercept = (statement: Statement, send: Send) => Promise<unknown>;

const nameOf = (statement: Statement) => (typeof statement === 'string' ? statement : statement.name);

/** Ends the server process of the connection before it receives the statement. */
const losesBefore =
  (name: string): Intercept =>
  (statement, send) => {
    // Sent in the same packet, so that no other statement comes in between.
    if (nameOf(statement) === name) send('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    return send(statement);
  };

/** Commits the transaction but loses the response. */
const losesTheAnswer: Intercept = async (statement, send) => {
  const answer = await send(statement);
  if (nameOf(statement) === 'COMMIT') throw new Error('connection lost');
  return answer;
};

/** Applies a set as the consumer does, intercepting each statement of its transaction. */
async function deliver(
  events: readonly SubmissionEvent[],
  intercept: Intercept = (statement, send) => send(statement),
): Promise<void> {
  const { pool } = service.context;
  const connect = async () => {
    const client = await pool.connect();
    client.on('error', () => {});
    const { query, release } = client;
    const send: Send = (statement) => Reflect.apply(query, client, [statement]);
    return Object.assign(client, {
      query: (statement: Statement) => intercept(statement, send),
      release(broken?: Error) {
        Object.assign(client, { query, release });
        client.release(broken);
      },
    });
  };
  await inTransaction(Object.assign(Object.create(pool), { connect }), (tx) =>
    applySubmissionEvents(tx, events),
  );
}

function setOfTwo() {
  const submissions = [submissionOf(), submissionOf()] as const;
  return { submissions, events: [submissions[0].billable(), submissions[1].returned()] };
}

function linesOf(submissions: readonly Submission[]): Promise<number> {
  return service.context.db.ledgerEntry.count({
    where: { submissionId: { in: submissions.map(({ submissionId }) => submissionId) } },
  });
}
