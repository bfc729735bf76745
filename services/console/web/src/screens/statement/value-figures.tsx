import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Figure } from '../../components/figure.tsx';
import { netOf } from '../../figures.ts';
import { formatPounds, withNoun } from '../../format.ts';

interface ValueFiguresProps {
  /** Undefined while it is loading. */
  readonly value:
    | {
        readonly charges: bigint;
        readonly chargedPence: bigint;
        readonly credits: bigint;
        readonly creditedPence: bigint;
        readonly unpriced: bigint;
      }
    | undefined;
  readonly error?: Error | null;
  /** Another figure. */
  readonly children?: ReactNode;
}

/** What charges and credits come to. */
export const ValueFigures = ({ value, error = null, children }: ValueFiguresProps) => (
  <SimpleGrid cols={{ base: 2, sm: children ? 4 : 3 }} spacing={{ base: 'xs', sm: 'md' }} mb="md">
    <Figure
      label="Net"
      value={value && formatPounds(netOf(value))}
      detail={
        value &&
        (value.unpriced ? `${withNoun(value.unpriced, 'line')} without a price` : 'Every line has a price')
      }
      isBad={Boolean(value?.unpriced)}
      error={error}
    />
    <Figure
      label="Charged"
      value={value && formatPounds(value.chargedPence)}
      detail={value && withNoun(value.charges, 'charge')}
      error={error}
    />
    <Figure
      label="Credited"
      value={value && formatPounds(value.creditedPence)}
      detail={value && withNoun(value.credits, 'credit')}
      error={error}
    />
    {children}
  </SimpleGrid>
);
