import { Group } from '@mantine/core';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { Copy } from './copy.tsx';

interface MonoProps {
  readonly children: ReactNode;
}

/** An id or another text for machines. */
export const Mono = ({ children }: MonoProps) => <span className="mono">{children}</span>;

interface ShortIdProps {
  readonly id: string;
  readonly hasCopy?: boolean;
}

/** An id or a digest, cut to the place it has. Its title is complete, and so is a copy of it. */
export const ShortId = ({ id, hasCopy = false }: ShortIdProps) => (
  <Group component="span" display="inline-flex" gap={6} wrap="nowrap" maw="100%">
    <span className="mono short" title={id}>
      {id}
    </span>
    {hasCopy ? <Copy text={id} /> : null}
  </Group>
);

interface SubmissionLinkProps {
  readonly submissionId: string;
  /** The id if omitted. */
  readonly children?: ReactNode;
}

/** Names a submission by its id or by its reference, with a link for people who may open it. */
export function SubmissionLink({ submissionId, children = submissionId }: SubmissionLinkProps) {
  const { roles } = useSession();
  const isId = children === submissionId;
  const look = { className: isId ? 'mono short' : 'mono', title: isId ? submissionId : undefined };
  if (!mayCall(roles, SubmissionService.method.getSubmission)) return <span {...look}>{children}</span>;
  return (
    <Link {...look} to="/submissions/$submissionId" params={{ submissionId }}>
      {children}
    </Link>
  );
}
