import { Code, Stack } from '@mantine/core';
import { visible, visibleLines } from '@supplier/lib/text/visible';
import type { AuditEntry } from '@supplier/proto/audit/v1/audit';
import { Facts } from '../../components/facts.tsx';
import { Mono } from '../../components/mono.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { RequestLink } from '../../components/request-link.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { ExactTime } from '../../components/time.tsx';
import { formatJson } from '../../format.ts';

/** Everything that an audit entry records. */
export function AuditEntryDetails({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, issuer, roles, action, target, accountId, purpose, reason, requestId } = entry;
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
          text('Action', action),
          text('Target', target),
          accountId === '' ? undefined : ['Supplier', <SupplierName key="supplier" accountId={accountId} />],
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
