import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { BillingStatus, Status } from '@supplier/proto/common/v1/status';
import type { DecideSubmissionsRequest } from '@supplier/proto/submission/v1/staff_batches';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type FakeServices, startFakeServices } from '../testing/fake-services.ts';

const FLAGS = ['--decision', 'rejected', '--reason', 'no trading record'];

let shell: FakeServices;
let batches: DecideSubmissionsRequest[];
let looked: string[];
/** Runs when the service receives a batch. */
let onBatch: () => void;
/** Ids that the service refuses. */
let refusedIds: readonly string[];

beforeEach(async () => {
  [batches, looked, refusedIds] = [[], [], []];
  onBatch = () => {};
  shell = await startFakeServices((router) =>
    router.service(SubmissionService, {
      decideSubmissions: (request) => {
        batches.push(request);
        onBatch();
        return {
          results: request.decisions.map(({ submissionId }) => ({
            submissionId,
            outcome: refusedIds.includes(submissionId)
              ? { case: 'refused', value: { code: RefusalCode.WRONG_STATE, message: 'It is decided.' } }
              : { case: 'done', value: { submissionId, status: Status.REJECTED } },
          })),
        };
      },
      getSubmission: ({ submissionId }) => {
        looked.push(submissionId);
        return { submissionId, billing: { billingStatus: BillingStatus.NOT_BILLABLE } };
      },
    }),
  );
});
afterEach(() => shell.close());

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

function decideFile(of: readonly string[], ...more: string[]) {
  const file = join(shell.folder, 'ids');
  writeFileSync(file, of.join('\n'));
  return shell.run('submissions', 'decide', '--file', file, ...FLAGS, ...more);
}

const inTable = (stdout: string) => stdout.split('\n').flatMap((line) => /^[0-9a-f-]{36}/.exec(line) ?? []);

describe('a batch command', () => {
  it('sends a hundred ids per call, in order, with the same flags for each', async () => {
    const all = ids(250);
    const ended = await decideFile(all, '--yes');
    expect(ended).toMatchObject({ code: 0, stderr: '250 of 250 done' });
    expect(inTable(ended.stdout)).toEqual(all);
    expect(batches.map(({ decisions }) => decisions.length)).toEqual([100, 100, 50]);
    const decisions = batches.flatMap((batch) => batch.decisions);
    expect(decisions.map(({ submissionId }) => submissionId)).toEqual(all);
    for (const decision of decisions)
      expect(decision).toMatchObject({ decision: Status.REJECTED, reason: 'no trading record' });
  });

  it.each(['reject', 'rejected'])('accepts --decision %s', async (decision) => {
    const flags = ['--decision', decision, '--reason', 'no trading record', '--yes'];
    expect((await shell.run('submissions', 'decide', ...ids(2), ...flags)).code).toBe(0);
    expect(batches[0]?.decisions[0]).toMatchObject({ decision: Status.REJECTED });
  });

  it('exits with 9 when some ids are refused, and lists the reasons in the table', async () => {
    const [first = '', second = ''] = ids(2);
    refusedIds = [second];
    const { code, stdout, stderr } = await shell.run(
      'submissions',
      'decide',
      first,
      second,
      ...FLAGS,
      '--yes',
    );
    expect(code).toBe(9);
    expect(stdout).toMatch(new RegExp(`${second}.*wrong_state.*It is decided\\.`));
    expect(stderr).toContain('1 of 2 done');
  });

  it('prints what was done when a call fails, reports how many ids were not sent, and exits like the call', async () => {
    const all = ids(250);
    onBatch = () => {
      if (batches.length === 2) throw new ConnectError('away', Code.Unavailable);
    };
    const { code, stdout, stderr } = await decideFile(all, '--yes');
    expect(code).toBe(6);
    expect(inTable(stdout)).toEqual(all.slice(0, 100));
    expect(stderr).toContain('100 of 250 done');
    expect(stderr).toContain('150 of 250 may not have been sent');
    expect(batches).toHaveLength(2);
  });

  it('asks for confirmation once, with the number of ids', async () => {
    const several = ['submissions', 'decide', ...ids(3), ...FLAGS];
    expect((await shell.run(...several)).code).toBe(7);
    const { code, stderr } = await shell.runAs({ answers: 'no' }, ...several);
    expect(code).toBe(7);
    expect(stderr).toContain('Context: played, 3 items.');
    expect(batches).toEqual([]);
    expect((await shell.runAs({ answers: 'yes' }, ...several)).code).toBe(0);
  });

  it('waits only for the ids that were done', async () => {
    const [first = '', second = '', third = ''] = ids(3);
    refusedIds = [second];
    const { code } = await decideFile([first, second, third], '--yes', '--wait');
    expect({ code, looked }).toEqual({ code: 9, looked: [first, third] });
  });

  it('is refused as a whole for a repeated id, an invalid one, too many ids, and none', async () => {
    const [id = ''] = ids(1);
    for (const [wrong, says] of [
      [[id, id.toUpperCase()], 'is given twice'],
      [[id, 'lead-5'], 'must be a UUID'],
      [ids(10_001), 'at most 10000 ids'],
      [[], 'the file has no ids'],
    ] as const) {
      const ended = await decideFile(wrong, '--yes');
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toContain(says);
    }
    expect(shell.received).toEqual([]);
  });
});
