import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { Failed } from './failed.tsx';

interface OnDemandProps {
  /** What is shown while the code loads. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page whose code loads when it is needed. If that fails, only this part says so. */
export const OnDemand = ({ fallback = null, children }: OnDemandProps) => (
  <CatchBoundary getResetKey={() => 'part'} errorComponent={Failed}>
    <Suspense fallback={fallback}>{children}</Suspense>
  </CatchBoundary>
);
