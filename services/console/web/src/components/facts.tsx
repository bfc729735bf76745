import { Box, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

interface FactsProps {
  /** Names with their values. Undefined ones are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode] | undefined)[];
}

const GRID = { display: 'grid', gridTemplateColumns: 'fit-content(45%) minmax(0, 1fr)', gap: '6px 18px' };

/** Names and values, as a description list. */
export const Facts = ({ facts }: FactsProps) => (
  <Box component="dl" m={0} style={GRID}>
    {facts.map((fact) =>
      fact ? (
        <Fragment key={fact[0]}>
          <Text component="dt" inherit c="dimmed">
            {fact[0]}
          </Text>
          <Box component="dd" m={0}>
            {fact[1]}
          </Box>
        </Fragment>
      ) : null,
    )}
  </Box>
);
