import { within } from '@supplier/lib/runtime/deadlines';
import { connectContent } from './connect-content.ts';
import type { ContentPolicy } from './content-check.ts';
import { type ContentFault, parseAnswer } from './content-fault.ts';
import { ContentUnchecked, spawnContent } from './open-content.ts';

export { ContentLost } from './connect-content.ts';
export type { ContentPolicy } from './content-check.ts';
export { type ContentFault, FAULTS, isFaultRule } from './content-fault.ts';
export { ContentUnchecked, contentIsolation } from './open-content.ts';

export interface ContentBounds {
  /** Maximum time the process may accept no bytes, or take to answer after the last byte. */
  readonly silentMs: number;
}

export const CONTENT_BOUNDS: ContentBounds = { silentMs: 60_000 };

/** Inspects a stream on its way to the scanner, in a separate process. */
export interface ContentProcess {
  /** Passes bytes on and resolves when it accepts more. Rejects with ContentUnchecked. */
  take(chunk: Uint8Array): Promise<void>;
  /** Resolves to why the completed stream fails; undefined if it may pass. Rejects with ContentUnchecked. */
  fault(): Promise<ContentFault | undefined>;
  /** Bytes so far. */
  size(): number;
  /** Kills the process, even in the middle of a check. */
  close(): void;
}

/**
 * Starts a program that checks one document: behind `socket`, or as a process of this one. It parses hostile bytes
 * without the settings, credentials and connections of the service. Its memory and its response time are bounded.
 */
export function startContentProcess(
  type: string,
  { refusePdfActions }: ContentPolicy,
  {
    bounds = CONTENT_BOUNDS,
    program,
    socket,
  }: { bounds?: ContentBounds; program?: string; socket?: string | undefined } = {},
): ContentProcess {
  const args = [type, refusePdfActions ? 'refuse-pdf-actions' : 'accept-pdf-actions'];
  const check = socket === undefined ? spawnContent(args, program) : connectContent(socket, args);
  const { input, answer } = check;
  // The caller that awaits the answer gets the failure, but it may not be waiting yet.
  answer.catch(() => {});
  let size = 0;

  const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
    within(bounds.silentMs, work, () => {
      check.close();
      throw new ContentUnchecked('timed out');
    });

  return {
    async take(chunk) {
      size += chunk.length;
      if (input.write(chunk)) return;
      const drained = new Promise<void>((resolve) => input.once('drain', resolve));
      await inTime(Promise.race([drained, answer]));
    },
    async fault() {
      input.end();
      const fault = parseAnswer(await inTime(answer));
      if (fault === 'invalid') throw new ContentUnchecked('unknown answer');
      return fault;
    },
    size: () => size,
    close: check.close,
  };
}

/**
 * Resolves to whether a check of harmless content succeeds. If it does, another check's failure is not the machine's
 * fault.
 */
export async function canCheckContent(inspect: (contentType: string) => ContentProcess): Promise<boolean> {
  const probe = inspect('text/csv');
  try {
    await probe.take(Buffer.from('a,b\n'));
    return (await probe.fault()) === undefined;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
