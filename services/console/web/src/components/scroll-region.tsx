import type { ReactNode, Ref } from 'react';

interface ScrollRegionProps {
  /** Accessible name of the content. */
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
  /** In pixels. */
  readonly maxHeight?: number | undefined;
  readonly ref?: Ref<HTMLDivElement>;
}

/** Container for content that is wider than a narrow screen. It scrolls independently, also by keyboard. */
export const ScrollRegion = ({ label, children, className = 'rows', maxHeight, ref }: ScrollRegionProps) => (
  <section
    ref={ref}
    className={className}
    style={maxHeight ? { maxHeight, overflowY: 'auto', marginBottom: 12 } : undefined}
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached
    tabIndex={0}
  >
    {children}
  </section>
);
