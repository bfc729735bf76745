import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import { type KnownStream, moveCheckpoint, type Place, readKnownStream, recordLoss } from './known-stream.ts';
import type { OwnPlace } from './publish-pending.ts';

/** A message may expire this much sooner than our clock says. */
const CLOCK_TOLERANCE_MS = 60_000;
const NANOS_PER_MS = 1_000_000;
/** From this share of its bytes on, a stream with a bound may drop its oldest messages at any time. */
const FULL = 0.9;

/** What the guard does at the server. */
export interface GuardedStream {
  /** The stream as it is, made if there was none. */
  readStream(): Promise<StreamInfo>;
  /** Fills places that were lost, so that no durable skips what comes after them; called with whether any event was lost. */
  fill(lost: boolean): Promise<void>;
}

/**
 * Checks that the stream still holds what was published to it; if not, requests that the lost events be published
 * again, once no durable would skip them. Our records are read before the stream: everything in them was acknowledged by then, so what the stream lacks
 * is lost, and another relay's progress is never mistaken for a loss.
 */
export async function guardStream(
  pool: pg.Pool,
  manager: JetStreamManager,
  stream: string,
  { readStream, fill }: GuardedStream,
  own: OwnPlace | undefined,
  log: Logger,
): Promise<void> {
  const known = await readKnownStream(pool, stream);
  const info = await readStream();
  const kept = known ? beforeTakenTwice(known, await keptThrough(manager, info, known, own)) : 0;
  // Before the loss is recorded: whoever finds it after this process ended fills them.
  await fill(kept !== 'all');
  if (known && kept === 'all') return moveCheckpoint(pool, stream, known);
  const sequence = kept === 'all' ? 0 : kept;
  if (await recordLoss(pool, stream, info.created, known, sequence)) {
    log.warn({ stream, sequence }, 'stream lost events');
  }
}

/**
 * Up to where the stream surely holds what was published to it. Looks for the newest event, this process's own
 * furthest, the checkpoint and the anchor at their places: a stream that was deleted, purged or restored lacks one of
 * them, whatever was published to it since.
 */
async function keptThrough(
  manager: JetStreamManager,
  info: StreamInfo,
  { born, generation, newest, checkpoint, anchor }: KnownStream,
  own: OwnPlace | undefined,
): Promise<number | 'all'> {
  if (born !== info.created) return 0;
  const [newestHeld, ownHeld, checkpointHeld] = await Promise.all([
    holds(manager, info, newest),
    holds(manager, info, own?.generation === generation ? own : undefined),
    holds(manager, info, checkpoint),
  ]);
  if (newestHeld && ownHeld && checkpointHeld) return 'all';
  if (checkpoint && checkpointHeld) return checkpoint.seq;
  if (anchor && (await holds(manager, info, anchor))) return anchor.seq;
  return 0;
}

/** Of several servers, one that lost its end may have taken the lead, and taken more, between two looks. */
function beforeTakenTwice({ takenTwice, checkpoint }: KnownStream, kept: number | 'all'): number | 'all' {
  if (takenTwice === undefined) return kept;
  return Math.min(kept === 'all' ? (checkpoint?.seq ?? 0) : kept, takenTwice - 1);
}

async function holds(
  manager: JetStreamManager,
  info: StreamInfo,
  place: Place | undefined,
): Promise<boolean> {
  if (!place) return true;
  if (place.seq > info.state.last_seq) return false;
  const message = await manager.streams.getMessage(info.config.name, { seq: place.seq });
  if (!message) return mayHaveDropped(info, place);
  return message.header.get('Nats-Msg-Id') === place.messageId;
}

/** Whether the limits of the stream explain that a message is gone. */
function mayHaveDropped({ config, state }: StreamInfo, { at }: Place): boolean {
  const maxAgeMs = config.max_age / NANOS_PER_MS;
  const aged = maxAgeMs > 0 && Date.now() - at.getTime() > maxAgeMs - CLOCK_TOLERANCE_MS;
  return aged || (config.max_bytes > 0 && state.bytes >= config.max_bytes * FULL);
}
