import { createContextValues } from '@connectrpc/connect';
import { callerKey } from '@supplier/lib/rpc/rpc-server';
import { eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { WATCH_BOUNDS, type WatchBounds } from '../model/watch-bounds.ts';
import { Watch } from './index.ts';

let process: TestProcess;
let state: string;
/** How many keys each reading covered. */
let looks: number[];
let fault: Error | undefined;
beforeEach(() => {
  process = startTestProcess('test');
  state = 'first';
  looks = [];
  fault = undefined;
});
afterEach(() => process.stop());

const open = (bounds: Partial<WatchBounds> = {}, everyMs = 1) =>
  new Watch<string, string>(
    {
      name: 'WatchTest',
      everyMs,
      async look(keys) {
        looks.push(keys.size);
        if (fault) throw fault;
        return new Map([...keys.keys()].map((key) => [key, { mark: state, state: `${key} ${state}` }]));
      },
      isSame: (one, other) => one === other,
    },
    {
      bounds: { streams: 10, ofCaller: 10, longestMs: 600_000, silenceMs: 600_000, ...bounds },
      stopping: process.stopping,
      log: process.log,
    },
  );

function streamOf(
  watch: Watch<string, string>,
  key = 'it',
  subject = 'jo',
  tokenEndsAt = Number.POSITIVE_INFINITY,
) {
  const leave = new AbortController();
  const caller = { subject, issuer: 'test', roles: [], tokenEndsAt };
  const values = createContextValues().set(callerKey, caller);
  return { stream: watch.stream(key, { signal: leave.signal, values }), leave: () => leave.abort() };
}

const readable = async (keys: ReadonlyMap<string, unknown>) =>
  new Map([...keys.keys()].map((key) => [key, { mark: '', state: 'read' }]));

const looked = (times: number) => {
  const until = looks.length + times;
  return eventually('it has looked', () => looks.length >= until);
};
describe('a watch stream', () => {
  it('keeps only the newest state for a slow reader', async () => {
    const { stream } = streamOf(open());
    expect((await stream.next()).value).toBe('it first');
    for (state of ['second', 'third', 'fourth']) await looked(2);
    expect((await stream.next()).value).toBe('it fourth');
    state = 'fifth';
    expect((await stream.next()).value).toBe('it fifth');
  });

  it.each([
    ['leaves', {}, (leave: () => void) => leave()],
    ['has reached its maximum duration', { longestMs: 50 }, () => {}],
  ])('frees its place with an unread state pending when its reader %s', async (_how, bounds, go) => {
    const watch = open({ streams: 1, ...bounds });
    const { stream, leave } = streamOf(watch);
    await stream.next();
    state = 'second';
    await looked(2);
    go(leave);
    await eventually('the place is free', () =>
      streamOf(watch)
        .stream.next()
        .then(
          () => true,
          () => false,
        ),
    );
  });

  it.each<[string, Partial<WatchBounds>, number | undefined, () => unknown]>([
    ['its process stops', {}, undefined, () => process.stop()],
    ['it has reached its maximum duration', { longestMs: 50 }, undefined, () => {}],
    ['the token of its caller expires', {}, 50, () => {}],
  ])('ends without an error when %s', async (_when, bounds, tokenMs, act) => {
    const tokenEndsAt = tokenMs === undefined ? tokenMs : Date.now() + tokenMs;
    const { stream } = streamOf(open(bounds), 'it', 'jo', tokenEndsAt);
    await stream.next();
    const next = stream.next();
    await act();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('gets the same state again after a silence', async () => {
    const { stream } = streamOf(open({ silenceMs: 20 }));
    for (let time = 0; time < 2; time += 1) expect((await stream.next()).value).toBe('it first');
  });

  it('gets the known state of a watched key without another reading', async () => {
    const watch = open({}, 60_000);
    await streamOf(watch).stream.next();
    await streamOf(watch, 'other').stream.next();
    expect((await streamOf(watch).stream.next()).value).toBe('it first');
    expect(looks).toEqual([1, 1]);
  });

  it('is refused to a caller with too many, but not to others', async () => {
    const watch = open({ ofCaller: 2 });
    const first = streamOf(watch);
    await first.stream.next();
    await streamOf(watch).stream.next();
    await expect(streamOf(watch).stream.next()).rejects.toThrow('You have 2 streams of this kind open');
    expect((await streamOf(watch, 'it', 'sam').stream.next()).value).toBe('it first');
    first.leave();
    expect((await streamOf(watch).stream.next()).value).toBe('it first');
  });

  it('is limited to 20 per caller and 200 per process, and frees its place at the end', async () => {
    const watch = new Watch<string, string>(
      { name: 'WatchBounds', everyMs: 60_000, look: readable, isSame: () => true },
      { bounds: WATCH_BOUNDS, stopping: process.stopping, log: process.log },
    );
    const callers = Array.from({ length: 10 }, (_, at) => `caller-${at}`);
    const streams = callers.flatMap((caller) =>
      Array.from({ length: 20 }, () => streamOf(watch, 'it', caller)),
    );
    for (const { stream } of streams.slice(0, 20)) await stream.next();
    await expect(streamOf(watch, 'it', 'caller-0').stream.next()).rejects.toThrow(
      'You have 20 streams of this kind',
    );
    for (const { stream } of streams.slice(20)) await stream.next();
    await expect(streamOf(watch, 'it', 'jo').stream.next()).rejects.toThrow(
      '[resource_exhausted] 200 streams of this kind are open on this process, which is its limit. Try again later.',
    );
    streams[0]?.leave();
    expect((await streamOf(watch, 'it', 'jo').stream.next()).value).toBe('read');
  });

  it('is refused while the process is stopping', async () => {
    const watch = open();
    await process.stop();
    await expect(streamOf(watch).stream.next()).rejects.toThrow('[unavailable] This process is stopping');
  });
});

it('a watch reads all watched keys together', async () => {
  const watch = open();
  for (const key of ['one', 'two', 'three']) await streamOf(watch, key).stream.next();
  await looked(2);
  expect(looks.at(-1)).toBe(3);
});

it('a watch ends all streams on a failure, logs it once, and recovers for later streams', async () => {
  const watch = open();
  const streams = ['one', 'two'].map((key) => streamOf(watch, key).stream);
  for (const stream of streams) await stream.next();
  fault = new Error('a bug');
  for (const stream of streams) await expect(stream.next()).rejects.toThrow('[internal] internal error');
  expect(process.lines.filter(({ msg }) => msg === 'call failed')).toHaveLength(1);
  fault = undefined;
  expect((await streamOf(watch).stream.next()).value).toBe('it first');
});

it('a watch stops reading when no stream is open and resumes with the next one', async () => {
  const watch = open();
  const { stream, leave } = streamOf(watch, 'left');
  await stream.next();
  leave();
  let others = 0;
  const clock = new Watch<string, string>(
    {
      name: 'WatchClock',
      everyMs: 1,
      look: async () => {
        others += 1;
        return new Map([['it', { mark: '', state: '' }]]);
      },
      isSame: () => true,
    },
    { bounds: WATCH_BOUNDS, stopping: process.stopping, log: process.log },
  );
  await streamOf(clock).stream.next();
  await eventually('what was under way is over', () => others >= 5);
  const before = looks.length;
  await eventually('time has passed', () => others >= 50);
  expect(looks).toHaveLength(before);
  expect((await streamOf(watch).stream.next()).value).toBe('it first');
});
