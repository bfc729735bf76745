import { Box, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

/** A wide value stands below its name. */
export type Fact = readonly [name: string, value: ReactNode, isWide?: boolean];

interface FactsProps {
  /** Names with their values. Undefined ones are left out. */
  readonly facts: readonly (Fact | undefined)[];
}

const WIDE = { gridColumn: '1 / -1' };
const GRID = { display: 'grid', gridTemplateColumns: 'fit-content(45%) minmax(0, 1fr)', gap: '6px 18px' };

/** Names and values, as a description list. */
export const Facts = ({ facts }: FactsProps) => (
  <Box component="dl" m={0} style={GRID}>
    {facts.map((fact) =>
      fact ? (
        <Fragment key={fact[0]}>
          <Text component="dt" inherit c="dimmed" style={fact[2] ? WIDE : {}}>
            {fact[0]}
          </Text>
          <Box component="dd" m={0} style={fact[2] ? WIDE : {}}>
            {fact[1]}
          </Box>
        </Fragment>
      ) : null,
    )}
  </Box>
);
