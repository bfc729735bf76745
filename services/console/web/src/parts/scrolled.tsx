import type { ReactNode, Ref } from 'react';

interface ScrolledProps {
  /** What is in it, for those who do not see it. */
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly ref?: Ref<HTMLDivElement>;
}

/** What is wider than a narrow screen: it scrolls in its own place, by the keyboard as well. */
export const Scrolled = ({ label, children, className = 'rows', ref }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached
  <section ref={ref} className={className} aria-label={label} tabIndex={0}>
    {children}
  </section>
);
