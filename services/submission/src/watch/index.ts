import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { callerOf, publicError, type RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { Logger } from '@supplier/lib/runtime/log';
import { type Wakeable, wakeable } from '@supplier/lib/runtime/wakeable';
import type { WatchBounds } from '../model/watch-bounds.ts';
import { Reader } from './reader.ts';

/** A state, and a mark that shows whether it may have changed since. */
export interface Reading<State> {
  readonly mark: string;
  readonly state: State;
}

/** The source of watched states, each under a key. */
export interface Watched<Key, State> {
  /** For the log. */
  readonly name: string;
  /** Minimum time between readings of all watched keys, in milliseconds. */
  readonly everyMs: number;
  /**
   * Reads all keys together, given what is known of each. Unchanged keys may be omitted unless nothing is known of
   * them; an error ends the streams of its key. Rejects when nothing can be read, which ends all streams.
   */
  look(keys: ReadonlyMap<Key, Reading<State> | undefined>): Promise<ReadonlyMap<Key, Reading<State> | Error>>;
  /** Returns whether two states are the same to a reader. */
  isSame(one: State, other: State): boolean;
}

interface Entry<State> {
  /** Each reader with the function that ends it, even if its stream is stuck. */
  readonly readers: Map<Reader<State>, (error?: ConnectError) => void>;
  known: Reading<State> | undefined;
}

/**
 * The streams of one RPC on this process: each gets the state of its key, and again after every change. A new reader of
 * a key that others watch gets the state last sent to them.
 */
export class Watch<Key, State> {
  readonly #watched: Watched<Key, State>;
  readonly #bounds: WatchBounds;
  readonly #stopping: AbortSignal;
  readonly #log: Logger;
  readonly #entries = new Map<Key, Entry<State>>();
  readonly #pause: Wakeable;
  #streams = 0;
  readonly #ofCallers = new Map<string, number>();
  #isRunning = false;

  constructor(
    watched: Watched<Key, State>,
    parts: { readonly bounds: WatchBounds; readonly stopping: AbortSignal; readonly log: Logger },
  ) {
    this.#watched = watched;
    this.#bounds = parts.bounds;
    this.#stopping = parts.stopping;
    this.#log = parts.log;
    this.#pause = wakeable(parts.stopping);
    parts.stopping.addEventListener('abort', () => {
      for (const entry of this.#entries.values()) this.#end(entry);
    });
  }

  /**
   * Yields the state of `key`, now and after each change. Ends without an error after its maximum duration, when the
   * caller's token expires, and when the process stops. Throws RESOURCE_EXHAUSTED beyond the stream limits, and
   * UNAVAILABLE while nothing can be read or the process is stopping.
   */
  async *stream(key: Key, call: Pick<RpcCall, 'signal' | 'values'>): AsyncGenerator<State> {
    const { streams, ofCaller, longestMs, silenceMs } = this.#bounds;
    const { subject, tokenEndsAt } = callerOf(call);
    if (this.#stopping.aborted)
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'This process is stopping. Open the stream again.');
    if (this.#streams >= streams)
      throw new ConnectError(
        `${streams} streams of this kind are open on this process, which is its limit. Try again later.`,
        Code.ResourceExhausted,
      );
    if ((this.#ofCallers.get(subject) ?? 0) >= ofCaller)
      throw new ConnectError(
        `You have ${ofCaller} streams of this kind open on this process. Close some of them first.`,
        Code.ResourceExhausted,
      );
    const reader = new Reader<State>();
    const entry = this.#entries.get(key) ?? { readers: new Map(), known: undefined };
    // A generator whose reader is stuck never resumes, so its place must be freed from outside.
    const end = (error?: ConnectError) => {
      clearTimeout(timer);
      call.signal.removeEventListener('abort', left);
      reader.end(error);
      this.#leave(key, entry, reader, subject);
    };
    const left = () => end();
    const timer = setTimeout(end, Math.min(longestMs, tokenEndsAt - Date.now()));
    call.signal.addEventListener('abort', left);
    this.#ofCallers.set(subject, (this.#ofCallers.get(subject) ?? 0) + 1);
    this.#join(key, entry, reader, end);
    if (call.signal.aborted) end();
    try {
      for (let next = await reader.take(silenceMs); next; next = await reader.take(silenceMs)) {
        const sent = next === 'silence' ? entry.known : next;
        if (sent) yield sent.state;
      }
    } finally {
      end();
    }
  }

  #join(key: Key, entry: Entry<State>, reader: Reader<State>, end: (error?: ConnectError) => void): void {
    this.#entries.set(key, entry);
    entry.readers.set(reader, end);
    this.#streams += 1;
    if (entry.known) reader.put(entry.known.state);
    else this.#pause.wake();
    if (!this.#isRunning) void this.#run();
  }

  #leave(key: Key, entry: Entry<State>, reader: Reader<State>, subject: string): void {
    if (!entry.readers.delete(reader)) return;
    this.#streams -= 1;
    const own = (this.#ofCallers.get(subject) ?? 1) - 1;
    if (own > 0) this.#ofCallers.set(subject, own);
    else this.#ofCallers.delete(subject);
    if (entry.readers.size > 0 || this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    if (this.#entries.size === 0) this.#pause.wake();
  }

  /** Reads while any stream is open: all keys at their interval, and new ones immediately. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    let allDueAt = 0;
    while (this.#entries.size > 0) {
      const isAllDue = performance.now() >= allDueAt;
      const due = [...this.#entries].filter(([, { known }]) => isAllDue || !known);
      if (due.length > 0) await this.#lookAt(due);
      if (isAllDue) allDueAt = performance.now() + this.#watched.everyMs;
      await this.#pause.sleep(Math.max(0, allDueAt - performance.now()));
    }
    this.#isRunning = false;
  }

  async #lookAt(due: readonly (readonly [Key, Entry<State>])[]): Promise<void> {
    try {
      const keys = new Map(due.map(([key, { known }]) => [key, known]));
      const found = await this.#watched.look(keys);
      for (const [key, entry] of due) this.#tell(entry, found.get(key));
    } catch (error) {
      const shown = this.#shown(error);
      for (const [, entry] of due) this.#end(entry, shown);
    }
  }

  #tell(entry: Entry<State>, found: Reading<State> | Error | undefined): void {
    const before = entry.known;
    if (found instanceof Error) {
      this.#end(entry, this.#shown(found));
    } else if (found) {
      entry.known = found;
      if (before && this.#watched.isSame(before.state, found.state)) return;
      for (const reader of entry.readers.keys()) reader.put(found.state);
    } else if (!before) {
      this.#end(entry, this.#shown(new Error('invariant violated: nothing was read of a new key')));
    }
  }

  #end(entry: Entry<State>, error?: ConnectError): void {
    for (const end of [...entry.readers.values()]) end(error);
  }

  /** Converts the error once for all streams, so that it is logged once. */
  #shown(error: unknown): ConnectError {
    return publicError(error, this.#watched.name, this.#log);
  }
}
