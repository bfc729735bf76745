import { Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { stateOfCap } from '../figures.ts';

const PERCENT = 100;
const COLOURS = { reached: 'red', 'nearly reached': 'amber', open: 'blue' };

interface CapBarProps {
  readonly label?: ReactNode;
  readonly used: bigint;
  readonly cap: number;
}

/** How much of a cap is used: blue, amber above 80%, red when it is reached. */
export function CapBar({ label, used, cap }: CapBarProps) {
  const text = `${used.toLocaleString('en-GB')} of ${cap.toLocaleString('en-GB')}`;
  const share = cap === 0 ? 1 : Number(used) / cap;
  return (
    <div>
      <Group justify="space-between" mb={4}>
        {label}
        <Text size="sm" c="dimmed" className="number">
          {text}
        </Text>
      </Group>
      <Progress value={share * PERCENT} color={COLOURS[stateOfCap(used, cap)]} aria-label={text} />
    </div>
  );
}
