/** Texts of the list of policies. */
export const POLICIES = {
  activePolicy: (kind: string) => `Active ${kind.toLowerCase()} policy`,
} as const;
