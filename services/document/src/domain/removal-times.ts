/** An upload that began while its URL worked may go on for a while; what it leaves is removed after that. */
const UPLOAD_GRACE_MS = 10 * 60_000;
/** A finalize lasts seconds; a copy that none has claimed by then was left behind. */
const COPY_GRACE_MS = 60 * 60_000;

/** When nothing can arrive any longer at the key of an upload whose URL works until `uploadExpiresAt`. */
export function incomingRemovalDue(uploadExpiresAt: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), uploadExpiresAt.getTime() + UPLOAD_GRACE_MS));
}

/** When a copy that is about to be made at `now` goes again, unless a document refers to it by then. */
export function copyRemovalDue(now: Date): Date {
  return new Date(now.getTime() + COPY_GRACE_MS);
}
