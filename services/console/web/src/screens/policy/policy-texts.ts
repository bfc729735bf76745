/** Texts of a policy version's screen. */
export const POLICY = {
  by: (time: string, name: string) => `${time} by ${name}`,
  rulesChanged: (added: string, changed: number, removed: number) =>
    `Compared with the active version: ${added} added, ${changed} changed, ${removed} removed.`,
} as const;
