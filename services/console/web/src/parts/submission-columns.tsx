import type { Environment } from '@supplier/proto/common/v1/status';
import { Link } from '@tanstack/react-router';
import { EnvironmentMark } from './marks.tsx';
import type { Column } from './rows.tsx';

/** Columns that identify a submission in any list: a link to it, and its environment. */
export const SUBMISSION_COLUMNS: readonly Column<{
  readonly submissionId: string;
  readonly environment: Environment;
}>[] = [
  {
    name: 'submission',
    cell: ({ submissionId }) => (
      <Link to="/submissions/$submissionId" params={{ submissionId }}>
        {submissionId}
      </Link>
    ),
  },
  { name: 'environment', cell: ({ environment }) => <EnvironmentMark environment={environment} /> },
];
