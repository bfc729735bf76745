import { Environment } from '@supplier/proto/common/v1/status';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lastEnvironment } from './preferences.ts';
import type { EnvironmentInUrl } from './searches.ts';

const NAMES = { [Environment.SANDBOX]: 'sandbox', [Environment.PRODUCTION]: 'production' } as const;

/** Returns the environment in the URL: each tab has its own, and a shared link shows everyone the same. */
export const useEnvironment = (): EnvironmentInUrl =>
  useSearch({ strict: false }).environment ?? Environment.PRODUCTION;

/** Returns the name of the environment in the URL, and remembers it for URLs without one. */
export function useEnvironmentName(): 'sandbox' | 'production' {
  const name = NAMES[useEnvironment()];
  useEffect(() => lastEnvironment.set(name), [name]);
  return name;
}

/** Corrects the environment in the URL to that of what is shown. */
export function useEnvironmentOf(environment: Environment | undefined): void {
  const current = useEnvironment();
  const navigate = useNavigate();
  useEffect(() => {
    const isKnown = environment === Environment.SANDBOX || environment === Environment.PRODUCTION;
    if (isKnown && environment !== current)
      void navigate({ to: '.', search: (before: object) => ({ ...before, environment }), replace: true });
  }, [environment, current, navigate]);
}
