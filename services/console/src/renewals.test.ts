import { setTimeout as pause } from 'node:timers/promises';
import { KeyRing } from '@supplier/lib/data/crypto';
import { startTestProcess } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { type SharedMeans, sharedSessions } from './sessions/shared-sessions.sql.ts';
import { answerTo, call, session as sessionAt, testReplicas } from './testing/test-replicas.ts';

const replicas = testReplicas();
const query = (text: string) => replicas.database.pool.query(text);

/** Begins a session at a console. Its token has expired. */
async function expired(app: FastifyInstance) {
  replicas.provider.token = { seconds: 300, renews: true };
  const cookie = await sessionAt(app, replicas);
  await replicas.pass(301_000);
  return cookie;
}

/** One replica asks for new tokens, but its lease ends; then the other one asks for some too. */
async function overtaken() {
  const [one, other] = [await replicas.start(), await replicas.start()];
  const cookie = await expired(one);
  const first = replicas.provider.hold();
  const atOne = call(one, cookie);
  await first.asked;
  await query("UPDATE session SET renewing_until = now() - interval '1 second'");
  const second = replicas.provider.hold();
  const atOther = answerTo(other, cookie);
  await second.asked;
  return { one, other, cookie, first, second, atOne, atOther };
}

describe('the renewal of a shared session', () => {
  it('is taken over from a replica that was killed', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    await query("UPDATE session SET renewing_until = now() + interval '2 seconds'");
    expect(await call(app, cookie)).toBe(200);
  });

  it('is taken over when its lease is longer than any', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    await query("UPDATE session SET renewing_until = 'infinity'");
    expect(await call(app, cookie)).toBe(200);
  });

  it('is not taken over by a transaction that began before the lease', async () => {
    const testProcess = startTestProcess('console');
    const key = Buffer.alloc(32, 1).toString('base64');
    const keys = KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key }, digestKey: key }));
    const storeAt = (pool: SharedMeans['pool']) =>
      sharedSessions({ pool, keys, idleMs: 60_000, log: testProcess.log });
    const { pool } = replicas.database;
    const early = await pool.connect();
    try {
      await early.query('BEGIN');
      const tokens = { accessToken: 'a', refreshToken: 'r', endsAt: 0 };
      await storeAt(pool).add('digest', { person: { subject: 'jo', roles: [] }, tokens, endsAt: 0 });
      const version = (await storeAt(pool).read('digest'))?.version ?? '';
      expect(await storeAt(pool).beginRenewal('digest', version)).toEqual(expect.any(String));
      expect(await storeAt(early).beginRenewal('digest', version)).toBeUndefined();
    } finally {
      await early.query('ROLLBACK');
      early.release();
      await testProcess.stop();
    }
  });

  it('keeps the session when another replica does not end it in time', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    await query("UPDATE session SET renewing_until = now() + interval '20 seconds'");
    // Time passes six seconds at each look at the clock.
    let time = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (time += 6_000));
    expect(await call(app, cookie)).toBe(503);
    clock.mockRestore();
    await query('UPDATE session SET renewing_until = NULL');
    expect(await call(app, cookie)).toBe(200);
  });

  it('keeps the session at every replica while the identity provider is unavailable', async () => {
    const [one, other] = [await replicas.start(), await replicas.start()];
    const cookie = await expired(one);
    replicas.provider.isAway = true;
    expect(await Promise.all([call(one, cookie), call(other, cookie)])).toEqual([503, 503]);
    replicas.provider.isAway = false;
    expect(await Promise.all([call(one, cookie), call(other, cookie)])).toEqual([200, 200]);
  });

  it('works repeatedly with a provider that keeps its refresh tokens', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    for (let renewal = 1; renewal <= 3; renewal += 1) {
      replicas.provider.token = { seconds: 300, renews: true, keepsRefreshToken: true };
      expect(await call(app, cookie)).toBe(200);
      await replicas.pass(301_000);
    }
    expect(replicas.provider.renewals).toHaveLength(3);
    expect(new Set(replicas.provider.renewals).size).toBe(1);
  });

  it.each([
    [400, 'temporarily_unavailable'],
    [401, 'invalid_client'],
  ])('keeps the session when the provider answers %i %s', async (status, code) => {
    const app = await replicas.start();
    const cookie = await expired(app);
    replicas.provider.error = { status, code };
    expect(await call(app, cookie)).toBe(503);
    replicas.provider.error = undefined;
    expect(await call(app, cookie)).toBe(200);
  });

  it('ends the session when the provider refuses the refresh token', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    replicas.provider.error = { status: 400, code: 'invalid_grant' };
    expect(await call(app, cookie)).toBe(401);
    replicas.provider.error = undefined;
    expect(await call(app, cookie)).toBe(401);
  });

  it('ends within its lease if the identity provider does not answer', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    const held = replicas.provider.hold();
    const startedAt = performance.now();
    expect(await call(app, cookie)).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    held.release();
  });

  it('does not end the session when it is refused after another replica renewed it', async () => {
    const { one, other, cookie, first, second, atOne, atOther } = await overtaken();
    second.release();
    expect((await atOther).statusCode).toBe(200);
    replicas.provider.token = { seconds: 300, renews: false };
    first.release();
    expect(await atOne).toBe(200);
    expect([await call(one, cookie), await call(other, cookie)]).toEqual([200, 200]);
  });

  it('does not replace what another replica stored after its lease ended', async () => {
    const { one, cookie, first, second, atOne, atOther } = await overtaken();
    replicas.provider.person = { subject: 'jo', roles: ['staff:viewer'] };
    second.release();
    expect((await atOther).headers['console-roles']).toBe('staff:viewer');
    replicas.provider.person = { subject: 'jo', roles: ['staff:operator'] };
    first.release();
    await atOne;
    expect((await answerTo(one, cookie)).headers['console-roles']).toBe('staff:viewer');
  });

  it('is stored as soon as the database is available again', async () => {
    const app = await replicas.start();
    const cookie = await expired(app);
    const held = replicas.provider.hold();
    const answer = call(app, cookie);
    await held.asked;
    await query('ALTER TABLE session RENAME TO away');
    held.release();
    await pause(500);
    await query('ALTER TABLE away RENAME TO session');
    expect(await answer).toBe(200);
    expect(replicas.provider.renewals).toHaveLength(1);
  });
});
