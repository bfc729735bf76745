import { MAX_SESSIONS, MOST_OF_PERSON, type SessionStore, type StoredSession } from './session-store.ts';

/** Keeps sessions in this process: it must be the only one, and a restart logs everyone out. */
export function sessionsInMemory(): SessionStore {
  const held = new Map<string, StoredSession>();
  const change = (digest: string, by: Partial<StoredSession>) => {
    const session = held.get(digest);
    if (session) held.set(digest, { ...session, ...by });
  };
  const dropBeyond = (most: number, among: readonly (readonly [string, StoredSession])[]) => {
    const byUse = among.toSorted(([, a], [, b]) => b.usedAt - a.usedAt);
    for (const [digest] of byUse.slice(most)) held.delete(digest);
  };
  return {
    async add(digest, session, unusedSince) {
      for (const [known, { usedAt }] of held) if (usedAt <= unusedSince) held.delete(known);
      held.set(digest, session);
      const { subject } = session.person;
      dropBeyond(
        MOST_OF_PERSON,
        [...held].filter(([, { person }]) => person.subject === subject),
      );
      dropBeyond(MAX_SESSIONS, [...held]);
    },
    read: async (digest) => held.get(digest),
    use: async (digest, usedAt) => change(digest, { usedAt }),
    // Calls of one process share a renewal already.
    beginRenewal: async () => true,
    renew: async (digest, by) => change(digest, by),
    endRenewal: async () => {},
    remove: async (digest) => void held.delete(digest),
    async removeAllOf(subject) {
      const all = [...held].filter(([, { person }]) => person.subject === subject).map(([digest]) => digest);
      for (const digest of all) held.delete(digest);
      return all;
    },
    existing: async (digests) => new Set(digests.filter((digest) => held.has(digest))),
    count: async (unusedSince, now) =>
      [...held.values()].filter(({ usedAt, endsAt }) => usedAt > unusedSince && endsAt > now).length,
  };
}
