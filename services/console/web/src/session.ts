import { createStore } from './store.ts';

/** The logged-in person, as the console's process reports them. */
export interface Session {
  readonly subject: string;
  readonly roles: readonly string[];
  /** When the login expires, regardless of activity. */
  readonly endsAt: string;
}

const session = createStore<Session | undefined>(undefined);
const isOver = createStore(false);

/** Returns the session, or redirects to the login when there is none. Rejects when the console does not respond. */
export async function openSession(): Promise<Session> {
  const found = await askSession();
  if (!found) {
    const { pathname, search } = window.location;
    window.location.assign(`/login?path=${encodeURIComponent(pathname + search)}`);
    return new Promise(() => {});
  }
  session.set(found);
  return found;
}

/** Reads the session again after a login in another tab. Resolves to whether the session continues. */
export async function resumeSession(): Promise<boolean> {
  const found = await askSession();
  // A different person must not continue with what the first one typed.
  const before = session.get();
  if (found && before && found.subject !== before.subject) {
    window.location.assign('/');
    // Until this page unloads, it still belongs to the first person, whose login is over.
    return new Promise(() => {});
  }
  newest = undefined;
  if (found) session.set(found);
  isOver.set(!found);
  return found !== undefined;
}

/**
 * Returns the person this page believes is logged in. It is sent with every call, and the console rejects calls once a
 * different person is logged in.
 */
export const person = (): string => encodeURIComponent(session.get()?.subject ?? '');

let newest: readonly string[] | undefined;
/** Number of dialogs that are keeping the roles unchanged. */
let busy = 0;

/** Records the roles from a response: they may have changed since the page was opened. */
export function rolesAre(roles: readonly string[]): void {
  newest = roles;
  takeRoles();
}

/**
 * Keeps the roles unchanged until the returned function is called, so that losing a role doesn't discard what a person
 * typed or is reading. The services still check every call.
 */
export function keepRoles(): () => void {
  busy += 1;
  return () => {
    busy -= 1;
    takeRoles();
  };
}

function takeRoles(): void {
  const before = session.get();
  if (busy > 0 || !before || !newest || before.roles.join() === newest.join()) return;
  session.set({ ...before, roles: newest });
}

/** Records that a call was rejected because the login is over. The page keeps its content. */
export function sessionIsOver(): void {
  if (!isOver.get()) isOver.set(true);
}

/** The start of the keys under which this browser stores what a person has saved. */
export const savedBy = (subject: string): string => `of ${encodeURIComponent(subject)}: `;

/**
 * Ends all logins of this person, removes what they saved in this browser, and leaves the page. Rejects when the console does not respond: the person is then
 * still logged in.
 */
export async function logOut(): Promise<void> {
  const answer = await fetch('/logout', { method: 'POST' });
  if (!answer.ok) throw new Error(`cannot log out: the console answered ${answer.status}`);
  const own = savedBy(session.get()?.subject ?? '');
  for (const key of Object.keys(localStorage)) if (key.startsWith(own)) localStorage.removeItem(key);
  window.location.assign('/logged-out');
}

/** Returns the session. Throws when there is none, because the application renders only with one. */
export function useSession(): Session & { readonly isOver: boolean } {
  const found = session.use();
  const over = isOver.use();
  if (!found) throw new Error('cannot show the console: there is no session');
  return { ...found, isOver: over };
}

async function askSession(): Promise<Session | undefined> {
  const answer = await fetch('/session', { headers: { accept: 'application/json' } });
  if (answer.status === 401) return undefined;
  if (!answer.ok) throw new Error(`cannot ask who is logged in: the console answered ${answer.status}`);
  return (await answer.json()) as Session;
}
