import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import { auditedActions } from '@supplier/lib/rpc/staff-contracts';
import { visible } from '@supplier/lib/text/visible';
import type { AuditEntry } from '@supplier/proto/audit/v1/audit';
import { AuditTarget } from '@supplier/proto/common/v1/options';
import { Link } from '@tanstack/react-router';
import { ShortId, SubmissionLink } from '../../components/mono.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { UUID } from '../../format.ts';
import type { SupplierTab } from '../../searches.ts';
import type { MergedEntry } from './merged-entries.ts';

/** The tab of a supplier that has a target, and what the link says. */
const TABS: Readonly<Partial<Record<AuditTarget, readonly [SupplierTab, string]>>> = {
  [AuditTarget.TERMS]: ['terms', 'Terms'],
  [AuditTarget.CREDENTIAL]: ['credentials', 'Credential'],
  [AuditTarget.ENDPOINT]: ['webhooks', 'Webhook endpoint'],
  [AuditTarget.EVENT]: ['events', 'Webhook event'],
};

/** What an entry is about, as a link where it has a page. */
export function TargetLink({ service, entry }: MergedEntry<StaffService>) {
  const { action, accountId, targetReference } = entry;
  const target = visible(entry.target);
  const kind = auditedActions.get(action)?.target ?? AuditTarget.UNSPECIFIED;
  const [policyKind = '', version = ''] = target.split(/\/(.*)/s);
  const tab = TABS[kind];
  if (target === '') return null;
  if (targetReference !== '' || (kind === AuditTarget.SUBMISSION && UUID.test(target)))
    return <SubmissionLink submissionId={target}>{visible(targetReference) || target}</SubmissionLink>;
  if (kind === AuditTarget.ACCOUNT) return <SupplierName accountId={target} />;
  if (kind === AuditTarget.POLICY && version !== '')
    return (
      <Link to="/policies/$kind/$version" params={{ kind: policyKind.replaceAll('-', '_'), version }}>
        {target}
      </Link>
    );
  if (kind === AuditTarget.APPROVAL && (service === 'account' || service === 'submission'))
    return (
      <Link to="/approvals" search={{ service, approval: target }}>
        Approval request
      </Link>
    );
  if (tab && accountId !== '')
    return (
      <Link to="/suppliers/$accountId" params={{ accountId }} search={{ tab: tab[0] }} title={target}>
        {tab[1]}
      </Link>
    );
  return <ShortId id={target} />;
}

export const supplierOf = ({ accountId }: AuditEntry) =>
  accountId === '' ? null : <SupplierName accountId={accountId} />;
