import type { ReactNode } from 'react';

interface ScrollRegionProps {
  /** Accessible name of the content. */
  readonly label: string;
  readonly children: ReactNode;
  /** In pixels. */
  readonly maxHeight?: number | undefined;
}

/** Container of a table, whose rows become cards where it is narrow. It scrolls independently, also by keyboard. */
export const ScrollRegion = ({ label, children, maxHeight }: ScrollRegionProps) => (
  <section
    className="frame"
    style={{ overflow: 'auto', ...(maxHeight ? { maxHeight, marginBottom: 12 } : {}) }}
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached
    tabIndex={0}
  >
    {children}
  </section>
);
