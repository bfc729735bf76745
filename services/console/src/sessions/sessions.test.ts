import { Sessions } from './sessions.ts';
import { sessionsInMemory } from './sessions-in-memory.ts';

it('a check does not stop a stream that begins meanwhile', async () => {
  const answer = Promise.withResolvers<ReadonlySet<string>>();
  const sessions = new Sessions({
    store: { ...sessionsInMemory(60_000, Date.now), existing: () => answer.promise },
    ...{ now: Date.now, longestMs: 60_000, idleMs: 60_000 },
    renew: async () => undefined,
    personOf: () => ({ subject: 'jo', roles: [] }),
  });
  const ended = async () => {
    const id = await sessions.begin(
      { subject: 'jo', roles: [] },
      { accessToken: 'token', refreshToken: undefined, endsAt: Date.now() + 60_000 },
    );
    return (await sessions.find(id))?.ended;
  };
  const before = await ended();
  const check = sessions.stopEnded();
  const meanwhile = await ended();
  answer.resolve(new Set());
  await check;
  expect([before?.aborted, meanwhile?.aborted]).toEqual([true, false]);
});
