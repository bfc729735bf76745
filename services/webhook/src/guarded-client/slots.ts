import type { EndpointId } from '@supplier/lib/ids';
import { Client } from 'undici';
import type { ConnectionFacts, OpenedConnection } from './open-connection.ts';
import type { Target } from './tcp.ts';

/** An endpoint's connections are closed after this long without an attempt, in milliseconds. */
const IDLE_MS = 60_000;

interface Idle {
  readonly slots: Slot[];
  usedAt: number;
}

/** The kept-alive connections of all endpoints. No two endpoints share one, not even on the same host. */
export interface Slots {
  /**
   * A slot for the endpoint's current URL, the most recently used one if there are several. The caller owns it until it
   * is released.
   */
  take(endpointId: EndpointId, url: URL): Slot;
  /** Returns a slot whose connection may be reused. */
  release(endpointId: EndpointId, url: URL, slot: Slot): void;
  /** Ends connections that have not been used for a minute. */
  prune(): void;
  /** Ends all idle connections. */
  close(): void;
}

/** `perEndpoint` bounds the idle connections of one endpoint; callers bound those in use. */
export function connectionSlots(open: Open, perEndpoint: number): Slots {
  const idle = new Map<string, Idle>();
  // The URL is part of the key: after a change of URL, old connections are not reused.
  const keyOf = (endpointId: EndpointId, url: URL) => `${endpointId} ${url.origin}`;

  function drop(key: string): void {
    for (const slot of idle.get(key)?.slots ?? []) slot.destroy();
    idle.delete(key);
  }

  return {
    take: (endpointId, url) => idle.get(keyOf(endpointId, url))?.slots.pop() ?? makeSlot(url, open),
    release(endpointId, url, slot) {
      const key = keyOf(endpointId, url);
      const known = idle.get(key) ?? { slots: [], usedAt: 0 };
      idle.set(key, known);
      known.usedAt = performance.now();
      if (known.slots.length < perEndpoint) known.slots.push(slot);
      else slot.destroy();
    },
    prune() {
      const oldest = performance.now() - IDLE_MS;
      for (const [key, { usedAt }] of idle) if (usedAt < oldest) drop(key);
    },
    close() {
      for (const key of [...idle.keys()]) drop(key);
    },
  };
}

/** How long a connection is kept for the next attempt, in milliseconds; a receiver may request less. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 30_000;
const MAXIMUM_HEADER_BYTES = 16_384;

/** Within one attempt, a connection that broke before it was used is reopened only once. */
const MAXIMUM_OPENINGS = 2;

/** One connection to a receiver, opened when needed and used by one attempt at a time. */
export interface Slot {
  readonly client: Client;
  /** To be called when an attempt begins. */
  begin(): void;
  /** Facts about the attempt's connection, even one that failed to open; undefined while there are none. */
  facts(): ConnectionFacts | undefined;
  /** Whether the attempt opened its connection, rather than finding it open. */
  opened(): boolean;
  /** Ends the connection, whatever it is doing; the slot cannot be used after that. */
  destroy(): void;
}

/** Opens a guarded connection; see openConnection. */
export type Open = (
  target: Target,
  signal: AbortSignal,
  reached: (facts: ConnectionFacts) => void,
) => Promise<OpenedConnection>;

/** Makes a slot for the origin of `url`, whose connections are all opened by `open`. */
export function makeSlot(url: URL, open: Open): Slot {
  const target = targetOf(url);
  const ended = new AbortController();
  let facts: ConnectionFacts | undefined;
  let openings = 0;

  const client = new Client(url.origin, {
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // Disabled, since the attempt has its own timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_options, callback) {
      facts = undefined;
      openings += 1;
      if (openings > MAXIMUM_OPENINGS) return callback(new Error('connection broke too often'), null);
      const reached = (known: ConnectionFacts) => {
        facts = known;
      };
      open(target, ended.signal, reached).then(
        (connection) => {
          facts = connection.facts;
          callback(null, connection.socket);
        },
        (cause: unknown) =>
          callback(cause instanceof Error ? cause : new Error('connection failed', { cause }), null),
      );
    },
  });

  return {
    client,
    begin() {
      openings = 0;
    },
    facts: () => facts,
    opened: () => openings > 0,
    destroy() {
      ended.abort(new Error('attempt ended'));
      client.destroy().catch(() => {});
    },
  };
}

/** The target of a URL: its host without brackets or trailing dots, and its port. */
export function targetOf(url: URL): Target {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.+$/, '');
  return { host, port: url.port === '' ? 443 : Number(url.port) };
}
