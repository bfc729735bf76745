import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import { type KnownStream, moveCheckpoint, type Place, readKnownStream, recordLoss } from './known-stream.ts';
import type { OwnPlace } from './publish-pending.ts';

/** A message may expire this much earlier than the local clock indicates. */
const CLOCK_TOLERANCE_MS = 60_000;
const NANOS_PER_MS = 1_000_000;
/** Above this share of its byte limit, a stream may drop its oldest messages at any time. */
const FULL = 0.9;

/**
 * Checks that the stream has the published events; if not, requests a refill once no durable would skip them. Reads the
 * database first: what it has was acknowledged, so another relay's progress never looks like a loss.
 */
export async function guardStream(
  pool: pg.Pool,
  manager: JetStreamManager,
  stream: string,
  readStream: () => Promise<StreamInfo>,
  /** Fills lost sequences so that no durable skips later events. `lost` is true if any event was lost. */
  fill: (lost: boolean) => Promise<void>,
  own: OwnPlace | undefined,
  log: Logger,
): Promise<void> {
  const known = await readKnownStream(pool, stream);
  const info = await readStream();
  const kept = known ? beforeTakenTwice(known, await keptThrough(manager, info, known, own)) : 0;
  // Runs before the loss is recorded: if this process ends now, the next relay finds the loss and fills the places.
  await fill(kept !== 'all');
  if (known && kept === 'all') return moveCheckpoint(pool, stream, known);
  const sequence = kept === 'all' ? 0 : kept;
  if (await recordLoss(pool, stream, info.created, known, sequence)) {
    log.warn({ stream, sequence }, 'stream lost events');
  }
}

/**
 * Returns the sequence up to which the stream has all published events, from those at the newest, this process's, the
 * checkpoint's and the anchor's sequence. A deleted, purged or restored stream lacks one of them.
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

/** In a cluster, a server that lost its end may have become leader and accepted more events between two checks. */
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

/** Returns whether the stream's limits explain a missing message. */
function mayHaveDropped({ config, state }: StreamInfo, { at }: Place): boolean {
  const maxAgeMs = config.max_age / NANOS_PER_MS;
  const aged = maxAgeMs > 0 && Date.now() - at.getTime() > maxAgeMs - CLOCK_TOLERANCE_MS;
  return aged || (config.max_bytes > 0 && state.bytes >= config.max_bytes * FULL);
}
