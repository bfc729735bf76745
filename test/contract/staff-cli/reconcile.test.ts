import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newAccount } from '../../harness/accounts.ts';
import { chargesAndCredits, ledgerOf } from '../../harness/billing.ts';
import { deleteRows, EVENT_AND_ATTEMPTS } from '../../harness/delete-rows.ts';
import { eventsOf, newEndpoint, startReceiver } from '../../harness/endpoints.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rowsOf } from '../../harness/processes.ts';
import { staff } from '../../harness/rpc.ts';
import { stackFile } from '../../harness/stack.ts';
import { staffShell } from '../../harness/staff-cli.ts';
import { decided } from '../../harness/suppliers.ts';
import { finalized } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const RECONCILED_MS = 180_000;
const shell = staffShell();
afterAll(shell.close);

interface Finding {
  readonly service: string;
  readonly kind: string;
  readonly what: string;
  readonly target: string;
  readonly repair: string;
}

/** Returns the findings of `sss reconcile` about these targets, and its exit code. */
async function findings(targets: readonly string[], ...more: string[]) {
  const { code, stdout, stderr } = await shell.run(
    'reconcile',
    '--since',
    '-1h',
    '--until',
    'now',
    '--json',
    ...more,
  );
  if (code !== 0 && code !== 9) throw new Error(`sss reconcile ended with ${code}: ${stderr}`);
  const all = (JSON.parse(stdout) as { findings: Finding[] }).findings;
  const ours = all.filter(({ target }) => targets.includes(target));
  return {
    code,
    all,
    ours: ours.map(({ service, what, target, repair }) => [service, what, target, repair]),
  };
}

/** Deletes the object of a document, from wherever a scan has moved it. */
const loseObject = (documentId: string): Promise<void> =>
  waitFor('the object of the document to be there', async () => {
    const sql = 'SELECT area::text AS area, held_key AS key FROM document WHERE id = $1';
    const [row] = (await rowsOf('document', sql, [documentId])) as { area: string; key: string }[];
    if (!row) throw new NotYet('no document');
    const file = join(dirname(stackFile()), 'documents', row.area, row.key);
    if (!existsSync(file)) throw new NotYet(file);
    rmSync(file);
  });

it(
  'sss reconcile finds a lost ledger line, a lost event and a lost object, and repairs the first two',
  async () => {
    const receiver = await startReceiver();
    const account = await newAccount();
    await newEndpoint(account.accountId, receiver.url, 'production');
    const api = await account.issue({ environment: 'production' });
    const { submission_id: billed } = await decided(api, enquiry());
    await ledgerOf(billed, (submitted) => chargesAndCredits(submitted).includes('charge'));
    const events = await eventsOf(billed, 'delivered', (all) => all.length >= 1);
    const { documentId } = await finalized(api);

    await deleteRows('billing', 'DELETE FROM ledger_entry WHERE submission_id = $1', billed);
    for (const { eventId } of events) await deleteRows('webhook', EVENT_AND_ATTEMPTS, eventId);
    await loseObject(documentId);

    const targets = [billed, documentId];
    const without = await findings(targets);
    expect(without.code).toBe(9);
    expect(new Set(without.ours.map((row) => row.join(' ')))).toEqual(
      new Set([
        `billing not_charged ${billed} unspecified`,
        `webhook missing ${billed} unspecified`,
        `document missing ${documentId} unspecified`,
      ]),
    );
    expect(
      new Set(without.all.filter(({ what }) => what === 'outbox').map(({ service }) => service)),
    ).toEqual(new Set(['account', 'submission', 'document', 'webhook']));

    const repaired = await findings(targets, '--repair', '--yes');
    expect(new Set(repaired.ours.map((row) => row.join(' ')))).toEqual(
      new Set([
        `billing not_charged ${billed} repaired`,
        `webhook missing ${billed} repaired`,
        `document missing ${documentId} not_possible`,
      ]),
    );
    await staff.document().deleteDocument({ documentId });
    await waitFor('everything to agree again', async () => {
      const { ours } = await findings(targets);
      if (ours.length > 0) throw new NotYet(JSON.stringify(ours));
    });
    expect(chargesAndCredits(await ledgerOf(billed))).toEqual(['charge']);
    await receiver.close();
  },
  RECONCILED_MS,
);

it('sss reconcile repairs nothing without confirmation', async () => {
  const { code, stdout, stderr } = await shell.run('reconcile', '--repair');
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
  expect(stderr).toContain('add --yes');
});
