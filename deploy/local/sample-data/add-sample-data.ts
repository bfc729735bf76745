import { Code } from '@connectrpc/connect';
import { Status } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { openTokenIssuer } from '../identity/token-issuer.ts';
import { hasCode } from '../seed/staff-clients.ts';
import { formatDuration, type Terminal } from '../terminal.ts';
import { waitUntil } from '../wait-until.ts';
import { openAccounts } from './open-accounts.ts';
import { openProgress } from './progress.ts';
import { SAMPLE_SUPPLIERS, type SupplierName, supplierNames } from './sample-suppliers.ts';
import { sendDocuments } from './send-documents.ts';
import { sendEnquiries } from './send-enquiries.ts';
import { type StackAddresses, type Staff, staffWith } from './staff.ts';
import { actAsStaff } from './staff-acts.ts';

const SUBMISSIONS = 500;
const SAY_EVERY = 100;
/** The sample data is added within a minute. */
const TOKEN_MINUTES = 10;
const DECIDED_MS = 30_000;
const POLL_MS = 250;
const PAGE = 200;

export interface SampleTask {
  readonly stack: StackAddresses;
  /** The folder of the stack's token issuer. */
  readonly identity: string;
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
export async function addSampleData({ stack, identity, file, terminal, count = SUBMISSIONS }: SampleTask) {
  const startedAt = performance.now();
  const issuer = await openTokenIssuer(identity);
  const administrator = async (name: string) =>
    staffWith(stack, await issuer.staffTokenOf({ name, roles: ['staff:admin'] }, TOKEN_MINUTES));
  const staff = [await administrator('robin.marsh'), await administrator('alex.devlin')] as const;
  const progress = await openProgress(file, (accountId) => accountExists(staff[0], accountId));
  terminal.say(`adding sample data: ${supplierNames.length} suppliers`);
  await openAccounts(progress, staff[0], stack.receiver.url);
  await sendEnquiries(count, progress, stack, (sent) => {
    if (sent % SAY_EVERY === 0 || sent === count) terminal.say(`  ${sent} of ${count} submissions`);
  });
  const decided = supplierNames.map(async (supplier) => [
    supplier,
    await decidedSubmissions(supplier, progress.accountOf(supplier).accountId, staff[0]),
  ]);
  const submissions: Record<SupplierName, ListedSubmission[]> = Object.fromEntries(
    await Promise.all(decided),
  );
  terminal.say('  documents, decisions, returns, a policy, terms, data requests and approvals');
  await progress.once('documents', () =>
    sendDocuments(submissions.harbour, progress.accountOf('harbour'), progress, stack),
  );
  await actAsStaff({ progress, staff, submissions });
  terminal.say(`added after ${formatDuration(performance.now() - startedAt)}`);
}

async function accountExists(staff: Staff, accountId: string): Promise<boolean> {
  const found = await staff.account.getAccount({ accountId }).catch((error: unknown) => {
    if (!hasCode(error, Code.NotFound)) throw error;
  });
  return found !== undefined;
}

/** Waits until everything of a supplier is decided that doesn't await staff. Returns its submissions by reference. */
async function decidedSubmissions(supplier: SupplierName, accountId: string, staff: Staff) {
  let all: ListedSubmission[] = [];
  const pending = () => all.filter((one) => one.status === Status.RECEIVED && !one.waitsForStaff).length;
  const isDecided = async () => {
    all = await submissionsOf(staff, accountId);
    return pending() === 0 || undefined;
  };
  if (!(await waitUntil(isDecided, { withinMs: DECIDED_MS, everyMs: POLL_MS })))
    throw new Error(
      `${pending()} submissions of ${SAMPLE_SUPPLIERS[supplier].name} were not decided within ${formatDuration(DECIDED_MS)}: see the log of the submission service`,
    );
  return all.toSorted((a, b) => (a.externalReference < b.externalReference ? -1 : 1));
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
