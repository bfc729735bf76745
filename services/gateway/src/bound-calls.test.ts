import { type Client, Code } from '@connectrpc/connect';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { boundCalls } from './bound-calls.ts';

describe('bounded calls', () => {
  it('are under way up to their number; one more is unavailable at once, and places come back', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let calls = 0;
    const plain = {
      getJourneyLink: async () => {
        calls += 1;
        await held;
        if (calls === 1) throw new Error('broken');
      },
    } as unknown as Client<typeof SubmissionService>;
    const client = boundCalls(SubmissionService, plain, 2);
    const underWay = [client.getJourneyLink({}), client.getJourneyLink({})];
    await expect(client.getJourneyLink({})).rejects.toMatchObject({ code: Code.Unavailable });
    expect(calls).toBe(2);
    release();
    await Promise.all(underWay);
    await client.getJourneyLink({});
    expect(calls).toBe(3);
  });
});
