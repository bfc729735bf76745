/**
 * The time a request may spend in calls to services, so that its answer comes within five seconds whatever hangs.
 * Looking up the credential, rarely needed, may take part of it; the operation's own call has the rest.
 */
export const CALLS_MS = 4_500;
/** The most that looking up a credential may take of it. */
export const LOOKUP_MS = 1_500;
