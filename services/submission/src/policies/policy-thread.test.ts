import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { releaseTexts } from '../../testing/release-policies.ts';
import { hangingThread, threadOf } from '../../testing/test-service.ts';
import { PolicyChecks } from './policy-checks.ts';
import { PolicyLimitExceeded, PolicyThread } from './policy-thread.ts';

const KIND = PolicyKind.DECISION;
const text = releaseTexts()[KIND];
const log = { warn() {} } as never;

/** Processor time of the thread; on a busy machine, of its total time limit. */
const LIMITS = /processor time|took too long/;

describe('the policy thread', () => {
  it.each([
    ['loops forever', 'for (;;) {}', LIMITS],
    ['backtracks in a regular expression', `/^(a+)+$/.test('a'.repeat(40) + 'b')`, LIMITS],
    ['uses all its memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))', /./],
  ])('is terminated when it %s, while the process continues', async (_what, code, reason) => {
    const thread = threadOf(
      `parentPort.on('message', () => { ${code} }); parentPort.postMessage('listening');`,
    );
    const began = performance.now();
    const error = await thread.ask('check', { kind: KIND, text }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PolicyLimitExceeded);
    expect((error as Error).message).toMatch(reason);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(thread.ended).toBe(true);
  });

  it('is terminated when it neither answers nor works', async () => {
    const silent = threadOf(`parentPort.on('message', () => {}); parentPort.postMessage('listening');`, {
      answerMs: 300,
    });
    await expect(silent.ask('check', { kind: KIND, text })).rejects.toThrow('took too long');
    const never = threadOf('setInterval(() => {}, 1000);', { startMs: 200 });
    await expect(never.ask('check', { kind: KIND, text })).rejects.toThrow('did not start');
  });

  it('is not terminated because the machine is busy: only its own processor time counts', async () => {
    // Sleeps longer than the limit, like a thread that gets no processor time.
    const waiting = threadOf(`
      parentPort.on('message', () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
        parentPort.postMessage({ answer: 'late' });
      });
      parentPort.postMessage('listening');`);
    expect(await waiting.ask('check', { kind: KIND, text })).toBe('late');
    await waiting.close();
  });

  it('is terminated when it uses more memory than allowed', async () => {
    const greedy = threadOf(
      `parentPort.on('message', () => {
        const all = Array.from({ length: 250 }, () => new Array(1e5).fill(1.5));
        parentPort.postMessage({ answer: all.length });
      });
      parentPort.postMessage('listening');`,
      { cpuMs: 20_000, answerMs: 20_000 },
    );
    await expect(greedy.ask('check', { kind: KIND, text })).rejects.toThrow(
      new PolicyLimitExceeded('out of memory'),
    );
  });

  it.each([
    ['its program throws', `throw new TypeError('a bug')`, 'a bug'],
    ['it exits', 'process.exit(0)', 'policy thread ended'],
  ])('rejects the request and cannot be reused when %s', async (_when, code, message) => {
    const thread = threadOf(
      `parentPort.on('message', () => { ${code} }); parentPort.postMessage('listening');`,
    );
    for (const _time of [1, 2]) {
      const error = await thread.ask('check', { kind: KIND, text }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message });
      expect(error).not.toBeInstanceOf(PolicyLimitExceeded);
    }
    expect(thread.ended).toBe(true);
  });

  it('rejects the current request when it is closed', async () => {
    const thread = hangingThread('check');
    const asked = thread.ask('check', { kind: KIND, text });
    expect(thread.ended).toBe(false);
    await Promise.all([expect(asked).rejects.toThrow('policy thread closed'), thread.close()]);
    expect(thread.ended).toBe(true);
  });

  it('accepts one request at a time', async () => {
    const thread = new PolicyThread();
    const first = thread.ask('check', { kind: KIND, text });
    await expect(thread.ask('check', { kind: KIND, text })).rejects.toThrow('two concurrent requests');
    expect(await first).toHaveProperty('policy');
    expect(await thread.ask('check', { kind: KIND, text })).toHaveProperty('policy');
    await thread.close();
  });

  it('tries no submission with the policy before an invalid one', async () => {
    const thread = new PolicyThread();
    await thread.ask('beginDryRun', { text });
    expect(await thread.ask('beginDryRun', { text: '{' })).toHaveProperty('violations');
    await expect(thread.ask('trySubmissions', { submissions: [] })).rejects.toThrow('no dry run');
  });

  it('has none of the service’s environment variables', async () => {
    const thread = threadOf(`
      parentPort.on('message', () => parentPort.postMessage({ answer: Object.keys(process.env).length }));
      parentPort.postMessage('listening');`);
    expect(await thread.ask('check', { kind: KIND, text })).toBe(0);
    await thread.close();
  });
});

describe('queued policy texts', () => {
  it('are checked in order, even after one that blocked its thread, and rejected when there are too many', async () => {
    let started = 0;
    const checks = new PolicyChecks(log, () => {
      started += 1;
      return started === 1 ? hangingThread('check') : new PolicyThread();
    });
    const asked = Array.from({ length: 26 }, () =>
      checks.check(KIND, text).then(
        (answer) => Object.keys(answer)[0],
        (error: Error) => error.message,
      ),
    );
    const answers = await Promise.all(asked);
    expect(answers[0]).toBe('violations');
    expect(answers.slice(1, 24)).toEqual(Array(23).fill('policy'));
    expect(answers.slice(24).join()).toMatch(/Many policies are being checked.*Many policies/);
    // One thread serves all of them, and none is left.
    expect(started).toBe(2);
    await checks.close();
  });
});
