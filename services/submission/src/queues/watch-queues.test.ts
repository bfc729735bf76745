import { eventually, forAllTests, startTestProcess, startTestRpcServer } from '@supplier/lib/testing';
import { Status } from '@supplier/proto/common/v1/status';
import { type GetQueuesResponse, Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { openTestService, seeingStatements } from '../../testing/test-service.ts';

/** Another replica, on the same database. */
const beside = forAllTests(() => openTestService({ clock: 'real' }));

let looks = 0;
const through = seeingStatements(({ name }) => {
  if (name?.startsWith('read-queues')) looks += 1;
});

it('WatchQueues sends queue lengths, reads them once for all watchers, and sends changes made by another replica', async () => {
  const process = startTestProcess('submission');
  const service = await openTestService({ beside, clock: 'real', through });
  const context = { ...service.context, stopping: process.stopping };
  const server = await startTestRpcServer('submission', SubmissionService, service.routes(context), process);
  try {
    const { id } = await beside.submit({ terms: { decisionMode: 2 } });
    const streams = ['vic', 'mona', 'kay'].map((name) =>
      server.overGrpcAs(name, 'staff:viewer').watchQueues({})[Symbol.asyncIterator](),
    );
    const first = await Promise.all(streams.map((stream) => stream.next()));
    expect(first.map(({ value }) => forStaff(value))).toEqual([1n, 1n, 1n]);

    // A higher age of the oldest is not a change.
    const next = streams.map((stream) => stream.next());
    const before = looks;
    await eventually('it has looked twice', () => looks >= before + 2);
    await beside.staff.decideSubmission({ submissionId: id, decision: Status.ACCEPTED, reason: 'seen' });
    const second = await Promise.all(next);
    expect(second.map(({ value }) => forStaff(value))).toEqual([0n, 0n, 0n]);
    expect(looks).toBeLessThan(streams.length * 4);
  } finally {
    await server.close();
    await service.context.db.$disconnect();
  }
});

const forStaff = ({ queues }: GetQueuesResponse) =>
  queues.find(({ queue }) => queue === Queue.STAFF_DECISION)?.count;
