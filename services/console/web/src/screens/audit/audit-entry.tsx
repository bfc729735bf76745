import { Code, Stack } from '@mantine/core';
import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import { visible, visibleLines } from '@supplier/lib/text/visible';
import { Facts } from '../../components/facts.tsx';
import { Mono } from '../../components/mono.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { RequestLink } from '../../components/request-link.tsx';
import { ExactTime } from '../../components/time.tsx';
import { capitalize, formatJson } from '../../format.ts';
import { didOf } from './actions.ts';
import { supplierOf, TargetLink } from './audit-target.tsx';
import type { MergedEntry } from './merged-entries.ts';

/** Everything that an audit entry records. */
export function AuditEntryDetails({ service, entry }: MergedEntry<StaffService>) {
  const { at, actor, issuer, roles, action, target, purpose, reason, requestId } = entry;
  const text = (name: string, value: string) =>
    value === '' ? undefined : ([name, visible(value)] as const);
  const sealed = entry.position !== 0n;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Time', <ExactTime key="time" at={at} />],
          text('Actor', actor),
          text('Issuer', issuer),
          text('Roles', roles.join(', ')),
          text('Action', didOf(action)),
          text('Action in the log', action),
          text('Service', capitalize(service)),
          ['Record', <TargetLink key="target" service={service} entry={entry} />],
          text('Record ID', target),
          ['Supplier', supplierOf(entry)],
          text('Purpose or reason', purpose || reason),
          requestId === '' ? undefined : ['Request ID', <RequestLink key="request" id={requestId} />],
          ['Chain position', sealed ? String(entry.position) : 'Not sealed yet'],
          sealed ? ['Sealed', <ExactTime key="sealed" at={entry.sealedAt} />] : undefined,
          sealed ? ['SHA-256', <Mono key="hash">{hexOf(entry.hash)}</Mono>] : undefined,
        ]}
      />
      <JsonPanel title="Before" json={entry.beforeJson} />
      <JsonPanel title="After" json={entry.afterJson} />
    </Stack>
  );
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const JsonPanel = ({ title, json }: { readonly title: string; readonly json: string }) =>
  json === '' ? null : (
    <PanelFrame title={title}>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {visibleLines(formatJson(json))}
      </Code>
    </PanelFrame>
  );
