import type { ContainerProcess, Ending } from './container-process.ts';
import { enderOf } from './ending.ts';

const GRACE_MS = 10_000;

/** A process that ends when it gets the signal `endsBy`. */
function processOf(endsBy: NodeJS.Signals) {
  const signals: string[] = [];
  let end: (ending: Ending) => void = () => undefined;
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  const process: ContainerProcess = {
    ...{ startedAt: new Date(0), pid: 1, ended },
    signal(name) {
      signals.push(name);
      if (name === endsBy || name === 'SIGKILL') end({ exitCode: 0, finishedAt: new Date() });
    },
    exec: async () => ({ exitCode: 0, output: '' }),
  };
  return { process, signals };
}

beforeEach(() => import.meta.jest.useFakeTimers());
afterEach(() => import.meta.jest.useRealTimers());
const pass = (ms: number) => import.meta.jest.advanceTimersByTimeAsync(ms);
const hookOf = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));

it('runs the hook to its end before SIGTERM', async () => {
  const { process, signals } = processOf('SIGTERM');
  const ended = enderOf(process, hookOf(5_000)).end(GRACE_MS);
  await pass(4_999);
  expect(signals).toEqual([]);
  await pass(1);
  await ended;
  expect(signals).toEqual(['SIGTERM']);
});

it('kills what has not ended when its time is over, the hook included', async () => {
  const { process, signals } = processOf('SIGKILL');
  void enderOf(process, hookOf(5_000)).end(GRACE_MS);
  await pass(GRACE_MS - 1);
  expect(signals).toEqual(['SIGTERM']);
  await pass(1);
  expect(signals).toEqual(['SIGTERM', 'SIGKILL']);
});

it('leaves two seconds to a process whose hook has used up all the time', async () => {
  const { process, signals } = processOf('SIGKILL');
  void enderOf(process, hookOf(60_000)).end(GRACE_MS);
  await pass(GRACE_MS + 1_999);
  expect(signals).toEqual(['SIGTERM']);
  await pass(1);
  expect(signals).toEqual(['SIGTERM', 'SIGKILL']);
});

it('keeps to a shorter time that it is given later, and not to a longer one', async () => {
  const { process, signals } = processOf('SIGKILL');
  const ender = enderOf(process, hookOf(0));
  void ender.end(GRACE_MS);
  await pass(1_000);
  void ender.end(60_000);
  void ender.end(3_000);
  await pass(3_000);
  expect(signals).toEqual(['SIGTERM', 'SIGKILL']);
});

it('kills at once what is to have no time', async () => {
  const { process, signals } = processOf('SIGTERM');
  await enderOf(process, hookOf(5_000)).end(0);
  expect(signals).toEqual(['SIGKILL']);
});
