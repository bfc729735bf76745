import { toJson } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Alert, Button, Group, Popover, Text } from '@mantine/core';
import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import { type AuditEntry, AuditEntrySchema } from '@supplier/proto/audit/v1/audit';
import { useState } from 'react';
import { audits, errorMessage } from '../../calls.ts';
import { withNoun } from '../../format.ts';
import { resumeStream } from '../../resume-stream.ts';
import { saveFile } from '../../save-file.ts';
import { useStoppable } from '../../stoppable.ts';
import { AUDIT } from './audit-texts.ts';

/** Maximum entries that a service returns in one call. */
const MAX_PER_CALL = 100_000;
/** Maximum entries in a file: about 300 MB. */
const MAX_ENTRIES = 500_000;
/** The console's own limit for a stream. */
const EXPORT_MS = 600_000;
/** Entries between two progress updates. */
const STEP = 500;

interface Progress {
  readonly count: number;
  /** Position from which the next export continues, if there may be more entries. */
  readonly after?: bigint;
}

interface AuditExportProps {
  readonly service: StaffService;
  readonly since: string | undefined;
}

/**
 * Exports a service's sealed entries to a file with one JSON object per line, in the format of `sss audit export
 * --json`.
 */
export function AuditExport({ service, since }: AuditExportProps) {
  const [progress, setProgress] = useState<Progress>();
  const { run, isRunning, error } = useStoppable(async (signal, after: bigint | undefined) => {
    setProgress({ count: 0 });
    const lines: string[] = [];
    let last: bigint | undefined;
    for await (const entry of entriesOf({ service, since, after, signal })) {
      lines.push(`${JSON.stringify(toJson(AuditEntrySchema, entry, { alwaysEmitImplicit: true }))}\n`);
      last = entry.position;
      if (lines.length % STEP === 0) setProgress({ count: lines.length });
      if (lines.length === MAX_ENTRIES) break;
    }
    if (signal.aborted) return;
    saveFile(`audit-${service}.jsonl`, 'application/jsonl', lines);
    const more = lines.length === MAX_ENTRIES && last !== undefined ? { after: last } : {};
    setProgress({ count: lines.length, ...more });
  });
  const { count = 0, after } = progress ?? {};
  const entries = withNoun(count, AUDIT.oneEntry, AUDIT.entries);
  return (
    <Popover position="bottom-end" width={340} trapFocus shadow="md">
      <Popover.Target>
        <Button>{AUDIT.exportTitle} ▾</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={AUDIT.exportTitle}>
        <Text size="sm" mb="sm">
          {AUDIT.exportOf(service, since !== undefined, MAX_ENTRIES.toLocaleString('en-GB'))}
        </Text>
        <Group gap="xs">
          <Button variant="filled" loading={isRunning} onClick={() => run(undefined)}>
            {AUDIT.saveFile}
          </Button>
          {after === undefined ? null : (
            <Button loading={isRunning} onClick={() => run(after)}>
              {AUDIT.saveNext}
            </Button>
          )}
        </Group>
        {progress && !error ? (
          <Text size="sm" mt="sm" role="status">
            {isRunning ? AUDIT.soFar(entries) : AUDIT.saved(entries)}
            {after === undefined ? '' : AUDIT.more(after)}
          </Text>
        ) : null}
        {error ? (
          <Alert color="red" mt="sm">
            {AUDIT.failed(errorMessage(error))}
          </Alert>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  );
}

interface EntriesOf extends AuditExportProps {
  /** Position after which the entries start, regardless of when they were sealed. */
  readonly after: bigint | undefined;
  readonly signal: AbortSignal;
}

/** Streams entries over several calls, until one returns fewer than the maximum. */
const entriesOf = ({ service, since, after, signal }: EntriesOf): AsyncGenerator<AuditEntry> =>
  resumeStream({
    from: after,
    async *open(place) {
      for (let behind = place, count = MAX_PER_CALL; count === MAX_PER_CALL; ) {
        count = 0;
        const from = behind === undefined ? sealedSince(since) : { afterPosition: behind };
        for await (const entry of audits[service].exportAudit(from, { signal, timeoutMs: EXPORT_MS })) {
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
