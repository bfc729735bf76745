import { createLogger } from '../log/index.ts';
import { StopStages } from './index.ts';

const lines: string[] = [];
const log = createLogger('test', 'debug', { write: (line) => lines.push(line) });

function part() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end: () => end(), stop: () => ended };
}

it('StopStages stops listeners, then workers, then connections, in any order of registration', async () => {
  const stages = new StopStages();
  const order: string[] = [];
  stages.add('pool', () => void order.push('pool'), 'connections');
  stages.add('relay', () => void order.push('relay'));
  stages.add('listener', () => void order.push('listener'), 'listeners');
  await stages.stop(log);
  expect(order).toEqual(['listener', 'relay', 'pool']);
});

it('StopStages stops the parts of a stage concurrently, and knows which are still running', async () => {
  const stages = new StopStages();
  const [slow, quick] = [part(), part()];
  let closed = false;
  stages.add('slow', slow.stop);
  stages.add('quick', quick.stop);
  stages.add(
    'pool',
    () => {
      closed = true;
    },
    'connections',
  );
  const stopped = stages.stop(log);
  await new Promise((resolve) => setImmediate(resolve));
  expect([...stages.running]).toEqual(['slow', 'quick']);
  quick.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect([...stages.running]).toEqual(['slow']);
  expect(closed).toBe(false);
  slow.end();
  await stopped;
  expect(closed).toBe(true);
  expect([...stages.running]).toEqual([]);
});

it('StopStages logs a part that fails, and stops the others', async () => {
  const stages = new StopStages();
  let closed = false;
  stages.add('broken', () => Promise.reject(new Error('no')));
  stages.add('throwing', () => {
    throw new Error('no');
  });
  stages.add(
    'pool',
    () => {
      closed = true;
    },
    'connections',
  );
  await stages.stop(log);
  expect(closed).toBe(true);
  expect(lines.filter((line) => line.includes('shutdown hook failed'))).toHaveLength(2);
});
