import { Code, ConnectError } from '@connectrpc/connect';
import type { Caller } from './caller.ts';
import { type StaffCall, StaffCalls } from './staff-calls.ts';

const BOUNDS = {
  inFlight: 4,
  inFlightPerPerson: 2,
  waitingPerPerson: 3,
  maxWaitMs: 5_000,
  longPerPerson: 2,
};
const person = (subject: string, role = 'staff:viewer', issuer = 'test'): Caller => ({
  subject,
  issuer,
  roles: [role],
  tokenEndsAt: Number.POSITIVE_INFINITY,
});
const turn = () => new Promise(setImmediate);

/** Calls that run until released, recorded in the order in which they begin. */
function recorder(bounds = BOUNDS) {
  const calls = new StaffCalls(bounds);
  const started: string[] = [];
  const running = new Map<string, () => void>();
  const enter = (caller: Caller) => calls.enter(caller, false) as StaffCall;
  const run = (name: string, caller: Caller, call = enter(caller)) =>
    call
      .run(
        () =>
          new Promise<string>((resolve) => {
            started.push(name);
            running.set(name, () => resolve('done'));
          }),
      )
      .catch((error: unknown) => Code[ConnectError.from(error).code]);
  const end = async (name: string) => {
    running.get(name)?.();
    await turn();
  };
  return { calls, started, enter, run, end };
}

describe('staff calls', () => {
  it("run up to one person's share while that person's other calls wait and another person's run", async () => {
    const { started, run } = recorder();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name, person('ada'));
    for (const name of ['b1', 'b2', 'b3']) void run(name, person('ben'));
    await turn();
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it("are rejected beyond one person's limit, with a retry time, without affecting others", async () => {
    const { run, enter } = recorder();
    for (let number = 0; number < 5; number += 1) void run(`a${number}`, person('ada'));
    const refused = () => {
      try {
        enter(person('ada'));
        return undefined;
      } catch (error) {
        return ConnectError.from(error);
      }
    };
    expect(refused()).toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: 'You have 5 calls in progress on this process. Wait for some to finish, then try again.',
    });
    expect(refused()?.metadata.get('retry-after')).toBe('1');
    expect(() => enter(person('ben'))).not.toThrow();
    // The same name at another issuer is another person.
    expect(() => enter(person('ada', 'staff:viewer', 'other'))).not.toThrow();
  });

  it('alternate between people, even if one person has many calls waiting', async () => {
    const { started, run, end } = recorder({ ...BOUNDS, inFlight: 1, inFlightPerPerson: 1 });
    for (const name of ['a1', 'a2', 'a3']) void run(name, person('ada'));
    for (const name of ['b1', 'b2']) void run(name, person('ben'));
    void run('c1', person('cem'));
    await turn();
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) await end(name);
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('free their places after ending, failing, waiting too long or being cancelled', async () => {
    const { calls, run, enter, end } = recorder({ ...BOUNDS, maxWaitMs: 1 });
    const failed = enter(person('ada')).run(() => Promise.reject(new Error('fails')));
    await expect(failed).rejects.toThrow('fails');
    const ended = [run('a1', person('ada')), run('a2', person('ada'))];
    const late = run('a3', person('ada'));
    const leaving = enter(person('ada'));
    const left = run('a4', person('ada'), leaving);
    // Before any timer fires.
    leaving.leave();
    expect(await left).toBe('Canceled');
    expect(await late).toBe('ResourceExhausted');
    // A call whose body never came.
    const silent = enter(person('ada'));
    silent.leave();
    silent.leave();
    for (const name of ['a1', 'a2']) await end(name);
    expect(await Promise.all(ended)).toEqual(['done', 'done']);
    expect(calls.people).toBe(0);
    // All places are free again.
    const again = ['x1', 'x2'].map((name) => run(name, person('ada')));
    await turn();
    for (const name of ['x1', 'x2']) await end(name);
    expect(await Promise.all(again)).toEqual(['done', 'done']);
    expect(calls.people).toBe(0);
  });

  it('keep their place while their work runs, even after the caller disconnects', async () => {
    const { started, run, enter, end } = recorder();
    const leaving = enter(person('ada'));
    void run('a1', person('ada'), leaving);
    void run('a2', person('ada'));
    void run('a3', person('ada'));
    await turn();
    leaving.leave();
    await turn();
    expect(started).toEqual(['a1', 'a2']);
    await end('a1');
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  it('include streams, with a limit per person', () => {
    const calls = new StaffCalls(BOUNDS);
    const open = () => calls.enter(person('ada'), true);
    const first = open();
    open();
    expect(open).toThrow(
      'You have 2 long-running calls open on this process. Wait for one to end, or cancel it.',
    );
    expect(() => calls.enter(person('ben'), true)).not.toThrow();
    first?.leave();
    first?.leave();
    expect(open).not.toThrow();
    expect(open).toThrow();
  });

  it('exclude calls of services', () => {
    const calls = new StaffCalls(BOUNDS);
    for (let number = 0; number < 1_000; number += 1)
      expect(calls.enter(person('gateway', 'service:gateway'), false)).toBeUndefined();
  });
});
