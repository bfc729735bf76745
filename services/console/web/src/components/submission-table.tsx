import { visible } from '@supplier/lib/text/visible';
import type { Environment } from '@supplier/proto/common/v1/status';
import { Mono, ShortId } from './mono.tsx';
import { SimpleTable } from './simple-table.tsx';
import { EnvironmentBadge } from './status-badge.tsx';
import { SupplierName } from './supplier-name.tsx';

interface SubmissionTableProps {
  readonly label: string;
  readonly submissions: readonly {
    readonly submissionId: string;
    readonly externalReference: string;
    readonly accountId: string;
    readonly environment: Environment;
  }[];
  /** In pixels. */
  readonly maxHeight?: number;
}

/** The submissions that an action is about. References are unique only within a supplier. */
export const SubmissionTable = ({ submissions, ...table }: SubmissionTableProps) => (
  <SimpleTable
    {...table}
    heads={['Reference', 'Supplier', 'Environment', 'ID']}
    rows={submissions.map(({ submissionId, externalReference, accountId, environment }) => [
      <Mono key="reference">{visible(externalReference)}</Mono>,
      <SupplierName key="supplier" accountId={accountId} isLink={false} />,
      <EnvironmentBadge key="environment" environment={environment} />,
      <ShortId key="id" id={submissionId} />,
    ])}
  />
);
