import './browser-storage.ts';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type AuditEntry, AuditEntrySchema } from '@supplier/proto/audit/v1/audit';
import { Status } from '@supplier/proto/common/v1/status';
import { ListedSubmissionSchema } from '@supplier/proto/submission/v1/list_submissions';
import { FoundSubmissionSchema } from '@supplier/proto/submission/v1/privacy';
import { BatchResultsSchema } from '@supplier/proto/submission/v1/staff_batches';
import { type ListedEndpoint, ListedEndpointSchema } from '@supplier/proto/webhook/v1/webhook';
import { MAX_ROWS, newRows, nextPageOf } from '../web/src/components/paged-list.ts';
import { resumeStream } from '../web/src/resume-stream.ts';
import { type ExportFrom, entriesOf } from '../web/src/screens/audit/entries-of.ts';
import { firstOf, MAX_FOUND } from '../web/src/screens/data-requests/first-of.ts';
import { nextWaiting } from '../web/src/screens/submissions/next-waiting.ts';
import { byOutcome, runInBatches } from '../web/src/screens/submissions/run-in-batches.ts';
import { endpointsByHealth } from '../web/src/screens/webhooks/endpoints-by-health.ts';

/** Returns a call that answers with these pages, and the tokens that were asked for. */
function pagesOf<Row>(pages: readonly (readonly Row[])[]) {
  const asked: string[] = [];
  const pageAt = async (pageToken: string) => {
    asked.push(pageToken);
    const place = Number(pageToken);
    return { rows: pages[place] ?? [], nextPageToken: place + 1 < pages.length ? String(place + 1) : '' };
  };
  return { asked, pageAt };
}
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, place) => from + place);

describe('a list loaded by scrolling', () => {
  it.each([
    [
      'while there is one',
      [
        { rows: [1], next: 'a' },
        { rows: [2], next: 'b' },
      ],
      'b',
    ],
    [
      'not after the last one',
      [
        { rows: [1], next: 'a' },
        { rows: [2], next: '' },
      ],
      undefined,
    ],
    ['after a page without rows', [{ rows: [], next: 'a' }], 'a'],
    ['below 10,000 rows', [{ rows: upTo(MAX_ROWS - 1), next: 'a' }], 'a'],
    [
      'not at 10,000 rows',
      [
        { rows: upTo(9_999), next: 'a' },
        { rows: [1], next: 'b' },
      ],
      undefined,
    ],
  ])('has a next page %s', (_, pages, next) => expect(nextPageOf(pages)).toBe(next));
});

describe('the new rows of a list', () => {
  const some = (count: number) => upTo(count).map((n) => `new ${n}`);
  it.each([
    ['none while nothing has changed', ['b', 'a'], ['b', 'a'], false, ''],
    ['none of an empty list', [], [], true, ''],
    ['those before the first loaded one', ['d', 'c', 'b', 'a'], ['b', 'a'], false, '2'],
    ['not old ones that moved up because others left', ['b', 'z', 'y'], ['c', 'b'], false, ''],
    ['all of a list that was empty', ['b', 'a'], [], true, '2'],
    ['those at the end of a complete list', ['a', 'b', 'c'], ['a', 'b'], true, '1'],
    ['all, if none of the loaded ones is left at the top', ['d', 'c'], ['b', 'a'], false, '2'],
    ['counted up to twenty', some(20), ['a'], false, '20'],
    ['then "20+"', some(21), ['a'], false, '20+'],
  ])('are %s', (_, latest, known, isComplete, count) => {
    expect(newRows(latest, known, isComplete)).toBe(count);
  });
});

describe('the queue of submissions', () => {
  const row = (submissionId: string, status = Status.RECEIVED, waitsForStaff = true) =>
    create(ListedSubmissionSchema, { submissionId, status, waitsForStaff });
  const rows = [
    row('a'),
    row('b', Status.RECEIVED, false),
    row('c', Status.ACCEPTED),
    row('d'),
    row('e', Status.REJECTED, false),
  ];

  it.each([
    ['the next one that staff have yet to decide', 'a', 'd'],
    ['none after the last', 'd', undefined],
    ['the first, if the decided one is no longer listed', 'gone', 'a'],
  ])('opens %s after a decision', (_, decided, next) => {
    expect(nextWaiting(rows, row(decided))?.submissionId).toBe(next);
  });
});

