import { Box, Group, Paper, Skeleton, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { isNotFound } from '../calls.ts';
import { LoadError } from './load-error.tsx';

interface PanelFrameProps {
  readonly title: string;
  /** Buttons and links at the right of the title. */
  readonly actions?: ReactNode;
  readonly isLoading?: boolean;
  /** Lets a table reach the edges of the panel. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** Frames a part of a screen under a title. */
export const PanelFrame = ({
  title,
  actions,
  isLoading = false,
  isFlush = false,
  children,
}: PanelFrameProps) => (
  <Paper component="section" withBorder aria-busy={isLoading}>
    <Group component="header" px="md" py={10} gap="xs" style={{ borderBottom: '1px solid var(--line)' }}>
      <Title order={2}>{title}</Title>
      {actions ? (
        <Group ml="auto" gap="xs">
          {actions}
        </Group>
      ) : null}
    </Group>
    {isFlush ? children : <PanelBody>{children}</PanelBody>}
  </Paper>
);

/** Content of a panel with space around it. */
export const PanelBody = ({ children }: { readonly children: ReactNode }) => (
  <Box className="inset" px="md" py={14}>
    {children}
  </Box>
);

interface PanelProps<Answer> extends Omit<PanelFrameProps, 'children' | 'isLoading'> {
  readonly query: UseQueryResult<Answer>;
  /** For live data: whether the stream was lost. */
  readonly isLost?: boolean;
  /** Text for a response of not found. */
  readonly empty?: string;
  readonly children: (answer: Answer) => ReactNode;
}

/**
 * A panel that one call fills. It renders loading and errors, with the service's message. After an error, earlier
 * content stays visible and is marked as out of date.
 */
export function Panel<Answer>({ query, isLost, empty, children, ...frame }: PanelProps<Answer>) {
  const { data, error, isPending, refetch } = query;
  const isEmpty = error && empty !== undefined && isNotFound(error);
  const Inset = frame.isFlush ? PanelBody : Fragment;
  return (
    <PanelFrame {...frame} isLoading={isPending}>
      {isLost === undefined ? null : (
        <div role="status">{isLost ? 'Live updates lost. Reconnecting…' : ''}</div>
      )}
      {isEmpty ? frame.isFlush ? <PanelBody>{empty}</PanelBody> : <p>{empty}</p> : null}
      {error && !isEmpty ? (
        <Inset>
          <LoadError error={error} isStale={data !== undefined} onRetry={() => void refetch()} />
        </Inset>
      ) : null}
      {isPending ? <LoadingLines /> : null}
      {data === undefined || isEmpty ? null : children(data)}
    </PanelFrame>
  );
}

/** Placeholder lines while a call is in progress. */
export const LoadingLines = () => (
  <Box className="loading" role="status" aria-label="Loading" aria-busy px="md" py={14}>
    <Skeleton height={12} mb={10} />
    <Skeleton height={12} mb={10} width="80%" />
    <Skeleton height={12} width="60%" />
  </Box>
);

interface LoadStateProps {
  readonly query: UseQueryResult<unknown>;
  readonly notFound: string;
}

/** What a screen shows while its call is in progress, after an error, and if there is no such thing. */
export function LoadState({ query: { data, error, isPending, refetch }, notFound }: LoadStateProps) {
  if (isPending) return <LoadingLines />;
  if (!error) return null;
  if (isNotFound(error)) return <Text>{notFound}</Text>;
  return <LoadError error={error} isStale={data !== undefined} onRetry={() => void refetch()} />;
}
