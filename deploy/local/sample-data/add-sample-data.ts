import { Code } from '@connectrpc/connect';
import { Status } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { hasCode } from '../seed/staff-clients.ts';
import { formatDuration, type Terminal } from '../terminal.ts';
import { waitUntil } from '../wait-until.ts';
import { openAccounts } from './open-accounts.ts';
import { openProgress, type Progress } from './progress.ts';
import { SAMPLE_SUPPLIERS, type SupplierKey } from './sample-suppliers.ts';
import { sendDocuments } from './send-documents.ts';
import { sendEnquiries } from './send-enquiries.ts';
import { type StackAddresses, type Staff, staffWith } from './staff.ts';
import { actAsStaff } from './staff-acts.ts';

export const SAMPLE_SUBMISSIONS = 500;
const SAY_EVERY = 100;
const DECIDED_WITHIN_MS = 30_000;
const POLL_MS = 250;
const PAGE = 200;

export interface SampleTask {
  readonly stack: StackAddresses;
  /** Returns an administrator's token. */
  readonly tokenOf: (name: string) => string | Promise<string>;
  /** Remembers what was added. */
  readonly file: string;
  readonly terminal: Terminal;
  /** How many submissions; 500 by default. */
  readonly count?: number;
}

/**
 * Fills a stack with suppliers, submissions and what staff have done with them, through the public API and the RPCs of
 * staff. Repeating it adds nothing.
 */
export async function addSampleData({
  stack,
  tokenOf,
  file,
  terminal,
  count = SAMPLE_SUBMISSIONS,
}: SampleTask) {
  const began = performance.now();
  const staff = [
    staffWith(stack, await tokenOf('robin.marsh')),
    staffWith(stack, await tokenOf('alex.devlin')),
  ] as const;
  const progress = await openProgress(file, (accountId) => accountExists(staff[0], accountId));
  terminal.say(`adding sample data: ${Object.keys(SAMPLE_SUPPLIERS).length} suppliers`);
  await openAccounts(progress, staff[0], stack.receiver.url);
  await sendEnquiries(count, progress, stack, (sent) => {
    if (sent % SAY_EVERY === 0 || sent === count) terminal.say(`  ${sent} of ${count} submissions`);
  });
  const submissions = await decidedSubmissions(progress, staff[0]);
  terminal.say('  documents, decisions, policies, terms, approvals and data requests');
  await sendDocuments(submissions.harbour, 'harbour', progress, stack);
  await actAsStaff({ progress, staff, submissions });
  terminal.say(`added after ${formatDuration(performance.now() - began)}`);
}

async function accountExists(staff: Staff, accountId: string): Promise<boolean> {
  try {
    await staff.account.getAccount({ accountId });
    return true;
  } catch (error) {
    if (hasCode(error, Code.NotFound)) return false;
    throw error;
  }
}

/** Waits until everything is decided that doesn't await staff. Returns the submissions by reference. */
async function decidedSubmissions(
  { accounts }: Progress,
  staff: Staff,
): Promise<Record<SupplierKey, ListedSubmission[]>> {
  const decided = await waitUntil(
    async () => {
      const found = await Promise.all(
        Object.keys(SAMPLE_SUPPLIERS).map(async (supplier) => {
          const all = await submissionsOf(staff, accounts[supplier]?.accountId ?? '');
          return [
            supplier,
            all.toSorted((a, b) => (a.externalReference < b.externalReference ? -1 : 1)),
          ] as const;
        }),
      );
      const isPending = found.some(([, all]) =>
        all.some(({ status, waitsForStaff }) => status === Status.RECEIVED && !waitsForStaff),
      );
      return isPending ? undefined : Object.fromEntries(found);
    },
    { withinMs: DECIDED_WITHIN_MS, everyMs: POLL_MS },
  );
  if (!decided) throw new Error('the sample submissions were not decided in time');
  return decided as Record<SupplierKey, ListedSubmission[]>;
}

async function submissionsOf(staff: Staff, accountId: string): Promise<ListedSubmission[]> {
  const all: ListedSubmission[] = [];
  let pageToken = '';
  do {
    const page = await staff.submission.listSubmissions({ accountId, pageSize: PAGE, pageToken });
    all.push(...page.submissions);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return all;
}
