import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface MonoProps {
  readonly children: ReactNode;
}

/** An id or another text for machines. */
export const Mono = ({ children }: MonoProps) => <span className="mono">{children}</span>;

interface SubmissionLinkProps {
  readonly submissionId: string;
  /** The id if omitted. */
  readonly children?: ReactNode;
}

/** Links to a submission by its id, or by its reference. */
export const SubmissionLink = ({ submissionId, children = submissionId }: SubmissionLinkProps) => (
  <Link className="mono" to="/submissions/$submissionId" params={{ submissionId }}>
    {children}
  </Link>
);
