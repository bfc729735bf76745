import { Paper, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LoadError } from './load-error.tsx';

interface FigureProps {
  readonly label: ReactNode;
  /** Undefined while it is loading. */
  readonly value: ReactNode;
  /** Not rendered without a value, because it would count what isn't loaded. */
  readonly detail?: ReactNode;
  readonly isBad?: boolean;
  readonly error?: Error | null;
}

/** One number with its label and a line that puts it into context. */
export const Figure = ({ label, value, detail, isBad = false, error }: FigureProps) => (
  <Paper
    withBorder
    p={{ base: 'sm', sm: 'md' }}
    component="section"
    aria-busy={value === undefined && !error}
  >
    <Text component="h2" size="sm" c="dimmed" fw={400}>
      {label}
    </Text>
    {/* As high while it loads as with a value and one line of detail. */}
    <Text component="div" className="number" fz="clamp(19px, 5vw, 26px)" fw={650} lh={1.3} mih="1lh">
      {value === undefined && !error ? <Skeleton height="1em" width={80} /> : value}
    </Text>
    <Text component="div" size="xs" c={isBad ? 'var(--red)' : 'dimmed'} mih="1lh">
      {value === undefined ? null : detail}
    </Text>
    {error ? <LoadError error={error} isStale={value !== undefined} /> : null}
  </Paper>
);
