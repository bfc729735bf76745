import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** A label beside what it belongs to, for the pointer. */
const Hint = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Tooltip label={label} events={{ hover: true, focus: true, touch: true }}>
    {children}
  </Tooltip>
);
export default Hint;
