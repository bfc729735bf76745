import { eventually } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { unusedSessions } from './sessions/shared-sessions.sql.ts';
import { logIn } from './testing/test-console.ts';
import {
  answerTo,
  call,
  logOut,
  session as sessionAt,
  testReplicas,
  watching,
} from './testing/test-replicas.ts';

const HOUR_MS = 3_600_000;

const replicas = testReplicas();
const session = (app: FastifyInstance) => sessionAt(app, replicas);
const query = (text: string) => replicas.database.pool.query(text);
const count = async () => (await query('SELECT FROM session')).rowCount;
const logged = (message: string) => replicas.lines.filter(({ msg }) => msg === message);
/** Runs `work` while the runtime role lacks a privilege. */
async function without(privilege: string, work: () => Promise<void>) {
  const role = new URL(replicas.database.runtimeUrl).username;
  await query(`REVOKE ${privilege} ON session FROM ${role}`);
  try {
    await work();
  } finally {
    await query(`GRANT ${privilege} ON session TO ${role}`);
  }
}

describe('someone who can write to the database', () => {
  it('cannot prolong a session beyond its end', async () => {
    const app = await replicas.start();
    replicas.provider.token = { seconds: 86_400, renews: false };
    const cookie = await session(app);
    await query("UPDATE session SET used_at = 'infinity'");
    expect(await call(app, cookie)).toBe(200);
    await replicas.pass(8 * HOUR_MS);
    await query("UPDATE session SET used_at = now() + interval '1 day'");
    expect(await call(app, cookie)).toBe(401);
  });

  it('cannot break calls with a time in the infinite past', async () => {
    const app = await replicas.start();
    const cookie = await session(app);
    await query("UPDATE session SET used_at = '-infinity'");
    expect(await call(app, cookie)).toBe(401);
  });

  it('cannot keep a session from the logout of its person', async () => {
    const app = await replicas.start();
    const [here, there] = [await session(app), await session(app)];
    const stream = await watching(app, here);
    await query("UPDATE session SET subject = 'sam' WHERE ctid = (SELECT min(ctid) FROM session)");
    expect(await call(app, here)).toBe(401);
    await logOut(app, here);
    await expect(stream.read()).rejects.toThrow();
    expect(await call(app, there)).toBe(401);
    expect(await count()).toBe(0);
  });
});

describe('shared sessions', () => {
  it('time out by the clock of the database', async () => {
    const [one, ahead] = [await replicas.start(), await replicas.start('before', 2 * HOUR_MS)];
    replicas.provider.token = { seconds: 86_400, renews: false };
    const cookie = await session(one);
    expect(await call(ahead, cookie)).toBe(200);
    expect(await call(one, await session(ahead))).toBe(200);
  });

  it('are kept for up to ten browsers per person', async () => {
    const app = await replicas.start();
    const first = await session(app);
    for (let more = 0; more < 10; more += 1) await session(app);
    expect([await call(app, first), await count()]).toEqual([401, 10]);
  });

  it('are kept for the thousand that were used last; all others are removed in batches', async () => {
    await query(`INSERT INTO session (id_digest, subject, sealed, used_at)
      SELECT n::text, n::text, '', now() - n * interval '1 millisecond' FROM generate_series(1, 3100) AS n`);
    const runs = [];
    for (let more = true; more; more = runs.at(-1)?.more ?? false)
      runs.push(await unusedSessions.run({ pool: replicas.database.pool, idleMs: HOUR_MS }));
    expect(runs.map((run) => run.count)).toEqual([1_000, 1_000, 100]);
    expect((await query('SELECT max(id_digest::int), count(*)::int FROM session')).rows).toEqual([
      { max: 1_000, count: 1_000 },
    ]);
  });

  it('are removed when they time out, without a login', async () => {
    await session(await replicas.start());
    await replicas.pass(HOUR_MS);
    await replicas.start();
    await eventually('the session is removed', async () => (await count()) === 0);
  });

  it('are kept by a replica without their key, which counts them in its log', async () => {
    const cookie = await session(await replicas.start());
    const foreign = await replicas.start('foreign');
    expect([await call(foreign, cookie), await call(foreign, cookie), await count()]).toEqual([401, 401, 1]);
    expect(logged('sessions not opened').map((line) => line.count)).toEqual([1, 2]);
  });
});

describe('without the database', () => {
  it('logins get 503, and add no session', async () => {
    const app = await replicas.start();
    await without('DELETE', async () => {
      const { statusCode, body } = await logIn(app, replicas.provider);
      expect([statusCode, body]).toEqual([503, expect.stringContaining('cannot save your session')]);
    });
    expect(await count()).toBe(0);
  });

  it('calls get 503 and continue later, and the identity provider is not blamed', async () => {
    const app = await replicas.start();
    replicas.provider.token = { seconds: 300, renews: true };
    const cookie = await session(app);
    await replicas.pass(301_000);
    await without('UPDATE', async () => {
      const { statusCode, body } = await answerTo(app, cookie);
      expect([statusCode, body]).toEqual([503, expect.stringContaining('cannot read your session')]);
    });
    expect([logged('sessions unavailable').length, logged('identity provider unavailable')]).toEqual([1, []]);
    expect(await call(app, cookie)).toBe(200);
  });

  it('streams end after 30 seconds, and the log says once that sessions are not checked', async () => {
    const app = await replicas.start();
    const cookie = await session(app);
    const stream = await watching(app, cookie);
    await without('SELECT', async () => {
      await eventually('a check fails', () => logged('sessions not checked').length > 0);
      await replicas.pass(31_000);
      await expect(stream.read()).rejects.toThrow();
      expect([await call(app, cookie), (await logOut(app, cookie)).statusCode]).toEqual([503, 503]);
    });
    expect(logged('sessions not checked')).toHaveLength(1);
    expect(await call(app, cookie)).toBe(200);
  });
});
