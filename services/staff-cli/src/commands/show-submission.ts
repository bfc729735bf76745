import { create, type DescMethod, type JsonValue, type Message } from '@bufbuild/protobuf';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { formatOf } from '../output/format.ts';
import { tableLines } from '../output/table.ts';
import { listOf, messagesIn, tableOf, viewLines, withoutEmpty } from '../output/view.ts';
import { jsonOf, writeJson } from '../output/write-answer.ts';
import { type CommonFlags, inSession, type Runtime } from '../session.ts';

/** One section of the output, from one service. */
interface Section {
  readonly title: string;
  readonly method: DescMethod;
  readonly request: (submissionId: string) => Message;
  readonly columns?: readonly string[];
}

/** No applicant details are shown, but the contract requires a purpose. */
const PURPOSE = 'Submission overview, masked.';

const SECTIONS: readonly Section[] = [
  {
    title: 'submission',
    method: SubmissionService.method.getSubmission,
    request: (submissionId) => create(SubmissionService.method.getSubmission.input, { submissionId }),
  },
  {
    title: 'timeline',
    method: SubmissionService.method.getTimeline,
    request: (submissionId) => create(SubmissionService.method.getTimeline.input, { submissionId }),
  },
  {
    title: 'billing',
    method: BillingService.method.getSubmissionLedger,
    request: (submissionId) => create(BillingService.method.getSubmissionLedger.input, { submissionId }),
  },
  {
    title: 'deliveries',
    method: WebhookService.method.listEvents,
    request: (submissionId) => create(WebhookService.method.listEvents.input, { submissionId }),
    columns: ['event_id', 'change', 'state', 'recorded_at', 'settled_at', 'next_attempt_at'],
  },
  {
    title: 'documents',
    method: DocumentService.method.listDocuments,
    request: (submissionId) =>
      create(DocumentService.method.listDocuments.input, { submissionId, masked: true, purpose: PURPOSE }),
    columns: ['document_id', 'category', 'scan_status', 'scan_rule', 'created_at'],
  },
];

/**
 * Shows the data of every service about a submission, except its applicant's details. A part that can't be read shows
 * the reason, and the rest is shown. Fails only without the submission itself.
 */
export async function showSubmission(
  submissionId: string,
  flags: CommonFlags,
  runtime: Runtime,
): Promise<void> {
  const { terminal } = runtime;
  const format = formatOf(flags);
  if (format.kind === 'csv')
    throw new CommandFailure(
      exitCodes.usage,
      '`sss submissions show` does not support --csv: use --json, or the command of one section, such as `sss events of`',
    );
  await inSession(flags, runtime, async ({ caller }) => {
    const answers = await Promise.all(
      SECTIONS.map(async ({ method, request }) => {
        try {
          return await caller.unary(method, request(submissionId));
        } catch (error) {
          if (error instanceof CommandFailure) return error;
          throw error;
        }
      }),
    );
    const [submission] = answers;
    if (submission instanceof CommandFailure) throw submission;
    if (format.kind === 'json' || format.get !== undefined)
      return writeJson(asJson(answers), format, terminal);
    for (const [at, part] of SECTIONS.entries()) {
      const answer = answers[at];
      if (answer === undefined) continue;
      terminal.lines([...(at > 0 ? [''] : []), part.title.toUpperCase()]);
      terminal.lines(
        answer instanceof CommandFailure
          ? [unknown(answer)]
          : linesOf(part, answer, format.wide ? undefined : terminal.width),
      );
    }
  });
}

const asJson = (answers: readonly (Message | CommandFailure)[]): JsonValue =>
  Object.fromEntries(
    SECTIONS.map(({ title, method }, at) => {
      const answer = answers[at];
      if (answer === undefined || answer instanceof CommandFailure)
        return [title, answer?.exitCode === exitCodes.notFound ? null : { error: answer?.message ?? '' }];
      return [title, jsonOf(method.output, answer)];
    }),
  );

const unknown = ({ exitCode, message }: CommandFailure) =>
  exitCode === exitCodes.notFound ? 'none' : `unavailable: ${message}`;

function linesOf({ method, columns }: Section, answer: Message, width: number | undefined): string[] {
  const list = listOf(method.output);
  if (!list) return viewLines(method.output, answer, width);
  const rows = messagesIn(method.output, answer, list.name);
  return rows.length === 0 ? ['none'] : tableLines(withoutEmpty(tableOf(list.message, rows, columns)), width);
}
