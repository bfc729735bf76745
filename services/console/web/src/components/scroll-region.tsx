import type { ReactNode, Ref } from 'react';

interface ScrollRegionProps {
  /** Accessible name of the content. */
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly ref?: Ref<HTMLDivElement>;
}

/** Container for content that is wider than a narrow screen. It scrolls independently, also by keyboard. */
export const ScrollRegion = ({ label, children, className = 'rows', ref }: ScrollRegionProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached
  <section ref={ref} className={className} aria-label={label} tabIndex={0}>
    {children}
  </section>
);