describe('the submissions of a person', () => {
  const found = (count: number) => upTo(count).map(() => create(FoundSubmissionSchema));
  const load = async (...sizes: readonly number[]) => {
    const { pageAt } = pagesOf(sizes.map(found));
    const { submissions, isComplete } = await firstOf(async (pageToken) => {
      const { rows, nextPageToken } = await pageAt(pageToken);
      return { submissions: rows, nextPageToken };
    });
    return { count: submissions.length, isComplete };
  };

  it.each([
    ['all of several pages', [200, 200, 1], { count: 401, isComplete: true }],
    ['none', [0], { count: 0, isComplete: true }],
    ['the first thousand', [200, 200, 200, 200, 200, 1], { count: MAX_FOUND, isComplete: false }],
    ['exactly a thousand', [200, 200, 200, 200, 200], { count: MAX_FOUND, isComplete: true }],
  ])('are %s', async (_, sizes, expected) => expect(await load(...sizes)).toEqual(expected));
});

describe('an action on several submissions', () => {
  /** Runs it in calls that each answer for all of their items, except the call with this number. */
  const run = async (count: number, failing?: number) => {
    const sent: number[][] = [];
    const progress: number[] = [];
    const send = async (batch: number[]) => {
      if (sent.push(batch) === failing) throw new Error('unavailable');
      return create(BatchResultsSchema, { results: batch.map((id) => ({ submissionId: String(id) })) });
    };
    const { results, failure } = await runInBatches(upTo(count), send, (answered) => progress.push(answered));
    return {
      ids: results.map(({ submissionId }) => Number(submissionId)),
      failure,
      calls: sent.length,
      progress,
    };
  };

  it.each([
    [1, 1, [1]],
    [100, 1, [100]],
    [101, 2, [100, 101]],
    [1_000, 10, [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]],
  ])('sends each of %p once, in %p calls', async (count, calls, progress) => {
    const all = { ids: upTo(count), failure: undefined, calls, progress };
    expect(await run(count)).toEqual(all);
  });

  it('keeps the results before a call that fails, and makes no further one', async () => {
    const { ids, failure, calls } = await run(350, 3);
    expect([ids.length, calls, failure]).toEqual([200, 3, new Error('unavailable')]);
    await expect(run(350, 1)).rejects.toThrow('unavailable');
  });
});

describe('the results of an action on several submissions', () => {
  it('are done, refused, of a newer release, or unknown', () => {
    const { results } = create(BatchResultsSchema, {
      results: [
        { submissionId: 'a', outcome: { case: 'done', value: {} } },
        { submissionId: 'b', outcome: { case: 'refused', value: {} } },
        { submissionId: 'c' },
      ],
    });
    const { done, notDone, unknown } = byOutcome(results, 5);
    expect(done.map(({ submissionId }) => submissionId)).toEqual(['a']);
    expect(notDone.map(({ submissionId }) => submissionId)).toEqual(['b', 'c']);
    expect(unknown).toBe(2);
  });
});

