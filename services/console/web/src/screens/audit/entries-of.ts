import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AuditEntry } from '@supplier/proto/audit/v1/audit';
import { resumeStream } from '../../resume-stream.ts';

/** Maximum entries that a service returns in one call. */
const MAX_PER_CALL = 100_000;

/** Where the entries of a call start. */
export type ExportFrom = { readonly since?: Timestamp } | { readonly afterPosition: bigint };

/** Streams entries over several calls, until one returns fewer than the maximum. */
export const entriesOf = ({
  open,
  since,
  after,
  signal,
  maxPerCall = MAX_PER_CALL,
}: {
  readonly open: (from: ExportFrom) => AsyncIterable<AuditEntry>;
  readonly since: string | undefined;
  /** Position after which the entries start, regardless of when they were sealed. */
  readonly after: bigint | undefined;
  readonly signal: AbortSignal;
  readonly maxPerCall?: number;
}): AsyncGenerator<AuditEntry> =>
  resumeStream({
    from: after,
    async *open(place) {
      for (let behind = place, count = maxPerCall; count === maxPerCall; ) {
        count = 0;
        const from = behind === undefined ? sealedSince(since) : { afterPosition: behind };
        for await (const entry of open(from)) {
          behind = entry.position;
          count += 1;
          yield entry;
        }
      }
    },
    placeOf: ({ position }) => position,
    signal,
  });

const sealedSince = (since: string | undefined) =>
  since ? { since: timestampFromDate(new Date(since)) } : {};
