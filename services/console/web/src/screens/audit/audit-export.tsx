import { toJson } from '@bufbuild/protobuf';
import { Alert, Button, Group, NativeSelect, Popover, Text } from '@mantine/core';
import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { AuditEntrySchema, AuditService } from '@supplier/proto/audit/v1/audit';
import { useState } from 'react';
import { clientOf, errorMessage } from '../../calls.ts';
import { capitalize, withNoun } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { useStoppable } from '../../stoppable.ts';
import { type ExportFrom, entriesOf } from './entries-of.ts';

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
  /** The service that the list is filtered by. */
  readonly chosen: StaffService | undefined;
  readonly since: string | undefined;
}

/**
 * Exports a service's sealed entries to a file with one JSON object per line, in the format of `sss audit export
 * --json`.
 */
export function AuditExport({ chosen = 'submission', since }: AuditExportProps) {
  const [service, setService] = useState(chosen);
  const [progress, setProgress] = useState<Progress>();
  const { run, isRunning, error } = useStoppable(async (signal, after: bigint | undefined) => {
    setProgress({ count: 0 });
    const lines: string[] = [];
    let last: bigint | undefined;
    const open = (from: ExportFrom) =>
      clientOf(AuditService, service).exportAudit(from, { signal, timeoutMs: EXPORT_MS });
    for await (const entry of entriesOf({ open, since, after, signal })) {
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
  const entries = withNoun(count, 'entry', 'entries');
  return (
    <Popover position="bottom-end" width={340} trapFocus shadow="md">
      <Popover.Target>
        <Button>Export ▾</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Export">
        <NativeSelect
          size="xs"
          mb="xs"
          label="Service"
          data={STAFF_SERVICES.map((value) => ({ value, label: capitalize(value) }))}
          value={service}
          disabled={isRunning}
          onChange={(event) => {
            setService(STAFF_SERVICES.find((one) => one === event.currentTarget.value) ?? service);
            setProgress(undefined);
          }}
        />
        <Text size="sm" mb="sm">
          {`All sealed entries of the ${service} service${since !== undefined ? ' since the start of your filter' : ''}, in chain order, up to ${MAX_ENTRIES.toLocaleString('en-GB')} per file. Other filters don’t apply.`}
        </Text>
        <Group gap="xs">
          <Button variant="filled" loading={isRunning} onClick={() => run(undefined)}>
            Save file
          </Button>
          {after === undefined ? null : (
            <Button loading={isRunning} onClick={() => run(after)}>
              Save the next entries
            </Button>
          )}
        </Group>
        {progress && !error ? (
          <Text size="sm" mt="sm" role="status">
            {isRunning ? `${entries} so far` : `Saved ${entries}`}
            {after === undefined ? '' : `, and there may be more after position ${after}`}
          </Text>
        ) : null}
        {error ? (
          <Alert color="red" mt="sm">
            {`Could not export: ${errorMessage(error)}`}
          </Alert>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  );
}
