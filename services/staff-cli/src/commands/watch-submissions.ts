import { create } from '@bufbuild/protobuf';
import {
  type ListedSubmission,
  ListedSubmissionSchema,
} from '@supplier/proto/submission/v1/list_submissions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { idArgument } from '../flags/parse-value.ts';
import { accountIdOf, isName } from '../flags/supplier-names.ts';
import { formatOf } from '../output/format.ts';
import { formatAt } from '../output/format-value.ts';
import { streamWriter } from '../output/write-answer.ts';
import { type CommonFlags, inSession, type Runtime } from '../session.ts';

/** Number of latest submissions read on each poll. Changes of older ones are not seen. */
export const WATCHED_COUNT = 200;
const POLL_INTERVAL_MS = 2_000;

const COLUMNS = [
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
export async function watchSubmissions(flags: WatchFlags, runtime: Runtime): Promise<void> {
  const { terminal, now, sleep, signal } = runtime;
  const { accountId } = flags;
  const until = flags.for === undefined ? Number.POSITIVE_INFINITY : now().getTime() + flags.for * 1_000;
  await inSession(flags, runtime, async ({ caller }) => {
    const { listSubmissions } = SubmissionService.method;
    const request = create(listSubmissions.input, {
      pageSize: WATCHED_COUNT,
      ...(accountId !== undefined && {
        accountId: isName(accountId)
          ? await accountIdOf(accountId, caller, terminal, 'part')
          : idArgument('--account-id', accountId),
      }),
    });
    const poll = async () => {
      const { submissions } = await caller.unary(listSubmissions, request);
      // The service returns the newest first. Print them in the order of receipt.
      return submissions.toReversed();
    };
    const format = formatOf(flags);
    const isText = format.kind === 'text' && format.get === undefined;
    const write = streamWriter(ListedSubmissionSchema, { columns: COLUMNS }, format, terminal);
    let seen = new Map((await poll()).map((one) => [one.submissionId, lineOf(one)]));
    terminal.note('watching for changes; press Ctrl-C to stop');
    while (now().getTime() < until) {
      await sleep(POLL_INTERVAL_MS).catch(() => {});
      // Ending the watch is not a failure.
      if (signal.aborted) return;
      const latest = await poll();
      for (const one of latest)
        if (seen.get(one.submissionId) !== lineOf(one))
          if (isText) terminal.say(lineOf(one));
          else await write([one]);
      seen = new Map(latest.map((one) => [one.submissionId, lineOf(one)]));
    }
  });
}

const lineOf = (submission: ListedSubmission) =>
  COLUMNS.map((path) => formatAt(submission, ListedSubmissionSchema, path)).join('  ');
