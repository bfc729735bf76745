import { Button, type ButtonProps } from '@mantine/core';
import { lazy, type ReactNode, useState } from 'react';
import type { DropDownPanelProps } from './drop-down-panel.tsx';
import { OnDemand } from './on-demand.tsx';

/** Loaded when one is opened first: placing it beside its button takes more code than a list. */
const DropDownPanel = lazy(() => import('./drop-down-panel.tsx'));

interface DropDownProps extends Pick<DropDownPanelProps, 'label' | 'position' | 'width' | 'maw'> {
  readonly button: ButtonProps & { readonly 'aria-label'?: string | undefined; readonly children: ReactNode };
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a small panel beside it. */
export function DropDown({ button, children, ...panel }: DropDownProps) {
  const [isOpen, setOpen] = useState(false);
  const [isNeeded, setNeeded] = useState(false);
  const target = (
    <Button
      {...button}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onClick={() => {
        setNeeded(true);
        setOpen(!isOpen);
      }}
    />
  );
  if (!isNeeded) return target;
  return (
    <OnDemand fallback={target}>
      <DropDownPanel {...panel} target={target} isOpen={isOpen} onChange={setOpen}>
        {children(() => setOpen(false))}
      </DropDownPanel>
    </OnDemand>
  );
}
