import { create } from '@bufbuild/protobuf';
import {
  type ListedSubmission,
  ListedSubmissionSchema,
} from '@supplier/proto/submission/v1/list_submissions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { formatOf } from '../output/format.ts';
import { spellAt } from '../output/spell-value.ts';
import { streamWriter } from '../output/write-answer.ts';
import { type CommonFlags, inSession, type Surroundings } from '../session.ts';

/** Number of latest submissions read on each poll. Changes of older ones are not seen. */
export const WATCHED = 200;
const LOOK_EVERY_MS = 2_000;

const SHOWN = [
  'received_at',
  'submission_id',
  'environment',
  'external_reference',
  'level',
  'status',
  'billing_status',
];

/** Flags of `sss submissions watch`. */
export interface WatchFlags extends CommonFlags {
  readonly accountId?: string;
  /** In seconds. Without it, watches until Ctrl-C. */
  readonly for?: number;
}

/**
 * Polls every two seconds, and prints each of the latest 200 submissions that is new or has changed. The submissions
 * present at the start are not printed. Ends after `--for` seconds or with Ctrl-C.
 */
export async function watchSubmissions(flags: WatchFlags, surroundings: Surroundings): Promise<void> {
  const { terminal, now, sleep, signal } = surroundings;
  const until = flags.for === undefined ? Number.POSITIVE_INFINITY : now().getTime() + flags.for * 1_000;
  await inSession(flags, surroundings, async ({ caller }) => {
    const { listSubmissions } = SubmissionService.method;
    const request = create(listSubmissions.input, {
      pageSize: WATCHED,
      ...(flags.accountId !== undefined && { accountId: flags.accountId }),
    });
    const look = async () => {
      const { submissions } = await caller.unary(listSubmissions, request);
      // The service returns the newest first. Print them in the order of receipt.
      return submissions.toReversed();
    };
    const format = formatOf(flags);
    const isText = format.kind === 'text' && format.get === undefined;
    const write = streamWriter(ListedSubmissionSchema, { columns: SHOWN }, format, terminal);
    let seen = new Map((await look()).map((one) => [one.submissionId, lineOf(one)]));
    terminal.note('watching; Ctrl-C ends');
    while (now().getTime() < until) {
      await sleep(LOOK_EVERY_MS).catch(() => {});
      // Ending the watch is not a failure.
      if (signal.aborted) return;
      const latest = await look();
      for (const one of latest)
        if (seen.get(one.submissionId) !== lineOf(one))
          if (isText) terminal.say(lineOf(one));
          else await write([one]);
      seen = new Map(latest.map((one) => [one.submissionId, lineOf(one)]));
    }
  });
}

const lineOf = (submission: ListedSubmission) =>
  SHOWN.map((path) => spellAt(submission, ListedSubmissionSchema, path)).join('  ');
