import type { Logger } from '@supplier/lib/runtime/log';
import type { Sessions } from './sessions.ts';

/** How soon streams stop after another process ended their session. */
const CHECK_EVERY_MS = 1_000;
/** How long streams last while their sessions can't be read. */
const UNREAD_MS = 30_000;

/** Stops the streams of sessions that other processes end. Returns a function that stops watching. */
export function watchEnds(sessions: Sessions, log: Logger, now: () => number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let readAt = now();
  let fails = false;

  async function check(): Promise<void> {
    const startedAt = now();
    try {
      await sessions.stopEnded();
      if (fails) log.info('sessions checked again');
      fails = false;
      readAt = startedAt;
    } catch (err) {
      if (!fails) log.warn({ err }, 'sessions not checked');
      fails = true;
      if (now() - readAt >= UNREAD_MS) sessions.stopStreams();
    }
    schedule();
  }
  function schedule(): void {
    if (!isOver) timer = setTimeout(check, CHECK_EVERY_MS);
  }
  schedule();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
