import { cookieOf } from './testing/test-console.ts';
import { call, logOut, session as sessionAt, testReplicas, watching } from './testing/test-replicas.ts';

const replicas = testReplicas();
const session = (app: Parameters<typeof sessionAt>[0]) => sessionAt(app, replicas);

describe('two replicas of the console', () => {
  it('serve one session, also when its login began at the other one', async () => {
    const [one, other] = [await replicas.start(), await replicas.start()];
    const begun = await one.inject({ url: '/login' });
    const back = replicas.provider.login(String(begun.headers.location));
    const cookies = { 'console-login': cookieOf(begun, 'console-login') };
    const cookie = cookieOf(
      await other.inject({ url: `${back.pathname}${back.search}`, cookies }),
      'console',
    );
    expect([await call(one, cookie), await call(other, cookie)]).toEqual([200, 200]);
  });

  it('renew an expiring token once', async () => {
    const [one, other] = [await replicas.start(), await replicas.start()];
    replicas.provider.token = { seconds: 300, renews: true };
    const cookie = await session(one);
    await replicas.pass(301_000);
    const held = replicas.provider.hold();
    const calls = [call(one, cookie), call(one, cookie), call(other, cookie)];
    await held.asked;
    held.release();
    expect(await Promise.all(calls)).toEqual([200, 200, 200]);
    expect(replicas.provider.renewals).toHaveLength(1);
  });

  it('end a session that is used at both, and its streams, when its person logs out at one', async () => {
    const [one, other] = [await replicas.start(), await replicas.start()];
    const [here, there] = [await session(one), await session(other)];
    const streams = [await watching(one, there), await watching(other, here)];
    await logOut(one, here);
    for (const stream of streams) await expect(stream.read()).rejects.toThrow();
    for (const cookie of [here, there])
      expect([await call(one, cookie), await call(other, cookie)]).toEqual([401, 401]);
  });

  it('count the use at either one', async () => {
    const [one, other] = [await replicas.start(), await replicas.start()];
    replicas.provider.token = { seconds: 86_400, renews: false };
    const cookie = await session(one);
    for (const app of [other, one, other]) {
      await replicas.pass(40 * 60_000);
      expect(await call(app, cookie)).toBe(200);
    }
    await replicas.pass(60 * 60_000);
    expect([await call(one, cookie), await call(other, cookie)]).toEqual([401, 401]);
  });
});

describe('a shared session', () => {
  it('outlives a restart, and a rotation of the key that seals it', async () => {
    const cookie = await session(await replicas.start('before'));
    replicas.provider.token = { seconds: 300, renews: true };
    const during = await replicas.start('during');
    expect(await call(during, cookie)).toBe(200);
    const newer = await session(during);
    const after = await replicas.start('after');
    expect([await call(after, newer), await call(after, cookie)]).toEqual([200, 401]);
  });

  it('is not served after it expired, nor when its cookie is sent again after a logout', async () => {
    const app = await replicas.start();
    const cookie = await session(app);
    await logOut(app, cookie);
    expect(await call(app, cookie)).toBe(401);
    const late = await session(app);
    await replicas.pass(8 * 60 * 60_000);
    expect(await call(app, late)).toBe(401);
    await replicas.pass(-8 * 60 * 60_000);
    expect(await call(app, late)).toBe(401);
  });

  it('does not open for someone who can write to the database but has no key', async () => {
    const app = await replicas.start();
    const cookie = await session(app);
    replicas.provider.person = { subject: 'sam', roles: ['staff:admin'] };
    await session(app);
    await replicas.database.pool.query(
      "UPDATE session SET sealed = (SELECT sealed FROM session WHERE subject = 'sam' LIMIT 1) WHERE subject = 'jo'",
    );
    expect(await call(app, cookie)).toBe(401);
    const forged = await replicas.start('foreign');
    replicas.provider.person = { subject: 'jo', roles: ['staff:admin'] };
    expect(await call(app, await session(forged))).toBe(401);
  });

  it('begins only with a login that was sealed under a key of the ring, and was not altered', async () => {
    const [app, foreign] = [await replicas.start(), await replicas.start('foreign')];
    const begun = await foreign.inject({ url: '/login' });
    const back = replicas.provider.login(String(begun.headers.location));
    const sealed = cookieOf(begun, 'console-login');
    const finish = async (cookie: string) =>
      (await app.inject({ url: `${back.pathname}${back.search}`, cookies: { 'console-login': cookie } }))
        .statusCode;
    expect(await finish(sealed)).toBe(400);
    const own = cookieOf(await app.inject({ url: '/login' }), 'console-login');
    expect(await finish(`${own.slice(0, -2)}${own.endsWith('A') ? 'B' : 'A'}${own.at(-1)}`)).toBe(400);
  });

  it('keeps no token and no session id in the database in the clear', async () => {
    const cookie = await session(await replicas.start());
    const { rows } = await replicas.database.pool.query(
      'SELECT session::text AS line, encode(sealed, $1) AS text FROM session',
      ['escape'],
    );
    for (const { line, text } of rows) {
      expect(`${line}${text}`).not.toContain(cookie);
      expect(`${line}${text}`).not.toContain('eyJ');
    }
  });
});
