import { Popover, type PopoverProps } from '@mantine/core';
import type { ReactNode } from 'react';

export interface DropDownPanelProps extends Pick<PopoverProps, 'position' | 'width'> {
  /** Accessible name. */
  readonly label: string;
  readonly maw?: string;
  readonly target: ReactNode;
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** The button and the panel of a DropDown. */
export default function DropDownPanel({
  label,
  maw,
  target,
  isOpen,
  onChange,
  children,
  position = 'bottom-start',
  width,
}: DropDownPanelProps) {
  return (
    <Popover opened={isOpen} onChange={onChange} position={position} width={width} trapFocus shadow="md">
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown aria-label={label} maw={maw}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
