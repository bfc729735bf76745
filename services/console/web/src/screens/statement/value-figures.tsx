import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Figure } from '../../components/figure.tsx';
import { netOf } from '../../figures.ts';
import { formatPounds, withNoun } from '../../format.ts';
import { STATEMENT } from './statement-texts.ts';

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
  <SimpleGrid cols={{ base: 2, lg: children ? 4 : 3 }} spacing={{ base: 'xs', sm: 'md' }} mb="md">
    <Figure
      label={STATEMENT.net}
      value={value && formatPounds(netOf(value))}
      detail={
        value &&
        (value.unpriced ? STATEMENT.unpriced(withNoun(value.unpriced, STATEMENT.line)) : STATEMENT.allPriced)
      }
      isBad={Boolean(value?.unpriced)}
      error={error}
    />
    <Figure
      label={STATEMENT.charged}
      value={value && formatPounds(value.chargedPence)}
      detail={value && withNoun(value.charges, STATEMENT.charges)}
      error={error}
    />
    <Figure
      label={STATEMENT.credited}
      value={value && formatPounds(value.creditedPence)}
      detail={value && withNoun(value.credits, STATEMENT.credits)}
      error={error}
    />
    {children}
  </SimpleGrid>
);
