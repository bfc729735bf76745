import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from './api.ts';
import { type ApiObject, watch } from './watched.ts';

const object = (name: string, resourceVersion: string, uid = name): ApiObject => ({
  metadata: { namespace: 'space', name, uid, resourceVersion },
});

/** An API server that answers lists and watches one after the other with what it is given; then a watch that stays open. */
function serverOf(lists: readonly ApiObject[][], watches: readonly (readonly object[])[]) {
  const asked: string[] = [];
  let list = 0;
  let followed = 0;
  const api = {
    get: async () => {
      asked.push('list');
      const items = lists[Math.min(list, lists.length - 1)];
      list += 1;
      return { items, metadata: { resourceVersion: `${list}00` } };
    },
    async *lines(path: string, signal: AbortSignal) {
      asked.push(/resourceVersion=(\d+)/.exec(path)?.[1] ?? '');
      const events = watches[followed];
      followed += 1;
      for (const event of events ?? []) yield JSON.stringify(event);
      if (!events) await pause(1 << 30, undefined, { signal });
    },
  } as unknown as Api;
  return { api, asked };
}

async function follow(lists: readonly ApiObject[][], watches: readonly (readonly object[])[]) {
  const { api, asked } = serverOf(lists, watches);
  const stop = new AbortController();
  const seen: string[] = [];
  const watched = watch<ApiObject>({
    ...{ api, path: '/x', signal: stop.signal, log: () => undefined },
    changed: ({ metadata }, gone) =>
      seen.push(`${gone ? '-' : '+'}${metadata?.name}@${metadata?.resourceVersion}`),
  });
  while (asked.filter((each) => each !== 'list').length <= watches.length) await pause(1);
  stop.abort();
  return { seen, asked, names: watched.list().map(({ metadata }) => metadata?.name) };
}

it('lists, then follows every change from there on', async () => {
  const { seen, asked, names } = await follow(
    [[object('a', '1'), object('b', '2')]],
    [
      [
        { type: 'MODIFIED', object: object('a', '101') },
        { type: 'DELETED', object: object('b', '102') },
        { type: 'BOOKMARK', object: { metadata: { resourceVersion: '103' } } },
      ],
    ],
  );
  expect(seen).toEqual(['+a@1', '+b@2', '+a@101', '-b@102']);
  expect(asked).toEqual(['list', '100', '103']);
  expect(names).toEqual(['a']);
});

it('lists again when the server has forgotten where it was, and reports what vanished meanwhile', async () => {
  const gone = { type: 'ERROR', object: { code: 410, message: 'too old' } };
  const { seen, asked } = await follow(
    [
      [object('a', '1'), object('b', '2')],
      [object('b', '2'), object('c', '3')],
    ],
    [[gone]],
  );
  expect(seen).toEqual(['+a@1', '+b@2', '-a@1', '+c@3']);
  expect(asked).toEqual(['list', '100', 'list', '200']);
});

it('reports an object gone whose name another has taken', async () => {
  const { seen } = await follow(
    [[object('a', '1', 'first')]],
    [[{ type: 'ADDED', object: object('a', '5', 'second') }]],
  );
  expect(seen).toEqual(['+a@1', '-a@1', '+a@5']);
});
