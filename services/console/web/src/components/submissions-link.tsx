import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../calls.ts';
import type { SubmissionsSearch } from '../searches.ts';

interface SubmissionsLinkProps {
  readonly search?: SubmissionsSearch;
  readonly children: ReactNode;
}

/** Links to a list of submissions. For people who may not list them, it renders only the text. */
export function SubmissionsLink({ search = {}, children }: SubmissionsLinkProps) {
  const may = useMay();
  if (!may(SubmissionService.method.listSubmissions)) return children;
  return (
    <Link to="/submissions" search={search}>
      {children}
    </Link>
  );
}
