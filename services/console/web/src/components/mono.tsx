import { Group } from '@mantine/core';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../calls.ts';
import { Copy } from './copy.tsx';

/** An id or another text for machines. */
export const Mono = ({ children }: { readonly children: ReactNode }) => (
  <span className="mono">{children}</span>
);

interface ShortIdProps {
  readonly id: string;
  readonly hasCopy?: boolean;
}

/** Ids that were created in the same minute differ in their last characters. */
const TAIL = 8;

/** An id with as much of its beginning as there is place for, and its end. */
const HeadAndTail = ({ id }: Pick<ShortIdProps, 'id'>) => (
  <>
    <span>{id.slice(0, -TAIL)}</span>
    {id.slice(-TAIL)}
  </>
);

/** An id or a digest, cut to the place it has. Its title is complete, and so is a copy of it. */
export const ShortId = ({ id, hasCopy = false }: ShortIdProps) => (
  <Group component="span" display="inline-flex" gap={6} wrap="nowrap" maw="100%">
    <span className="mono short" title={id}>
      <HeadAndTail id={id} />
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
export function SubmissionLink({ submissionId, children }: SubmissionLinkProps) {
  const may = useMay();
  const isId = children === undefined;
  const content = isId ? <HeadAndTail id={submissionId} /> : children;
  const look = { className: isId ? 'mono short' : 'mono', title: isId ? submissionId : undefined };
  if (!may(SubmissionService.method.getSubmission)) return <span {...look}>{content}</span>;
  return (
    <Link
      {...look}
      aria-label={isId ? submissionId : undefined}
      to="/submissions/$submissionId"
      params={{ submissionId }}
    >
      {content}
    </Link>
  );
}
