import type { Environment } from '@supplier/proto/common/v1/status';
import type { Column } from './data-table.tsx';
import { SubmissionLink } from './mono.tsx';
import { EnvironmentBadge } from './status-badge.tsx';

/** Columns that identify a submission in a list that knows no reference: a link to it, and its environment. */
export const SUBMISSION_COLUMNS: readonly Column<{
  readonly submissionId: string;
  readonly environment: Environment;
}>[] = [
  {
    name: 'submission',
    cell: ({ submissionId }) => <SubmissionLink submissionId={submissionId} />,
  },
  { name: 'environment', cell: ({ environment }) => <EnvironmentBadge environment={environment} /> },
];
