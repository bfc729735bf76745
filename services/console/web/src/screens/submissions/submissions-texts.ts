/** Texts of the list of submissions. */
export const SUBMISSIONS = {
  inapplicable: (count: number) => `${count} of them can’t take this action and will be refused.`,
  unknown: (left: number, all: number, why: string) =>
    `The outcome of ${left} of ${all} is unknown: ${why} They stay selected. Try again: submissions already done are refused.`,
} as const;
