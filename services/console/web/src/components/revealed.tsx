import { Alert, Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Reveal } from './use-reveal.ts';

interface RevealedProps<Value> {
  readonly of: Reveal<Value>;
  /** Accessible name: "The applicant". */
  readonly label: string;
  readonly children: (value: Value) => ReactNode;
}

/**
 * Renders personal details with a notice that access is audited and a button to hide them, or the reason why they can't
 * be shown.
 */
export function Revealed<Value>({ of, label, children }: RevealedProps<Value>) {
  if (of.refusal !== undefined)
    return (
      <Alert color="yellow" role="alert">
        Could not load this: {of.refusal}
      </Alert>
    );
  if (of.isAsking) return <p role="status">Loading…</p>;
  if (of.value === undefined) return null;
  return (
    <Paper component="section" aria-label={label} withBorder p="sm" style={{ borderColor: 'var(--amber)' }}>
      <Group justify="space-between" gap="xs" mb="sm">
        <Text size="sm" c="var(--amber)">
          Recorded in the audit log with your purpose. Hidden after two minutes without input, ten minutes in
          all, or when you leave the page.
        </Text>
        <Button size="compact-xs" onClick={of.hide}>
          Hide
        </Button>
      </Group>
      {children(of.value)}
    </Paper>
  );
}
