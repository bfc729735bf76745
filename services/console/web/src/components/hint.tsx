import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface HintProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A label beside what it belongs to, for the pointer. */
const Hint = ({ label, children }: HintProps) => (
  <Tooltip label={label} events={{ hover: true, focus: true, touch: true }}>
    {children}
  </Tooltip>
);
export default Hint;
