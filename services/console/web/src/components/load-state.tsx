import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { isNotFound } from '../calls.ts';
import { LoadError } from './load-error.tsx';
import { LoadingLines } from './panel.tsx';

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
