/** Texts of the list of suppliers. */
export const SUPPLIERS = {
  tooMany: (count: number) => `More than ${count} accounts match this name. Enter more of it.`,
} as const;