describe('endpoints by health', () => {
  const endpoint = (endpointId: string, isFailing = false): ListedEndpoint =>
    create(ListedEndpointSchema, {
      endpoint: { endpointId, ...(isFailing ? { failingSince: timestampFromDate(new Date()) } : {}) },
    });
  /** The service's two lists, each with two pages. */
  const service = async ({
    failing,
    disabled,
    pageToken,
  }: Parameters<Parameters<typeof endpointsByHealth>[2]>[0]) => {
    const { rows, nextPageToken } = await pagesOf(
      disabled
        ? [[endpoint('off')]]
        : failing
          ? [[endpoint('f1', true)], [endpoint('f2', true)]]
          : [
              [endpoint('f1', true), endpoint('a')],
              [endpoint('f2', true), endpoint('b')],
            ],
    ).pageAt(pageToken);
    return { endpoints: rows, nextPageToken };
  };

  it.each([
    [undefined, ['f1', 'f2', 'a', 'b']],
    ['failing', ['f1', 'f2']],
    ['disabled', ['off']],
  ] as const)('with %s are each listed once', async (health, expected) => {
    const listed: string[] = [];
    let token = '';
    do {
      const { endpoints, nextPageToken } = await endpointsByHealth(health, token, service);
      listed.push(...endpoints.map((one) => one.endpoint?.endpointId ?? ''));
      token = nextPageToken;
    } while (token !== '' && listed.length < 10);
    expect(listed).toEqual(expected);
  });
});

async function* fail<Item>(items: readonly Item[], isFailing: boolean): AsyncGenerator<Item> {
  yield* items;
  if (isFailing) throw new Error('broken off');
}
async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a stream that breaks off', () => {
  const resume = (signal: AbortSignal, streams: Record<number, [readonly number[], boolean]>) => {
    const opened: number[] = [];
    const items = resumeStream({
      from: 0,
      open: (behind: number) => {
        opened.push(behind);
        const [numbers, isFailing] = streams[behind] ?? [[], true];
        return fail(numbers, isFailing);
      },
      placeOf: (number: number) => number,
      signal,
    });
    return { opened, items };
  };
  const { signal } = new AbortController();

  it('continues after the last item, each time that it breaks off', async () => {
    const { opened, items } = resume(signal, { 0: [[1, 2], true], 2: [[3], true], 3: [[4], false] });
    expect(await collect(items)).toEqual([1, 2, 3, 4]);
    expect(opened).toEqual([0, 2, 3]);
  });

  it('ends with the error if nothing more arrives', async () => {
    const { opened, items } = resume(signal, { 0: [[1, 2], true] });
    await expect(collect(items)).rejects.toThrow('broken off');
    expect(opened).toEqual([0, 2]);
  });

  it('is not reopened once the signal has aborted', async () => {
    const { opened, items } = resume(AbortSignal.abort(), { 0: [[1], true] });
    await expect(collect(items)).rejects.toThrow('broken off');
    expect(opened).toEqual([0]);
  });
});

describe('an audit export', () => {
  const entries = (positions: readonly number[]): AuditEntry[] =>
    positions.map((position) => create(AuditEntrySchema, { position: BigInt(position) }));
  const exported = async (after: bigint | undefined, log: number, since?: string) => {
    const from: ExportFrom[] = [];
    const open = (start: ExportFrom) => {
      from.push(start);
      if (from.length > log) throw new Error('called again and again');
      const behind = 'afterPosition' in start ? Number(start.afterPosition) : 0;
      return fail(
        entries(
          upTo(log, 1)
            .filter((one) => one > behind)
            .slice(0, 2),
        ),
        false,
      );
    };
    const { signal } = new AbortController();
    const all = await collect(entriesOf({ open, since, after, signal, maxPerCall: 2 }));
    return { positions: all.map(({ position }) => Number(position)), from };
  };

  it.each([
    ['fewer entries than a call returns', 1, [1], 1],
    ['exactly as many', 2, [1, 2], 2],
    ['more', 5, [1, 2, 3, 4, 5], 3],
  ])('has all entries of a log with %s', async (_, log, positions, calls) => {
    const done = await exported(undefined, log);
    expect(done.positions).toEqual(positions);
    expect(done.from).toHaveLength(calls);
  });

  it('continues after a position, or starts at a time', async () => {
    expect((await exported(3n, 4)).positions).toEqual([4]);
    const since = '2026-11-20T09:30:00Z';
    const { from } = await exported(undefined, 3, since);
    expect(from).toEqual([{ since: timestampFromDate(new Date(since)) }, { afterPosition: 2n }]);
  });
});
