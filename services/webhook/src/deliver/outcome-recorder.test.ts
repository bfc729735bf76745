import { startTestProcess } from '@supplier/lib/testing';
import type { Outcome } from '../model/attempt.ts';
import { outcomeRecorder } from './engine.ts';

const refusing = (code: string) => Object.assign(new Error('refused'), { code });

it.each([
  ['the server is read-only', '25006'],
  ['its disk is full', '53100'],
  ['its files cannot be read', '58030'],
])('outcomeRecorder keeps an outcome and records it later while %s', async (_, code) => {
  const { log } = startTestProcess('webhook');
  const answers = [refusing(code), refusing(code)];
  const settled: Outcome[] = [];
  const record = outcomeRecorder({
    async settle(outcomes) {
      const refusal = answers.pop();
      if (refusal) throw refusal;
      settled.push(...outcomes);
      return outcomes.map(() => true);
    },
    maxQueue: 1,
    log,
    giveUp: new AbortController().signal,
  });
  const outcome = { eventId: 'one', number: 1 } as unknown as Outcome;
  expect(await record(outcome)).toBe(true);
  expect(settled).toEqual([outcome]);
});
