import { Code, ConnectError } from '@connectrpc/connect';
import { cancelDeadline, startDeadline } from '../../runtime/deadlines/index.ts';
import type { Caller } from './caller.ts';

/** Limits on simultaneous unary staff calls per process, so that suppliers' calls keep their share of its database. */
export interface StaffCallBounds {
  readonly inFlight: number;
  readonly inFlightPerPerson: number;
  /** Calls of one person that wait for a running call to end. */
  readonly waitingPerPerson: number;
  readonly maxWaitMs: number;
  /** Open streams and other long calls of one person. Watch streams have their own bounds. */
  readonly longPerPerson: number;
}

export const STAFF_CALL_BOUNDS = { waitingPerPerson: 64, longPerPerson: 4 };
/** Unary calls of all staff, running and waiting. */
const MAX_CALLS = 1_024;
/** Maximum time that work keeps its place, in milliseconds: calls and statements have ended by then. */
const MAX_HOLD_MS = 30_000;
const RETRY_AFTER_SECONDS = 1;

export interface StaffCall {
  /** Runs the work of a unary call when its turn comes. Rejects with RESOURCE_EXHAUSTED if it waits too long. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Gives up the call. Work that has begun keeps its place until it ends, for at most 30 s. */
  leave(): void;
}

interface Person {
  /** The number of this person's latest turn; 0 before the first. */
  lastTurn: number;
  running: number;
  /** Unary calls that are running, waiting, or still reading their body. */
  calls: number;
  long: number;
  readonly waiting: Set<() => void>;
}

/** Limits calls per person: others are not delayed, and people take turns. Services are not limited. */
export class StaffCalls {
  readonly #bounds: StaffCallBounds;
  readonly #people = new Map<string, Person>();
  #turns = 0;
  #running = 0;
  #calls = 0;

  constructor(bounds: StaffCallBounds) {
    this.#bounds = bounds;
  }

  /** Enters a staff call before its body is read. Throws RESOURCE_EXHAUSTED beyond the limits. */
  enter(caller: Caller, isLong: boolean): StaffCall | undefined {
    if (caller.roles.some((role) => role.startsWith('service:'))) return undefined;
    const key = `${caller.issuer}\n${caller.subject}`;
    const person = this.#people.get(key) ?? {
      lastTurn: 0,
      running: 0,
      calls: 0,
      long: 0,
      waiting: new Set(),
    };
    const call = isLong ? this.#enterLong(key, person) : this.#enterCall(key, person);
    this.#people.set(key, person);
    return call;
  }

  get people(): number {
    return this.#people.size;
  }

  #enterLong(key: string, person: Person): StaffCall {
    const { longPerPerson } = this.#bounds;
    if (person.long >= longPerPerson)
      throw tooMany(
        `You have ${longPerPerson} long-running calls open on this process. Wait for one to end, or cancel it.`,
      );
    person.long += 1;
    const leave = once(() => {
      person.long -= 1;
      this.#forgetIdle(key, person);
    });
    return { run: (work) => work(), leave };
  }

  #enterCall(key: string, person: Person): StaffCall {
    const { inFlightPerPerson, waitingPerPerson } = this.#bounds;
    if (person.calls >= inFlightPerPerson + waitingPerPerson)
      throw tooMany(
        `You have ${person.calls} calls in progress on this process. Wait for some to finish, then try again.`,
      );
    if (this.#calls >= MAX_CALLS)
      throw tooMany('Too many staff calls are in progress on this process. Try again in a second.');
    person.calls += 1;
    this.#calls += 1;
    let isRunning = false;
    let giveUp = () => {};
    const end = once(() => {
      person.calls -= 1;
      this.#calls -= 1;
      this.#forgetIdle(key, person);
    });
    return {
      run: async (work) => {
        await this.#turn(person, (cancel) => {
          giveUp = cancel;
        }).catch((error: unknown) => {
          end();
          throw error;
        });
        isRunning = true;
        const give = once(() => {
          person.running -= 1;
          this.#running -= 1;
          end();
          this.#forgetIdle(key, person);
          this.#next();
        });
        const hold = { expire: give };
        const tick = startDeadline(hold, MAX_HOLD_MS);
        try {
          return await work();
        } finally {
          cancelDeadline(hold, tick);
          give();
        }
      },
      leave: () => {
        giveUp();
        if (!isRunning) end();
      },
    };
  }

  /** Resolves when a call of the person may run. Passes `waits` a function that cancels the wait. */
  async #turn(person: Person, waits: (cancel: () => void) => void): Promise<void> {
    if (person.waiting.size === 0 && this.#mayRun(person)) return this.#start(person);
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        cancelDeadline(deadline, tick);
        this.#start(person);
        resolve();
      };
      const stop = (error: ConnectError) => {
        if (!person.waiting.delete(begin)) return;
        cancelDeadline(deadline, tick);
        reject(error);
      };
      const deadline = {
        expire: () =>
          stop(tooMany('Other staff calls took too long on this process. Try again in a second.')),
      };
      const tick = startDeadline(deadline, this.#bounds.maxWaitMs);
      person.waiting.add(begin);
      waits(() => stop(new ConnectError('the call was canceled', Code.Canceled)));
    });
  }

  #mayRun(person: Person): boolean {
    return this.#running < this.#bounds.inFlight && person.running < this.#bounds.inFlightPerPerson;
  }

  #start(person: Person): void {
    this.#turns += 1;
    person.lastTurn = this.#turns;
    this.#running += 1;
    person.running += 1;
  }

  /** Starts waiting calls that may run, beginning with the person whose last turn was longest ago. */
  #next(): void {
    if (this.#running >= this.#bounds.inFlight) return;
    const waiting = [...this.#people.values()].filter((person) => person.waiting.size > 0);
    for (const person of waiting.toSorted((one, other) => one.lastTurn - other.lastTurn)) {
      const [begin] = person.waiting;
      if (!begin || !this.#mayRun(person)) continue;
      person.waiting.delete(begin);
      begin();
    }
  }

  #forgetIdle(key: string, person: Person): void {
    if (person.running === 0 && person.calls === 0 && person.long === 0) this.#people.delete(key);
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

function tooMany(message: string): ConnectError {
  return new ConnectError(message, Code.ResourceExhausted, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}
